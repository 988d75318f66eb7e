//! What the handles of a queue pair share: its rings, what is outstanding, and where it is.
use super::cq::{CompletionQueue, CqShared};
use super::outstanding::{Outstanding, Posted, Stray};
use super::qp::{QpOptions, QpState, OWN_MESSAGES};
use super::region::{MemoryRegion, ProtectionDomain, Registered, Segment};
use super::types::{Completion, Status, WcOpcode};
use crate::admin;
use crate::device::{Number, Shared};
use crate::dma::DmaMemory;
use crate::error::Error;
use crate::rings::{Payload, ReceiveRing, SendRequest, SendRing};
use ferrowarp_abi::codec::{Cqe, MrRow, QpRow, Sge};
use ferrowarp_abi::consts::{admin_opcode, qp_state, wc_status, work_opcode};
use ferrowarp_abi::opcode::Opcode;
use ferrowarp_firmware::port::Rtr;
use parking_lot::{Mutex, MutexGuard};
use std::borrow::Borrow;
use std::sync::{Arc, Weak};

/// Octets of the driver's own message: a Reply with all its private data has 532.
const OWN_OCTETS: usize = 1024;

/// An entry that is no completion of a queue pair.
#[derive(Debug)]
pub(super) enum BadCompletion {
    /// A success without a request.
    Nameless,
    /// Of a request that is not outstanding.
    Stray(Stray),
}

