//! Listeners, requests, connections, as the application has them.
#[cfg(feature = "tokio")]
mod asynchronous;

use super::{Cm, Pump};
use crate::error::Error;
use crate::verbs::{Connected, QpShared, QueuePair};
use ferrowarp_firmware::cm::api::{Accept, ConnId, Connect, Initiate, Listen, ListenerId, Then};
use ferrowarp_firmware::error::{CallError, ConnError};
use ferrowarp_firmware::mpa::negotiate::{RtrSet, Wanted};
use ferrowarp_firmware::port::QpId;
use ferrowarp_firmware::terminate::Received;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What connecting or accepting asks for.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// Up to 508 octets for the peer.
    pub private_data: Vec<u8>,
    /// Reads of the peer under way at once.
    pub ird: u16,
    /// Reads of ours under way at once.
    pub ord: u16,
    /// The initiator: whoever likes may send first (RFC 6581).
    pub peer_to_peer: bool,
    /// How long to wait until the connection is established.
    pub patience: Duration,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        let private_data = vec![];
        Self { private_data, ird: 1, ord: 1, peer_to_peer: false, patience: Duration::from_secs(60) }
    }
}

/// What a listener hears of.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) id: ConnId,
    pub(super) remote: SocketAddr,
    pub(super) private_data: Vec<u8>,
}

/// What a connection hears from firmware.
pub(super) enum Step {
    /// With the peer's private data.
    Established(Vec<u8>),
    /// The peer is done, or there was a fault: nothing more is received.
    PeerClosed,
    /// The peer's Terminate: nothing more is received.
    Terminated(Received),
    /// The last one.
    Ended(Result<(), Error>),
}

/// Where a connection is.
#[derive(Debug, Default)]
struct State {
    private_data: Option<Vec<u8>>,
    peer_closed: bool,
    terminated: Option<Received>,
    ended: Option<Result<(), Error>>,
}

impl State {
    /// The peer's private data, once there is a connection, or why there is none.
    fn established(&self) -> Option<Result<Vec<u8>, Error>> {
        match (&self.private_data, &self.ended) {
            (_, Some(Err(why))) => Some(Err(why.clone())),
            (_, Some(Ok(()))) => Some(Err(Error::Closed)),
            (Some(data), None) => Some(Ok(data.clone())),
            (None, None) => None,
        }
    }
}

/// What is waited for.
const ESTABLISHED: &str = "the connection to be established";
const ENDED: &str = "the end of the connection";

#[derive(Debug, Default)]
struct Watch {
    state: Mutex<State>,
    changed: Condvar,
    #[cfg(feature = "tokio")]
    wakers: crate::wakers::Wakers,
}

