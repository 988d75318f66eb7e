// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a frame says of TCP: Ethernet, an 802.1Q tag or none, IPv4 or IPv6, TCP.
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// TCP flags (RFC 9293 section 3.1).
pub mod flag {
    /// The sender has no more octets.
    pub const FIN: u8 = 1;
    /// A connection begins.
    pub const SYN: u8 = 2;
    /// The connection is void.
    pub const RST: u8 = 4;
    /// The acknowledgment number counts.
    pub const ACK: u8 = 16;
}

/// Protocol number of TCP.
const TCP: u8 = 6;

/// A TCP segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    /// Source and destination.
    pub ends: [SocketAddr; 2],
    /// SEG.SEQ.
    pub seq: u32,
    /// SEG.ACK.
    pub ack: u32,
    /// Flags, see [`flag`].
    pub flags: u8,
    /// SEG.WND as it stands in the header, not scaled.
    pub window: u16,
    /// Octets of the stream.
    pub payload: &'a [u8],
}

impl<'a> Segment<'a> {
    /// The segment of a frame; none if the frame has no whole TCP header. IPv6 has no extension
    /// headers here, and checksums are others' business.
    pub fn read(frame: &'a [u8]) -> Option<Self> {
        let (kind, packet) = match frame.get(12..14)? {
            [0x81, 0x00] => (frame.get(16..18)?, frame.get(18..)?),
            kind => (kind, frame.get(14..)?),
        };
        let (ips, tcp) = match kind {
            [0x08, 0x00] => v4(packet)?,
            [0x86, 0xDD] => v6(packet)?,
            _ => return None,
        };
        let port = |at| Some(word(tcp, at)? as u16);
        let header = usize::from(tcp.get(12)? >> 4) * 4;
        Some(Self {
            ends: [SocketAddr::new(ips[0], port(0)?), SocketAddr::new(ips[1], port(2)?)],
            seq: word(tcp, 4)? << 16 | word(tcp, 6)?,
            ack: word(tcp, 8)? << 16 | word(tcp, 10)?,
            flags: *tcp.get(13)?,
            window: word(tcp, 14)? as u16,
            payload: tcp.get(header..)?,
        })
    }

    /// One of these flags is set.
    pub fn has(&self, flags: u8) -> bool {
        self.flags & flags != 0
    }

    /// SEG.LEN: octets of the sequence space.
    pub fn length(&self) -> u64 {
        self.payload.len() as u64 + u64::from(self.has(flag::FIN))
    }
}

fn word(octets: &[u8], at: usize) -> Option<u32> {
    let pair = octets.get(at..at + 2)?;
    Some(u32::from(pair[0]) << 8 | u32::from(pair[1]))
}

/// Addresses and the TCP segment of an IPv4 packet, whose total length leaves the padding out.
fn v4(packet: &[u8]) -> Option<([IpAddr; 2], &[u8])> {
    let header = usize::from(packet.first()? & 15) * 4;
    let total = word(packet, 2)? as usize;
    let ip = |at| -> Option<IpAddr> {
        let octets: [u8; 4] = packet.get(at..at + 4)?.try_into().ok()?;
        Some(Ipv4Addr::from(octets).into())
    };
    let ips = [ip(12)?, ip(16)?];
    (packet[9] == TCP).then_some((ips, packet.get(header..total)?))
}

/// The same of an IPv6 packet.
fn v6(packet: &[u8]) -> Option<([IpAddr; 2], &[u8])> {
    let total = 40 + word(packet, 4)? as usize;
    let ip = |at| -> Option<IpAddr> {
        let octets: [u8; 16] = packet.get(at..at + 16)?.try_into().ok()?;
        Some(Ipv6Addr::from(octets).into())
    };
    let ips = [ip(8)?, ip(24)?];
    (packet[6] == TCP).then_some((ips, packet.get(40..total)?))
}
