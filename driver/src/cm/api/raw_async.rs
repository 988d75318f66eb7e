// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections in raw mode for tasks of `tokio`.
use super::raw::{RawOptions, RawStream};
use super::raw_listen::RawListener;
use super::{Connection, Request};
use crate::cm::raw_state::{RawState, Waiting, CONNECTION, END, OCTETS, OPEN, REQUEST, ROOM};
use crate::cm::watch::Watch;
use crate::cm::ConnectOptions;
use crate::deadline::end_of;
use crate::device::Device;
use crate::error::Error;
use crate::verbs::QueuePair;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::time::Instant;

impl Device {
    /// As [`Device::connect_raw`]. Dropping the future closes the connection.
    pub async fn connect_raw_async(
        &self,
        remote: SocketAddr,
        options: RawOptions,
    ) -> Result<RawStream, Error> {
        let patience = options.patience;
        let stream = RawStream::connect(self.cm(), remote, options)?;
        stream.watch.until_async(patience, OPEN, RawState::opened).await??;
        Ok(stream)
    }
}

impl RawListener {
    /// As [`RawListener::next`].
    pub async fn next_async(&self, most: Duration) -> Result<RawStream, Error> {
        let end = end_of(most).into();
        loop {
            until_end(&self.waiting, (end, most), CONNECTION, Waiting::has_news).await?;
            if let Some(stream) = self.next_now()? {
                return Ok(stream);
            }
        }
    }
}

impl RawStream {
    /// As [`RawStream::read`]. Dropping the future loses no octets.
    pub async fn read_async(&self, into: &mut [u8], most: Duration) -> Result<usize, Error> {
        self.read_until_async(into, end_of(most).into(), most).await
    }

    /// As [`RawStream::read_exact`]. Dropping the future loses the octets read so far.
    pub async fn read_exact_async(&self, into: &mut [u8], most: Duration) -> Result<(), Error> {
        let end = end_of(most).into();
        let mut at = 0;
        while at < into.len() {
            match self.read_until_async(&mut into[at..], end, most).await? {
                0 => return Err(Error::Closed),
                octets => at += octets,
            }
        }
        Ok(())
    }

    async fn read_until_async(&self, into: &mut [u8], end: Instant, most: Duration) -> Result<usize, Error> {
        while !into.is_empty() {
            until_end(&self.watch, (end, most), OCTETS, RawState::may_read).await?;
            if let Some(octets) = self.read_now(into)? {
                return Ok(octets);
            }
        }
        Ok(0)
    }

    /// As [`RawStream::write_all`]. Some of the octets may have left when the future is dropped.
    pub async fn write_all_async(&self, octets: &[u8], most: Duration) -> Result<(), Error> {
        let end = end_of(most).into();
        let mut rest = octets;
        while !rest.is_empty() {
            until_end(&self.watch, (end, most), ROOM, RawState::may_write).await?;
            rest = &rest[self.write_now(rest)?..];
        }
        Ok(())
    }

    /// As [`RawStream::initiate`]. Dropping the future resets the connection.
    pub async fn initiate_async(self, qp: &QueuePair, options: ConnectOptions) -> Result<Connection, Error> {
        let patience = options.patience;
        self.begin(qp, options)?.wait_async(patience).await
    }

    /// As [`RawStream::respond`]. Dropping the future closes the connection.
    pub async fn respond_async(self, most: Duration) -> Result<Request, Error> {
        self.begin_respond()?;
        self.watch.until_async(most, REQUEST, RawState::requested).await?;
        self.request()
    }

    /// As [`RawStream::close`].
    pub async fn close_async(self, patience: Duration) -> Result<(), Error> {
        self.begin_close()?;
        self.watch.until_async(patience, END, |state| state.ended.clone()).await?
    }
}

/// One of several waits that have `most` in all.
async fn until_end<S>(
    watch: &Watch<S>,
    (end, most): (Instant, Duration),
    what: &'static str,
    found: impl FnMut(&S) -> Option<()>,
) -> Result<(), Error> {
    let left = end.saturating_duration_since(Instant::now());
    watch.until_async(left, what, found).await.map_err(|why| match why {
        Error::TimedOut { what, .. } => Error::TimedOut { what, waited: most },
        why => why,
    })
}