impl Watch {
    /// Each change is one assignment: a panic elsewhere leaves the state whole.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `found` finds something.
    fn until<R>(
        &self,
        most: Duration,
        what: &'static str,
        mut found: impl FnMut(&State) -> Option<R>,
    ) -> Result<R, Error> {
        let end = Instant::now() + most;
        let mut state = self.state();
        loop {
            if let Some(result) = found(&state) {
                return Ok(result);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::TimedOut { what, waited: most });
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The thread's end of a connection.
pub(super) struct Hears {
    watch: Arc<Watch>,
    qp: Arc<QpShared>,
}

impl Hears {
    /// Number of the queue pair.
    pub(super) fn qp(&self) -> u16 {
        self.qp.number.index
    }

    pub(super) fn hear(&self, step: Step) {
        let mut state = self.watch.state();
        match step {
            Step::Established(data) => {
                self.qp.connected();
                state.private_data = Some(data);
            }
            Step::PeerClosed => {
                self.qp.fail();
                state.peer_closed = true;
            }
            Step::Terminated(received) => {
                self.qp.fail();
                state.peer_closed = true;
                state.terminated = Some(received);
            }
            Step::Ended(outcome) => {
                self.qp.fail();
                state.ended.get_or_insert(outcome);
            }
        }
        drop(state);
        self.watch.changed.notify_all();
        #[cfg(feature = "tokio")]
        self.watch.wakers.wake();
    }
}

/// A connection of a queue pair. Dropping it resets it, unless it was closed by [`Connection::disconnect`].
#[derive(Debug)]
pub struct Connection {
    cm: Arc<Cm>,
    id: ConnId,
    watch: Arc<Watch>,
    remote: SocketAddr,
    private_data: Vec<u8>,
    qp: QueuePair<Connected>,
}

impl Connection {
    /// Begins a connection; [`Connection::established`] waits for it.
    pub(crate) fn connect(
        cm: &Arc<Cm>,
        qp: &QueuePair,
        remote: SocketAddr,
        options: ConnectOptions,
    ) -> Result<Self, Error> {
        let how = Initiate {
            private_data: options.private_data,
            wanted: Wanted::new(options.ird, options.ord),
            peer_to_peer: options.peer_to_peer,
            rtr: RtrSet { send: false, write: true, read: true },
            ..Initiate::new(QpId(qp.number()))
        };
        let connect = Connect { remote, local_port: None, then: Then::Initiate(how) };
        Self::begin(cm, qp, remote, move |pump| Ok(pump.manager.connect(connect)?))
    }

    /// Binds the queue pair and does a call of firmware's that begins a connection.
    fn begin(
        cm: &Arc<Cm>,
        qp: &QueuePair,
        remote: SocketAddr,
        call: impl FnOnce(&mut Pump) -> Result<ConnId, Error> + Send + 'static,
    ) -> Result<Self, Error> {
        qp.0.bind()?;
        let watch = Arc::new(Watch::default());
        let hears = Hears { watch: watch.clone(), qp: qp.0.clone() };
        let begun = cm.call(move |pump| {
            let id = call(pump)?;
            pump.connections.insert(id, hears);
            Ok(id)
        });
        let id = begun.and_then(|id| id).inspect_err(|_| qp.0.unbind())?;
        let qp = QueuePair::connected(&qp.0);
        Ok(Self { cm: cm.clone(), id, watch, remote, private_data: vec![], qp })
    }

    pub(crate) fn established(mut self, patience: Duration) -> Result<Self, Error> {
        self.private_data = self.watch.until(patience, ESTABLISHED, State::established)??;
        Ok(self)
    }

    /// Its queue pair, to which everything may be posted.
    pub fn queue_pair(&self) -> &QueuePair<Connected> {
        &self.qp
    }

    /// The peer.
    pub fn remote(&self) -> SocketAddr {
        self.remote
    }

    /// What the peer's Reply or Request carried for us.
    pub fn private_data(&self) -> &[u8] {
        &self.private_data
    }

    /// Nothing more can be received: the peer closed, or there was a fault. What is outstanding is flushed.
    pub fn is_closed(&self) -> bool {
        let state = self.watch.state();
        state.peer_closed || state.ended.is_some()
    }

    /// The peer's Terminate, if it sent one: layer, type, code, and what of ours it refused.
    pub fn terminated(&self) -> Option<Received> {
        self.watch.state().terminated
    }

    /// How it ended, if it has.
    pub fn ended(&self) -> Option<Result<(), Error>> {
        self.watch.state().ended.clone()
    }

    /// Closes and waits until both sides have. The end of the stream does not wait for work that is not completed: poll for
    /// it before. The error says how else it ended.
    pub fn disconnect(self, patience: Duration) -> Result<(), Error> {
        self.close()?;
        self.watch.until(patience, ENDED, |state| state.ended.clone())?
    }

    pub(super) fn close(&self) -> Result<(), Error> {
        let id = self.id;
        self.cm.call(move |pump| pump.close(id))?
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let over = self.watch.state().ended.is_some();
        let id = self.id;
        if !over && self.cm.call(move |pump| pump.manager.abort(id)).is_err() {
            tracing::debug!(id = id.0, "the connection manager is gone, and the connection with it");
        }
    }
}

/// A TCP port that takes connections. Requests that nobody has taken are reset when it is dropped.
#[derive(Debug)]
pub struct Listener {
    cm: Arc<Cm>,
    id: ListenerId,
    arrivals: Mutex<Receiver<Arrival>>,
    #[cfg(feature = "tokio")]
    wakers: Arc<crate::wakers::Wakers>,
}

/// Where a listener's requests go.
pub(super) struct Arrivals {
    sender: Sender<Arrival>,
    #[cfg(feature = "tokio")]
    wakers: Arc<crate::wakers::Wakers>,
}

impl Arrivals {
    /// Whether the listener is still there.
    pub(super) fn give(&self, arrival: Arrival) -> bool {
        let given = self.sender.send(arrival).is_ok();
        #[cfg(feature = "tokio")]
        self.wakers.wake();
        given
    }
}

impl Listener {
    pub(crate) fn new(cm: &Arc<Cm>, port: u16, backlog: usize) -> Result<Self, Error> {
        let (sender, arrivals) = channel();
        #[cfg(feature = "tokio")]
        let wakers = Arc::default();
        let arrive = Arrivals {
            sender,
            #[cfg(feature = "tokio")]
            wakers: Arc::clone(&wakers),
        };
        let listen = Listen { port, address: None, backlog: backlog.max(1), then: Then::Respond };
        let id = cm.call(move |pump| {
            let id = pump.manager.listen(listen)?;
            pump.listeners.insert(id, arrive);
            Ok::<_, CallError>(id)
        })??;
        Ok(Self {
            cm: cm.clone(),
            id,
            arrivals: Mutex::new(arrivals),
            #[cfg(feature = "tokio")]
            wakers,
        })
    }

    /// The next request for a connection.
    pub fn next(&self, most: Duration) -> Result<Request, Error> {
        let arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        let arrival = arrivals.recv_timeout(most);
        let arrival = arrival.map_err(|_| Error::TimedOut { what: "a connection", waited: most })?;
        Ok(Request { cm: self.cm.clone(), arrival, decided: false })
    }

    /// Why requests came to nothing that no application was told of, or that ended before they were accepted, oldest
    /// first, each once. A device remembers the newest 64.
    pub fn failures(&self) -> Result<Vec<ConnError>, Error> {
        let id = self.id;
        self.cm.call(move |pump| {
            let (mine, others) = std::mem::take(&mut pump.failed).into_iter().partition(|f| f.listener == id);
            pump.failed = others;
            VecDeque::into_iter(mine).map(|failed| failed.why).collect()
        })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let id = self.id;
        let arrivals = self.arrivals.get_mut().unwrap_or_else(PoisonError::into_inner);
        let left: Vec<_> = arrivals.try_iter().map(|arrival| arrival.id).collect();
        let gone = self.cm.call(move |pump| {
            pump.listeners.remove(&id);
            pump.manager.unlisten(id);
            // one that ended by itself is unknown, which is as good
            left.into_iter().for_each(|id| drop(pump.manager.abort(id)));
        });
        gone.unwrap_or_else(|why| tracing::debug!(%why, "a listener ends with the device"));
    }
}

/// A request for a connection. Dropping it resets the connection.
#[derive(Debug)]
pub struct Request {
    cm: Arc<Cm>,
    arrival: Arrival,
    decided: bool,
}

impl Request {
    /// The peer.
    pub fn remote(&self) -> SocketAddr {
        self.arrival.remote
    }

    /// What the peer's Request carries for us.
    pub fn private_data(&self) -> &[u8] {
        &self.arrival.private_data
    }

    /// Accepts it for a queue pair; returns when work may be posted, which is after the peer's first message. Receives
    /// for it are posted before.
    pub fn accept(self, qp: &QueuePair, options: ConnectOptions) -> Result<Connection, Error> {
        let patience = options.patience;
        self.begin(qp, options)?.established(patience)
    }

    fn begin(mut self, qp: &QueuePair, options: ConnectOptions) -> Result<Connection, Error> {
        let id = self.arrival.id;
        let wanted = Wanted::new(options.ird, options.ord);
        let private_data = options.private_data;
        let accept = Accept { private_data, wanted, ..Accept::new(QpId(qp.number())) };
        // from here on the connection is the queue pair's; firmware keeps a Request that it refuses to accept
        self.decided = true;
        let accepted = Connection::begin(&self.cm, qp, self.remote(), move |pump| {
            match pump.manager.accept(id, accept) {
                Ok(()) => Ok(id),
                // it ended while nobody had decided
                Err(CallError::Unknown(_)) => Err(pump.why(id)),
                Err(why) => Err(why.into()),
            }
        });
        accepted.inspect_err(|why| self.decided = !matches!(why, Error::Call(_) | Error::Used(_)))
    }

    /// Rejects it.
    pub fn reject(mut self, private_data: Vec<u8>) -> Result<(), Error> {
        let id = self.arrival.id;
        self.decided = true;
        let rejected = self.cm.call(move |pump| {
            pump.manager.reject(id, private_data, None)?;
            pump.manager.close(id)
        })?;
        Ok(rejected?)
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        let id = self.arrival.id;
        if !self.decided && self.cm.call(move |pump| pump.manager.abort(id)).is_err() {
            tracing::debug!(id = id.0, "a request ends with the device");
        }
    }
}
