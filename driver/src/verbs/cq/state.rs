//! What a completion queue has behind its lock, and what a poll takes out of it.
use super::late::Late;
use super::CqShared;
use crate::error::Error;
use crate::rings::{BadEntry, CompletionRing};
use crate::verbs::qp_shared::QpShared;
use crate::verbs::types::Completion;
use ferrowarp_abi::consts::wc_status;
use std::collections::VecDeque;
use std::sync::Weak;

/// Behind the lock.
#[derive(Debug)]
pub(super) struct CqState {
    pub(super) ring: CompletionRing,
    /// Completions of requests that were flushed.
    pub(super) flushed: VecDeque<Completion>,
    /// Queue pairs that complete here, by number.
    pub(super) qps: Vec<Weak<QpShared>>,
    /// Of an entry that could not be, behind good ones: what the next poll says.
    pub(super) bad: Option<Error>,
}

impl CqState {
    /// Requests are flushed here, or will be by the next poll.
    pub(super) fn is_flushing(&self, cq: &CqShared, late: &mut Late) -> bool {
        let leaves = |qp: &Weak<QpShared>| {
            qp.upgrade().is_some_and(|qp| {
                let leaves = qp.leaves(cq);
                late.put(qp);
                leaves
            })
        };
        !self.flushed.is_empty() || self.qps.iter().any(leaves)
    }

    /// Gives up to `most` completions to `sink` when there may be queue pairs in error: what the hardware finished of theirs,
    /// then what they left. Whether entries were taken, and how many completions there were. It is kept out of the data path, and
    /// so is its second copy of `sink`.
    #[cold]
    #[inline(never)]
    pub(super) fn flushed(
        &mut self,
        cq: &CqShared,
        most: usize,
        sink: &mut dyn FnMut(Completion),
        late: &mut Late,
    ) -> (bool, usize, u32) {
        let (mut taken, mut count, mut slots) = (false, 0, 0);
        if cq.disturbed.take() {
            // since the ring was found empty the device may have finished a request, and told of a fault or FIN behind it: of who
            // is flushed now everything is in the ring, which is looked at once more before anything is flushed
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
                cq.disturb();
                return (taken, count, slots);
            }
        }
        let left = (most - count).min(self.flushed.len());
        self.flushed.drain(..left).for_each(sink);
        (taken, count + left, slots)
    }

    /// Gives up to `most` completions of the hardware to `sink`: whether entries were taken, how many meant something, and how many
    /// slots are kept no more. An entry that cannot be ends it, and is kept. A queue pair is looked up once for the entries of it
    /// that follow each other.
    #[inline(always)]
    pub(super) fn polled(
        &mut self,
        cq: &CqShared,
        most: usize,
        sink: &mut impl FnMut(Completion),
        late: &mut Late,
    ) -> (bool, usize, u32) {
        let Self { ring, qps, bad, .. } = self;
        let (mut count, mut more, mut passed) = (0, 0_u32, 0);
        if most == 0 {
            return (false, 0, 0);
        }
        let Some(mut entry) = ring.next() else { return (false, 0, 0) };
        loop {
            let number = entry.qp;
            let Some(qp) = qps.get(usize::from(number)).and_then(Weak::upgrade) else {
                if !is_ending(qps, number) {
                    *bad = Some(bad_entry(format!("no queue pair {number} completes here")));
                    break;
                }
                // a faulty device may write without end
                passed += 1;
                match ring.next().filter(|_| passed < ring.slots()) {
                    Some(next) => entry = next,
                    None => break,
                }
                continue;
            };
            let goes_on = 'of_one: {
                let queues = qp.queues_in(cq);
                while entry.qp == number {
                    if entry.status != wc_status::SUCCESS {
                        if let Err(why) = ring.judge(&entry) {
                            *bad = Some(why);
                            break 'of_one false;
                        }
                    }
                    match qp.complete(queues, &entry, &mut more, sink) {
                        Ok(is_some) => count += usize::from(is_some),
                        Err(why) => {
                            *bad = Some(bad_entry(why.why(number)));
                            break 'of_one false;
                        }
                    }
                    if count >= most {
                        break 'of_one false;
                    }
                    match ring.next() {
                        Some(next) => entry = next,
                        None => break 'of_one false,
                    }
                }
                true
            };
            late.put(qp);
            if !goes_on {
                break;
            }
        }
        (true, count, more.wrapping_add(count as u32))
    }
}

/// Whether a queue pair of this number ends now, or ended while the device or this queue was silent. Its completions mean nothing, and
/// their slots are the end's.
#[cold]
fn is_ending(qps: &[Weak<QpShared>], number: u16) -> bool {
    qps.get(usize::from(number)).is_some_and(|qp| !qp.ptr_eq(&Weak::new()))
}

#[cold]
fn bad_entry(why: String) -> Error {
    Error::Entry(BadEntry { ring: "completion", index: 0, why })
}
