// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a completion queue has behind its lock, and what a poll takes out of it.
use super::late::Late;
use crate::error::Error;
use crate::number::Number;
use crate::rings::{BadEntry, CompletionRing};
use crate::verbs::completes::Completes;
use crate::verbs::phase::Disturbed;
use crate::verbs::types::{Completion, Status};
use ferrowarp_abi::consts::wc_status;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};

/// Behind the lock.
#[derive(Debug)]
pub(super) struct CqState<Q> {
    pub(super) ring: CompletionRing,
    /// Completions of requests that were flushed.
    pub(super) flushed: VecDeque<Completion>,
    /// Queue pairs that complete here, by number.
    pub(super) qps: Vec<Weak<Q>>,
    /// Of an entry that could not be, behind good ones: what the next poll says.
    pub(super) bad: Option<Error>,
}

impl<Q: Completes> CqState<Q> {
    /// Requests are flushed here, or will be by the next poll.
    pub(super) fn is_flushing(&self, cq: &Number, late: &mut Late<Q>) -> bool {
        let leaves = |qp: &Weak<Q>| {
            qp.upgrade().is_some_and(|qp| {
                let leaves = qp.leaves(cq);
                late.put(qp);
                leaves
            })
        };
        !self.flushed.is_empty() || self.qps.iter().any(leaves)
    }

    /// Gives up to `most` completions to `sink` when there may be queue pairs in error: what the
    /// hardware finished of theirs, then what they left. Whether entries were taken, and how many
    /// completions there were. It is kept out of the data path, and so is its second copy of
    /// `sink`.
    #[cold]
    #[inline(never)]
    pub(super) fn flushed(
        &mut self,
        (cq, disturbed): (&Number, &Disturbed),
        most: usize,
        sink: &mut dyn FnMut(Completion),
        late: &mut Late<Q>,
    ) -> (bool, usize, u32) {
        let (mut taken, mut count, mut slots) = (false, 0, 0);
        if disturbed.take() {
            // since the ring was found empty the device may have finished a request, and told of a
            // fault or FIN behind it: of who is flushed now everything is in the ring, which is
            // looked at once more before anything is flushed
            let mut failed = vec![];
            for qp in self.qps.iter().filter_map(Weak::upgrade) {
                match qp.is_flushing() {
                    true => failed.push(qp),
                    false => late.put(qp),
                }
            }
            (taken, count, slots) = self.polled(cq, most, &mut |done| sink(done), late);
            let is_through = count < most && self.bad.is_none();
            for qp in failed {
                if is_through {
                    qp.end_reads(cq);
                    self.flushed.extend(qp.flush(cq));
                }
                late.put(qp);
            }
            if !is_through {
                disturbed.tell();
                return (taken, count, slots);
            }
        }
        let left = (most - count).min(self.flushed.len());
        self.flushed.drain(..left).for_each(sink);
        (taken, count + left, slots)
    }

    /// Gives up to `most` completions of the hardware to `sink`: whether entries were taken, how
    /// many meant something, and how many slots are kept no more. An entry that cannot be ends it,
    /// and is kept. A queue pair is looked up once for the entries of it that follow each other.
    #[inline(always)]
    pub(super) fn polled(
        &mut self,
        cq: &Number,
        most: usize,
        sink: &mut impl FnMut(Completion),
        late: &mut Late<Q>,
    ) -> (bool, usize, u32) {
        let Self { ring, qps, bad, .. } = self;
        let (before, mut count, mut more, mut passed) = (ring.index(), 0, 0_u32, 0);
        // of the entry before
        let mut last: Option<Arc<Q>> = None;
        while count < most {
            let Some(entry) = ring.next() else { break };
            let qp = match &last {
                Some(qp) if qp.number() == entry.qp => qp,
                _ => {
                    if let Some(qp) = last.take() {
                        late.put(qp);
                    }
                    match qps.get(usize::from(entry.qp)).and_then(Weak::upgrade) {
                        Some(qp) => last.insert(qp),
                        None if is_ending(qps, entry.qp) => {
                            passed += 1;
                            // a faulty device may write without end
                            match passed < ring.slots() {
                                true => continue,
                                false => break,
                            }
                        }
                        None => {
                            *bad = Some(nobodys(entry.qp));
                            break;
                        }
                    }
                }
            };
            let (status, octets) = match entry.status {
                wc_status::SUCCESS => (Status::Success, entry.byte_len.0),
                status => {
                    if let Err(why) = ring.judge(status) {
                        *bad = Some(why);
                        break;
                    }
                    qp.has_failed();
                    (Status::of(status), 0)
                }
            };
            match qp.completed(cq, &entry) {
                Some((wr_id, what)) => {
                    // a completion gives one slot back; `more` has those beside it, modulo 2^32
                    if !what.is_plain() {
                        more = more.wrapping_add(what.slots());
                        if what.is_own() {
                            continue;
                        }
                        more = more.wrapping_sub(1);
                    }
                    sink(Completion {
                        wr_id,
                        status,
                        opcode: what.opcode(),
                        octets: if what.takes() { octets } else { 0 },
                        qp: entry.qp,
                        invalidated: entry.has_invalidate.then_some(entry.invalidated_stag),
                        is_solicited: entry.is_solicited,
                        error: entry.error,
                    });
                    count += 1;
                }
                None => {
                    match qp.unasked(cq, entry.is_recv, entry.status, entry.has_wr.then_some(entry.index)) {
                        Ok(slots) => more = more.wrapping_add(slots),
                        Err(why) => {
                            *bad = Some(bad_entry(why.why(entry.qp)));
                            break;
                        }
                    }
                }
            }
        }
        if let Some(qp) = last {
            late.put(qp);
        }
        (ring.index() != before, count, more.wrapping_add(count as u32))
    }
}

/// Whether a queue pair of this number ends now, or ended while the device or this queue was
/// silent. Its completions mean nothing, and their slots are the end's.
#[cold]
fn is_ending<Q>(qps: &[Weak<Q>], number: u16) -> bool {
    qps.get(usize::from(number)).is_some_and(|qp| !qp.ptr_eq(&Weak::new()))
}

/// An entry of a queue pair that does not complete here.
#[cold]
#[inline(never)]
fn nobodys(number: u16) -> Error {
    bad_entry(format!("no queue pair {number} completes here"))
}

#[cold]
fn bad_entry(why: String) -> Error {
    Error::Entry(BadEntry { ring: "completion", index: 0, why })
}
