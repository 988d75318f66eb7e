// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the connection manager's thread and the owners of connections in raw mode share.
use super::arrival::Arrival;
use super::watch::Watch;
use crate::error::Error;
use ferrowarp_firmware::cm::api::ConnId;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;

/// What is waited for.
pub(crate) const OPEN: &str = "the TCP connection";
pub(crate) const OCTETS: &str = "raw octets";
pub(crate) const ROOM: &str = "room for raw octets";
pub(crate) const REQUEST: &str = "the peer's Request";
pub(crate) const END: &str = "the end of the stream";
pub(crate) const CONNECTION: &str = "a connection";

/// Where a connection in raw mode is.
#[derive(Debug, Default)]
pub(crate) struct RawState {
    pub(crate) is_open: bool,
    /// Octets came that were not read.
    pub(crate) is_readable: bool,
    /// Octets were written for which there was no room.
    pub(crate) is_full: bool,
    pub(crate) peer_closed: bool,
    /// The peer's Request, after [`RawStream::respond`].
    pub(crate) request: Option<Arrival>,
    pub(crate) ended: Option<Result<(), Error>>,
}

impl RawState {
    /// Why nothing can be done any more.
    pub(crate) fn why(&self) -> Error {
        self.ended.clone().and_then(Result::err).unwrap_or(Error::Closed)
    }

    /// Whether TCP is open, or why it is not, once that is known.
    pub(crate) fn opened(&self) -> Option<Result<(), Error>> {
        match &self.ended {
            Some(_) => Some(Err(self.why())),
            None => self.is_open.then_some(Ok(())),
        }
    }

    /// Whether a read finds something: octets, the end, or an error.
    pub(crate) fn may_read(&self) -> Option<()> {
        (self.is_readable || self.peer_closed || self.ended.is_some()).then_some(())
    }

    /// Whether a write finds something: room, or an error.
    pub(crate) fn may_write(&self) -> Option<()> {
        (!self.is_full || self.ended.is_some()).then_some(())
    }

    /// Whether the Request is there, or an error.
    pub(crate) fn requested(&self) -> Option<()> {
        (self.request.is_some() || self.ended.is_some()).then_some(())
    }
}

/// A connection that a listener hears of.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) id: ConnId,
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
    pub(crate) watch: Arc<Watch<RawState>>,
}

/// What a listener has.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// Connections that nobody has taken, oldest first; one that ends is taken out.
    pub(crate) opened: VecDeque<Opened>,
    /// The device has failed.
    pub(crate) is_gone: bool,
}

impl Waiting {
    /// Whether there is a connection, or there will be none any more.
    pub(crate) fn has_news(&self) -> Option<()> {
        (self.is_gone || !self.opened.is_empty()).then_some(())
    }
}
