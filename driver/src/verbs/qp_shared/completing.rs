//! What entries of completion queues mean to a queue pair, and what the queue pair leaves when it is flushed.
use super::QpShared;
use crate::verbs::cq::CqShared;
use crate::verbs::outstanding::{Outstanding, Stray, What};
use crate::verbs::types::{Completion, Status};
use ferrowarp_abi::codec::Cqe;
use ferrowarp_abi::consts::wc_status;
use std::sync::atomic::Ordering;

/// An entry that is no completion of a queue pair.
#[derive(Debug)]
pub(in crate::verbs) enum BadCompletion {
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
    pub(in crate::verbs) fn why(self, qp: u16) -> String {
        match self {
            Self::Nameless => format!("a success of queue pair {qp} names no request"),
            Self::Elsewhere => format!("that queue of queue pair {qp} completes elsewhere"),
            Self::Stray(stray) => format!("queue pair {qp}: {stray}"),
        }
    }
}

impl QpShared {
    /// Which of its queues complete in `cq`.
    #[inline(always)]
    pub(in crate::verbs) fn queues_in(&self, cq: &CqShared) -> [Option<&Outstanding>; 2] {
        [0, 1].map(|n| std::ptr::eq(&*self.cqs[n], cq).then_some(&self.out[n]))
    }

    /// What an entry means to the application, which is given to `sink`; whether there is something. `queues` are those that
    /// complete where it was found, whose lock the caller holds. A completion gives its slot back; `more` has the slots beside
    /// those, modulo 2^32. The error says why it cannot be.
    #[inline(always)]
    pub(in crate::verbs) fn complete(
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
    pub(super) fn tell_flushed(&self, queue: usize) {
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
    pub(in crate::verbs) fn leaves(&self, cq: &CqShared) -> bool {
        let mine = |n: usize| self.cqs[n].number.index == cq.number.index;
        (0..2).any(|n| mine(n) && self.is_flushed(n) && self.out[n].has_some())
    }

    /// Completions of what its queues leave that are flushed and complete in `cq`, whose lock the caller holds.
    pub(in crate::verbs) fn flush(&self, cq: &CqShared) -> Vec<Completion> {
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
