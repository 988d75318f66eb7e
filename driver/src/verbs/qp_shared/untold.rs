// SPDX-License-Identifier: MIT OR Apache-2.0
//! Batches that were dropped while the device took no doorbell: the next post to their queue has
//! the error. The doorbell behind that post tells of the older requests, too.
use super::QpShared;
use crate::error::Error;
use std::sync::atomic::Ordering;

impl QpShared {
    /// The next post to a queue has this error. The send queue is 0, the receive queue is 1.
    #[cold]
    pub(in crate::verbs) fn refuse_next(&self, queue: usize, why: Error) {
        let mut untold = self.untold[queue].lock();
        *untold = Some(why);
        match queue {
            // what is posted in error is flushed, and needs no doorbell
            0 => self.phase.hold(),
            _ => self.holds_receives.store(true, Ordering::Relaxed),
        }
    }

    /// The error that waits for a post to a queue, if there is one, told once.
    #[cold]
    #[inline(never)]
    pub(super) fn refused(&self, queue: usize) -> Result<(), Error> {
        let mut untold = self.untold[queue].lock();
        match queue {
            0 => self.phase.go_on(),
            _ => self.holds_receives.store(false, Ordering::Relaxed),
        }
        untold.take().map_or(Ok(()), Err)
    }
}
