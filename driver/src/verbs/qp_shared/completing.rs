// SPDX-License-Identifier: MIT OR Apache-2.0
//! What entries of completion queues mean to a queue pair, and what the queue pair leaves when it
//! is flushed.
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
    /// The device completed something with an error.
    #[cold]
    #[inline(never)]
    pub(in crate::verbs) fn has_failed(&self) {
        self.phase.fail();
        self.cqs.iter().for_each(|cq| cq.disturb());
    }

    /// The request that an entry completes, which is not outstanding any more. The entry was found
    /// in `cq`, whose lock the caller holds. Of an entry that completes none [`QpShared::unasked`]
    /// says what it is.
    #[inline(always)]
    pub(in crate::verbs) fn completed(&self, cq: &CqShared, cqe: &Cqe) -> Option<(u64, What)> {
        let queue = usize::from(cqe.is_recv);
        let is_here = std::ptr::eq(&*self.cqs[queue], cq);
        if cqe.has_wr && is_here {
            self.out[queue].complete(cqe.index)
        } else {
            None
        }
    }

    /// How many slots an entry gives back that completes no request, or why it cannot be.
    #[cold]
    #[inline(never)]
    pub(in crate::verbs) fn unasked(
        &self,
        cq: &CqShared,
        is_recv: bool,
        status: u8,
        index: Option<u32>,
    ) -> Result<u32, BadCompletion> {
        let queue = usize::from(is_recv);
        match (index, status) {
            (None, wc_status::SUCCESS) => Err(BadCompletion::Nameless),
            (None, _) => Ok(0),
            _ if !std::ptr::eq(&*self.cqs[queue], cq) => Err(BadCompletion::Elsewhere),
            (Some(index), _) => self.late(queue, index),
        }
    }

    /// A completion queue hears of what the hardware never completes: the next poll flushes it, and
    /// who waits is woken. The queue pair's lock is free.
    pub(super) fn tell_flushed(&self, queue: usize) {
        self.cqs[queue].disturb();
        self.cqs[queue].notify();
    }

    /// A request that was flushed already, or none at all.
    fn late(&self, queue: usize, index: u32) -> Result<u32, BadCompletion> {
        if !self.is_flushed(queue) {
            return Err(BadCompletion::Stray(self.out[queue].stray(index)));
        }
        let owed = &self.owed[queue];
        let had = owed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |owed| owed.checked_sub(1));
        Ok(had.is_ok().into())
    }

    /// Whether requests of the application are left that are flushed and complete in `cq`.
    pub(in crate::verbs) fn leaves(&self, cq: &CqShared) -> bool {
        let mine = |n: usize| self.cqs[n].number.index == cq.number.index;
        (0..2).any(|n| mine(n) && self.is_flushed(n) && self.out[n].has_some())
    }

    /// Whether no request is outstanding, and no completion of one was not polled.
    pub(in crate::verbs) fn is_empty(&self) -> bool {
        let index = self.number.index;
        !self.out.iter().any(Outstanding::has_some) && !self.cqs.iter().any(|cq| cq.has_flushed(index))
    }

    /// Completions of what its queues leave that are flushed and complete in `cq`, whose lock the
    /// caller holds.
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
