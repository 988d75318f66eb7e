//! What the handles of a queue pair share: its rings, what is outstanding, and where it is.
mod half;

use super::cq::{forked, CompletionQueue, CqShared, FaultSlot};
use super::outstanding::{Outstanding, Posted, Stray, What};
use super::phase::Phase;
use super::qp::{QpOptions, QpState, OWN_MESSAGES};
use super::region::{MemoryRegion, ProtectionDomain, Registered, Segment};
use super::types::{Completion, Status, WcOpcode};
use crate::admin;
use crate::backend::END;
use crate::device::{Number, Shared};
use crate::dma::DmaMemory;
use crate::error::Error;
use crate::process::Process;
use crate::rings::{Payload, ReceiveRing, SendRequest, SendRing};
use ferrowarp_abi::codec::{Cqe, MrRow, QpRow, Sge};
use ferrowarp_abi::consts::{admin_opcode, qp_state, wc_status, work_opcode};
use ferrowarp_abi::opcode::Opcode;
use ferrowarp_firmware::port::Rtr;
use parking_lot::{Mutex, MutexGuard};
use std::borrow::Borrow;
use std::sync::atomic::{fence, AtomicBool, AtomicU32, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

/// Octets of the driver's own message: a Reply with all its private data has 532.
const OWN_OCTETS: usize = 1024;

/// An entry that is no completion of a queue pair.
#[derive(Debug)]
pub(super) enum BadCompletion {
    /// A success without a request.
    Nameless,
    /// Of a queue that completes in another completion queue.
    Elsewhere,
    /// Of a request that is not outstanding.
    Stray(Stray),
}

impl BadCompletion {
    /// What is wrong.
    #[cold]
    pub(super) fn why(self, qp: u16) -> String {
        match self {
            Self::Nameless => format!("a success of queue pair {qp} names no request"),
            Self::Elsewhere => format!("that queue of queue pair {qp} completes elsewhere"),
            Self::Stray(stray) => format!("queue pair {qp}: {stray}"),
        }
    }
}

#[derive(Debug)]
pub(crate) struct QpShared {
    pub(crate) number: Number,
    pd: ProtectionDomain,
    /// Address of the device's objects, and number of the domain: what its segments are of.
    here: (usize, u16),
    cqs: [Arc<CqShared>; 2],
    /// For its fault.
    faults: [Option<FaultSlot>; 2],
    /// Octets of the driver's own message.
    own: MemoryRegion,
    /// Regions that serve this queue pair alone.
    bound: Mutex<Vec<Weak<Registered>>>,
    phase: Phase,
    process: Process,
    /// As the connection manager wrote it last.
    row: Mutex<QpRow>,
    /// Reads of ours that may be under way at once.
    ord: AtomicU8,
    sends: Mutex<SendRing>,
    receives: Mutex<ReceiveRing>,
    /// The peer has finished sending: receives are flushed.
    is_deaf: AtomicBool,
    /// The device forgot the receives' index, and who holds the queue has to tell it again.
    is_forgotten: AtomicBool,
    /// Requests of the send queue, and of the receive queue.
    out: [Outstanding; 2],
    /// The device's cycle counter at the event that stopped the queue pair, if there was one.
    stopped_at: OnceLock<u64>,
    /// Slots of requests that were flushed: the hardware may have finished them nevertheless.
    owed: [AtomicU32; 2],
}

impl QpShared {
    pub(super) fn new(
        pd: &ProtectionDomain,
        cqs: [&CompletionQueue; 2],
        logs: [u8; 2],
        options: QpOptions,
    ) -> Result<Arc<Self>, Error> {
        let shared = &pd.0.shared;
        if cqs.iter().any(|cq| !Arc::ptr_eq(&cq.0.number.shared, shared)) {
            return Err(Error::Domain("a completion queue"));
        }
        let number = Shared::number(shared, |shared| &shared.qps)?;
        let index = number.index;
        let mut sends = SendRing::new(&shared.backend, index, logs[0])?;
        let mut receives = ReceiveRing::new(&shared.backend, index, logs[1])?;
        let ((sq_base, sq_log2), (rq_base, rq_log2)) = (sends.place(), receives.place());
        let [send_cq, recv_cq] = cqs.map(|cq| cq.0.number.index);
        let (state, pd_index) = (qp_state::READY, pd.0.index);
        let row = QpRow { state, pd: pd_index, send_cq, recv_cq, sq_base, rq_base, ..Default::default() };
        let row = QpRow { sq_log2, rq_log2, ..row };
        // the fault goes to one of its completion queues, once
        let is_one = Arc::ptr_eq(&cqs[0].0, &cqs[1].0);
        let second = (!is_one).then(|| FaultSlot::new(&cqs[1].0)).transpose()?;
        let faults = [Some(FaultSlot::new(&cqs[0].0)?), second];
        let own = MrRow { bound_to_qp: true, qp: index, ..Default::default() };
        let own = MemoryRegion::new(pd, DmaMemory::zeroed(shared.backend.arena(), OWN_OCTETS)?, own)?;
        if let Err(why) = admin::command(&*shared.backend, admin_opcode::QP_WRITE, index, row.octets()) {
            if !why.is_refusal() {
                sends.keep();
                receives.keep();
                number.keep();
                pd.0.keep();
            }
            return Err(why.into());
        }
        let sends_most = options.sends + OWN_MESSAGES;
        let out = [Outstanding::new(sends_most, true), Outstanding::new(options.receives, false)];
        let cqs = cqs.map(|cq| cq.0.clone());
        let qp = Arc::new(Self {
            number,
            pd: pd.clone(),
            here: (shared.address(), pd_index),
            cqs,
            faults,
            own,
            bound: Mutex::default(),
            phase: Phase::default(),
            process: Process::this(),
            row: Mutex::new(row),
            ord: AtomicU8::new(0),
            sends: Mutex::new(sends),
            receives: Mutex::new(receives),
            is_deaf: AtomicBool::new(false),
            is_forgotten: AtomicBool::new(false),
            out,
            stopped_at: OnceLock::new(),
            owed: Default::default(),
        });
        qp.cqs.iter().for_each(|cq| cq.attach(&qp));
        shared.keep(&qp);
        Ok(qp)
    }

    /// It is of this domain, and so of its device.
    pub(super) fn is_in(&self, pd: &ProtectionDomain) -> bool {
        self.here == (pd.0.shared.address(), pd.0.index)
    }

    /// A region is bound to it, until it ends.
    pub(super) fn bind_region(&self, region: &Arc<Registered>) {
        let mut bound = self.bound.lock();
        bound.retain(|region| region.strong_count() > 0);
        bound.push(Arc::downgrade(region));
    }

    /// The send queue. Each change of a ring is whole before the lock is given back, also by a panic.
    #[inline(always)]
    pub(super) fn sends(&self) -> MutexGuard<'_, SendRing> {
        self.sends.lock()
    }

    /// The receive queue.
    #[inline(always)]
    pub(super) fn receives(&self) -> MutexGuard<'_, ReceiveRing> {
        self.receives.lock()
    }

    #[inline(always)]
    pub(super) fn phase(&self) -> QpState {
        self.phase.get()
    }

    /// Whether this is the process that made it: a child has no rings.
    #[inline(always)]
    fn is_ours(&self) -> Result<(), Error> {
        match self.process.is_here() {
            true => Ok(()),
            false => Err(forked()),
        }
    }

    /// Requests that the queues hold at once, those of the driver's own among them.
    pub(super) fn most(&self) -> [u32; 2] {
        self.out.each_ref().map(Outstanding::most)
    }

    /// Refuses segments of another domain or device.
    #[inline(always)]
    pub(super) fn check(&self, segments: &[Segment]) -> Result<(), Error> {
        match segments.iter().all(|s| (s.device, s.pd) == self.here) {
            true => Ok(()),
            false => Err(Error::Domain("a segment")),
        }
    }

    /// Posts one request and rings.
    #[inline(always)]
    pub(super) fn post_one(&self, posted: Posted, request: SendRequest<'_, Segment>) -> Result<(), Error> {
        let mut ring = self.sends();
        self.post(&mut ring, posted, request)?;
        self.ring_sends(ring)
    }

    /// Posts a request of the application.
    #[inline(always)]
    pub(super) fn post(
        &self,
        ring: &mut SendRing,
        posted: Posted,
        request: SendRequest<'_, Segment>,
    ) -> Result<(), Error> {
        if let Payload::Segments(segments) = request.payload {
            self.check(segments)?;
        }
        let is_read = posted.opcode == WcOpcode::Read;
        if is_read {
            self.may_read()?;
        }
        self.put_send(ring, posted, request)?;
        if is_read {
            self.has_read();
        }
        Ok(())
    }

    /// Writes a request into the next slot, unless it is flushed; [`QpShared::ring_sends`] tells of it. An error changes nothing.
    #[inline(always)]
    fn put_send<S: Borrow<Sge>>(
        &self,
        ring: &mut SendRing,
        posted: Posted,
        request: SendRequest<'_, S>,
    ) -> Result<(), Error> {
        self.is_ours()?;
        let Some(tag) = self.out[0].room() else { return Err(self.full(0)) };
        let request = SendRequest { tag, ..request };
        if self.phase() != QpState::Connected && !posted.is_own {
            return self.put_unconnected(tag, posted, &request);
        }
        if posted.is_signaled {
            self.cqs[0].reserve()?;
        }
        if let Err(why) = ring.put(&request) {
            self.cqs[0].release(posted.is_signaled.into());
            return Err(why);
        }
        self.out[0].push(tag, Posted { has_slot: posted.is_signaled, ..posted });
        Ok(())
    }

    /// Keeps a request of a queue pair in error, which is flushed. There is none before the queue pair has a connection, and none
    /// after this end has finished sending.
    #[cold]
    #[inline(never)]
    fn put_unconnected<S: Borrow<Sge>>(
        &self,
        tag: u64,
        posted: Posted,
        request: &SendRequest<'_, S>,
    ) -> Result<(), Error> {
        self.number.shared.backend.lives()?;
        match self.phase() {
            QpState::Error => {}
            QpState::Finished => return Err(Error::Finished(self.number.index)),
            _ => return Err(Error::NotConnected(self.number.index)),
        }
        // what is impossible is so in error, too
        request.slot()?;
        self.out[0].push(tag, posted);
        Ok(())
    }

    /// The same for a receive.
    #[inline(always)]
    pub(super) fn put_recv(
        &self,
        ring: &mut ReceiveRing,
        wr_id: u64,
        segments: &[Segment],
    ) -> Result<(), Error> {
        self.is_ours()?;
        let Some(tag) = self.out[1].room() else { return Err(self.full(1)) };
        let has_slot = !self.is_flushed(1);
        if !has_slot {
            self.number.shared.backend.lives()?;
        }
        if has_slot {
            self.cqs[1].reserve()?;
            if let Err(why) = ring.put(tag, segments) {
                self.cqs[1].release(1);
                return Err(why);
            }
        }
        let opcode = WcOpcode::Receive;
        self.out[1].push(tag, Posted { wr_id, opcode, is_signaled: true, is_own: false, has_slot });
        Ok(())
    }

    #[cold]
    fn full(&self, queue: usize) -> Error {
        let name = if queue == 0 { "send" } else { "receive" };
        Error::Full { queue: name, most: self.out[queue].most() }
    }

    /// Whether a queue is flushed, asked behind a request that was kept: either this sees so, or who flushes it sees the request.
    #[inline(always)]
    fn is_over(&self, queue: usize) -> bool {
        self.phase.is_over() || (queue == 1 && self.is_deaf.load(Ordering::Relaxed))
    }

    /// The end of a batch: the device is told, or, in error, the completion queue.
    #[inline(always)]
    pub(super) fn ring_sends(&self, ring: MutexGuard<'_, SendRing>) -> Result<(), Error> {
        if self.is_over(0) {
            drop(ring);
            self.tell_flushed(0);
            return Ok(());
        }
        ring.ring()
    }

    /// The same for receives.
    #[inline(always)]
    pub(super) fn ring_recvs(&self, ring: MutexGuard<'_, ReceiveRing>) -> Result<(), Error> {
        let is_over = self.is_over(1);
        let rung = if is_over { Ok(()) } else { ring.ring() };
        drop(ring);
        if is_over {
            self.tell_flushed(1);
        }
        rung.and(self.remind())
    }

    /// Which of its queues complete in `cq`.
    #[inline(always)]
    pub(super) fn queues_in(&self, cq: &CqShared) -> [Option<&Outstanding>; 2] {
        [0, 1].map(|n| std::ptr::eq(&*self.cqs[n], cq).then_some(&self.out[n]))
    }

    /// What an entry means to the application, which is given to `sink`; whether there is something. `queues` are those that
    /// complete where it was found, whose lock the caller holds. A completion gives its slot back; `more` has the slots beside
    /// those, modulo 2^32. The error says why it cannot be.
    #[inline(always)]
    pub(super) fn complete(
        &self,
        queues: [Option<&Outstanding>; 2],
        cqe: &Cqe,
        more: &mut u32,
        sink: &mut impl FnMut(Completion),
    ) -> Result<bool, BadCompletion> {
        let failed = cqe.status != wc_status::SUCCESS;
        if failed {
            self.phase.fail();
            self.cqs.iter().for_each(|cq| cq.disturb());
        }
        if !cqe.has_wr {
            return match failed {
                true => Ok(false),
                false => Err(BadCompletion::Nameless),
            };
        }
        let queue = usize::from(cqe.is_recv);
        let Some(out) = queues[queue] else { return Err(BadCompletion::Elsewhere) };
        let Some((wr_id, what)) = out.complete(cqe.wr_id) else {
            return self.late(queue, more, cqe.wr_id);
        };
        if !what.is_plain() {
            *more = more.wrapping_add(what.slots());
            if what.is_own() {
                return Ok(false);
            }
            *more = more.wrapping_sub(1);
        }
        sink(Completion {
            wr_id,
            status: if failed { Status::of(cqe.status) } else { Status::Success },
            opcode: what.opcode(),
            octets: if !failed && what.takes() { cqe.byte_len.0 } else { 0 },
            qp: cqe.qp,
            invalidated: cqe.has_invalidate.then_some(cqe.invalidated_stag),
            is_solicited: cqe.is_solicited,
            error: cqe.error,
        });
        Ok(true)
    }

    /// A completion queue hears of what the hardware never completes: the next poll flushes it, and who waits is woken. The
    /// queue pair's lock is free.
    fn tell_flushed(&self, queue: usize) {
        self.cqs[queue].disturb();
        self.cqs[queue].notify();
    }

    /// A request that was flushed already, or none at all.
    #[cold]
    #[inline(never)]
    fn late(&self, queue: usize, more: &mut u32, tag: u64) -> Result<bool, BadCompletion> {
        if !self.is_flushed(queue) {
            return Err(BadCompletion::Stray(self.out[queue].stray(tag)));
        }
        let owed = &self.owed[queue];
        let had = owed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |owed| owed.checked_sub(1));
        *more = more.wrapping_add(had.is_ok().into());
        Ok(false)
    }

    /// Whether requests of the application are left that are flushed and complete in `cq`.
    pub(super) fn leaves(&self, cq: &CqShared) -> bool {
        let mine = |n: usize| self.cqs[n].number.index == cq.number.index;
        (0..2).any(|n| mine(n) && self.is_flushed(n) && self.out[n].has_some())
    }

    /// Completions of what its queues leave that are flushed and complete in `cq`, whose lock the caller holds.
    pub(super) fn flush(&self, cq: &CqShared) -> Vec<Completion> {
        let mine = |&n: &usize| self.cqs[n].number.index == cq.number.index && self.is_flushed(n);
        let mine = [0, 1].into_iter().filter(mine);
        let flush = |n: usize| {
            let left = self.out[n].flush();
            let slots = left.iter().map(|(_, what)| what.slots()).sum();
            self.owed[n].fetch_add(slots, Ordering::Relaxed);
            left
        };
        let flushed = |(wr_id, what): (u64, What)| Completion {
            wr_id,
            status: Status::Flushed,
            opcode: what.opcode(),
            octets: 0,
            qp: self.number.index,
            invalidated: None,
            is_solicited: false,
            error: 0,
        };
        mine.flat_map(flush).filter(|(_, what)| !what.is_own()).map(flushed).collect()
    }
}

