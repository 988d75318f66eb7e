// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections as the application has them; `listen`: listeners and requests; `raw`, `raw_listen`:
//! octets before MPA.
#[cfg(feature = "tokio")]
mod asynchronous;
mod half;
mod listen;
mod raw;
#[cfg(feature = "tokio")]
mod raw_async;
mod raw_listen;
mod raw_state;
#[cfg(test)]
mod raw_tests;
#[cfg(test)]
mod tests;
mod watch;

pub(super) use listen::{Arrival, Arrivals};
pub use listen::{Listener, Request};
pub use raw::{RawOptions, RawStream};
pub use raw_listen::RawListener;
pub(super) use raw_state::{Opened, RawState, Waiting};
pub(super) use watch::Watch;

use super::greeting::{Initiator, Startup};
use super::greetings::Then as Greeted;
use super::options::ConnectOptions;
use super::{Cm, Pump};
use crate::backend::Closing;
use crate::error::Error;
use crate::verbs::{Connected, QpShared, QueuePair};
use ferrowarp_firmware::cm::api::{ConnId, Connect, Offer, Terms, Then};
use ferrowarp_firmware::mpa::negotiate::{Agreed, Depth};
use ferrowarp_firmware::port::QpId;
use ferrowarp_firmware::terminate::Received;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// Reads under way at once that a connection was made with: `responder_resources` and
/// `initiator_depth` of rdma-core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadDepths {
    /// Of the peer.
    pub ird: u16,
    /// Of ours; with 0 of them there is no [`QueuePair::post_read`].
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
    fn of(offer: &Offer) -> Self {
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
    private_data: Vec<u8>,
    offered: OfferedDepths,
    depths: ReadDepths,
    markers: Markers,
    /// The peer's line in raw mode.
    greeting: Vec<u8>,
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

/// Where a connection is.
#[derive(Debug, Default)]
struct State {
    made: Option<Made>,
    /// The peer's FIN came.
    finished: bool,
    /// Nothing more is received.
    is_closed: bool,
    terminated: Option<Received>,
    ended: Option<Result<(), Error>>,
}

impl State {
    /// What it was made with, once there is a connection, or why there is none.
    fn established(&self) -> Option<Result<Made, Error>> {
        match (&self.made, &self.ended) {
            (_, Some(Err(why))) => Some(Err(why.clone())),
            (_, Some(Ok(()))) => Some(Err(Error::Closed)),
            (Some(made), None) => Some(Ok(made.clone())),
            (None, None) => None,
        }
    }
}

/// What is waited for.
const ESTABLISHED: &str = "the connection to be established";
const ENDED: &str = "the end of the connection";

/// The thread's end of a connection.
pub(super) struct Hears {
    watch: Arc<Watch<State>>,
    qp: Arc<QpShared>,
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
            }
            Step::Faulted => {
                self.qp.fail();
                state.is_closed = true;
            }
            Step::Terminated(received) => {
                self.qp.fail();
                state.is_closed = true;
                state.terminated = Some(received);
            }
            Step::Ended(outcome) => {
                self.qp.fail();
                state.ended.get_or_insert(outcome);
            }
        }
        drop(state);
        self.watch.notify();
    }
}

/// A connection of a queue pair. Dropping it resets it, unless it was closed by
/// [`Connection::disconnect`].
#[derive(Debug)]
pub struct Connection {
    cm: Arc<Cm>,
    id: ConnId,
    watch: Arc<Watch<State>>,
    local: SocketAddr,
    remote: SocketAddr,
    made: Made,
    qp: QueuePair<Connected>,
    end: Closing,
}

impl Connection {
    /// Begins a connection; [`Connection::established`] waits for it.
    pub(crate) fn connect(
        cm: &Arc<Cm>,
        qp: &QueuePair,
        remote: SocketAddr,
        options: ConnectOptions,
    ) -> Result<Self, Error> {
        let (address, local_port) = cm.defaults.local_end(options.local, remote);
        let has = cm.shared.backend.capabilities();
        let qp_id = QpId(qp.number());
        let connect = |then| Connect { remote, address, local_port, then };
        let Startup::Delayed(greeting) = options.startup(&cm.defaults) else {
            let how = options.initiate(&cm.defaults, &has, qp_id)?;
            let connect = connect(Then::Initiate(how));
            return Self::begin(cm, qp, remote, vec![], move |pump| pump.connect(connect));
        };
        let then = match greeting.initiator() {
            Initiator::Connect => Greeted::Initiate(options.initiate(&cm.defaults, &has, qp_id)?),
            Initiator::Listen => Greeted::Accept(options.accept(&cm.defaults, &has, qp_id)?),
        };
        let connect = connect(Then::Stream);
        Self::begin(cm, qp, remote, vec![], move |pump| {
            let (id, local) = pump.connect(connect)?;
            pump.greetings.insert(id, greeting, then);
            Ok((id, local))
        })
    }

