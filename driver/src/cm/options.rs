// SPDX-License-Identifier: MIT OR Apache-2.0
//! What connecting and accepting ask for, and what the device's URL says in place of an option that
//! is left open.
use super::greeting::Startup;
use crate::backend::Capabilities;
use crate::error::Error;
use ferrowarp_firmware::cm::api::{Accept, Initiate};
use ferrowarp_firmware::cm::liveness::Liveness;
use ferrowarp_firmware::mpa::negotiate::{RtrSet, Wanted};
use ferrowarp_firmware::port::QpId;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU8;
use std::time::Duration;

/// Reads under way at once in one direction, as this side asks for them: 0 to what the device holds
/// ([`Capabilities::ird`], [`Capabilities::ord`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedDepth {
    /// What the device's URL says (`ird=`, `ord=`); without that so many, as far as the device
    /// holds them.
    Default(u16),
    /// So many; the peer is told (RFC 6581 section 9.1).
    Reads(u16),
    /// So many; the peer is told nothing (0x3FFF, RFC 6581 section 9.1). The applications agree by
    /// themselves.
    Untold(u16),
}

impl From<u16> for WantedDepth {
    fn from(reads: u16) -> Self {
        Self::Reads(reads)
    }
}

impl WantedDepth {
    /// Reads, and whether the peer is told. `of_url` is what the URL says, `most` what the device
    /// holds.
    fn resolved(self, name: &'static str, of_url: Option<Self>, most: u16) -> Result<(u16, bool), Error> {
        let (reads, is_told) = match (self, of_url) {
            (Self::Default(_), Some(Self::Untold(reads))) | (Self::Untold(reads), _) => (reads, false),
            (Self::Default(_), Some(Self::Reads(reads))) | (Self::Reads(reads), _) => (reads, true),
            (Self::Default(reads), _) => (reads.min(most), true),
        };
        match reads > most {
            true => Err(Error::ReadDepth { name, asked: reads, most }),
            false => Ok((reads, is_told)),
        }
    }
}

/// Ready-to-receive messages that cost an application nothing: the default.
const FREE: RtrSet = RtrSet { send: false, write: true, read: true };

/// What connecting or accepting asks for. By default as many Reads may be under way as the device
/// holds.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConnectOptions {
    /// Up to 508 octets for the peer.
    pub private_data: Vec<u8>,
    /// Reads of the peer under way at once.
    pub ird: WantedDepth,
    /// Reads of ours under way at once.
    pub ord: WantedDepth,
    /// No connection with fewer Reads of ours than `ord`: `accept` rejects the Request and names
    /// the depth that is needed, `connect` ends the connection. `None`: as the URL says
    /// (`strict=`).
    pub strict: Option<bool>,
    /// The peer puts markers into what it sends (RFC 5044 section 4.3). What we send has them if
    /// the peer asks. `None`: as the URL says (`markers=`).
    pub markers: Option<bool>,
    /// The initiator: address and port of our end. An address of all zeros is chosen by the route,
    /// port 0 is a free port. `None`: as the URL says (`local=`). The end of a responder is the
    /// listener's.
    pub local: Option<SocketAddr>,
    /// Of `connect`: whether MPA starts at once or behind greetings (RFC 5044 section 7.1.3).
    /// `None`: as the URL says (`raw=`). Listeners have it from the URL or from `listen_with`.
    pub startup: Option<Startup>,
    /// The initiator: whoever likes may send first (RFC 6581).
    pub peer_to_peer: bool,
    /// Kinds of ready-to-receive message of a peer-to-peer connection (RFC 6581 section 9.2): the
    /// initiator offers them, the responder takes them. With an empty set such a connection is
    /// refused (`CallError::NoRtr`). A Send takes the responder's first receive, which completes
    /// with 0 octets. The initiator sees no completion of any kind. `None`: as the URL says
    /// (`rtr=`); without that Write and Read.
    pub rtr: Option<RtrSet>,
    /// How long to wait until the connection is established.
    pub patience: Duration,
    /// Waits of TCP's timer in a row without an answer after which the connection is lost; each is
    /// twice as long as the one before. `None`: as the URL says (`retries=`), 15 without that.
    pub retries: Option<NonZeroU8>,
    /// The peer of an idle connection is asked for a sign of life once nothing has come from it for
    /// so long. It is asked again behind each 128th part of that time. `retries` questions without
    /// an answer lose the connection. Up to 10,737 s ([`Liveness::MOST_KEEPALIVE`]), and rounded up
    /// to multiples of 163.84 ms. `None`: it is never asked (RFC 9293 section 3.8.4).
    pub keepalive: Option<Duration>,
    /// Octets that left may be unacknowledged for so long, and up to a quarter longer, at least 2
    /// ms. Then the connection is reset (RFC 9293 section 3.8.3). Octets that wait for the peer's
    /// window do not count. `None`: `retries` alone counts.
    pub user_timeout: Option<Duration>,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self {
            private_data: vec![],
            ird: WantedDepth::Default(u16::MAX),
            ord: WantedDepth::Default(u16::MAX),
            strict: None,
            markers: None,
            local: None,
            startup: None,
            peer_to_peer: false,
            rtr: None,
            patience: Duration::from_secs(60),
            retries: None,
            keepalive: None,
            user_timeout: None,
        }
    }
}

