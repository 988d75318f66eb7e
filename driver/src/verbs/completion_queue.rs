// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completion queues, as the application has them.
use super::cq::CqShared;
use super::qp_shared::Cq;
use super::ready::Ready;
use super::types::{Arm, Completion};
use crate::deadline::end_of;
use crate::error::Error;
use crate::shared::Shared;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Naps between looks for a completion, until the hardware is asked to interrupt: an event costs
/// the device more than a look, and most completions come soon.
const LONGEST_NAP: Duration = Duration::from_micros(320);
const SHORTEST_NAP: Duration = Duration::from_micros(20);
/// What is waited for.
const WAITED: &str = "a completion";

/// A completion queue.
#[derive(Debug, Clone)]
pub struct CompletionQueue(pub(crate) Arc<Cq>);

impl CompletionQueue {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        log2: u8,
        channel: Option<&Arc<Ready<Cq>>>,
        is_counted: bool,
    ) -> Result<Self, Error> {
        Ok(Self(CqShared::new(shared, log2, channel, is_counted)?))
    }

    /// The next completion, if there is one. An entry that cannot be is an error, and the queue
    /// goes on behind it.
    pub fn poll(&self) -> Result<Option<Completion>, Error> {
        let mut next = None;
        self.0.poll(1, |completion| next = Some(completion))?;
        Ok(next)
    }

    /// Up to `most` completions, which are put behind those in `into`: how many there were. Slots
    /// are given back to the device once for all of them, and nothing is allocated if `into` has
    /// room. An entry that cannot be ends a batch, and is the error of the next poll if there were
    /// completions before it.
    pub fn poll_into(&self, into: &mut Vec<Completion>, most: usize) -> Result<usize, Error> {
        self.poll_with(most, |completion| {
            if into.len() == into.capacity() {
                grow(into);
            }
            into.push(completion);
        })
    }

    /// Up to `most` completions, each of which `sink` takes where it is: how many there were. The
    /// rest is as in [`CompletionQueue::poll_into`]. While `sink` runs, the queue is locked.
    #[doc(alias = "ibv_poll_cq")]
    #[inline(always)]
    pub fn poll_with(&self, most: usize, sink: impl FnMut(Completion)) -> Result<usize, Error> {
        self.0.poll(most, sink)
    }

    /// The next completion, which is waited for: by looks at first, then until the hardware's event
    /// comes. The queue needs no channel.
    pub fn wait(&self, most: Duration) -> Result<Completion, Error> {
        let (end, mut nap) = (end_of(most), SHORTEST_NAP);
        loop {
            if let Some(completion) = self.poll()? {
                return Ok(completion);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::TimedOut { what: WAITED, waited: most });
            }
            if nap <= LONGEST_NAP {
                std::thread::sleep(nap.min(left));
                nap *= 2;
                continue;
            }
            let notice = self.0.notice()?;
            if let Some(completion) = self.0.look(notice)? {
                return Ok(completion);
            }
            notice.sleep(left)?;
        }
    }

    /// The channel is told once of a completion of this kind: of the oldest that was neither polled
    /// nor told of, at once if it is there. So nothing is missed between an event and the next arm,
    /// and a program that polls one completion an event meets no event without a completion.
    pub fn arm(&self, kind: Arm) -> Result<(), Error> {
        match self.0.channel {
            Some(_) => self.0.arm(kind),
            None => Err(Error::NoChannel(self.0.number.index)),
        }
    }

    /// The next completion, which a task waits for; the queue needs no channel. The hardware's
    /// event wakes it.
    #[cfg(feature = "tokio")]
    pub async fn wait_async(&self, most: Duration) -> Result<Completion, Error> {
        let notice = self.0.notice()?;
        notice.until(most, WAITED, || self.0.look(notice)).await
    }

    /// Its number on the device, which
    /// [`PlatformEvent::CqOverrun`](crate::PlatformEvent::CqOverrun) names.
    pub fn number(&self) -> u16 {
        self.0.number.index
    }

    /// Entries that fit: one for each signaled request and each receive that is posted and whose
    /// completion was not polled, and one for the fault of each queue pair. A post beyond that is
    /// [`Error::NoSlot`].
    pub fn slots(&self) -> u32 {
        self.0.slots
    }
}

/// Room for a completion more. `push` would ask for it too, but not as a rare case: the completion
/// would go by the stack.
#[cold]
#[inline(never)]
fn grow(into: &mut Vec<Completion>) {
    into.reserve(1);
}

/// The same queue.
impl PartialEq for CompletionQueue {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
