// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections as the application has them; `listen`: listeners and requests; `raw`, `raw_listen`:
//! octets before MPA.
#[cfg(feature = "tokio")]
mod asynchronous;
mod begin;
mod connecting;
#[cfg(test)]
mod descriptor_tests;
mod half;
mod listen;
mod raw;
#[cfg(feature = "tokio")]
mod raw_async;
mod raw_listen;
#[cfg(test)]
mod raw_tests;
mod starting;
#[cfg(test)]
mod tests;

pub use connecting::Connecting;
pub use listen::{Listener, Request};
pub use raw::{RawOptions, RawStream};
pub use raw_listen::RawListener;

use super::hears::{ConnectionEvent, Made, Markers, OfferedDepths, ReadDepths, State};
use super::watch::Watch;
use super::Cm;
use crate::backend::Closing;
use crate::error::Error;
use crate::signal::Signal;
use crate::verbs::{Connected, QueuePair};
use ferrowarp_firmware::cm::api::ConnId;
use ferrowarp_firmware::terminate::Received;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;

/// What is waited for.
const ESTABLISHED: &str = "the connection to be established";
const ENDED: &str = "the end of the connection";

/// A connection of a queue pair. Dropping it resets it, unless it was closed by
/// [`Connection::disconnect`].
///
/// It is a file descriptor ([`AsFd`]), which is readable while [`Connection::next_event`] has an
/// event to give.
#[derive(Debug)]
pub struct Connection {
    cm: Arc<Cm>,
    id: ConnId,
    watch: Arc<Watch<State>>,
    signal: Arc<Signal>,
    local: SocketAddr,
    remote: SocketAddr,
    made: Made,
    qp: QueuePair<Connected>,
    end: Closing,
}

impl Connection {
    /// The oldest event that was not taken: what the peer or the device has done. An event is told
    /// once.
    pub fn next_event(&self) -> Option<ConnectionEvent> {
        // what comes behind this look raises the descriptor again
        self.signal.lower();
        let mut state = self.watch.state();
        let next = state.events.pop_front();
        if !state.events.is_empty() {
            self.signal.raise();
        }
        next
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
        self.start_disconnect()?;
        self.watch.until(patience, ENDED, |state| state.ended.clone())?
    }

    /// Begins to close, as [`Connection::disconnect`] does. [`ConnectionEvent::Closed`] tells how
    /// the connection has ended. The call takes a turn of the connection manager's thread and waits
    /// for nothing of the peer.
    pub fn start_disconnect(&self) -> Result<(), Error> {
        self.qp.0.close_sends();
        let id = self.id;
        self.cm.call(move |pump| pump.close(id))?
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.signal.as_fd()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.end.begin(self.cm.ends_within());
        let over = self.watch.state().ended.is_some();
        let id = self.id;
        if !over && self.cm.call_at_end(move |pump| pump.manager.abort(id)).is_err() {
            tracing::debug!(id = id.0, "the connection manager is gone, and the connection with it");
        }
    }
}
