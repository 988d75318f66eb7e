// SPDX-License-Identifier: MIT OR Apache-2.0
//! A TCP segment as a value, and who talks to whom.
use alloc::vec::Vec;
use core::net::{IpAddr, SocketAddr};
use ferrowarp_abi::consts::tcp_limit;
use ferrowarp_abi::types::SeqNum;

/// The two ends of a connection, seen from here.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tuple {
    /// Our address and port.
    pub local: SocketAddr,
    /// The peer's.
    pub remote: SocketAddr,
}

impl Tuple {
    /// MSS of a peer that sends no option (RFC 9293 section 3.7.1).
    pub fn default_mss(&self) -> u16 {
        match self.remote.ip() {
            IpAddr::V4(_) => tcp_limit::MSS_DEFAULT_IPV4,
            IpAddr::V6(_) => tcp_limit::MSS_DEFAULT_IPV6,
        }
    }

    /// Octets of the IP and TCP headers without options.
    pub fn headers(&self) -> u16 {
        match self.remote.ip() {
            IpAddr::V4(_) => 40,
            IpAddr::V6(_) => 60,
        }
    }
}

/// A segment. The window is as on the wire: not scaled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number of its first octet, SYN and FIN counted.
    pub seq: SeqNum,
    /// Acknowledgement number, if ACK is set.
    pub ack: Option<SeqNum>,
    /// Window field.
    pub window: u16,
    /// SYN.
    pub syn: bool,
    /// FIN.
    pub fin: bool,
    /// RST.
    pub rst: bool,
    /// MSS option.
    pub mss: Option<u16>,
    /// Window scale option; values above 14 count as 14.
    pub scale: Option<u8>,
    /// Data.
    pub payload: Vec<u8>,
}

impl Segment {
    /// Octets of the MSS option. `default` if there is none, or one of no octets.
    pub fn mss_or(&self, default: u16) -> u16 {
        self.mss.filter(|&mss| mss > 0).unwrap_or(default)
    }

    /// Octets of sequence space that it takes.
    pub fn len(&self) -> u32 {
        self.payload.len() as u32 + u32::from(self.syn) + u32::from(self.fin)
    }

    /// Whether it takes none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sequence number after it.
    pub fn end(&self) -> SeqNum {
        self.seq.plus(self.len())
    }
}

/// Whether `x` lies in `[from, to]`, modulo 2^32.
pub fn within(from: SeqNum, x: SeqNum, to: SeqNum) -> bool {
    x.since(from) <= to.since(from)
}

/// Whether a segment of this place and length may be looked at with RCV.NXT and RCV.WND (RFC 9293
/// section 3.10.7.4).
pub fn is_acceptable(seq: SeqNum, length: u32, rcv_nxt: SeqNum, window: u32) -> bool {
    let inside = |x: SeqNum| x.since(rcv_nxt) < window;
    match (length, window) {
        (0, 0) => seq == rcv_nxt,
        (_, 0) => false,
        (0, _) => inside(seq),
        _ => inside(seq) || inside(seq.plus(length - 1)),
    }
}