/// For the connection manager.
impl QpShared {
    /// A connection wants the queue pair.
    pub(crate) fn bind(&self) -> Result<(), Error> {
        match self.phase.step(QpState::Idle, QpState::Connecting) {
            true => Ok(()),
            false => Err(Error::Used(self.number.index)),
        }
    }

    /// Nothing came of it, before the hardware heard of it.
    pub(crate) fn unbind(&self) {
        self.phase.step(QpState::Connecting, QpState::Idle);
    }

    /// Work may be posted.
    pub(crate) fn connected(&self) {
        self.phase.step(QpState::Connecting, QpState::Connected);
    }

    /// The stream is over: what is outstanding, and what is posted from now on, is flushed.
    pub(crate) fn fail(&self) {
        let left = self.cease();
        (0..2).filter(|&n| left[n]).for_each(|n| self.tell_flushed(n));
    }

    /// From now on it is in error; which of its queues have something left.
    pub(super) fn cease(&self) -> [bool; 2] {
        self.phase.fail();
        self.out.each_ref().map(Outstanding::has_some)
    }

    /// The row with these Read depths.
    pub(crate) fn row(&self, ird: u8, ord: u8) -> QpRow {
        let mut row = self.row.lock();
        *row = QpRow { ird, ord, ..*row };
        self.ord.store(ord, Ordering::Relaxed);
        *row
    }

