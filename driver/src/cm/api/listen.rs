// SPDX-License-Identifier: MIT OR Apache-2.0
//! Listeners and the requests that they hear of.
use super::{Connecting, Connection};
use crate::backend::Closing;
use crate::cm::arrival::{Arrival, Arrivals, TellsAtEnd};
use crate::cm::greeting::Startup;
use crate::cm::greetings::Then as Greeted;
use crate::cm::hears::OfferedDepths;
use crate::cm::{AcceptOptions, Cm};
use crate::error::Error;
use crate::signal::Signal;
use crate::verbs::QueuePair;
use ferrowarp_firmware::cm::api::{Initiate, Listen, ListenerId, Then};
use ferrowarp_firmware::error::CallError;
use ferrowarp_firmware::port::QpId;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, TryRecvError};
use std::sync::Arc;
use std::time::Duration;

/// A TCP port that takes connections. Requests that nobody has taken are reset when it is dropped.
///
/// It is a file descriptor ([`AsFd`]), which is readable while [`Listener::try_next`] has a request
/// to give, and when another thread has just taken one.
#[derive(Debug)]
pub struct Listener {
    pub(super) cm: Arc<Cm>,
    pub(super) id: ListenerId,
    local: SocketAddr,
    pub(super) arrivals: Mutex<Receiver<Arrival>>,
    signal: Arc<Signal>,
    #[cfg(feature = "tokio")]
    pub(super) wakers: Arc<crate::wakers::Wakers>,
    end: Closing,
}

impl Cm {
    /// Listens at the address that the device's URL says, if it says one.
    pub(crate) fn listen(self: &Arc<Self>, port: u16, backlog: usize) -> Result<Listener, Error> {
        Listener::new(self, self.defaults.listens_at(), port, backlog, self.startup())
    }
}

impl Listener {
    /// At `address`, or at all of the device; port 0 is a free one.
    pub(crate) fn new(
        cm: &Arc<Cm>,
        address: Option<IpAddr>,
        port: u16,
        backlog: usize,
        startup: Startup,
    ) -> Result<Self, Error> {
        let (sender, arrivals) = channel();
        let signal = Arc::new(Signal::new()?);
        #[cfg(feature = "tokio")]
        let wakers = Arc::default();
        let arrive = Arrivals {
            sender,
            tells: TellsAtEnd {
                signal: signal.clone(),
                #[cfg(feature = "tokio")]
                wakers: Arc::clone(&wakers),
            },
        };
        let (then, greeting) = match startup {
            Startup::Immediate => (Then::Respond, None),
            Startup::Delayed(greeting) => (Then::Stream, Some(greeting)),
        };
        let listen = Listen { port, address, backlog: backlog.max(1), then };
        let (id, port) = cm.call(move |pump| {
            let id = pump.manager.listen(listen)?;
            pump.listeners.insert(id, arrive);
            if let Some(greeting) = greeting {
                pump.greetings.listen(id, greeting);
            }
            Ok::<_, CallError>((id, pump.manager.listen_port(id).unwrap_or(port)))
        })??;
        Ok(Self {
            cm: cm.clone(),
            id,
            local: SocketAddr::new(address.unwrap_or(Ipv6Addr::UNSPECIFIED.into()), port),
            arrivals: Mutex::new(arrivals),
            signal,
            #[cfg(feature = "tokio")]
            wakers,
            end: Closing::default(),
        })
    }

    /// The address and port that it listens on; the address is `::` if connections to all addresses
    /// of both families are taken.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// The next request for a connection, if there is one. If the device has failed, the error says
    /// why.
    pub fn try_next(&self) -> Result<Option<Request>, Error> {
        let found = self.found()?;
        Ok(found.map(|arrival| self.request(arrival)))
    }

    /// What a listener hears next, if there is something.
    pub(super) fn found(&self) -> Result<Option<Arrival>, Error> {
        let arrivals = self.arrivals.lock();
        // what comes behind this look raises the descriptor again
        self.signal.lower();
        let found = match arrivals.try_recv() {
            Ok(arrival) => Some(arrival),
            Err(TryRecvError::Empty) => return Ok(None),
            Err(TryRecvError::Disconnected) => None,
        };
        // there may be more, or the end is told again
        self.signal.raise();
        found.map(Some).ok_or_else(|| self.cm.stopped())
    }

    /// The next request for a connection. If the device fails meanwhile, the error says why.
    pub fn next(&self, most: Duration) -> Result<Request, Error> {
        let arrivals = self.arrivals.lock();
        let arrived = arrivals.recv_timeout(most);
        // other threads wait for requests while this one asks the connection manager
        drop(arrivals);
        let arrival = arrived.map_err(|why| match why {
            RecvTimeoutError::Timeout => Error::TimedOut { what: "a connection", waited: most },
            RecvTimeoutError::Disconnected => self.cm.stopped(),
        })?;
        Ok(self.request(arrival))
    }

    /// Where this end sends the Request, the application has as long as it likes: the peer has
    /// greeted in time.
    pub(super) fn request(&self, arrival: Arrival) -> Request {
        if arrival.offer.is_none() {
            let id = arrival.id;
            // one that has ended says so when it is accepted
            drop(self.cm.call(move |pump| pump.manager.take(id)));
        }
        Request::new(&self.cm, arrival)
    }

