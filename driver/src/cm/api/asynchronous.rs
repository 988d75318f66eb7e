// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connecting, listening and closing for tasks of `tokio`. What the connection manager is told
//! takes it half a millisecond at most; what is awaited is the peer.
use super::{Connection, Listener, Request, State, ENDED, ESTABLISHED};
use crate::cm::ConnectOptions;
use crate::device::Device;
use crate::error::Error;
use crate::verbs::QueuePair;
use std::net::SocketAddr;
use std::sync::mpsc::TryRecvError;
use std::sync::PoisonError;
use std::time::Duration;

impl Device {
    /// As [`Device::connect`]. Dropping the future resets the connection.
    pub async fn connect_async(
        &self,
        qp: &QueuePair,
        remote: SocketAddr,
        options: ConnectOptions,
    ) -> Result<Connection, Error> {
        let patience = options.patience;
        self.begin_connect(qp, remote, options)?.established_async(patience).await
    }
}

impl Listener {
    /// As [`Listener::next`].
    pub async fn next_async(&self, most: Duration) -> Result<Request, Error> {
        let found = || {
            let arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
            match arrivals.try_recv() {
                Ok(arrival) => Ok(Some(arrival)),
                Err(TryRecvError::Empty) => Ok(None),
                Err(TryRecvError::Disconnected) => Err(self.cm.stopped()),
            }
        };
        Ok(self.request(self.wakers.until(most, "a connection", found).await?))
    }
}

impl Request {
    /// As [`Request::accept`]. Dropping the future resets the connection.
    pub async fn accept_async(self, qp: &QueuePair, options: ConnectOptions) -> Result<Connection, Error> {
        let patience = options.patience;
        self.begin(qp, options)?.established_async(patience).await
    }
}

impl Connection {
    pub(super) async fn established_async(mut self, patience: Duration) -> Result<Self, Error> {
        self.made = self.watch.until_async(patience, ESTABLISHED, State::established).await??;
        Ok(self)
    }

    /// As [`Connection::disconnect`]. Dropping the future resets the connection.
    pub async fn disconnect_async(self, patience: Duration) -> Result<(), Error> {
        self.close()?;
        self.watch.until_async(patience, ENDED, |state| state.ended.clone()).await?
    }
}
