// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections that are being made: what an event loop asks when their descriptor is readable.
use super::{Connection, Request, State, ESTABLISHED};
use crate::cm::watch::Watch;
use crate::cm::ConnectOptions;
use crate::device::Device;
use crate::error::Error;
use crate::signal::Signal;
use crate::verbs::QueuePair;
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

    /// Gives the connection up: the peer gets a reset, as far as the peer has heard of it. The queue
    /// pair is in error.
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

impl Device {
    /// Begins to connect a queue pair to a peer. The call takes a turn of the connection manager's
    /// thread and waits for nothing of the peer. Of `options`, `patience` has no meaning here.
    /// Receives may be posted before or behind this call.
    pub fn start_connect(
        &self,
        qp: &QueuePair,
        remote: SocketAddr,
        options: ConnectOptions,
    ) -> Result<Connecting, Error> {
        Connection::connect(self.cm(), qp, remote, options)
    }

    /// Connects a queue pair to a peer; returns when work may be posted.
    pub fn connect(
        &self,
        qp: &QueuePair,
        remote: SocketAddr,
        options: ConnectOptions,
    ) -> Result<Connection, Error> {
        let patience = options.patience;
        self.start_connect(qp, remote, options)?.wait(patience)
    }

    /// As [`Device::connect`], for a task. Dropping the future resets the connection.
    #[cfg(feature = "tokio")]
    pub async fn connect_async(
        &self,
        qp: &QueuePair,
        remote: SocketAddr,
        options: ConnectOptions,
    ) -> Result<Connection, Error> {
        let patience = options.patience;
        self.start_connect(qp, remote, options)?.wait_async(patience).await
    }
}

impl Request {
    /// Accepts it for a queue pair; returns when work may be posted, which is after the peer's
    /// first message. Receives for it are posted before. Where this end is MPA's initiator
    /// ([`Initiator::Listen`](crate::Initiator::Listen)) the Request leaves now. The Request asks
    /// for the peer-to-peer mode of RFC 6581, so that either end may send first.
    pub fn accept(self, qp: &QueuePair, options: ConnectOptions) -> Result<Connection, Error> {
        let patience = options.patience;
        self.start_accept(qp, options)?.wait(patience)
    }

    /// As [`Request::accept`], for a task. Dropping the future resets the connection.
    #[cfg(feature = "tokio")]
    pub async fn accept_async(self, qp: &QueuePair, options: ConnectOptions) -> Result<Connection, Error> {
        let patience = options.patience;
        self.start_accept(qp, options)?.wait_async(patience).await
    }
}
