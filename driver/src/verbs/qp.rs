//! Queue pairs: posting, completing, flushing.
use super::cq::{CompletionQueue, CqShared};
use super::outstanding::{Outstanding, Posted};
use super::region::{MemoryRegion, ProtectionDomain, Segment};
use super::types::{Completion, Remote, Status, WcOpcode};
use crate::admin;
use crate::device::{Number, Shared};
use crate::dma::DmaMemory;
use crate::error::Error;
use crate::rings::{ReceiveRing, SendRequest, SendRing};
use ferrowarp_abi::codec::{Cqe, MrRow, QpRow, Sge};
use ferrowarp_abi::consts::{admin_opcode, qp_state, wc_status, work_opcode};
use ferrowarp_abi::opcode::Opcode;
use ferrowarp_abi::types::STag;
use ferrowarp_firmware::port::Rtr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Messages of the driver's own that a send queue holds beside the application's: Reply, ready-to-receive.
const OWN_MESSAGES: u32 = 2;
/// Octets of the driver's own message: a Reply with all its private data has 532.
const OWN_OCTETS: usize = 1024;

/// How large the queues are.
#[derive(Debug, Clone, Copy)]
pub struct QpOptions {
    /// Sends, Writes and Reads outstanding at once.
    pub sends: u32,
    /// Receives posted at once.
    pub receives: u32,
}

impl Default for QpOptions {
    fn default() -> Self {
        Self { sends: 16, receives: 16 }
    }
}

/// A queue pair. It serves one connection.
#[derive(Debug, Clone)]
pub struct QueuePair(pub(crate) Arc<QpShared>);

/// Where a queue pair is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Receives may be posted.
    Idle,
    /// The connection manager has it.
    Bound,
    /// Everything may be posted.
    Connected,
    /// What is posted is flushed.
    Error,
}

#[derive(Debug)]
pub(crate) struct QpShared {
    pub(crate) number: Number,
    pd: ProtectionDomain,
    cqs: [Arc<CqShared>; 2],
    /// Octets of the driver's own message.
    own: MemoryRegion,
    state: Mutex<QpState>,
}

#[derive(Debug)]
struct QpState {
    phase: Phase,
    row: QpRow,
    sends: SendRing,
    receives: ReceiveRing,
    /// Requests of the send queue, and of the receive queue.
    out: [Outstanding; 2],
}

impl QueuePair {
    /// Sends a message. `invalidate` names a region of the peer that is invalid once it is received.
    pub fn post_send(&self, wr_id: u64, segments: &[Segment], options: SendOptions) -> Result<(), Error> {
        let opcode = match (options.solicited, options.invalidate) {
            (false, None) => Opcode::Send,
            (false, Some(_)) => Opcode::SendInvalidate,
            (true, None) => Opcode::SendSolicited,
            (true, Some(_)) => Opcode::SendSolicitedInvalidate,
        };
        let remote_stag = options.invalidate.unwrap_or_default();
        let request = SendRequest { opcode: opcode as u8, remote_stag, ..Default::default() };
        self.post(wr_id, segments, SendRequest { is_signaled: !options.unsignaled, ..request })
    }

    /// Writes into the peer's memory.
    pub fn post_write(
        &self,
        wr_id: u64,
        segments: &[Segment],
        remote: Remote,
        is_signaled: bool,
    ) -> Result<(), Error> {
        let Remote { stag: remote_stag, to: remote_to } = remote;
        let opcode = Opcode::RdmaWrite as u8;
        let request = SendRequest { opcode, is_signaled, remote_stag, remote_to, ..Default::default() };
        self.post(wr_id, segments, request)
    }

    /// Reads from the peer's memory into `sink`.
    pub fn post_read(
        &self,
        wr_id: u64,
        sink: Segment,
        remote: Remote,
        is_signaled: bool,
    ) -> Result<(), Error> {
        let Remote { stag: remote_stag, to: remote_to } = remote;
        let opcode = Opcode::ReadRequest as u8;
        let request = SendRequest { opcode, is_signaled, remote_stag, remote_to, ..Default::default() };
        self.post(wr_id, &[sink], request)
    }

    fn post(&self, wr_id: u64, segments: &[Segment], request: SendRequest) -> Result<(), Error> {
        let segments = self.0.sges(segments)?;
        let is_signaled = request.is_signaled;
        let posted = Posted { wr_id: Some(wr_id), opcode: WcOpcode::of_send(request.opcode), is_signaled };
        self.0.post_send(posted, SendRequest { segments, ..request })
    }

    /// Posts a place for a message of the peer.
    pub fn post_recv(&self, wr_id: u64, segments: &[Segment]) -> Result<(), Error> {
        self.0.post_recv(wr_id, &self.0.sges(segments)?)
    }

    /// Its number.
    pub fn number(&self) -> u16 {
        self.0.number.index
    }
}

