// SPDX-License-Identifier: MIT OR Apache-2.0
//! Greetings of connections whose MPA starts behind them, as the connection manager's thread has
//! them (RFC 5044 section 7.1.3). Octets are read one by one: what comes behind a line stays in the
//! stream, as a startup frame of MPA.
use super::arrival::Arrival;
use super::greeting::{Greeting, GreetingError, Initiator, END, MOST_GREETING};
use crate::error::Error;
use ferrowarp_firmware::cm::api::{Accept, ConnId, Event, Initiate, ListenerId};
use ferrowarp_firmware::error::{CallError, ConnError};
use ferrowarp_firmware::Manager;
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// What an end that opened TCP does behind the greetings.
pub(super) enum Then {
    Initiate(Initiate),
    Accept(Accept),
}

/// Which end of a connection greets.
enum Side {
    Opener(Option<Then>),
    Listener { listener: ListenerId, local: SocketAddr, remote: SocketAddr },
}

/// A connection whose greetings are under way, or that awaits the Request behind them.
struct Greeter {
    greeting: Greeting,
    side: Side,
    /// The peer's line, as far as it has come.
    line: Vec<u8>,
    /// The peer's line is whole.
    is_greeted: bool,
}

/// What comes of an event.
pub(super) enum Heard {
    /// The event is not about a greeting.
    Other(Event),
    /// Nothing that anybody else is told.
    Nothing,
    /// The peer has greeted an end that opened TCP.
    Greeted(ConnId, Vec<u8>),
    /// A listener hears of it.
    Arrived(ListenerId, Arrival),
    /// There will be no connection.
    Failed(ConnId, Error),
    /// A connection of a listener, which has not heard of it, has ended for this.
    Ended(ConnId, Option<ListenerId>, Error),
}

/// Who greets.
#[derive(Default)]
pub(super) struct Greetings {
    open: BTreeMap<ConnId, Greeter>,
    listeners: BTreeMap<ListenerId, Greeting>,
    /// Why connections of listeners came to nothing, until firmware has ended them.
    failed: BTreeMap<ConnId, Error>,
}

impl Greetings {
    /// An active open.
    pub(super) fn insert(&mut self, id: ConnId, greeting: Greeting, then: Then) {
        self.open.insert(id, Greeter::new(greeting, Side::Opener(Some(then))));
    }

    /// A listener whose connections begin with greetings.
    pub(super) fn listen(&mut self, id: ListenerId, greeting: Greeting) {
        self.listeners.insert(id, greeting);
    }

    /// The end of a listener, and of its connections whose greetings are under way.
    pub(super) fn unlisten(&mut self, manager: &mut Manager, id: ListenerId) {
        self.listeners.remove(&id);
        let of_it =
            |greeter: &Greeter| matches!(greeter.side, Side::Listener { listener, .. } if listener == id);
        for (id, _) in self.open.extract_if(.., |_, greeter| of_it(greeter)) {
            // one that ended by itself is unknown, which is as good
            drop(manager.abort(id));
        }
    }

    /// Connections of listeners that greet, and that no listener has heard of.
    pub(super) fn arriving(&self) -> usize {
        self.open.values().filter(|greeter| matches!(greeter.side, Side::Listener { .. })).count()
    }

    /// Whether a greeting is under way.
    pub(super) fn is_busy(&self) -> bool {
        !self.open.is_empty()
    }

