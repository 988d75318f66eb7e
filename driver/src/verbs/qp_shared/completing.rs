// SPDX-License-Identifier: MIT OR Apache-2.0
//! What entries of completion queues mean to a queue pair, and what the queue pair leaves when it
//! is flushed.
use super::QpShared;
use crate::number::Number;
use crate::objects::Notified;
use crate::verbs::completes::{BadCompletion, Completes};
use crate::verbs::outstanding::{Outstanding, What};
use crate::verbs::types::{Completion, Status};
use ferrowarp_abi::codec::Cqe;
use ferrowarp_abi::consts::wc_status;
use std::sync::atomic::Ordering;

impl QpShared {
    /// A completion queue hears of what the hardware never completes: the next poll flushes it, and
    /// who waits is woken. The queue pair's lock is free.
    pub(super) fn tell_flushed(&self, queue: usize) {
        self.cqs[queue].disturb();
        self.cqs[queue].clone().notify();
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

    /// Whether no request is outstanding, and no completion of one was not polled.
    pub(in crate::verbs) fn is_empty(&self) -> bool {
        let index = self.number.index;
        !self.out.iter().any(Outstanding::has_some) && !self.cqs.iter().any(|cq| cq.has_flushed(index))
    }
}

impl Completes for QpShared {
    #[inline(always)]
    fn number(&self) -> u16 {
        self.number.index
    }

    #[cold]
    #[inline(never)]
    fn has_failed(&self) {
        self.phase.fail();
        self.cqs.iter().for_each(|cq| cq.disturb());
    }

    #[inline(always)]
    fn completed(&self, cq: &Number, cqe: &Cqe) -> Option<(u64, What)> {
        let queue = usize::from(cqe.is_recv);
        let is_here = std::ptr::eq(&self.cqs[queue].number, cq);
        if cqe.has_wr && is_here {
            self.out[queue].complete(cqe.index)
        } else {
            None
        }
    }

    #[cold]
    #[inline(never)]
    fn unasked(
        &self,
        cq: &Number,
        is_recv: bool,
        status: u8,
        index: Option<u32>,
    ) -> Result<u32, BadCompletion> {
        let queue = usize::from(is_recv);
        match (index, status) {
            (None, wc_status::SUCCESS) => Err(BadCompletion::Nameless),
            (None, _) => Ok(0),
            _ if !std::ptr::eq(&self.cqs[queue].number, cq) => Err(BadCompletion::Elsewhere),
            (Some(index), _) => self.late(queue, index),
        }
    }

    fn is_flushing(&self) -> bool {
        self.is_flushed(1)
    }

    fn leaves(&self, cq: &Number) -> bool {
        let mine = |n: usize| self.cqs[n].number.index == cq.index;
        (0..2).any(|n| mine(n) && self.is_flushed(n) && self.out[n].has_some())
    }

    fn end_reads(&self, cq: &Number) {
        let is_mine = self.cqs[0].number.index == cq.index;
        if is_mine && self.is_deaf.load(Ordering::Relaxed) && self.out[0].has_reads() {
            // behind the peer's FIN all that came before is told
            self.cease();
        }
    }

    fn flush(&self, cq: &Number) -> Vec<Completion> {
        let mine = |&n: &usize| self.cqs[n].number.index == cq.index && self.is_flushed(n);
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
