// SPDX-License-Identifier: MIT OR Apache-2.0
//! Listening and closing for tasks of `tokio`. A task waits for a turn of the connection manager's
//! thread, and awaits the peer.
use super::{Connection, Listener, Request, ENDED};
use crate::error::Error;
use std::time::Duration;

impl Listener {
    /// As [`Listener::next`].
    pub async fn next_async(&self, most: Duration) -> Result<Request, Error> {
        Ok(self.request(self.wakers.until(most, "a connection", || self.found()).await?))
    }
}

impl Connection {
    /// As [`Connection::disconnect`]. Dropping the future resets the connection.
    pub async fn disconnect_async(self, patience: Duration) -> Result<(), Error> {
        self.start_disconnect()?;
        self.watch.until_async(patience, ENDED, |state| state.ended.clone()).await?
    }
}
