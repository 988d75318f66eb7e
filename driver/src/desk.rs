// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event ring, from which every thread that was interrupted may take.
use crate::error::Error;
use crate::rings::EventRing;
use ferrowarp_abi::codec::Event;
use ferrowarp_abi::consts::event_kind;
use parking_lot::Mutex;
use std::collections::VecDeque;

/// The event ring and what was taken out of it for the connection manager.
#[derive(Debug, Default)]
pub(crate) struct Desk(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// None before the ring is placed, and at the device's end.
    ring: Option<EventRing>,
    /// What is not about a completion, in the order of the ring.
    others: VecDeque<Result<Event, Error>>,
}

/// What a look at the ring gave.
#[derive(Debug)]
pub(crate) struct Taken<Q> {
    /// Completion queues that were armed and have something.
    pub(crate) notified: Vec<Q>,
    /// The connection manager has something to hear.
    pub(crate) has_others: bool,
}

impl Desk {
    /// The ring is placed.
    pub(crate) fn open(&self, ring: EventRing) {
        self.0.lock().ring = Some(ring);
    }

    /// Nobody takes from the ring any more.
    pub(crate) fn close(&self) -> Option<EventRing> {
        self.0.lock().ring.take()
    }

    /// Empties the ring. `queue` finds the completion queue of a number while no later owner of
    /// the number can be told of the event.
    pub(crate) fn take<Q>(&self, mut queue: impl FnMut(u16) -> Option<Q>) -> Taken<Q> {
        let (mut state, mut notified) = (self.0.lock(), vec![]);
        let State { ring, others } = &mut *state;
        while let Some(next) = ring.as_mut().and_then(|ring| ring.take().transpose()) {
            match next {
                Ok(event) if event.kind == event_kind::CQ_NOTIFY => notified.extend(queue(event.number)),
                next => {
                    // behind an entry that cannot be the ring goes on
                    let is_over = next.as_ref().is_err_and(|why| !matches!(why, Error::Entry(_)));
                    others.push_back(next);
                    if is_over {
                        break;
                    }
                }
            }
        }
        Taken { notified, has_others: !others.is_empty() }
    }

    /// The next event that is not about a completion, of those that were taken.
    pub(crate) fn next(&self) -> Option<Result<Event, Error>> {
        self.0.lock().others.pop_front()
    }

    /// Whether something is in the ring, or was taken for the connection manager.
    pub(crate) fn has_next(&self) -> bool {
        let state = self.0.lock();
        !state.others.is_empty() || state.ring.as_ref().is_some_and(EventRing::has_next)
    }
}
