// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ethernet frames with TCP segments in them, written octet by octet.
use rand::Rng;

/// FIN.
pub const FIN: u8 = 0x01;
/// SYN.
pub const SYN: u8 = 0x02;
/// RST.
pub const RST: u8 = 0x04;
/// ACK.
pub const ACK: u8 = 0x10;
/// URG.
pub const URG: u8 = 0x20;

/// Sender and receiver of a segment; IPv4 addresses have 4 octets, IPv6 ones 16.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuple {
    /// Sender's address.
    pub source: Vec<u8>,
    /// Receiver's address.
    pub destination: Vec<u8>,
    /// Sender's port.
    pub source_port: u16,
    /// Receiver's port.
    pub destination_port: u16,
}

impl Tuple {
    /// A random one.
    pub fn random<R: Rng>(rng: &mut R, is_ipv6: bool) -> Self {
        let n = if is_ipv6 { 16 } else { 4 };
        let mut octets = || (0..n).map(|_| rng.random()).collect();
        let (source, destination) = (octets(), octets());
        Self { source, destination, source_port: rng.random(), destination_port: rng.random() }
    }

    /// The addresses are those of IPv6.
    pub fn is_ipv6(&self) -> bool {
        self.source.len() == 16
    }
}

/// A TCP segment and what lies around it.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Ends.
    pub tuple: Tuple,
    /// 802.1Q tag control information.
    pub vlan: Option<u16>,
    /// Options of an IPv4 header, a multiple of 4 octets.
    pub ip_options: Vec<u8>,
    /// SEG.SEQ.
    pub seq: u32,
    /// SEG.ACK.
    pub ack: u32,
    /// Flags, octet 13 of the header.
    pub flags: u8,
    /// SEG.WND as it stands in the header.
    pub window: u16,
    /// Options of the TCP header, a multiple of 4 octets.
    pub options: Vec<u8>,
    /// Octets of data.
    pub data: Vec<u8>,
    /// Octets after the IP packet, beyond what the least frame asks for.
    pub padding: usize,
}

/// Ones' complement sum of big-endian words (RFC 1071), as the field must hold it.
pub fn checksum(parts: &[&[u8]]) -> u16 {
    let octets = parts.concat();
    let mut sum = 0_u64;
    for pair in octets.chunks(2) {
        sum += u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0));
    }
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

/// Sum over pseudo header and segment (RFC 9293 section 3.1, RFC 8200 section 8.1).
pub fn tcp_checksum(source: &[u8], destination: &[u8], tcp: &[u8]) -> u16 {
    let length = (tcp.len() as u32).to_be_bytes();
    checksum(&[source, destination, &length, &[0, 0, 0, 6], tcp])
}

/// An IP packet of `protocol`, its header made for `payload`.
pub fn ip_packet(tuple: &Tuple, ip_options: &[u8], protocol: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = vec![];
    if tuple.is_ipv6() {
        out.extend([0x6A, 0xBC, 0xDE, 0xF0]);
        out.extend((payload.len() as u16).to_be_bytes());
        out.extend([protocol, 64]);
        out.extend(&tuple.source);
        out.extend(&tuple.destination);
    } else {
        let header = 20 + ip_options.len();
        out.extend([0x40 | (header / 4) as u8, 0x2C]);
        out.extend(((header + payload.len()) as u16).to_be_bytes());
        out.extend([0x12, 0x34, 0x40, 0, 64, protocol, 0, 0]);
        out.extend(&tuple.source);
        out.extend(&tuple.destination);
        out.extend(ip_options);
        let sum = checksum(&[&out]);
        out[10..12].copy_from_slice(&sum.to_be_bytes());
    }
    out.extend(payload);
    out
}

/// An IPv4 packet without options made one with flags and fragment offset `field`.
pub fn fragment(mut packet: Vec<u8>, field: u16) -> Vec<u8> {
    packet[6..8].copy_from_slice(&field.to_be_bytes());
    packet[10..12].copy_from_slice(&[0, 0]);
    let sum = checksum(&[&packet[..20]]);
    packet[10..12].copy_from_slice(&sum.to_be_bytes());
    packet
}

/// A frame that carries `packet`, at least 60 octets long.
pub fn ethernet(vlan: Option<u16>, ethertype: u16, packet: &[u8], padding: usize) -> Vec<u8> {
    let mut out = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    if let Some(tci) = vlan {
        out.extend([0x81, 0]);
        out.extend(tci.to_be_bytes());
    }
    out.extend(ethertype.to_be_bytes());
    out.extend(packet);
    out.resize((out.len() + padding).max(60), 0xEE);
    out
}

impl Segment {
    /// An empty ACK between two ends.
    pub fn new(tuple: &Tuple, seq: u32, ack: u32) -> Self {
        Self {
            tuple: tuple.clone(),
            vlan: None,
            ip_options: vec![],
            seq,
            ack,
            flags: ACK,
            window: 0x4000,
            options: vec![],
            data: vec![],
            padding: 0,
        }
    }

    /// TCP header, options and data, the checksum filled.
    pub fn tcp(&self) -> Vec<u8> {
        let mut out = vec![];
        out.extend(self.tuple.source_port.to_be_bytes());
        out.extend(self.tuple.destination_port.to_be_bytes());
        out.extend(self.seq.to_be_bytes());
        out.extend(self.ack.to_be_bytes());
        out.extend([((20 + self.options.len()) * 4) as u8, self.flags]);
        out.extend(self.window.to_be_bytes());
        out.extend([0, 0, 0x55, 0xAA]);
        out.extend(&self.options);
        out.extend(&self.data);
        let sum = tcp_checksum(&self.tuple.source, &self.tuple.destination, &out);
        out[16..18].copy_from_slice(&sum.to_be_bytes());
        out
    }

    /// The frame.
    pub fn frame(&self) -> Vec<u8> {
        let packet = ip_packet(&self.tuple, &self.ip_options, 6, &self.tcp());
        ethernet(self.vlan, if self.tuple.is_ipv6() { 0x86DD } else { 0x0800 }, &packet, self.padding)
    }
}
