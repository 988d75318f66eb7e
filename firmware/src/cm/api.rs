// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the driver's connection manager says to firmware and hears from it.
use super::liveness::Liveness;
use crate::error::ConnError;
use crate::mpa::negotiate::{Agreed, Depth, RtrSet, Wanted};
use crate::port::QpId;
use crate::terminate::Received;
use alloc::vec::Vec;
use core::net::{IpAddr, SocketAddr};
use ferrowarp_abi::codec::MpaDepths;
use ferrowarp_abi::error::TermError;

/// A connection, for as long as firmware knows of it; never used twice.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnId(pub u64);

/// A listener; never used twice.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListenerId(pub u64);

/// How an initiator starts MPA.
#[derive(Clone, Debug)]
pub struct Initiate {
    /// The queue pair that the stream is bound to; without one the application gets
    /// [`Event::Reply`] and binds one by `bind`.
    pub qp: Option<QpId>,
    /// Up to 508 octets, 512 without `enhanced`.
    pub private_data: Vec<u8>,
    /// Read depths.
    pub wanted: Wanted,
    /// A=1: we send a ready-to-receive message, the responder may send first after it.
    pub peer_to_peer: bool,
    /// Its kinds, of those that the device can send.
    pub rtr: RtrSet,
    /// S=1, Rev 2. It is not used if there is nothing to negotiate.
    pub enhanced: bool,
    /// M=1: the peer inserts markers.
    pub markers: bool,
    /// End the connection if the responder takes fewer Reads at once than `wanted.ord`.
    pub strict: bool,
    /// If the peer closes TCP on Rev 2: try again with Rev 1 on a new TCP connection, if neither
    /// depths nor a ready-to-receive message matter to the application.
    pub fallback: bool,
    /// How long the peer may be silent.
    pub liveness: Liveness,
}

impl Initiate {
    /// Rev 2, client-server, no markers, 16 Reads each way, no private data.
    pub fn new(qp: QpId) -> Self {
        Self {
            qp: Some(qp),
            private_data: Vec::new(),
            wanted: Wanted::new(16, 16),
            peer_to_peer: false,
            rtr: RtrSet { send: true, write: true, read: true },
            enhanced: true,
            markers: false,
            strict: false,
            fallback: false,
            liveness: Liveness::default(),
        }
    }
}

/// How a responder accepts a Request.
#[derive(Clone, Debug)]
pub struct Accept {
    /// The queue pair that the stream is bound to.
    pub qp: QpId,
    /// Up to 508 octets, 512 if the Request is not enhanced.
    pub private_data: Vec<u8>,
    /// Read depths.
    pub wanted: Wanted,
    /// Reject if the initiator takes fewer Reads at once than `wanted.ord`.
    pub strict: bool,
    /// M=1: the peer inserts markers.
    pub markers: bool,
    /// Kinds of ready-to-receive message that the responder takes. Kinds that the device lacks are
    /// left out.
    pub rtr: RtrSet,
    /// [`Event::Established`] comes with the Reply, not with the initiator's first FPDU. No FPDU
    /// leaves before that one either way (RFC 5044 section 7.1.2 rule 4).
    pub early: bool,
    /// How long the peer may be silent.
    pub liveness: Liveness,
}

impl Accept {
    /// 16 Reads each way as far as the initiator allows, no markers, no private data, every kind of
    /// ready-to-receive message.
    pub fn new(qp: QpId) -> Self {
        let rtr = RtrSet { send: true, write: true, read: true };
        let (private_data, wanted) = (Vec::new(), Wanted::new(16, 16));
        let liveness = Liveness::default();
        Self { qp, private_data, wanted, strict: false, markers: false, rtr, early: false, liveness }
    }
}

/// What happens when TCP is open. MPA's roles have nothing to do with TCP's (RFC 5044 section 2).
#[derive(Clone, Debug)]
pub enum Then {
    /// We send the Request.
    Initiate(Initiate),
    /// We wait for it.
    Respond,
    /// Raw octets first; `initiate` or `respond` starts MPA later (RFC 5044 section 7.1.3). A
    /// passive open is to be taken by `take`.
    Stream,
}

/// A listener.
#[derive(Clone, Debug)]
pub struct Listen {
    /// TCP port; 0 is a free one of the configuration's range.
    pub port: u16,
    /// Only on this address of ours.
    pub address: Option<IpAddr>,
    /// Most connections that are not accepted, rejected or ended yet. A SYN beyond it takes the
    /// place of the oldest one that is half open, and is dropped if none is.
    pub backlog: usize,
    /// After the handshake.
    pub then: Then,
}

