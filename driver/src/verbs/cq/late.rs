// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queue pairs whose last handle went while a completion queue looked at them.
use std::sync::Arc;

/// The end of a queue pair waits for the device, then takes the lock of its completion queues. So
/// one whose last handle is that of a poll stays here until the poll has given its lock back: this
/// is made before the lock is taken. There is hardly ever one, and none is one word that is looked
/// at once.
#[derive(Debug)]
pub(super) struct Late<Q>(Option<Box<Kept<Q>>>);

#[derive(Debug)]
struct Kept<Q> {
    _qp: Q,
    _others: Late<Q>,
}

impl<Q> Default for Late<Q> {
    fn default() -> Self {
        Self(None)
    }
}

impl<Q> Late<Q> {
    /// A queue pair is not needed any more. Nothing is allocated unless it was the last handle.
    /// Out of line: a queue pair by value has no place in the frame of a poll.
    #[inline(never)]
    pub(super) fn put(&mut self, qp: Arc<Q>) {
        if let Some(qp) = Arc::into_inner(qp) {
            self.keep(qp);
        }
    }

    #[cold]
    #[inline(never)]
    fn keep(&mut self, qp: Q) {
        let others = std::mem::take(self);
        self.0 = Some(Box::new(Kept { _qp: qp, _others: others }));
    }
}
