// SPDX-License-Identifier: MIT OR Apache-2.0
//! What firmware tells, and who hears of it.
use super::arrival::Arrival;
use super::greetings::Heard;
use super::hears::{Made, OfferedDepths, Step};
use super::pump::{Failed, Pump, MOST_FAILED};
use crate::error::Error;
use ferrowarp_firmware::cm::api::{ConnId, Event, ListenerId};
use ferrowarp_firmware::error::CallError;

impl Pump {
    /// Gives an event to whom it concerns. Calls that follow from it are done in the next turn.
    pub(super) fn tell(&mut self, event: Event) {
        let Some(event) = self.greet(event) else { return };
        let Some(event) = self.streams.hear(&mut self.manager, event) else { return };
        let id = event.id();
        match event {
            Event::Request { listener, local, remote, offer, .. } => {
                self.arrive(listener, Arrival { id, local, remote, offer: Some(offer), greeting: vec![] });
            }
            Event::Established { offer, terms, .. } => {
                self.step(id, Step::Established(Made::new(offer, &terms)));
            }
            Event::Rejected { offer, .. } => {
                let OfferedDepths { ird, ord } = OfferedDepths::of(&offer);
                let private_data = offer.private_data;
                self.step(id, Step::Ended(Err(Error::Rejected { private_data, ird, ord })));
                drop(self.manager.close(id));
            }
            Event::PeerClosed { .. } => self.step(id, Step::PeerFinished),
            Event::Faulted { error, .. } => {
                tracing::info!(id = id.0, error = error.info().doc, "a connection has a fault");
                self.step(id, Step::Faulted);
            }
            Event::Terminated { received, .. } => {
                tracing::info!(id = id.0, %received, "the peer terminates a connection");
                self.step(id, Step::Terminated(received));
            }
            Event::Ended { outcome, listener, .. } => match self.connections.remove(&id) {
                Some(connection) => connection.hear(Step::Ended(outcome.map_err(Error::Connection))),
                None => self.fail(id, listener, outcome.map_err(Error::Connection)),
            },
            // raw octets behind a rejection, and replies without a queue pair, are not offered to
            // applications
            Event::Opened { .. } | Event::Readable { .. } | Event::Writable { .. } | Event::Reply { .. } => {}
        }
    }

    /// Tells what is about a greeting, and gives back what is not.
    fn greet(&mut self, event: Event) -> Option<Event> {
        match self.greetings.hear(&mut self.manager, event) {
            Heard::Other(event) => return Some(event),
            Heard::Nothing => {}
            Heard::Greeted(id, line) => {
                if let Some(connection) = self.connections.get_mut(&id) {
                    connection.greeting = line;
                }
            }
            Heard::Arrived(listener, arrival) => self.arrive(Some(listener), arrival),
            Heard::Failed(id, why) => {
                tracing::info!(id = id.0, %why, "a greeting comes to nothing");
                self.step(id, Step::Ended(Err(why)));
            }
            Heard::Ended(id, listener, why) => self.fail(id, listener, Err(why)),
        }
        None
    }

    /// A listener hears of a connection.
    fn arrive(&mut self, listener: Option<ListenerId>, arrival: Arrival) {
        let (id, listener) = (arrival.id, listener.and_then(|l| self.listeners.get(&l)));
        if !listener.is_some_and(|listener| listener.give(arrival)) {
            // nobody will decide; a connection that is gone by itself is no error
            drop(self.manager.abort(id));
        }
    }

    /// A connection ended that no application has.
    fn fail(&mut self, id: ConnId, listener: Option<ListenerId>, outcome: Result<(), Error>) {
        let Err(why) = outcome else { return };
        tracing::info!(id = id.0, %why, "a request for a connection comes to nothing");
        self.failed.push_back(Failed { id, listener, why });
        if self.failed.len() > MOST_FAILED {
            self.failed.pop_front();
        }
    }

    /// Why a connection is not known any more.
    pub(super) fn why(&mut self, id: ConnId) -> Error {
        let found = self.failed.iter().position(|failed| failed.id == id).and_then(|n| self.failed.remove(n));
        found.map_or(CallError::Unknown(id.0).into(), |failed| failed.why)
    }

    fn step(&mut self, id: ConnId, step: Step) {
        if let Some(connection) = self.connections.get(&id) {
            connection.hear(step);
        }
    }
}
