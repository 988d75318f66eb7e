// SPDX-License-Identifier: MIT OR Apache-2.0
//! What connections hear from the connection manager's thread.
use super::watch::Watch;
use crate::error::Error;
use crate::verbs::QpShared;
use ferrowarp_firmware::cm::api::{Offer, Terms};
use ferrowarp_firmware::mpa::negotiate::{Agreed, Depth};
use ferrowarp_firmware::terminate::Received;
use std::collections::VecDeque;
use std::sync::Arc;

/// Reads under way at once that a connection was made with: `responder_resources` and
/// `initiator_depth` of rdma-core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadDepths {
    /// Of the peer.
    pub ird: u16,
    /// Of ours; with 0 of them there is no [`crate::QueuePair::read`].
    pub ord: u16,
}

impl ReadDepths {
    fn of(agreed: &Agreed) -> Self {
        Self { ird: agreed.ird, ord: agreed.ord }
    }
}

/// Reads under way at once as the peer's Request or Reply has them; `None` of what it does not
/// negotiate (RFC 6581).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OfferedDepths {
    /// Reads of ours that it takes.
    pub ird: Option<u16>,
    /// Reads of its own that it would like.
    pub ord: Option<u16>,
}

impl OfferedDepths {
    pub(super) fn of(offer: &Offer) -> Self {
        let told = |depth| match depth {
            Depth::Reads(reads) => Some(reads),
            Depth::NotNegotiated => None,
        };
        offer.depths.map_or(Self::default(), |(ird, ord)| Self { ird: told(ird), ord: told(ord) })
    }
}

/// Which directions of a connection have markers (RFC 5044 section 4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Markers {
    /// What we send: the peer asked for it.
    pub sent: bool,
    /// What the peer sends: we asked for it.
    pub received: bool,
}

/// What a connection was made with.
#[derive(Debug, Clone, Default)]
pub(super) struct Made {
    /// The peer's.
    pub(super) private_data: Vec<u8>,
    pub(super) offered: OfferedDepths,
    pub(super) depths: ReadDepths,
    pub(super) markers: Markers,
    /// The peer's line in raw mode.
    pub(super) greeting: Vec<u8>,
}

impl Made {
    pub(super) fn new(offer: Offer, terms: &Terms) -> Self {
        Self {
            offered: OfferedDepths::of(&offer),
            private_data: offer.private_data,
            depths: ReadDepths::of(&terms.agreed),
            markers: Markers { sent: terms.tx_markers, received: terms.rx_markers },
            greeting: vec![],
        }
    }
}

/// What a connection hears from firmware.
pub(super) enum Step {
    /// Work may be posted.
    Established(Made),
    /// The peer has finished sending. What was posted to the send queue still leaves.
    PeerFinished,
    /// There was a fault: nothing more is received.
    Faulted,
    /// The peer's Terminate: nothing more is received.
    Terminated(Received),
    /// The last one.
    Ended(Result<(), Error>),
}

/// What happens to a connection that was made, in rdma-core `RDMA_CM_EVENT_DISCONNECTED` and its
/// reasons.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ConnectionEvent {
    /// The peer has finished sending: receives are flushed.
    PeerFinished,
    /// A fault of the stream, told by this end or the device. All that is outstanding is flushed.
    Faulted,
    /// The peer's Terminate. All that is outstanding is flushed.
    Terminated(Received),
    /// The connection is over, and how. No event comes behind this one.
    Closed(Result<(), Error>),
}

/// Where a connection is.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Those that no application has taken, the oldest first.
    pub(super) events: VecDeque<ConnectionEvent>,
    pub(super) made: Option<Made>,
    /// The peer's FIN came.
    pub(super) finished: bool,
    /// Nothing more is received.
    pub(super) is_closed: bool,
    pub(super) terminated: Option<Received>,
    pub(super) ended: Option<Result<(), Error>>,
}

impl State {
    /// What it was made with, once there is a connection, or why there is none.
    pub(super) fn established(&self) -> Option<Result<Made, Error>> {
        match (&self.made, &self.ended) {
            (_, Some(Err(why))) => Some(Err(why.clone())),
            (_, Some(Ok(()))) => Some(Err(Error::Closed)),
            (Some(made), None) => Some(Ok(made.clone())),
            (None, None) => None,
        }
    }
}

/// The thread's end of a connection.
pub(super) struct Hears {
    pub(super) watch: Arc<Watch<State>>,
    pub(super) qp: Arc<QpShared>,
    /// The peer's line in raw mode.
    pub(super) greeting: Vec<u8>,
}

impl Hears {
    /// Number of the queue pair.
    pub(super) fn qp(&self) -> u16 {
        self.qp.number.index
    }

    pub(super) fn hear(&self, step: Step) {
        let mut state = self.watch.state();
        match step {
            Step::Established(made) => {
                self.qp.connected();
                state.made = Some(Made { greeting: self.greeting.clone(), ..made });
            }
            Step::PeerFinished => {
                self.qp.peer_finished();
                (state.finished, state.is_closed) = (true, true);
                state.events.push_back(ConnectionEvent::PeerFinished);
            }
            Step::Faulted => {
                self.qp.fail();
                state.is_closed = true;
                state.events.push_back(ConnectionEvent::Faulted);
            }
            Step::Terminated(received) => {
                self.qp.fail();
                state.is_closed = true;
                state.terminated = Some(received);
                state.events.push_back(ConnectionEvent::Terminated(received));
            }
            Step::Ended(outcome) => {
                self.qp.fail();
                if state.ended.is_none() {
                    state.events.push_back(ConnectionEvent::Closed(outcome.clone()));
                    state.ended = Some(outcome);
                }
            }
        }
        drop(state);
        self.watch.notify();
    }
}
