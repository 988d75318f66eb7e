// SPDX-License-Identifier: MIT OR Apache-2.0
//! What connecting and accepting ask for, and what the device's URL says in place of an option that
//! is left open.
use super::depth::WantedDepth;
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

/// Ready-to-receive messages that cost an application nothing: the default.
const FREE: RtrSet = RtrSet { send: false, write: true, read: true };

/// Options with a method of the name of each, which sets it. Behind those of `$name` alone come
/// those of both ends.
macro_rules! options {
    ($(#[$about:meta])* $name:ident { $($own:tt)* }) => {
        options! { @all $(#[$about])* $name {
            $($own)*
            /// Up to 508 bytes for the peer.
            private_data: Vec<u8> = vec![],
            /// Reads of the peer under way at once.
            ird: WantedDepth = WantedDepth::Default(u16::MAX),
            /// Reads of ours under way at once.
            ord: WantedDepth = WantedDepth::Default(u16::MAX),
            /// No connection with fewer Reads of ours than `ord`: `accept` rejects the Request and
            /// names the depth that is needed, `connect` ends the connection. `None`: as the URL
            /// says (`strict=`).
            strict: Option<bool> = None,
            /// The peer puts markers into what it sends (RFC 5044 section 4.3). What we send has
            /// them if the peer asks. `None`: as the URL says (`markers=`).
            markers: Option<bool> = None,
            /// Kinds of ready-to-receive message of a peer-to-peer connection (RFC 6581 section
            /// 9.2): the initiator offers them, the responder takes them. With an empty set such a
            /// connection is refused (`CallError::NoRtr`). A Send takes the responder's first
            /// receive, which completes with 0 octets. The initiator sees no completion of any
            /// kind. `None`: as the URL says (`rtr=`); without that Write and Read.
            rtr: Option<RtrSet> = None,
            /// How long to wait until the connection is established.
            patience: Duration = Duration::from_secs(60),
            /// Waits of TCP's timer in a row without an answer after which the connection is lost;
            /// each is twice as long as the one before. `None`: as the URL says (`retries=`), 15
            /// without that.
            retries: Option<NonZeroU8> = None,
            /// The peer of an idle connection is asked for a sign of life once nothing has come
            /// from it for so long. It is asked again behind each 128th part of that time.
            /// `retries` questions without an answer lose the connection. Up to 10,737 s
            /// ([`Liveness::MOST_KEEPALIVE`]), and rounded up to multiples of 163.84 ms. `None`: it
            /// is never asked (RFC 9293 section 3.8.4).
            keepalive: Option<Duration> = None,
            /// Octets that left may be unacknowledged for so long, and up to a quarter longer, at
            /// least 2 ms. Then the connection is reset (RFC 9293 section 3.8.3). Octets that wait
            /// for the peer's window do not count. `None`: `retries` alone counts.
            user_timeout: Option<Duration> = None,
        } }
    };
    (@all $(#[$about:meta])* $name:ident {
        $($(#[$doc:meta])* $option:ident: $kind:ty = $default:expr,)*
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$doc])* pub $option: $kind,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($option: $default,)* }
            }
        }

        /// Each call sets the field of its name.
        impl $name {
            $(
                $(#[$doc])*
                pub fn $option(self, $option: impl Into<$kind>) -> Self {
                    Self { $option: $option.into(), ..self }
                }
            )*
        }
    };
}

options! {
    /// What connecting asks for. By default as many Reads may be under way as the device holds.
    ///
    /// ```
    /// use ferrowarp::ConnectOptions;
    /// use std::time::Duration;
    ///
    /// let patience = Duration::from_secs(5);
    /// let options = ConnectOptions::default().private_data("hi").ord(4).patience(patience);
    /// assert_eq!(options.private_data, b"hi");
    /// ```
    ConnectOptions {
        /// Address and port of our end. An address of all zeros is chosen by the route, port 0 is a
        /// free port. `None`: as the URL says (`local=`).
        local: Option<SocketAddr> = None,
        /// Whether MPA starts at once or behind greetings (RFC 5044 section 7.1.3). `None`: as the
        /// URL says (`raw=`).
        startup: Option<Startup> = None,
        /// Whoever likes may send first (RFC 6581).
        peer_to_peer: bool = false,
    }
}

