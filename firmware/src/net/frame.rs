// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ethernet frames with TCP in them, to values and back; smoltcp's `wire` reads and writes the
//! headers.
use crate::tcp::segment::{Segment, Tuple};
use alloc::vec;
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use ferrowarp_abi::consts::ether_type;
use ferrowarp_abi::tcp_options::{TcpOption, TcpOptions};
use ferrowarp_abi::types::{MacAddr, SeqNum};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetFrame, EthernetProtocol, IpAddress, IpProtocol, Ipv4Packet, Ipv4Repr, Ipv6Packet, Ipv6Repr,
    TcpControl, TcpPacket, TcpRepr, TcpSeqNumber,
};

/// TTL or hop limit of what we send.
pub const HOP_LIMIT: u8 = 64;
/// Octets of the shortest Ethernet frame without FCS.
const SHORTEST: usize = 60;

/// What the frames of this port have in common.
#[derive(Copy, Clone, Debug)]
pub struct Link {
    /// Our station address.
    pub mac: MacAddr,
    /// Tag of our frames.
    pub vlan_tci: Option<u16>,
}

impl Link {
    /// The frame without its tag, or `None` if it is of another VLAN. A tag with VLAN 0 has a
    /// priority only.
    pub fn untag(&self, octets: &[u8]) -> Option<Vec<u8>> {
        let ethertype = u16::from_be_bytes([*octets.get(12)?, *octets.get(13)?]);
        let ours = self.vlan_tci.map_or(0, |tci| tci & 0xFFF);
        if ethertype != ether_type::VLAN {
            return (ours == 0).then(|| octets.to_vec());
        }
        let vid = u16::from_be_bytes([*octets.get(14)?, *octets.get(15)?]) & 0xFFF;
        let mut plain = octets.get(..12)?.to_vec();
        plain.extend(octets.get(16..)?);
        (vid == ours && plain.len() >= 14).then_some(plain)
    }

    /// The frame with our tag, padded.
    pub fn tag(&self, mut plain: Vec<u8>) -> Vec<u8> {
        if let (Some(tci), true) = (self.vlan_tci, plain.len() >= 14) {
            let tag = [ether_type::VLAN.to_be_bytes(), tci.to_be_bytes()].concat();
            plain.splice(12..12, tag);
        }
        plain.resize(plain.len().max(SHORTEST), 0);
        plain
    }

    /// Whether the destination is this station: TCP is never sent to groups.
    pub fn is_for_us(&self, plain: &[u8]) -> bool {
        plain.get(..6) == Some(&self.mac.0)
    }

    /// A frame around an IP packet.
    pub fn wrap(&self, station: MacAddr, packet: &[u8]) -> Vec<u8> {
        let is_v6 = packet.first().is_some_and(|b| b >> 4 == 6);
        let ethertype = if is_v6 { ether_type::IPV6 } else { ether_type::IPV4 };
        let mut body = ethertype.to_be_bytes().to_vec();
        body.extend(packet);
        self.frame(station, &body)
    }

    /// A frame around an EtherType and what follows it.
    pub fn frame(&self, station: MacAddr, body: &[u8]) -> Vec<u8> {
        self.tag([&station.0, &self.mac.0, body].concat())
    }
}

/// What is in a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// A segment; checksums are right. Whether it is for us is not judged.
    Tcp {
        /// Whose.
        tuple: Tuple,
        /// The segment.
        segment: Segment,
        /// Station that sent it.
        source: MacAddr,
    },
    /// TCP, but a header or a checksum is wrong.
    BadTcp,
    /// Something else.
    Other,
}

/// Reads an untagged frame.
pub fn parse(octets: &[u8]) -> Received {
    let Ok(frame) = EthernetFrame::new_checked(octets) else { return Received::Other };
    let station = MacAddr(frame.src_addr().0);
    match frame.ethertype() {
        EthernetProtocol::Ipv4 => ipv4(frame.payload(), station),
        EthernetProtocol::Ipv6 => ipv6(frame.payload(), station),
        _ => Received::Other,
    }
}

fn ipv4(octets: &[u8], station: MacAddr) -> Received {
    let Ok(packet) = Ipv4Packet::new_checked(octets) else { return Received::Other };
    if packet.version() != 4 || packet.next_header() != IpProtocol::Tcp {
        return Received::Other;
    }
    if !packet.verify_checksum() || packet.more_frags() || packet.frag_offset() != 0 {
        return Received::BadTcp;
    }
    tcp(packet.payload(), packet.src_addr().into(), packet.dst_addr().into(), station)
}

