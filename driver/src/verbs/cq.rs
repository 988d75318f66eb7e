//! Completion queues: what the hardware wrote, then what queue pairs in error leave.
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
    state: Mutex<CqState>,
}

#[derive(Debug)]
struct CqState {
    ring: CompletionRing,
    /// Completions of requests that were flushed.
    flushed: VecDeque<Completion>,
    /// Queue pairs that complete here.
    qps: Vec<Weak<QpShared>>,
}

impl CompletionQueue {
    pub(crate) fn new(shared: &Arc<Shared>, log2: u8) -> Result<Self, Error> {
        let number = Shared::number(shared, |shared| &shared.cqs)?;
        let ring = CompletionRing::new(&shared.backend, number.index, log2)?;
        admin::command(&*shared.backend, admin_opcode::CQ_WRITE, number.index, ring.row().octets())?;
        let state = CqState { ring, flushed: VecDeque::new(), qps: vec![] };
        Ok(Self(Arc::new(CqShared { number, state: Mutex::new(state) })))
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

impl Drop for CqShared {
    fn drop(&mut self) {
        let (backend, index) = (&*self.number.shared.backend, self.number.index);
        if let Err(why) = admin::command(backend, admin_opcode::CQ_WRITE, index, CqRow::default().octets()) {
            tracing::debug!(index, %why, "a completion queue is not taken out");
        }
    }
}
