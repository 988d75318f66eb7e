// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the connection manager's thread and the owners of connections in raw mode share.
use super::watch::Watch;
use super::Arrival;
use crate::error::Error;
use ferrowarp_firmware::cm::api::ConnId;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;

/// What is waited for.
pub(super) const OPEN: &str = "the TCP connection";
pub(super) const OCTETS: &str = "raw octets";
pub(super) const ROOM: &str = "room for raw octets";
pub(super) const REQUEST: &str = "the peer's Request";
pub(super) const END: &str = "the end of the stream";
pub(super) const CONNECTION: &str = "a connection";

/// Where a connection in raw mode is.
#[derive(Debug, Default)]
pub(in crate::cm) struct RawState {
    pub(in crate::cm) is_open: bool,
    /// Octets came that were not read.
    pub(in crate::cm) is_readable: bool,
    /// Octets were written for which there was no room.
    pub(in crate::cm) is_full: bool,
    pub(in crate::cm) peer_closed: bool,
    /// The peer's Request, after [`RawStream::respond`].
    pub(in crate::cm) request: Option<Arrival>,
    pub(in crate::cm) ended: Option<Result<(), Error>>,
}

impl RawState {
    /// Why nothing can be done any more.
    pub(super) fn why(&self) -> Error {
        self.ended.clone().and_then(Result::err).unwrap_or(Error::Closed)
    }

    /// Whether TCP is open, or why it is not, once that is known.
    pub(super) fn opened(&self) -> Option<Result<(), Error>> {
        match &self.ended {
            Some(_) => Some(Err(self.why())),
            None => self.is_open.then_some(Ok(())),
        }
    }

    /// Whether a read finds something: octets, the end, or an error.
    pub(super) fn may_read(&self) -> Option<()> {
        (self.is_readable || self.peer_closed || self.ended.is_some()).then_some(())
    }

    /// Whether a write finds something: room, or an error.
    pub(super) fn may_write(&self) -> Option<()> {
        (!self.is_full || self.ended.is_some()).then_some(())
    }

    /// Whether the Request is there, or an error.
    pub(super) fn requested(&self) -> Option<()> {
        (self.request.is_some() || self.ended.is_some()).then_some(())
    }
}

/// A connection that a listener hears of.
#[derive(Debug)]
pub(in crate::cm) struct Opened {
    pub(in crate::cm) id: ConnId,
    pub(in crate::cm) local: SocketAddr,
    pub(in crate::cm) remote: SocketAddr,
    pub(in crate::cm) watch: Arc<Watch<RawState>>,
}

/// What a listener has.
#[derive(Debug, Default)]
pub(in crate::cm) struct Waiting {
    /// Connections that nobody has taken, oldest first; one that ends is taken out.
    pub(in crate::cm) opened: VecDeque<Opened>,
    /// The device has failed.
    pub(in crate::cm) is_gone: bool,
}

impl Waiting {
    /// Whether there is a connection, or there will be none any more.
    pub(super) fn has_news(&self) -> Option<()> {
        (self.is_gone || !self.opened.is_empty()).then_some(())
    }
}