/// An active open.
#[derive(Clone, Debug)]
pub struct Connect {
    /// The peer.
    pub remote: SocketAddr,
    /// Our address, one of the configuration; without it the one of the route.
    pub address: Option<IpAddr>,
    /// Our port; 0 or none is a free one.
    pub local_port: Option<u16>,
    /// After the handshake.
    pub then: Then,
}

/// What the peer's startup frame says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Rev.
    pub revision: u8,
    /// IRD and ORD as sent, if the frame is enhanced.
    pub depths: Option<(Depth, Depth)>,
    /// A.
    pub peer_to_peer: bool,
    /// B, C, D.
    pub rtr: RtrSet,
    /// M.
    pub markers: bool,
    /// C.
    pub crc: bool,
    /// Private data, without the words of RFC 6581.
    pub private_data: Vec<u8>,
}

impl Offer {
    pub(super) fn of(frame: &crate::mpa::frame::Startup) -> Self {
        let words = frame.enhanced.unwrap_or(MpaDepths {
            peer_to_peer: false,
            rtr_send: false,
            rtr_write: false,
            rtr_read: false,
            ird: 0,
            ord: 0,
        });
        let depths = (Depth::from_wire(words.ird), Depth::from_wire(words.ord));
        Self {
            revision: frame.revision,
            depths: frame.enhanced.map(|_| depths),
            peer_to_peer: words.peer_to_peer,
            rtr: RtrSet::of(&words),
            markers: frame.markers,
            crc: frame.crc,
            private_data: frame.private_data.clone(),
        }
    }
}

/// What full operation begins with.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Read depths and ready-to-receive message.
    pub agreed: Agreed,
    /// Revision of the peer's frame; DDP and RDMAP are of version 1 with both.
    pub revision: u8,
    /// CRCs are sent and checked.
    pub crc: bool,
    /// We insert markers.
    pub tx_markers: bool,
    /// The peer inserts markers.
    pub rx_markers: bool,
}

/// What the application hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// TCP is open in raw mode ([`Then::Stream`]).
    Opened {
        /// Which.
        id: ConnId,
        /// Of which listener, if passive.
        listener: Option<ListenerId>,
        /// Our end.
        local: SocketAddr,
        /// The peer.
        remote: SocketAddr,
    },
    /// Raw octets are there; told once until `read` has taken all of them.
    Readable {
        /// Which.
        id: ConnId,
    },
    /// There is room for raw octets again, after a `send` that left some.
    Writable {
        /// Which.
        id: ConnId,
    },
    /// A Request came: `accept`, `reject`, `close` or `abort` it.
    Request {
        /// Which.
        id: ConnId,
        /// Of which listener, if passive.
        listener: Option<ListenerId>,
        /// Our end.
        local: SocketAddr,
        /// The peer.
        remote: SocketAddr,
        /// What it says.
        offer: Offer,
    },
    /// A Reply accepts, and no queue pair is bound yet: `bind`, `close` or `abort`.
    Reply {
        /// Which.
        id: ConnId,
        /// What it says.
        offer: Offer,
    },
    /// The Reply rejects. TCP stays open: `close`, `abort`, or start again.
    Rejected {
        /// Which.
        id: ConnId,
        /// What it says; its depths are what the responder needs.
        offer: Offer,
    },
    /// Full operation: work may be posted. What a responder that is established early
    /// ([`Accept::early`]) posts waits for the initiator's first FPDU.
    Established {
        /// Which.
        id: ConnId,
        /// The queue pair.
        qp: QpId,
        /// With what.
        terms: Terms,
        /// The peer's startup frame.
        offer: Offer,
    },
    /// The peer closed its side; what is queued here still goes out. `close` when done.
    PeerClosed {
        /// Which.
        id: ConnId,
    },
    /// A fault stopped the stream; the peer is being told. [`Event::Ended`] follows.
    Faulted {
        /// Which.
        id: ConnId,
        /// The first error.
        error: TermError,
    },
    /// The peer's Terminate. [`Event::Ended`] follows.
    Terminated {
        /// Which.
        id: ConnId,
        /// What it says.
        received: Received,
    },
    /// The last event of a connection. If it had a queue pair, that has no connection any more.
    Ended {
        /// Which.
        id: ConnId,
        /// Of which listener, if passive.
        listener: Option<ListenerId>,
        /// `Ok` after a close that both sides finished.
        outcome: Result<(), ConnError>,
    },
}

impl Event {
    /// Which connection it is about.
    pub fn id(&self) -> ConnId {
        match *self {
            Self::Opened { id, .. } | Self::Readable { id } | Self::Writable { id } => id,
            Self::Request { id, .. } | Self::Reply { id, .. } | Self::Rejected { id, .. } => id,
            Self::Established { id, .. } => id,
            Self::PeerClosed { id } | Self::Faulted { id, .. } | Self::Terminated { id, .. } => id,
            Self::Ended { id, .. } => id,
        }
    }
}
