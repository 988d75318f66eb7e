// SPDX-License-Identifier: MIT OR Apache-2.0
//! What listeners hear of.
use ferrowarp_firmware::cm::api::{ConnId, Offer};
use std::net::SocketAddr;
use std::sync::mpsc::Sender;
#[cfg(feature = "tokio")]
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
    #[cfg(feature = "tokio")]
    pub(super) wakers: WakesAtEnd,
}

/// Wakes tasks when it goes.
#[cfg(feature = "tokio")]
pub(super) struct WakesAtEnd(pub(super) Arc<crate::wakers::Wakers>);

#[cfg(feature = "tokio")]
impl Drop for WakesAtEnd {
    fn drop(&mut self) {
        self.0.wake();
    }
}

impl Arrivals {
    /// Whether the listener is still there.
    pub(crate) fn give(&self, arrival: Arrival) -> bool {
        let given = self.sender.send(arrival).is_ok();
        #[cfg(feature = "tokio")]
        self.wakers.0.wake();
        given
    }
}
