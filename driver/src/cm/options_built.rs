// SPDX-License-Identifier: MIT OR Apache-2.0
//! [`ConnectOptions`], one option after the other.
use super::greeting::Startup;
use super::options::{ConnectOptions, WantedDepth};
use ferrowarp_firmware::mpa::negotiate::RtrSet;
use std::net::SocketAddr;
use std::num::NonZeroU8;
use std::time::Duration;

/// Each call sets the field of its name.
///
/// ```
/// use ferrowarp::ConnectOptions;
/// use std::time::Duration;
///
/// let patience = Duration::from_secs(5);
/// let options = ConnectOptions::default().private_data("hi").ord(4).patience(patience);
/// assert_eq!(options.private_data, b"hi");
/// ```
impl ConnectOptions {
    /// Up to 508 bytes for the peer.
    pub fn private_data(self, private_data: impl Into<Vec<u8>>) -> Self {
        Self { private_data: private_data.into(), ..self }
    }

    /// Reads of the peer under way at once.
    pub fn ird(self, ird: impl Into<WantedDepth>) -> Self {
        Self { ird: ird.into(), ..self }
    }

    /// Reads of ours under way at once.
    pub fn ord(self, ord: impl Into<WantedDepth>) -> Self {
        Self { ord: ord.into(), ..self }
    }

    /// Whether a connection with fewer Reads of ours than `ord` is refused.
    pub fn strict(self, strict: impl Into<Option<bool>>) -> Self {
        Self { strict: strict.into(), ..self }
    }

    /// Whether the peer puts markers into what it sends.
    pub fn markers(self, markers: impl Into<Option<bool>>) -> Self {
        Self { markers: markers.into(), ..self }
    }

    /// Address and port of an initiator's end.
    pub fn local(self, local: impl Into<Option<SocketAddr>>) -> Self {
        Self { local: local.into(), ..self }
    }

    /// Whether MPA starts at once or behind greetings.
    pub fn startup(self, startup: impl Into<Option<Startup>>) -> Self {
        Self { startup: startup.into(), ..self }
    }

    /// Whether either end may send first.
    pub fn peer_to_peer(self, peer_to_peer: bool) -> Self {
        Self { peer_to_peer, ..self }
    }

    /// Kinds of ready-to-receive message of a peer-to-peer connection.
    pub fn rtr(self, rtr: impl Into<Option<RtrSet>>) -> Self {
        Self { rtr: rtr.into(), ..self }
    }

    /// How long to wait until the connection is established.
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Waits of TCP's timer in a row without an answer after which the connection is lost.
    pub fn retries(self, retries: impl Into<Option<NonZeroU8>>) -> Self {
        Self { retries: retries.into(), ..self }
    }

    /// Idle time behind which the peer is asked for a sign of life.
    pub fn keepalive(self, keepalive: impl Into<Option<Duration>>) -> Self {
        Self { keepalive: keepalive.into(), ..self }
    }

    /// How long octets that left may be unacknowledged.
    pub fn user_timeout(self, user_timeout: impl Into<Option<Duration>>) -> Self {
        Self { user_timeout: user_timeout.into(), ..self }
    }
}