impl BadCompletion {
    /// What is wrong.
    #[cold]
    pub(super) fn why(self, qp: u16) -> String {
        match self {
            Self::Nameless => format!("a success of queue pair {qp} names no request"),
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
    /// Octets of the driver's own message.
    own: MemoryRegion,
    /// Regions that serve this queue pair alone.
    bound: Mutex<Vec<Weak<Registered>>>,
    queues: Mutex<Queues>,
}

#[derive(Debug)]
pub(super) struct Queues {
    pub(super) phase: QpState,
    row: QpRow,
    sends: SendRing,
    receives: ReceiveRing,
    /// Requests of the send queue, and of the receive queue.
    out: [Outstanding; 2],
}

impl Queues {
    /// Writes a request into the next slot, unless it is flushed; [`QpShared::ring`] tells of it. An error changes nothing.
    #[inline(always)]
    pub(super) fn put_send<S: Borrow<Sge>>(
        &mut self,
        posted: Posted,
        request: SendRequest<'_, S>,
    ) -> Result<(), Error> {
        if self.out[0].is_full() {
            return Err(self.full(0));
        }
        let request = SendRequest { tag: self.out[0].next_tag(), ..request };
        match self.phase {
            // what is impossible is so in error, too
            QpState::Error => drop(request.slot()?),
            _ => self.sends.put(&request)?,
        }
        self.out[0].push(posted);
        Ok(())
    }

    /// The same for a receive.
    #[inline(always)]
    pub(super) fn put_recv(&mut self, wr_id: u64, segments: &[Segment]) -> Result<(), Error> {
        if self.out[1].is_full() {
            return Err(self.full(1));
        }
        if self.phase != QpState::Error {
            self.receives.put(self.out[1].next_tag(), segments)?;
        }
        self.out[1].push(Posted { wr_id, opcode: WcOpcode::Receive, is_signaled: true, is_own: false });
        Ok(())
    }

    /// The device did not say that it is through with the rings.
    fn keep(&mut self) {
        self.sends.keep();
        self.receives.keep();
    }

    #[cold]
    fn full(&self, queue: usize) -> Error {
        let name = if queue == 0 { "send" } else { "receive" };
        Error::Full { queue: name, most: self.out[queue].most() }
    }
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
        let sends = SendRing::new(&shared.backend, index, logs[0])?;
        let receives = ReceiveRing::new(&shared.backend, index, logs[1])?;
        let ((sq_base, sq_log2), (rq_base, rq_log2)) = (sends.place(), receives.place());
        let [send_cq, recv_cq] = cqs.map(|cq| cq.0.number.index);
        let (state, pd_index) = (qp_state::READY, pd.0.index);
        let row = QpRow { state, pd: pd_index, send_cq, recv_cq, sq_base, rq_base, ..Default::default() };
        let row = QpRow { sq_log2, rq_log2, ..row };
        let own = MrRow { bound_to_qp: true, qp: index, ..Default::default() };
        let own = MemoryRegion::new(pd, DmaMemory::zeroed(OWN_OCTETS)?, own)?;
        admin::command(&*shared.backend, admin_opcode::QP_WRITE, index, row.octets())?;
        let sends_most = options.sends + OWN_MESSAGES;
        let out = [Outstanding::new(sends_most, true), Outstanding::new(options.receives, false)];
        let queues = Mutex::new(Queues { phase: QpState::Idle, row, sends, receives, out });
        let cqs = cqs.map(|cq| cq.0.clone());
        let here = (shared.address(), pd_index);
        let bound = Mutex::default();
        let qp = Arc::new(Self { number, pd: pd.clone(), here, cqs, own, bound, queues });
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

    /// Each change of the queues is whole before the lock is given back, also by a panic.
    #[inline(always)]
    pub(super) fn queues(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock()
    }

    pub(super) fn phase(&self) -> QpState {
        self.queues().phase
    }

    /// Requests that the queues hold at once, those of the driver's own among them.
    pub(super) fn most(&self) -> [u32; 2] {
        self.queues().out.each_ref().map(Outstanding::most)
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
        let mut queues = self.queues();
        self.post(&mut queues, posted, request)?;
        self.ring(queues, 0)
    }

    /// Posts a request of the application.
    #[inline(always)]
    pub(super) fn post(
        &self,
        queues: &mut Queues,
        posted: Posted,
        request: SendRequest<'_, Segment>,
    ) -> Result<(), Error> {
        if matches!(queues.phase, QpState::Idle | QpState::Connecting) {
            return Err(Error::NotConnected(self.number.index));
        }
        if let Payload::Segments(segments) = request.payload {
            self.check(segments)?;
        }
        // the hardware would hold it, and what is behind it, for ever
        if posted.opcode == WcOpcode::Read && queues.row.ord == 0 {
            return Err(Error::NoReads(self.number.index));
        }
        queues.put_send(posted, request)
    }

    /// The end of a batch: the device is told, or, in error, the completion queue.
    #[inline(always)]
    pub(super) fn ring(&self, queues: MutexGuard<'_, Queues>, queue: usize) -> Result<(), Error> {
        if queues.phase == QpState::Error {
            drop(queues);
            self.tell_flushed(queue);
            return Ok(());
        }
        match queue {
            0 => queues.sends.ring(),
            _ => queues.receives.ring(),
        }
    }

    /// What an entry of a completion queue means to the application, which is given to `sink`; whether there is something. The
    /// error says why it cannot be.
    #[inline(always)]
    pub(super) fn complete(
        &self,
        queues: &mut Queues,
        cqe: &Cqe,
        sink: &mut impl FnMut(Completion),
    ) -> Result<bool, BadCompletion> {
        let failed = cqe.status != wc_status::SUCCESS;
        if failed {
            queues.phase = QpState::Error;
            self.cqs.iter().for_each(|cq| cq.disturb());
        }
        if !cqe.has_wr {
            return match failed {
                true => Ok(false),
                false => Err(BadCompletion::Nameless),
            };
        }
        let posted = match queues.out[usize::from(cqe.is_recv)].complete(cqe.wr_id) {
            Ok(posted) => posted,
            // it was flushed already
            Err(_) if queues.phase == QpState::Error => return Ok(false),
            Err(stray) => return Err(BadCompletion::Stray(stray)),
        };
        let opcode = posted.opcode;
        let counts = !failed && matches!(opcode, WcOpcode::Receive | WcOpcode::Read);
        if posted.is_own {
            return Ok(false);
        }
        sink(Completion {
            wr_id: posted.wr_id,
            status: if failed { Status::of(cqe.status) } else { Status::Success },
            opcode,
            octets: if counts { cqe.byte_len.0 } else { 0 },
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

    /// Whether requests of the application are left in a queue pair in error that complete in `cq`.
    pub(super) fn leaves(&self, cq: &CqShared) -> bool {
        let queues = self.queues();
        let mine = |n: usize| self.cqs[n].number.index == cq.number.index;
        queues.phase == QpState::Error && (0..2).any(|n| mine(n) && queues.out[n].has_some())
    }

    /// Completions of what a queue pair in error leaves, of its queues that complete in `cq`.
    pub(super) fn flush(&self, cq: &CqShared) -> Vec<Completion> {
        let mut queues = self.queues();
        if queues.phase != QpState::Error {
            return vec![];
        }
        let mine = [0, 1].into_iter().filter(|&n| self.cqs[n].number.index == cq.number.index);
        let left: Vec<_> = mine.flat_map(|n| queues.out[n].flush()).collect();
        let flushed = |posted: Posted| Completion {
            wr_id: posted.wr_id,
            status: Status::Flushed,
            opcode: posted.opcode,
            octets: 0,
            qp: self.number.index,
            invalidated: None,
            is_solicited: false,
            error: 0,
        };
        left.into_iter().filter(|posted| !posted.is_own).map(flushed).collect()
    }
}

/// For the connection manager.
impl QpShared {
    /// A connection wants the queue pair.
    pub(crate) fn bind(&self) -> Result<(), Error> {
        let mut queues = self.queues();
        if queues.phase != QpState::Idle {
            return Err(Error::Used(self.number.index));
        }
        queues.phase = QpState::Connecting;
        Ok(())
    }

    /// Nothing came of it, before the hardware heard of it.
    pub(crate) fn unbind(&self) {
        let mut queues = self.queues();
        if queues.phase == QpState::Connecting {
            queues.phase = QpState::Idle;
        }
    }

    /// Work may be posted.
    pub(crate) fn connected(&self) {
        let mut queues = self.queues();
        if queues.phase == QpState::Connecting {
            queues.phase = QpState::Connected;
        }
    }

    /// The stream is over: what is outstanding, and what is posted from now on, is flushed.
    pub(crate) fn fail(&self) {
        let left = self.cease();
        (0..2).filter(|&n| left[n]).for_each(|n| self.tell_flushed(n));
    }

    /// From now on it is in error; which of its queues have something left.
    pub(super) fn cease(&self) -> [bool; 2] {
        let mut queues = self.queues();
        queues.phase = QpState::Error;
        [0, 1].map(|n| queues.out[n].has_some())
    }

    /// The row with these Read depths.
    pub(crate) fn row(&self, ird: u8, ord: u8) -> QpRow {
        let mut queues = self.queues();
        queues.row = QpRow { ird, ord, ..queues.row };
        queues.row
    }

    /// The row was written anew, which emptied the queues: tells the receives again. Nothing of them was used yet.
    pub(crate) fn ring_receives(&self) -> Result<(), Error> {
        self.queues().receives.ring()
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
        let mut queues = self.queues();
        if queues.phase == QpState::Idle {
            return Err(Error::NotConnected(self.number.index));
        }
        let opcode_of = WcOpcode::of_send(opcode);
        let posted = Posted { wr_id: 0, opcode: opcode_of, is_signaled: false, is_own: true };
        let payload = Payload::Segments(segments);
        queues.put_send(posted, SendRequest { opcode, payload, ..Default::default() })?;
        self.ring(queues, 0)
    }
}

impl Drop for QpShared {
    fn drop(&mut self) {
        let (index, shared) = (self.number.index, &self.pd.0.shared);
        let row = QpRow { state: qp_state::RESET, ..Default::default() }.octets();
        if let Err(why) = admin::command(&*shared.backend, admin_opcode::QP_WRITE, index, row) {
            tracing::debug!(index, %why, "a queue pair is not reset");
            if !why.is_gone() {
                self.queues.get_mut().keep();
            }
        }
        // before the number comes again
        for region in self.bound.get_mut().iter().filter_map(Weak::upgrade) {
            if let Err(why) = region.unbind() {
                tracing::error!(index, %why, "a region is still bound to a queue pair that is gone");
            }
        }
        self.cqs.iter().for_each(|cq| cq.forget(index));
    }
}
