// SPDX-License-Identifier: MIT OR Apache-2.0
//! ICMP errors that quote a segment of ours and tell of a smaller path MTU (RFC 1191, RFC 8201).
use crate::tcp::segment::Tuple;
use core::net::{IpAddr, SocketAddr};
use ferrowarp_abi::types::SeqNum;
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetFrame, EthernetProtocol, Icmpv4Packet, Icmpv6Packet, IpProtocol, Ipv4Packet, Ipv6Packet,
};

/// A packet of ours was longer than a link on its way takes. Other ICMP errors are hints that
/// anybody can send (RFC 5927); TCP's own timers judge better, so they are not read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TcpNotice {
    /// Whose.
    pub tuple: Tuple,
    /// Sequence number of the quoted segment.
    pub seq: SeqNum,
    /// MTU of that link in octets, 0 if the router does not say.
    pub mtu: u32,
}

/// Reads an untagged frame.
pub fn notice(octets: &[u8]) -> Option<TcpNotice> {
    let frame = EthernetFrame::new_checked(octets).ok()?;
    match frame.ethertype() {
        EthernetProtocol::Ipv4 => v4(frame.payload()),
        EthernetProtocol::Ipv6 => v6(frame.payload()),
        _ => None,
    }
}

fn v4(octets: &[u8]) -> Option<TcpNotice> {
    let packet = Ipv4Packet::new_checked(octets).ok()?;
    if packet.next_header() != IpProtocol::Icmp || !packet.verify_checksum() {
        return None;
    }
    let whole = packet.payload();
    let icmp = Icmpv4Packet::new_checked(whole).ok()?;
    if !icmp.verify_checksum() {
        return None;
    }
    if whole.get(..2)? != [3, 4] {
        return None;
    }
    let mtu = u32::from(u16::from_be_bytes([*whole.get(6)?, *whole.get(7)?]));
    // The quoted packet is cut after 8 octets of TCP: read it by hand
    let quoted = whole.get(8..)?;
    let header = usize::from(quoted.first()? & 0xF) * 4;
    if quoted.first()? >> 4 != 4 || quoted.get(9) != Some(&6) || header < 20 {
        return None;
    }
    let address = |at: usize| Some(IpAddr::from(<[u8; 4]>::try_from(quoted.get(at..at + 4)?).ok()?));
    about(address(12)?, address(16)?, quoted.get(header..)?, mtu)
}

fn v6(octets: &[u8]) -> Option<TcpNotice> {
    let packet = Ipv6Packet::new_checked(octets).ok()?;
    if packet.next_header() != IpProtocol::Icmpv6 {
        return None;
    }
    let whole = packet.payload();
    let icmp = Icmpv6Packet::new_checked(whole).ok()?;
    let checksum = ChecksumCapabilities::default().icmpv6.rx();
    if checksum && !icmp.verify_checksum(&packet.src_addr(), &packet.dst_addr()) {
        return None;
    }
    if whole.first() != Some(&2) {
        return None;
    }
    let mtu = u32::from_be_bytes(whole.get(4..8)?.try_into().ok()?);
    let quoted = whole.get(8..)?;
    if quoted.first()? >> 4 != 6 || quoted.get(6) != Some(&6) {
        return None;
    }
    let address = |at: usize| Some(IpAddr::from(<[u8; 16]>::try_from(quoted.get(at..at + 16)?).ok()?));
    about(address(8)?, address(24)?, quoted.get(40..)?, mtu)
}

/// The quoted segment left us: its source is our end.
fn about(from: IpAddr, to: IpAddr, tcp: &[u8], mtu: u32) -> Option<TcpNotice> {
    let port = |at: usize| Some(u16::from_be_bytes([*tcp.get(at)?, *tcp.get(at + 1)?]));
    let seq = SeqNum(u32::from_be_bytes(tcp.get(4..8)?.try_into().ok()?));
    let tuple = Tuple { local: SocketAddr::new(from, port(0)?), remote: SocketAddr::new(to, port(2)?) };
    Some(TcpNotice { tuple, seq, mtu })
}
