// SPDX-License-Identifier: MIT OR Apache-2.0
//! Armed completion queues that have something, and the descriptor that says so.
use crate::error::Error;
use crate::notice::Notice;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};

/// What all handles of a channel share.
#[derive(Debug)]
pub(crate) struct Ready<T> {
    /// Queues that were armed and have something, oldest first.
    ready: Mutex<VecDeque<Weak<T>>>,
    /// Raised while there are such queues.
    pub(super) notice: Notice,
}

impl<T> Ready<T> {
    /// Without queues.
    pub(super) fn new() -> Result<Self, Error> {
        Ok(Self { ready: Mutex::default(), notice: Notice::new()? })
    }

    /// The oldest queue that has something; one that was dropped has nothing to say.
    pub(super) fn next(&self) -> Option<Arc<T>> {
        let mut ready = self.ready.lock();
        let next = std::iter::from_fn(|| ready.pop_front()).find_map(|cq| cq.upgrade());
        if ready.is_empty() {
            self.notice.lower();
        }
        next
    }

    /// A queue has something.
    pub(super) fn tell(&self, cq: &Arc<T>) {
        let mut ready = self.ready.lock();
        ready.push_back(Arc::downgrade(cq));
        self.notice.raise();
    }
}
