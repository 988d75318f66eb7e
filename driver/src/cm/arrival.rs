// SPDX-License-Identifier: MIT OR Apache-2.0
//! What listeners hear of.
use crate::signal::Signal;
use ferrowarp_firmware::cm::api::{ConnId, Offer};
use std::net::SocketAddr;
use std::sync::mpsc::Sender;
use std::sync::Arc;

/// What a listener hears of.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub(crate) id: ConnId,
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
    /// The peer's Request; `None` where this end sends one.
    pub(crate) offer: Option<Offer>,
    /// The peer's line in raw mode.
    pub(crate) greeting: Vec<u8>,
}

/// Where a listener's requests go.
pub(crate) struct Arrivals {
    // goes first: who is woken last sees that nothing comes any more
    pub(super) sender: Sender<Arrival>,
    pub(super) tells: TellsAtEnd,
}

/// Tells those who wait, also when it goes.
pub(super) struct TellsAtEnd {
    pub(super) signal: Arc<Signal>,
    #[cfg(feature = "tokio")]
    pub(super) wakers: Arc<crate::wakers::Wakers>,
}

impl TellsAtEnd {
    fn tell(&self) {
        self.signal.raise();
        #[cfg(feature = "tokio")]
        self.wakers.wake();
    }
}

impl Drop for TellsAtEnd {
    fn drop(&mut self) {
        self.tell();
    }
}

impl Arrivals {
    /// Whether the listener is still there.
    pub(crate) fn give(&self, arrival: Arrival) -> bool {
        let given = self.sender.send(arrival).is_ok();
        self.tells.tell();
        given
    }
}
