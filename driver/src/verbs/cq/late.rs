//! Queue pairs whose last handle went while a completion queue looked at them.
use crate::verbs::QpShared;
use std::sync::Arc;

/// The end of a queue pair waits for the device, then takes the lock of its completion queues. So one whose last handle is that
/// of a poll stays here until the poll has given its lock back: this is made before the lock is taken.
#[derive(Debug, Default)]
pub(super) struct Late(Vec<QpShared>);

impl Late {
    /// A queue pair is not needed any more. Nothing is allocated unless it was the last handle.
    #[inline(always)]
    pub(super) fn put(&mut self, qp: Arc<QpShared>) {
        if let Some(qp) = Arc::into_inner(qp) {
            self.keep(qp);
        }
    }

    #[cold]
    fn keep(&mut self, qp: QpShared) {
        self.0.push(qp);
    }
}
