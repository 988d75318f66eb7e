//! Completion queues: what the hardware wrote, then what queue pairs in error leave.
use super::channel::{Arm, ChannelShared, CompletionChannel};
use super::qp::QpShared;
use super::types::Completion;
use crate::admin;
use crate::device::{Number, Shared};
use crate::error::Error;
use crate::rings::{BadEntry, CompletionRing};
use ferrowarp_abi::codec::{CqRow, Cqe};
use ferrowarp_abi::consts::admin_opcode;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Longest time between two looks while a completion is awaited: the hardware is not asked to interrupt.
const LONGEST_NAP: Duration = Duration::from_micros(500);

/// A completion queue.
#[derive(Debug, Clone)]
pub struct CompletionQueue(pub(crate) Arc<CqShared>);

#[derive(Debug)]
pub(crate) struct CqShared {
    pub(crate) number: Number,
    channel: Option<Arc<ChannelShared>>,
    state: Mutex<CqState>,
}

#[derive(Debug)]
struct CqState {
    ring: CompletionRing,
    /// Completions of requests that were flushed.
    flushed: VecDeque<Completion>,
    /// Queue pairs that complete here.
    qps: Vec<Weak<QpShared>>,
    /// The channel is told of the next completion.
    is_armed: bool,
}

impl CompletionQueue {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        log2: u8,
        channel: Option<&CompletionChannel>,
    ) -> Result<Self, Error> {
        let number = Shared::number(shared, |shared| &shared.cqs)?;
        let ring = CompletionRing::new(&shared.backend, number.index, log2)?;
        admin::command(&*shared.backend, admin_opcode::CQ_WRITE, number.index, ring.row().octets())?;
        let state = CqState { ring, flushed: VecDeque::new(), qps: vec![], is_armed: false };
        let channel = channel.map(|channel| channel.0.clone());
        let cq = Arc::new(CqShared { number, channel, state: Mutex::new(state) });
        shared.keep_cq(&cq);
        Ok(Self(cq))
    }

    /// The next completion, if there is one. An entry that cannot be is an error, and the queue goes on behind it.
    pub fn poll(&self) -> Result<Option<Completion>, Error> {
        self.0.poll()
    }

    /// The next completion, which is waited for.
    pub fn wait(&self, most: Duration) -> Result<Completion, Error> {
        let start = Instant::now();
        let mut nap = Duration::from_micros(20);
        loop {
            if let Some(completion) = self.poll()? {
                return Ok(completion);
            }
            if start.elapsed() >= most {
                return Err(Error::TimedOut { what: "a completion", waited: most });
            }
            std::thread::sleep(nap);
            nap = (nap * 2).min(LONGEST_NAP);
        }
    }

    /// The channel is told once when there is a completion of this kind that was not polled, also if it is there already.
    pub fn arm(&self, kind: Arm) -> Result<(), Error> {
        if self.0.channel.is_none() {
            return Err(Error::NoChannel(self.0.number.index));
        }
        let mut state = self.0.state();
        state.is_armed = true;
        // the hardware knows nothing of what is flushed, which is an error and counts for both kinds
        if state.is_flushing(&self.0) {
            drop(state);
            self.0.notify();
            return Ok(());
        }
        state.ring.arm(kind == Arm::Solicited)
    }

    /// Entries that fit. A queue that overruns stops its queue pairs: it needs a slot for each signaled request
    /// and each receive that may be outstanding.
    pub fn slots(&self) -> u32 {
        self.0.state().ring.slots()
    }
}

impl CqShared {
    /// A thread that panicked while it held the lock left an index behind or ahead of nothing: each change is one step.
    fn state(&self) -> MutexGuard<'_, CqState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn attach(&self, qp: &Arc<QpShared>) {
        let mut state = self.state();
        state.qps.retain(|other| other.strong_count() > 0);
        state.qps.push(Arc::downgrade(qp));
    }

    /// The hardware, or a queue pair in error, has something.
    pub(crate) fn notify(self: &Arc<Self>) {
        let was_armed = std::mem::take(&mut self.state().is_armed);
        if let Some(channel) = self.channel.as_ref().filter(|_| was_armed) {
            channel.tell(self);
        }
    }

    fn poll(&self) -> Result<Option<Completion>, Error> {
        let mut state = self.state();
        while let Some(cqe) = state.ring.take()? {
            if let Some(completion) = state.judge(&cqe)? {
                return Ok(Some(completion));
            }
        }
        let qps: Vec<_> = state.qps.iter().filter_map(Weak::upgrade).collect();
        for qp in qps {
            state.flushed.extend(qp.flush(self));
        }
        Ok(state.flushed.pop_front())
    }
}

impl CqState {
    /// Requests are flushed here, or will be by the next poll.
    fn is_flushing(&self, cq: &CqShared) -> bool {
        !self.flushed.is_empty() || self.qps.iter().filter_map(Weak::upgrade).any(|qp| qp.leaves(cq))
    }

    /// What an entry of the hardware means to the application, if anything.
    fn judge(&self, cqe: &Cqe) -> Result<Option<Completion>, Error> {
        let qp = self.qps.iter().filter_map(Weak::upgrade).find(|qp| qp.number.index == cqe.qp);
        let bad = |why| Error::Entry(BadEntry { ring: "completion", index: 0, why });
        match qp {
            Some(qp) => qp.complete(cqe).map_err(bad),
            None => Err(bad(format!("no queue pair {} completes here", cqe.qp))),
        }
    }
}

/// The same queue.
impl PartialEq for CompletionQueue {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Drop for CqShared {
    fn drop(&mut self) {
        let (backend, index) = (&*self.number.shared.backend, self.number.index);
        if let Err(why) = admin::command(backend, admin_opcode::CQ_WRITE, index, CqRow::default().octets()) {
            tracing::debug!(index, %why, "a completion queue is not taken out");
        }
    }
}
