// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections that are being made: what an event loop asks when their descriptor is readable.
use super::{Connection, State, ESTABLISHED};
use crate::cm::watch::Watch;
use crate::error::Error;
use crate::signal::Signal;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;

/// A connection that is being made, as initiator or as responder. Nothing of it blocks but
/// [`Connecting::wait`]. Dropping it resets the connection.
///
/// It is a file descriptor ([`AsFd`]), which is readable when [`Connecting::poll`] is to be asked
/// again. The [`Connection`] has the same descriptor.
/// ```no_run
/// use ferrowarp::{ConnectOptions, Connecting, Connection, Device, Error, QueuePair};
///
/// fn begin(device: &Device, qp: &QueuePair) -> Result<Connecting, Error> {
///     device.start_connect(qp, "10.0.0.1:7174".parse().unwrap(), ConnectOptions::default())
/// }
///
/// /// When the descriptor is readable.
/// fn goes_on(connecting: &mut Connecting) -> Result<Option<Connection>, Error> {
///     connecting.poll()
/// }
/// ```
#[derive(Debug)]
pub struct Connecting {
    /// Until it was given away, or has failed.
    connection: Option<Connection>,
    watch: Arc<Watch<State>>,
    signal: Arc<Signal>,
    local: SocketAddr,
    remote: SocketAddr,
}

impl Connecting {
    /// What firmware has begun.
    pub(super) fn new(connection: Connection) -> Self {
        let (local, remote) = (connection.local, connection.remote);
        let (watch, signal) = (connection.watch.clone(), connection.signal.clone());
        Self { connection: Some(connection), watch, signal, local, remote }
    }

    /// The connection when work may be posted; `None` as long as it is being made. An error says
    /// why there will be no connection. When either was told, the error is [`Error::Closed`].
    pub fn poll(&mut self) -> Result<Option<Connection>, Error> {
        if self.connection.is_none() {
            return Err(Error::Closed);
        }
        // what comes behind this look raises the descriptor again
        self.signal.lower();
        let state = self.watch.state();
        let Some(made) = state.established() else { return Ok(None) };
        let has_events = !state.events.is_empty();
        drop(state);
        let mut connection = self.connection.take();
        let made = made?;
        if has_events {
            self.signal.raise();
        }
        if let Some(connection) = &mut connection {
            connection.made = made;
        }
        Ok(connection)
    }

    /// Gives the connection up: the peer gets a reset, as far as the peer has heard of it. The
    /// queue pair is in error.
    pub fn cancel(self) {}

    /// The connection, which is waited for. After `patience` it is given up.
    pub fn wait(mut self, patience: Duration) -> Result<Connection, Error> {
        let _outcome = self.watch.until(patience, ESTABLISHED, State::established)?;
        self.poll()?.ok_or(Error::Closed)
    }

    /// As [`Connecting::wait`], for a task. Dropping the future resets the connection.
    #[cfg(feature = "tokio")]
    pub async fn wait_async(mut self, patience: Duration) -> Result<Connection, Error> {
        let _outcome = self.watch.until_async(patience, ESTABLISHED, State::established).await?;
        self.poll()?.ok_or(Error::Closed)
    }

    /// Our end: the address and port that were asked for or chosen.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// The peer.
    pub fn remote(&self) -> SocketAddr {
        self.remote
    }
}

impl AsFd for Connecting {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.signal.as_fd()
    }
}