    /// The row was written anew, which emptied the queues: tells the receives again. Nothing of them was used yet. A thread that
    /// posts receives meanwhile does it at the end of its batch: it may be waiting for this one.
    pub(crate) fn ring_receives(&self) -> Result<(), Error> {
        self.is_forgotten.store(true, Ordering::SeqCst);
        self.remind()
    }

    /// Tells the receives again, if they were forgotten. Who holds the queue comes here when it has given it back.
    #[inline(always)]
    pub(super) fn remind(&self) -> Result<(), Error> {
        fence(Ordering::SeqCst);
        match self.is_forgotten.load(Ordering::Relaxed) {
            true => self.ring_again(),
            false => Ok(()),
        }
    }

    #[cold]
    fn ring_again(&self) -> Result<(), Error> {
        while self.is_forgotten.load(Ordering::SeqCst) {
            let Some(ring) = self.receives.try_lock() else { return Ok(()) };
            if self.is_forgotten.swap(false, Ordering::SeqCst) {
                ring.ring()?;
            }
            drop(ring);
            fence(Ordering::SeqCst);
        }
        Ok(())
    }

    /// An event has stopped it; the device's cycle counter, if it is the first one.
    pub(crate) fn stops_at(&self, cycles: u64) {
        self.stopped_at.get_or_init(|| cycles);
    }

