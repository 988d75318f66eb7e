// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ethernet frames with TCP segments that a peer sends.
use ferrowarp_sim::wire::{Ethernet, Ip, Tcp, TCP};
use rand::Rng;
use std::net::IpAddr;

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

    /// The header of a packet, without options; each field differs from 0.
    pub fn ip(&self) -> Ip {
        let address = |octets: &[u8]| match <[u8; 4]>::try_from(octets) {
            Ok(octets) => IpAddr::from(octets),
            Err(_) => IpAddr::from(<[u8; 16]>::try_from(octets).expect("4 or 16 octets")),
        };
        let ip = Ip::new(address(&self.source), address(&self.destination));
        let traffic_class = if self.is_ipv6() { 0xAB } else { 0x2C };
        Ip { traffic_class, flow_label: 0xC_DEF0, identification: 0x1234, ..ip }
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

/// An IP packet of `protocol`, its header made for `payload`.
pub fn ip_packet(tuple: &Tuple, ip_options: &[u8], protocol: u8, payload: &[u8]) -> Vec<u8> {
    Ip { options: ip_options.into(), ..tuple.ip() }.packet(protocol, payload)
}

/// A frame that carries `packet`, at least 60 octets long.
pub fn ethernet(vlan: Option<u16>, ethertype: u16, packet: &[u8], padding: usize) -> Vec<u8> {
    let [destination, source] = [1, 2].map(|last| [2, 0, 0, 0, 0, last]);
    Ethernet { destination, source, vlan, filler: 0xEE }.frame(ethertype, packet, padding)
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
        let tcp = Tcp {
            ports: [self.tuple.source_port, self.tuple.destination_port],
            seq: self.seq,
            ack: self.ack,
            flags: self.flags,
            window: self.window,
            urgent: 0x55AA,
            options: self.options.clone(),
        };
        tcp.segment(&self.tuple.ip(), &self.data)
    }

    /// The frame.
    pub fn frame(&self) -> Vec<u8> {
        let packet = ip_packet(&self.tuple, &self.ip_options, TCP, &self.tcp());
        ethernet(self.vlan, self.tuple.ip().ethertype(), &packet, self.padding)
    }
}
