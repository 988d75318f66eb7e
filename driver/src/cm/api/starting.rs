// SPDX-License-Identifier: MIT OR Apache-2.0
//! Calls that make a connection: begun, awaited, or as futures.
use super::{Connecting, Connection, Request};
use crate::cm::{AcceptOptions, ConnectOptions};
use crate::device::Device;
use crate::error::Error;
use crate::verbs::QueuePair;
use std::net::SocketAddr;

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
    /// first message, or after our Reply if [`AcceptOptions::early`] asks for that. Receives for
    /// it are posted before. Where this end is MPA's initiator
    /// ([`Initiator::Listen`](crate::Initiator::Listen)) the Request leaves now. The Request asks
    /// for the peer-to-peer mode of RFC 6581, so that either end may send first.
    pub fn accept(self, qp: &QueuePair, options: AcceptOptions) -> Result<Connection, Error> {
        let patience = options.patience;
        self.start_accept(qp, options)?.wait(patience)
    }

    /// As [`Request::accept`], for a task. Dropping the future resets the connection.
    #[cfg(feature = "tokio")]
    pub async fn accept_async(self, qp: &QueuePair, options: AcceptOptions) -> Result<Connection, Error> {
        let patience = options.patience;
        self.start_accept(qp, options)?.wait_async(patience).await
    }
}
