// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completion channels: threads that sleep until a completion queue has something for them.
use super::cq::{CompletionQueue, CqShared};
use crate::deadline::end_of;
use crate::error::Error;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// What an armed completion queue waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arm {
    /// The next completion.
    Next,
    /// The next one that the sender marked as solicited, or that is an error.
    Solicited,
}

/// Where armed completion queues say that they have something. Clones are the same channel.
#[derive(Debug, Clone, Default)]
pub struct CompletionChannel(pub(crate) Arc<ChannelShared>);

#[derive(Debug, Default)]
pub(crate) struct ChannelShared {
    /// Queues that were armed and have something, oldest first.
    ready: Mutex<VecDeque<Weak<CqShared>>>,
    changed: Condvar,
    #[cfg(feature = "tokio")]
    wakers: crate::wakers::Wakers,
}

impl CompletionChannel {
    /// The next queue that has something, which is waited for. It is not armed any more: arm it
    /// again, then poll it until it is empty, so that nothing is missed. It may be empty, if it was
    /// polled meanwhile.
    pub fn wait(&self, most: Duration) -> Result<CompletionQueue, Error> {
        let end = end_of(most);
        let mut ready = self.0.ready();
        loop {
            if let Some(cq) = next(&mut ready) {
                return Ok(cq);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::TimedOut { what: "an armed completion queue", waited: most });
            }
            ready = self.0.changed.wait_timeout(ready, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(feature = "tokio")]
impl CompletionChannel {
    /// As [`CompletionChannel::wait`], for a task.
    pub async fn wait_async(&self, most: Duration) -> Result<CompletionQueue, Error> {
        let found = || Ok(next(&mut self.0.ready()));
        self.0.wakers.until(most, "an armed completion queue", found).await
    }
}

/// The oldest queue that has something; one that was dropped has nothing to say.
fn next(ready: &mut VecDeque<Weak<CqShared>>) -> Option<CompletionQueue> {
    while let Some(cq) = ready.pop_front() {
        if let Some(cq) = cq.upgrade() {
            return Some(CompletionQueue(cq));
        }
    }
    None
}

impl ChannelShared {
    /// Each change is one step: a panic elsewhere leaves the queue whole.
    fn ready(&self) -> MutexGuard<'_, VecDeque<Weak<CqShared>>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A queue has something.
    pub(crate) fn tell(&self, cq: &Arc<CqShared>) {
        self.ready().push_back(Arc::downgrade(cq));
        self.changed.notify_one();
        #[cfg(feature = "tokio")]
        self.wakers.wake();
    }
}