    /// Goes on with a greeting that the event is about.
    pub(super) fn hear(&mut self, manager: &mut Manager, event: Event) -> Heard {
        if let Event::Opened { id, listener: Some(listener), local, remote } = event {
            let Some(greeting) = self.listeners.get(&listener) else { return Heard::Other(event) };
            let side = Side::Listener { listener, local, remote };
            self.open.insert(id, Greeter::new(greeting.clone(), side));
            return Heard::Nothing;
        }
        let id = event.id();
        if let Event::Ended { listener, .. } = event {
            if let Some(why) = self.failed.remove(&id) {
                return Heard::Ended(id, listener, why);
            }
        }
        let Some(greeter) = self.open.get_mut(&id) else { return Heard::Other(event) };
        let told = greeter.hear(manager, event);
        let is_over = match &told {
            Ok(Heard::Other(Event::Ended { .. })) | Ok(Heard::Arrived(..)) | Err(_) => true,
            Ok(_) => greeter.is_over(),
        };
        let is_listeners = matches!(greeter.side, Side::Listener { .. });
        if is_over {
            self.open.remove(&id);
        }
        told.unwrap_or_else(|why| {
            // the Reject of too few Reads leaves before a FIN
            let ended = match &why {
                Error::Call(CallError::IrdTooSmall { .. }) => manager.close(id),
                _ => manager.abort(id),
            };
            // one that ended by itself is unknown, and its own end says why
            if is_listeners && ended.is_ok() {
                self.failed.insert(id, why.clone());
            }
            Heard::Failed(id, why)
        })
    }
}

impl Greeter {
    fn new(greeting: Greeting, side: Side) -> Self {
        Self { greeting, side, line: vec![], is_greeted: false }
    }

    /// Nothing is left to do.
    fn is_over(&self) -> bool {
        matches!(self.side, Side::Opener(None))
    }

    fn hear(&mut self, manager: &mut Manager, event: Event) -> Result<Heard, Error> {
        let id = event.id();
        match (event, &mut self.side) {
            (Event::Opened { .. }, _) => self.greets(manager, id),
            (Event::Readable { .. }, _) if !self.is_greeted => self.reads(manager, id),
            (Event::PeerClosed { .. }, _) => Err(ConnError::PeerClosed.into()),
            (Event::Request { .. }, Side::Opener(then)) => match then.take() {
                Some(Then::Accept(accept)) => Ok(manager.accept(id, accept).map(|()| Heard::Nothing)?),
                _ => Ok(Heard::Nothing),
            },
            (Event::Request { local, remote, offer, .. }, Side::Listener { listener, .. }) => {
                let greeting = std::mem::take(&mut self.line);
                Ok(Heard::Arrived(*listener, Arrival { id, local, remote, offer: Some(offer), greeting }))
            }
            (other, _) => Ok(Heard::Other(other)),
        }
    }

    /// Sends our line: there is room for it, since it is the first that is sent.
    fn greets(&self, manager: &mut Manager, id: ConnId) -> Result<Heard, Error> {
        manager.send(id, &self.greeting.octets())?;
        Ok(Heard::Nothing)
    }

    /// Reads the peer's line, as far as it is there.
    fn reads(&mut self, manager: &mut Manager, id: ConnId) -> Result<Heard, Error> {
        while let [octet] = manager.read(id, 1)?[..] {
            if octet == END {
                self.is_greeted = true;
                return self.starts(manager, id);
            }
            self.line.push(octet);
            if self.line.len() > MOST_GREETING {
                return Err(GreetingError::Peer(self.line.len()).into());
            }
        }
        Ok(Heard::Nothing)
    }

    /// Both ends have greeted, or this end answers now: MPA starts.
    fn starts(&mut self, manager: &mut Manager, id: ConnId) -> Result<Heard, Error> {
        match &mut self.side {
            Side::Opener(then) => {
                match then.take() {
                    Some(Then::Initiate(how)) => manager.initiate(id, how)?,
                    waits => {
                        *then = waits;
                        manager.respond(id, &[])?;
                    }
                }
                Ok(Heard::Greeted(id, std::mem::take(&mut self.line)))
            }
            Side::Listener { listener, local, remote } => {
                let (listener, local, remote) = (*listener, *local, *remote);
                self.greets(manager, id)?;
                if self.greeting.initiator() == Initiator::Listen {
                    let greeting = std::mem::take(&mut self.line);
                    let arrival = Arrival { id, local, remote, offer: None, greeting };
                    return Ok(Heard::Arrived(listener, arrival));
                }
                manager.respond(id, &[])?;
                Ok(Heard::Nothing)
            }
        }
    }
}