    /// Binds the queue pair and does a call of firmware's that begins a connection, whose end here
    /// the call tells. `greeting` is the peer's line, if the peer has greeted.
    fn begin(
        cm: &Arc<Cm>,
        qp: &QueuePair,
        remote: SocketAddr,
        greeting: Vec<u8>,
        call: impl FnOnce(&mut Pump) -> Result<(ConnId, SocketAddr), Error> + Send + 'static,
    ) -> Result<Self, Error> {
        if !Arc::ptr_eq(&qp.0.number.shared, &cm.shared) {
            return Err(Error::Domain("the queue pair"));
        }
        qp.0.bind()?;
        let watch = Arc::new(Watch::default());
        let hears = Hears { watch: watch.clone(), qp: qp.0.clone(), greeting };
        let begun = cm.call(move |pump| {
            let (id, local) = call(pump)?;
            pump.connections.insert(id, hears);
            Ok((id, local))
        });
        let (id, local) = begun.and_then(|begun| begun).inspect_err(|_| qp.0.unbind())?;
        let qp = QueuePair::connected(&qp.0);
        Ok(Self {
            cm: cm.clone(),
            id,
            watch,
            local,
            remote,
            made: Made::default(),
            qp,
            end: Closing::default(),
        })
    }

    pub(crate) fn established(mut self, patience: Duration) -> Result<Self, Error> {
        self.made = self.watch.until(patience, ESTABLISHED, State::established)??;
        Ok(self)
    }

    /// Its queue pair, to which everything may be posted.
    pub fn queue_pair(&self) -> &QueuePair<Connected> {
        &self.qp
    }

    /// Our end: the address and port that were asked for or chosen.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// The peer.
    pub fn remote(&self) -> SocketAddr {
        self.remote
    }

    /// What the peer's Reply or Request carried for us.
    pub fn private_data(&self) -> &[u8] {
        &self.made.private_data
    }

    /// The peer's line in raw mode, without its line feed; empty where MPA started at once.
    pub fn greeting(&self) -> &[u8] {
        &self.made.greeting
    }

    /// Reads that may be under way at once, as both sides agreed. A depth that one side left out is
    /// the one asked for here.
    pub fn read_depths(&self) -> ReadDepths {
        self.made.depths
    }

    /// Reads as the peer's Request or Reply has them.
    pub fn offered(&self) -> OfferedDepths {
        self.made.offered
    }

    /// Which directions have markers.
    pub fn markers(&self) -> Markers {
        self.made.markers
    }

    /// Nothing more can be received: the peer has finished sending, or there was a fault. Receives
    /// are flushed, and behind a fault everything that is outstanding.
    pub fn is_closed(&self) -> bool {
        let state = self.watch.state();
        state.is_closed || state.ended.is_some()
    }

    /// The peer's Terminate, if it sent one: layer, type, code, and what of ours it refused.
    pub fn terminated(&self) -> Option<Received> {
        self.watch.state().terminated
    }

    /// How it ended, if it has.
    pub fn ended(&self) -> Option<Result<(), Error>> {
        self.watch.state().ended.clone()
    }

    /// Closes and waits until both sides have. The FIN leaves behind all posted requests. A later
    /// post to the send queue is [`Error::Finished`]. Both FINs have five seconds of the device,
    /// then the connection is reset. If posted requests need more time, poll for their completions
    /// before. The error says how else the connection ended.
    pub fn disconnect(self, patience: Duration) -> Result<(), Error> {
        self.close()?;
        self.watch.until(patience, ENDED, |state| state.ended.clone())?
    }

    pub(super) fn close(&self) -> Result<(), Error> {
        self.qp.0.close_sends();
        let id = self.id;
        self.cm.call(move |pump| pump.close(id))?
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.end.begin();
        let over = self.watch.state().ended.is_some();
        let id = self.id;
        if !over && self.cm.call_at_end(move |pump| pump.manager.abort(id)).is_err() {
            tracing::debug!(id = id.0, "the connection manager is gone, and the connection with it");
        }
    }
}