    /// Why requests came to nothing that no application was told of, or that ended before they were
    /// accepted, oldest first, each once. A device remembers the newest 64.
    pub fn failures(&self) -> Result<Vec<Error>, Error> {
        let id = self.id;
        self.cm.call_at_end(move |pump| {
            let (mine, others) =
                std::mem::take(&mut pump.failed).into_iter().partition(|f| f.listener == Some(id));
            pump.failed = others;
            VecDeque::into_iter(mine).map(|failed| failed.why).collect()
        })
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.signal.as_fd()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.end.begin(self.cm.ends_within());
        let id = self.id;
        let arrivals = self.arrivals.get_mut();
        let arrivals = std::mem::replace(arrivals, channel().1);
        let gone = self.cm.call_at_end(move |pump| {
            pump.listeners.remove(&id);
            pump.manager.unlisten(id);
            pump.greetings.unlisten(&mut pump.manager, id);
            // from here on nothing more comes; one that ended by itself is unknown, which is as
            // good
            arrivals.try_iter().for_each(|arrival| drop(pump.manager.abort(arrival.id)));
        });
        gone.unwrap_or_else(|why| tracing::debug!(%why, "a listener ends with the device"));
    }
}

/// A request for a connection. Dropping it resets the connection.
#[derive(Debug)]
pub struct Request {
    pub(super) cm: Arc<Cm>,
    pub(super) arrival: Arrival,
    pub(super) decided: bool,
    end: Closing,
}

impl Request {
    /// One that nobody has decided on.
    pub(super) fn new(cm: &Arc<Cm>, arrival: Arrival) -> Self {
        Self { cm: cm.clone(), arrival, decided: false, end: Closing::default() }
    }

    /// Our end: the address that the peer connects to, and the listener's port.
    pub fn local_addr(&self) -> SocketAddr {
        self.arrival.local
    }

    /// The peer.
    pub fn remote(&self) -> SocketAddr {
        self.arrival.remote
    }

    /// What the peer's Request carries for us; nothing where this end sends the Request
    /// ([`Initiator::Listen`](crate::Initiator::Listen)).
    pub fn private_data(&self) -> &[u8] {
        self.arrival.offer.as_ref().map_or(&[], |offer| &offer.private_data)
    }

    /// The peer's line in raw mode, without its line feed; empty where MPA starts at once.
    pub fn greeting(&self) -> &[u8] {
        &self.arrival.greeting
    }

    /// The Reads that the peer offers and asks for: `responder_resources` and `initiator_depth` of
    /// rdma-core's `conn_param`.
    pub fn offered(&self) -> OfferedDepths {
        self.arrival.offer.as_ref().map_or_else(Default::default, OfferedDepths::of)
    }

    /// Whether the peer asks for markers in what we send.
    pub fn asks_markers(&self) -> bool {
        self.arrival.offer.as_ref().is_some_and(|offer| offer.markers)
    }

    /// Begins to accept it for a queue pair, as [`Request::accept`] does. The call takes a turn of
    /// the connection manager's thread and waits for nothing of the peer. Of `options`, `patience`
    /// has no meaning here.
    pub fn start_accept(mut self, qp: &QueuePair, options: AcceptOptions) -> Result<Connecting, Error> {
        let (id, local) = (self.arrival.id, self.arrival.local);
        let (defaults, has) = (&self.cm.defaults, self.cm.shared.backend.capabilities());
        let qp_id = QpId(qp.number());
        let then = match self.arrival.offer {
            Some(_) => Greeted::Accept(options.accept(defaults, &has, qp_id)?),
            // the application that connects may send first, as where its end is the initiator
            None => {
                let how = options.initiate(defaults, &has, qp_id)?;
                Greeted::Initiate(Initiate { peer_to_peer: true, ..how })
            }
        };
        let greeting = std::mem::take(&mut self.arrival.greeting);
        // from here on the connection is the queue pair's; firmware keeps a Request that it refuses
        // to accept
        self.decided = true;
        let accepted = Connection::begin(&self.cm, qp, self.remote(), greeting, move |pump| {
            let done = match then {
                Greeted::Accept(accept) => pump.manager.accept(id, accept),
                Greeted::Initiate(how) => pump.manager.initiate(id, how),
            };
            match done {
                Ok(()) => Ok((id, local)),
                // it ended while nobody had decided
                Err(CallError::Unknown(_)) => Err(pump.why(id)),
                // the Reject is on its way, and a FIN follows
                Err(few @ CallError::IrdTooSmall { .. }) => {
                    pump.manager.close(id)?;
                    Err(few.into())
                }
                Err(why) => Err(why.into()),
            }
        });
        accepted.inspect_err(|why| {
            let is_rejected = matches!(why, Error::Call(CallError::IrdTooSmall { .. }));
            let is_kept = matches!(why, Error::Call(_) | Error::Used(_) | Error::Domain(_));
            self.decided = is_rejected || !is_kept;
        })
    }

    /// Rejects it. Where this end would send the Request
    /// ([`Initiator::Listen`](crate::Initiator::Listen)) the connection is closed without a Reject.
    pub fn reject(mut self, private_data: Vec<u8>) -> Result<(), Error> {
        let (id, is_asked) = (self.arrival.id, self.arrival.offer.is_some());
        self.decided = true;
        let rejected = self.cm.call(move |pump| {
            if is_asked {
                pump.manager.reject(id, private_data, None)?;
            }
            pump.manager.close(id)
        })?;
        Ok(rejected?)
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.end.begin(self.cm.ends_within());
        let id = self.arrival.id;
        if !self.decided && self.cm.call_at_end(move |pump| pump.manager.abort(id)).is_err() {
            tracing::debug!(id = id.0, "a request ends with the device");
        }
    }
}