    /// The device's cycle counter at the event that stopped the queue pair, if there was one.
    pub(crate) fn stopped_at(&self) -> Option<u64> {
        self.stopped_at.get().copied()
    }

    /// Octets outside of messages, in one segment.
    pub(crate) fn post_raw(&self, octets: &[u8]) -> Result<(), Error> {
        let segment = self.own.fill(octets)?;
        self.post_own(work_opcode::RAW, &[segment])
    }

    /// The initiator's first message.
    pub(crate) fn post_ready(&self, kind: Rtr) -> Result<(), Error> {
        match kind {
            Rtr::Send => self.post_own(Opcode::Send as u8, &[]),
            Rtr::Write => self.post_own(Opcode::RdmaWrite as u8, &[]),
            Rtr::Read => self.post_own(Opcode::ReadRequest as u8, &[self.own.fill(&[])?]),
        }
    }

    fn post_own(&self, opcode: u8, segments: &[Sge]) -> Result<(), Error> {
        if self.phase() == QpState::Idle {
            return Err(Error::NotConnected(self.number.index));
        }
        let mut ring = self.sends();
        let opcode_of = WcOpcode::of_send(opcode);
        let posted =
            Posted { wr_id: 0, opcode: opcode_of, is_signaled: false, is_own: true, has_slot: false };
        let payload = Payload::Segments(segments);
        self.put_send(&mut ring, posted, SendRequest { opcode, payload, ..Default::default() })?;
        self.ring_sends(ring)
    }
}