/// What a Send asks for besides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SendOptions {
    /// The receiver is to be woken.
    pub solicited: bool,
    /// A region of the peer that is not needed any more.
    pub invalidate: Option<STag>,
    /// No completion if it is done.
    pub unsignaled: bool,
}

impl QueuePair {
    pub(crate) fn new(
        pd: &ProtectionDomain,
        cqs: [&CompletionQueue; 2],
        logs: [u8; 2],
        options: QpOptions,
    ) -> Result<Self, Error> {
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
        let own = MrRow { bound_to_qp: true, qp: index, pd: pd_index, ..Default::default() };
        let own = MemoryRegion::new(shared, DmaMemory::zeroed(OWN_OCTETS)?, own)?;
        admin::command(&*shared.backend, admin_opcode::QP_WRITE, index, row.octets())?;
        let most = [options.sends + OWN_MESSAGES, options.receives].map(|n| n as usize);
        let out = [Outstanding::new(most[0], true), Outstanding::new(most[1], false)];
        let state = Mutex::new(QpState { phase: Phase::Idle, row, sends, receives, out });
        let cqs = cqs.map(|cq| cq.0.clone());
        let qp = Arc::new(QpShared { number, pd: pd.clone(), cqs, own, state });
        qp.cqs.iter().for_each(|cq| cq.attach(&qp));
        shared.keep(&qp);
        Ok(Self(qp))
    }

    /// log2 of the slots of the queues that hold what `options` ask for.
    pub(crate) fn logs(options: QpOptions, most: u8) -> Result<[u8; 2], Error> {
        let sends = options.sends.checked_add(OWN_MESSAGES).filter(|_| options.sends > 0).unwrap_or(0);
        Ok([crate::rings::log2_of(sends, most)?, crate::rings::log2_of(options.receives, most)?])
    }
}

impl QpShared {
    /// Each change of the state is whole before the lock is given back, also by a panic.
    fn state(&self) -> MutexGuard<'_, QpState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sges(&self, segments: &[Segment]) -> Result<Vec<Sge>, Error> {
        let here = (self.number.shared.address(), self.pd.0.index);
        if segments.iter().any(|s| (s.device, s.pd) != here) {
            return Err(Error::Domain("a segment"));
        }
        Ok(segments.iter().map(|s| s.sge).collect())
    }

    fn post_send(&self, posted: Posted, request: SendRequest) -> Result<(), Error> {
        if request.opcode == Opcode::ReadRequest as u8 && request.segments.len() != 1 {
            return Err(Error::Segments { queue: "read", given: request.segments.len(), most: 1 });
        }
        request.slot()?;
        let mut state = self.state();
        let own = posted.wr_id.is_none();
        match state.phase {
            Phase::Idle => return Err(Error::NotConnected(self.number.index)),
            Phase::Bound if !own => return Err(Error::NotConnected(self.number.index)),
            _ => {}
        }
        if state.out[0].is_full() {
            return Err(Error::Full { queue: "send", slots: 1 << state.sends.place().1 });
        }
        let tag = state.out[0].next_tag();
        let flushes = state.phase == Phase::Error;
        if !flushes {
            state.sends.post(&SendRequest { tag, ..request })?;
        }
        state.out[0].push(posted);
        drop(state);
        self.tell_flushed(flushes, 0);
        Ok(())
    }

    fn post_recv(&self, wr_id: u64, segments: &[Sge]) -> Result<(), Error> {
        let mut state = self.state();
        if state.out[1].is_full() {
            return Err(Error::Full { queue: "receive", slots: 1 << state.receives.place().1 });
        }
        let tag = state.out[1].next_tag();
        let flushes = state.phase == Phase::Error;
        if !flushes {
            state.receives.post(tag, segments)?;
        }
        let opcode = WcOpcode::Receive;
        state.out[1].push(Posted { wr_id: Some(wr_id), opcode, is_signaled: true });
        drop(state);
        self.tell_flushed(flushes, 1);
        Ok(())
    }

    /// What an entry of a completion queue means to the application; the error says why it cannot be.
    pub(super) fn complete(&self, cqe: &Cqe) -> Result<Option<Completion>, String> {
        let mut state = self.state();
        let failed = cqe.status != wc_status::SUCCESS;
        if failed {
            state.phase = Phase::Error;
        }
        if !cqe.has_wr {
            return match failed {
                true => Ok(None),
                false => Err(format!("a success of queue pair {} names no request", cqe.qp)),
            };
        }
        let posted = match state.out[usize::from(cqe.is_recv)].complete(cqe.wr_id) {
            Ok(posted) => posted,
            // it was flushed already
            Err(_) if state.phase == Phase::Error => return Ok(None),
            Err(stray) => return Err(format!("queue pair {}: {stray}", cqe.qp)),
        };
        let opcode = posted.opcode;
        let counts = !failed && matches!(opcode, WcOpcode::Receive | WcOpcode::Read);
        Ok(posted.wr_id.map(|wr_id| Completion {
            wr_id,
            status: Status::of(cqe.status),
            opcode,
            octets: if counts { cqe.byte_len.0 } else { 0 },
            qp: cqe.qp,
            invalidated: cqe.has_invalidate.then_some(cqe.invalidated_stag),
            is_solicited: cqe.is_solicited,
            error: cqe.error,
        }))
    }

    /// A completion queue that waits hears of what the hardware never completes: the next poll flushes it. The queue
    /// pair's lock is free.
    fn tell_flushed(&self, flushes: bool, queue: usize) {
        if flushes {
            self.cqs[queue].notify();
        }
    }

    /// Whether requests of the application are left in a queue pair in error that complete in `cq`.
    pub(super) fn leaves(&self, cq: &CqShared) -> bool {
        let state = self.state();
        let mine = |n: usize| self.cqs[n].number.index == cq.number.index;
        state.phase == Phase::Error && (0..2).any(|n| mine(n) && state.out[n].has_some())
    }

    /// Completions of what a queue pair in error leaves, of its queues that complete in `cq`.
    pub(super) fn flush(&self, cq: &CqShared) -> Vec<Completion> {
        let mut state = self.state();
        if state.phase != Phase::Error {
            return vec![];
        }
        let mine = [0, 1].into_iter().filter(|&n| self.cqs[n].number.index == cq.number.index);
        let left: Vec<_> = mine.flat_map(|n| state.out[n].flush()).collect();
        let flushed = |posted: Posted| {
            Some(Completion {
                wr_id: posted.wr_id?,
                status: Status::Flushed,
                opcode: posted.opcode,
                octets: 0,
                qp: self.number.index,
                invalidated: None,
                is_solicited: false,
                error: 0,
            })
        };
        left.into_iter().filter_map(flushed).collect()
    }
}