fn ipv6(octets: &[u8], station: MacAddr) -> Received {
    let Ok(packet) = Ipv6Packet::new_checked(octets) else { return Received::Other };
    if packet.version() != 6 || packet.next_header() != IpProtocol::Tcp {
        return Received::Other;
    }
    tcp(packet.payload(), packet.src_addr().into(), packet.dst_addr().into(), station)
}

fn tcp(octets: &[u8], from: IpAddr, to: IpAddr, station: MacAddr) -> Received {
    let Ok(packet) = TcpPacket::new_checked(octets) else { return Received::BadTcp };
    if !packet.verify_checksum(&IpAddress::from(from), &IpAddress::from(to)) {
        return Received::BadTcp;
    }
    let tuple = Tuple {
        local: SocketAddr::new(to, packet.dst_port()),
        remote: SocketAddr::new(from, packet.src_port()),
    };
    // SYN with FIN or RST, and port 0, are nothing that TCP sends
    let odd = packet.syn() && (packet.fin() || packet.rst());
    if odd || packet.src_port() == 0 || packet.dst_port() == 0 {
        return Received::BadTcp;
    }
    let mut segment = Segment {
        seq: SeqNum(packet.seq_number().0 as u32),
        ack: packet.ack().then(|| SeqNum(packet.ack_number().0 as u32)),
        window: packet.window_len(),
        syn: packet.syn(),
        fin: packet.fin(),
        rst: packet.rst(),
        payload: packet.payload().to_vec(),
        ..Segment::default()
    };
    for option in TcpOptions::new(packet.options()).map_while(Result::ok) {
        match option {
            TcpOption::Mss(o) => segment.mss = Some(o.mss),
            TcpOption::WindowScale(o) => segment.scale = Some(o.shift),
            _ => {}
        }
    }
    Received::Tcp { tuple, segment, source: station }
}

/// The IP packet of a segment, with checksums. Mixed address families cannot be and give nothing.
pub fn packet(tuple: &Tuple, segment: &Segment) -> Vec<u8> {
    let control = match segment {
        Segment { syn: true, .. } => TcpControl::Syn,
        Segment { rst: true, .. } => TcpControl::Rst,
        Segment { fin: true, .. } => TcpControl::Fin,
        Segment { payload, .. } if !payload.is_empty() => TcpControl::Psh,
        _ => TcpControl::None,
    };
    let repr = TcpRepr {
        src_port: tuple.local.port(),
        dst_port: tuple.remote.port(),
        control,
        seq_number: TcpSeqNumber(segment.seq.0 as i32),
        ack_number: segment.ack.map(|ack| TcpSeqNumber(ack.0 as i32)),
        window_len: segment.window,
        window_scale: segment.scale,
        max_seg_size: segment.mss,
        sack_permitted: false,
        sack_ranges: [None; 3],
        timestamp: None,
        payload: &segment.payload,
    };
    match (tuple.local.ip(), tuple.remote.ip()) {
        (IpAddr::V4(from), IpAddr::V4(to)) => packet_v4(from, to, &repr),
        (IpAddr::V6(from), IpAddr::V6(to)) => packet_v6(from, to, &repr),
        _ => Vec::new(),
    }
}

fn packet_v4(src_addr: Ipv4Addr, dst_addr: Ipv4Addr, tcp: &TcpRepr<'_>) -> Vec<u8> {
    let payload_len = tcp.buffer_len();
    let ip = Ipv4Repr { src_addr, dst_addr, next_header: IpProtocol::Tcp, payload_len, hop_limit: HOP_LIMIT };
    let mut octets = vec![0; ip.buffer_len() + payload_len];
    let mut packet = Ipv4Packet::new_unchecked(&mut octets);
    ip.emit(&mut packet, &ChecksumCapabilities::default());
    emit_tcp(tcp, packet.payload_mut(), src_addr.into(), dst_addr.into());
    octets
}

fn packet_v6(src_addr: Ipv6Addr, dst_addr: Ipv6Addr, tcp: &TcpRepr<'_>) -> Vec<u8> {
    let payload_len = tcp.buffer_len();
    let ip = Ipv6Repr { src_addr, dst_addr, next_header: IpProtocol::Tcp, payload_len, hop_limit: HOP_LIMIT };
    let mut octets = vec![0; ip.buffer_len() + payload_len];
    let mut packet = Ipv6Packet::new_unchecked(&mut octets);
    ip.emit(&mut packet);
    emit_tcp(tcp, packet.payload_mut(), src_addr.into(), dst_addr.into());
    octets
}

fn emit_tcp(tcp: &TcpRepr<'_>, octets: &mut [u8], from: IpAddress, to: IpAddress) {
    tcp.emit(&mut TcpPacket::new_unchecked(octets), &from, &to, &ChecksumCapabilities::default());
}