impl Drop for QpShared {
    fn drop(&mut self) {
        let (index, shared) = (self.number.index, &self.pd.0.shared);
        let row = QpRow { state: qp_state::RESET, ..Default::default() }.octets();
        let until = Instant::now() + END;
        let left = || until.saturating_duration_since(Instant::now());
        let ended = admin::take_out(&*shared.backend, admin_opcode::QP_WRITE, index, row, END);
        // before the number comes again; a device that does not answer is not asked for each region
        let mut regions = self.bound.get_mut().iter().filter_map(Weak::upgrade);
        if let Some(Err(why)) = ended.is_ok().then(|| regions.try_for_each(|region| region.unbind(left()))) {
            tracing::error!(index, %why, "a region is still bound to a queue pair that is gone");
            self.number.keep();
        }
        self.cqs.iter().for_each(|cq| cq.forget(index, ended.is_ok()));
        self.sends.get_mut().ends_by(until);
        self.receives.get_mut().ends_by(until);
        let Err(why) = ended else {
            self.own.end(left());
            for (cq, n) in self.cqs.iter().zip(0..) {
                cq.release(self.out[n].slots() + self.owed[n].load(Ordering::Relaxed));
            }
            return;
        };
        // nothing of it is asked for again
        self.own.keep(&why);
        self.sends.get_mut().keep();
        self.receives.get_mut().keep();
        self.faults.iter_mut().flatten().for_each(|slot| slot.is_kept = true);
        self.cqs.iter().for_each(|cq| cq.number.keep());
        self.number.keep();
        self.pd.0.keep();
    }
}