/// For the connection manager.
impl QpShared {
    /// A connection wants the queue pair.
    pub(crate) fn bind(&self) -> Result<(), Error> {
        let mut state = self.state();
        if state.phase != Phase::Idle {
            return Err(Error::Used(self.number.index));
        }
        state.phase = Phase::Bound;
        Ok(())
    }

    /// Nothing came of it, before the hardware heard of it.
    pub(crate) fn unbind(&self) {
        let mut state = self.state();
        if state.phase == Phase::Bound {
            state.phase = Phase::Idle;
        }
    }

    /// Work may be posted.
    pub(crate) fn connected(&self) {
        let mut state = self.state();
        if state.phase == Phase::Bound {
            state.phase = Phase::Connected;
        }
    }

    /// The stream is over: what is outstanding, and what is posted from now on, is flushed.
    pub(crate) fn fail(&self) {
        let mut state = self.state();
        state.phase = Phase::Error;
        let left = [0, 1].map(|n| state.out[n].has_some());
        drop(state);
        (0..2).for_each(|n| self.tell_flushed(left[n], n));
    }

    /// The row with these Read depths.
    pub(crate) fn row(&self, ird: u8, ord: u8) -> QpRow {
        let mut state = self.state();
        state.row = QpRow { ird, ord, ..state.row };
        state.row
    }

    /// The row was written anew, which emptied the queues: tells the receives again. Nothing of them was used yet.
    pub(crate) fn ring_receives(&self) -> Result<(), Error> {
        self.state().receives.ring()
    }

    /// Octets outside of messages, in one segment.
    pub(crate) fn post_raw(&self, octets: &[u8]) -> Result<(), Error> {
        let segments = vec![self.own.fill(octets)?];
        self.post_own(SendRequest { opcode: work_opcode::RAW, segments, ..Default::default() })
    }

    /// The initiator's first message.
    pub(crate) fn post_ready(&self, kind: Rtr) -> Result<(), Error> {
        let (opcode, segments) = match kind {
            Rtr::Send => (Opcode::Send, vec![]),
            Rtr::Write => (Opcode::RdmaWrite, vec![]),
            Rtr::Read => (Opcode::ReadRequest, vec![self.own.fill(&[])?]),
        };
        self.post_own(SendRequest { opcode: opcode as u8, segments, ..Default::default() })
    }

    fn post_own(&self, request: SendRequest) -> Result<(), Error> {
        let opcode = WcOpcode::of_send(request.opcode);
        self.post_send(Posted { wr_id: None, opcode, is_signaled: false }, request)
    }
}

impl Drop for QpShared {
    fn drop(&mut self) {
        let index = self.number.index;
        let row = QpRow { state: qp_state::RESET, ..Default::default() }.octets();
        if let Err(why) = admin::command(&*self.number.shared.backend, admin_opcode::QP_WRITE, index, row) {
            tracing::debug!(index, %why, "a queue pair is not reset");
        }
    }
}