impl ConnectOptions {
    /// Read depths for firmware. The error names a depth that the device does not hold.
    pub(super) fn wanted(&self, defaults: &ConnectDefaults, has: &Capabilities) -> Result<Wanted, Error> {
        let (ird, tell_ird) = self.ird.resolved("ird", defaults.ird, has.ird)?;
        let (ord, tell_ord) = self.ord.resolved("ord", defaults.ord, has.ord)?;
        Ok(Wanted { ird, ord, tell_ird, tell_ord })
    }

    /// An initiator's options for firmware.
    pub(super) fn initiate(
        self,
        defaults: &ConnectDefaults,
        has: &Capabilities,
        qp: QpId,
    ) -> Result<Initiate, Error> {
        let peer_to_peer = self.peer_to_peer;
        let Accept { wanted, rtr, private_data, markers, strict, liveness, .. } =
            self.accept(defaults, has, qp)?;
        let whole =
            Initiate { wanted, rtr, private_data, peer_to_peer, markers, strict, ..Initiate::new(qp) };
        Ok(Initiate { liveness, ..whole })
    }

    /// A responder's options for firmware.
    pub(super) fn accept(
        self,
        defaults: &ConnectDefaults,
        has: &Capabilities,
        qp: QpId,
    ) -> Result<Accept, Error> {
        let (retries, keepalive, user_timeout) = (self.retries, self.keepalive, self.user_timeout);
        Ok(Accept {
            liveness: Liveness { retries, keepalive, user_timeout },
            wanted: self.wanted(defaults, has)?,
            rtr: self.kinds(defaults),
            private_data: self.private_data,
            markers: self.markers.unwrap_or(defaults.markers),
            strict: self.strict.unwrap_or(defaults.strict),
            ..Accept::new(qp)
        })
    }

    /// When MPA starts.
    pub(super) fn startup_by(&self, defaults: &ConnectDefaults) -> Startup {
        self.startup.as_ref().unwrap_or(&defaults.startup).clone()
    }

    /// Kinds of ready-to-receive message for firmware.
    fn kinds(&self, defaults: &ConnectDefaults) -> RtrSet {
        self.rtr.or(defaults.rtr).unwrap_or(FREE)
    }
}

/// What a device's URL says for options that an application leaves open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConnectDefaults {
    /// `ird=`
    pub ird: Option<WantedDepth>,
    /// `ord=`
    pub ord: Option<WantedDepth>,
    /// `strict=`
    pub strict: bool,
    /// `markers=`
    pub markers: bool,
    /// `local=`: our end of connections to peers of its family, and the address of listeners that
    /// name none.
    pub local: Option<SocketAddr>,
    /// `rtr=`
    pub rtr: Option<RtrSet>,
    /// `raw=` and `initiator=`: of connections and of listeners.
    pub startup: Startup,
}

impl ConnectDefaults {
    /// Address and port of our end of an active open: as `own` says, without that as the URL says
    /// for the peer's family. `None` of what is left to firmware.
    pub(super) fn local_end(
        &self,
        own: Option<SocketAddr>,
        remote: SocketAddr,
    ) -> (Option<IpAddr>, Option<u16>) {
        let of_url = || self.local.filter(|local| local.is_ipv4() == remote.is_ipv4());
        let local = own.or_else(of_url);
        let address = local.map(|end| end.ip()).filter(|ip| !ip.is_unspecified());
        (address, local.map(|end| end.port()).filter(|port| *port != 0))
    }

    /// Address of listeners that name none; `None` is all that the device has.
    pub(super) fn listens_at(&self) -> Option<IpAddr> {
        self.local.map(|local| local.ip()).filter(|ip| !ip.is_unspecified())
    }

    /// Whether a device can do all of it.
    pub(super) fn check(&self, has: &Capabilities) -> Result<(), Error> {
        ConnectOptions::default().wanted(self, has).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_depth_is_the_callers_then_the_urls_then_the_default() {
        use WantedDepth::{Default, Reads, Untold};
        let resolved = |own: WantedDepth, of_url| own.resolved("ord", of_url, 16).map_err(|e| e.to_string());
        assert_eq!(resolved(Reads(3), Some(Untold(4))), Ok((3, true)));
        assert_eq!(resolved(Untold(3), Some(Reads(4))), Ok((3, false)));
        assert_eq!(resolved(Default(8), Some(Reads(4))), Ok((4, true)));
        assert_eq!(resolved(Default(8), Some(Untold(4))), Ok((4, false)));
        assert_eq!(resolved(Default(8), None), Ok((8, true)));
        assert_eq!(resolved(Default(99), None), Ok((16, true)), "a default is as much as there is");
        for asked in [Reads(17), Untold(17)] {
            let told = resolved(asked, None).unwrap_err();
            assert!(told.contains("an `ord` of 17 Reads") && told.contains("0 to 16"), "{told}");
        }
    }
}
