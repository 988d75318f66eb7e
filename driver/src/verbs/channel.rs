// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completion channels: descriptors that are readable while a completion queue has something.
use super::completion_queue::CompletionQueue;
use super::qp_shared::Cq;
use super::ready::Ready;
use crate::deadline::end_of;
use crate::error::Error;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is waited for.
const WAITED: &str = "an armed completion queue";

/// Where armed completion queues say that they have something. Clones are the same channel.
///
/// The channel is a file descriptor for `poll`, `epoll` and the like ([`AsFd`]). The descriptor is
/// readable while [`CompletionChannel::try_next`] has a queue to give, and for a moment when the
/// interrupt of a queue of another channel comes by the same vector. Any number of threads may wait
/// and take. Nothing but `poll` and its kin may be done with the descriptor.
#[derive(Debug, Clone)]
pub struct CompletionChannel(pub(crate) Arc<Ready<Cq>>);

impl CompletionChannel {
    /// A channel without queues. The error is [`Error::Descriptor`].
    pub(crate) fn new() -> Result<Self, Error> {
        Ok(Self(Arc::new(Ready::new()?)))
    }

    /// The next queue that has something, if there is one. It is not armed any more: arm it again,
    /// then poll it until it is empty, so that nothing is missed. It may be empty, if it was polled
    /// meanwhile. The error is that the process is a child of the device's.
    pub fn try_next(&self) -> Result<Option<CompletionQueue>, Error> {
        self.0.notice.collect()?;
        Ok(self.0.next().map(CompletionQueue))
    }

    /// As [`CompletionChannel::try_next`], which is waited for.
    pub fn wait(&self, most: Duration) -> Result<CompletionQueue, Error> {
        let end = end_of(most);
        loop {
            if let Some(cq) = self.try_next()? {
                return Ok(cq);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::TimedOut { what: WAITED, waited: most });
            }
            self.0.notice.sleep(left)?;
        }
    }

    /// As [`CompletionChannel::wait`], for a task. The runtime has its I/O enabled.
    #[cfg(feature = "tokio")]
    pub async fn wait_async(&self, most: Duration) -> Result<CompletionQueue, Error> {
        self.0.notice.until(most, WAITED, || self.try_next()).await
    }
}

impl AsFd for CompletionChannel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.notice.as_fd()
    }
}
