// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections in raw mode, as the connection manager's thread has them.
use super::arrival::Arrival;
use super::raw_state::{Opened, RawState, Waiting};
use super::watch::Watch;
use crate::error::Error;
use ferrowarp_firmware::cm::api::{ConnId, Event, ListenerId};
use ferrowarp_firmware::error::CallError;
use ferrowarp_firmware::Manager;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Who is told of what.
#[derive(Default)]
pub(super) struct Streams {
    /// Connections in raw mode, those among them whose owner has closed or dropped them.
    open: BTreeMap<ConnId, Arc<Watch<RawState>>>,
    listeners: BTreeMap<ListenerId, Arc<Watch<Waiting>>>,
}

impl Streams {
    /// An active open.
    pub(super) fn insert(&mut self, id: ConnId, stream: Arc<Watch<RawState>>) {
        self.open.insert(id, stream);
    }

    /// MPA has started as initiator: what comes is for the connection of the queue pair.
    pub(super) fn remove(&mut self, id: ConnId) {
        self.open.remove(&id);
    }

    /// Connections in raw mode.
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// A listener.
    pub(super) fn listen(&mut self, id: ListenerId, waiting: Arc<Watch<Waiting>>) {
        self.listeners.insert(id, waiting);
    }

    /// The end of a listener, and of its connections that nobody has taken.
    pub(super) fn unlisten(&mut self, manager: &mut Manager, id: ListenerId) {
        manager.unlisten(id);
        let Some(waiting) = self.listeners.remove(&id) else { return };
        for opened in waiting.state().opened.drain(..) {
            // one that ended by itself is unknown, which is as good
            drop(manager.abort(opened.id));
        }
    }

    /// The oldest connection of a listener that nobody has taken.
    pub(super) fn take(&mut self, manager: &mut Manager, id: ListenerId) -> Option<Opened> {
        let opened = self.listeners.get(&id)?.state().opened.pop_front()?;
        manager.take(opened.id).is_ok().then_some(opened)
    }

    /// Reads up to `most` octets. `None` if no more can come: all were read, and the peer has
    /// closed.
    pub(super) fn read(
        &mut self,
        manager: &mut Manager,
        id: ConnId,
        most: usize,
    ) -> Result<Option<Vec<u8>>, Error> {
        let octets = manager.read(id, most)?;
        let left = manager.unread(id)?;
        let Some(stream) = self.open.get(&id) else { return Ok(Some(octets)) };
        let mut state = stream.state();
        state.is_readable = left > 0;
        let is_end = octets.is_empty() && state.peer_closed;
        Ok((!is_end).then_some(octets))
    }

    /// Sends as many octets as there is room for, from the first on; how many.
    pub(super) fn write(&mut self, manager: &mut Manager, id: ConnId, octets: &[u8]) -> Result<usize, Error> {
        let sent = manager.send(id, octets)?;
        if let Some(stream) = self.open.get(&id) {
            stream.state().is_full = sent < octets.len();
        }
        Ok(sent)
    }

    /// Ends a connection that was in raw mode: with a FIN, or with a reset if there are octets that
    /// nobody has read.
    pub(super) fn close(manager: &mut Manager, id: ConnId) -> Result<(), CallError> {
        match manager.unread(id) {
            Ok(1..) => manager.abort(id),
            _ => manager.close(id),
        }
    }

    /// Tells what is about a connection in raw mode, and gives back what is not.
    pub(super) fn hear(&mut self, manager: &mut Manager, event: Event) -> Option<Event> {
        if let Event::Opened { id, listener: Some(listener), local, remote } = event {
            let watch = Arc::default();
            match self.listeners.get(&listener) {
                Some(waiting) => {
                    self.open.insert(id, Arc::clone(&watch));
                    waiting.change(|waiting| {
                        waiting.opened.push_back(Opened { id, local, remote, watch });
                    });
                }
                // nobody will take it; one that is gone by itself is no error
                None => drop(manager.abort(id)),
            }
            return None;
        }
        let id = event.id();
        let Some(stream) = self.open.get(&id) else { return Some(event) };
        match event {
            Event::Opened { .. } => stream.change(|state| state.is_open = true),
            Event::Readable { .. } => stream.change(|state| state.is_readable = true),
            Event::Writable { .. } => stream.change(|state| state.is_full = false),
            Event::PeerClosed { .. } => stream.change(|state| state.peer_closed = true),
            Event::Request { local, remote, offer, .. } => {
                stream.change(|state| {
                    let greeting = vec![];
                    state.request = Some(Arrival { id, local, remote, offer: Some(offer), greeting });
                });
                self.open.remove(&id);
            }
            Event::Ended { outcome, listener, .. } => {
                stream.change(|state| state.ended = Some(outcome.map_err(Error::Connection)));
                self.open.remove(&id);
                if let Some(waiting) = listener.and_then(|listener| self.listeners.get(&listener)) {
                    waiting.state().opened.retain(|opened| opened.id != id);
                }
            }
            // of a connection with a queue pair
            other => return Some(other),
        }
        None
    }

    /// The device has stopped.
    pub(super) fn end_all(&mut self, why: &Error) {
        for stream in std::mem::take(&mut self.open).into_values() {
            stream.change(|state| state.ended = Some(Err(why.clone())));
        }
        for waiting in std::mem::take(&mut self.listeners).into_values() {
            waiting.change(|waiting| waiting.is_gone = true);
        }
    }
}