options! {
    /// What accepting asks for. By default as many Reads may be under way as the device holds. Our
    /// end of the connection, and when MPA starts, are the listener's.
    ///
    /// ```
    /// use ferrowarp::AcceptOptions;
    ///
    /// let options = AcceptOptions::default().private_data("hi").ird(4);
    /// assert_eq!(options.private_data, b"hi");
    /// ```
    AcceptOptions {
        /// The connection is there when the MPA Reply was sent, as with most RNICs, and not only
        /// when the initiator's first message came. What is posted before that message waits in
        /// the send queue, since a responder may not send first (RFC 5044 section 7.1.2). A peer
        /// that never sends holds the connection for as long as the application lets it; see
        /// `keepalive`. No meaning where this end sends the Request.
        early: bool = false,
    }
}

/// Options of both ends, for a program that is either: those of `connect` alone are left out.
impl From<ConnectOptions> for AcceptOptions {
    fn from(options: ConnectOptions) -> Self {
        let ConnectOptions { private_data, ird, ord, strict, markers, .. } = options;
        let ConnectOptions { rtr, patience, retries, keepalive, user_timeout, .. } = options;
        Self {
            early: false,
            private_data,
            ird,
            ord,
            strict,
            markers,
            rtr,
            patience,
            retries,
            keepalive,
            user_timeout,
        }
    }
}

impl ConnectOptions {
    /// An initiator's options for firmware.
    pub(super) fn initiate(
        self,
        defaults: &ConnectDefaults,
        has: &Capabilities,
        qp: QpId,
    ) -> Result<Initiate, Error> {
        let peer_to_peer = self.peer_to_peer;
        Ok(Initiate { peer_to_peer, ..AcceptOptions::from(self).initiate(defaults, has, qp)? })
    }

    /// When MPA starts.
    pub(super) fn startup_by(&self, defaults: &ConnectDefaults) -> Startup {
        self.startup.as_ref().unwrap_or(&defaults.startup).clone()
    }
}

impl AcceptOptions {
    /// The options for firmware of an initiator that sends first.
    pub(super) fn initiate(
        self,
        defaults: &ConnectDefaults,
        has: &Capabilities,
        qp: QpId,
    ) -> Result<Initiate, Error> {
        let Accept { wanted, rtr, private_data, markers, strict, liveness, .. } =
            self.accept(defaults, has, qp)?;
        Ok(Initiate { wanted, rtr, private_data, markers, strict, liveness, ..Initiate::new(qp) })
    }

    /// A responder's options for firmware. The error names a depth that the device does not hold.
    pub(super) fn accept(
        self,
        defaults: &ConnectDefaults,
        has: &Capabilities,
        qp: QpId,
    ) -> Result<Accept, Error> {
        let (retries, keepalive, user_timeout) = (self.retries, self.keepalive, self.user_timeout);
        let (ird, tell_ird) = self.ird.resolved("ird", defaults.ird, has.ird)?;
        let (ord, tell_ord) = self.ord.resolved("ord", defaults.ord, has.ord)?;
        Ok(Accept {
            liveness: Liveness { retries, keepalive, user_timeout },
            wanted: Wanted { ird, ord, tell_ird, tell_ord },
            rtr: self.rtr.or(defaults.rtr).unwrap_or(FREE),
            private_data: self.private_data,
            markers: self.markers.unwrap_or(defaults.markers),
            strict: self.strict.unwrap_or(defaults.strict),
            early: self.early,
            ..Accept::new(qp)
        })
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
        AcceptOptions::default().accept(self, has, QpId(0)).map(drop)
    }
}
