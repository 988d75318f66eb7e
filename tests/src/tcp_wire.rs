// SPDX-License-Identifier: MIT OR Apache-2.0
//! Segments that our side of a connection sends, in plain code.
use ferrowarp_sim::wire::{Ethernet, Ip, Tcp};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::net::IpAddr;

/// A connection as our side sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conn {
    /// Next hop.
    pub destination_mac: [u8; 6],
    /// Ours.
    pub source_mac: [u8; 6],
    /// Tag control information of the 802.1Q tag.
    pub vlan: Option<u16>,
    /// IPv6, else IPv4 in the last four octets of the addresses.
    pub ipv6: bool,
    /// Segments carry timestamps.
    pub timestamps: bool,
    /// Ours.
    pub local_ip: [u8; 16],
    /// The peer's.
    pub remote_ip: [u8; 16],
    /// Ours.
    pub local_port: u16,
    /// The peer's.
    pub remote_port: u16,
    /// TTL or hop limit.
    pub ttl: u8,
    /// DSCP and ECN bits.
    pub traffic_class: u8,
    /// IPv6 flow label.
    pub flow_label: u32,
    /// Window field.
    pub window: u16,
}

impl Conn {
    /// A connection with every field drawn.
    pub fn random(rng: &mut ChaCha8Rng, ipv6: bool, vlan: bool, timestamps: bool) -> Self {
        let mut ip = || -> [u8; 16] {
            let mut ip: [u8; 16] = rng.random();
            if !ipv6 {
                ip[..12].fill(0);
            }
            ip
        };
        let (local_ip, remote_ip) = (ip(), ip());
        Self {
            destination_mac: rng.random(),
            source_mac: rng.random(),
            vlan: vlan.then(|| rng.random()),
            ipv6,
            timestamps,
            local_ip,
            remote_ip,
            local_port: rng.random(),
            remote_port: rng.random(),
            ttl: rng.random(),
            traffic_class: rng.random(),
            flow_label: rng.random_range(0..1 << 20),
            window: 0,
        }
    }

    /// Octets of the headers of every segment.
    pub fn header(&self) -> usize {
        14 + 4 * usize::from(self.vlan.is_some()) + if self.ipv6 { 40 } else { 20 } + self.tcp_header()
    }

    /// The window field of a frame of ours.
    pub fn window_of(&self, frame: &[u8]) -> u16 {
        let at = self.header() - self.tcp_header() + 14;
        u16::from_be_bytes([frame[at], frame[at + 1]])
    }

    fn tcp_header(&self) -> usize {
        if self.timestamps {
            32
        } else {
            20
        }
    }

    /// The frame of a segment that we send: `payload` at `seq`, acknowledging `ack`; padded. It has
    /// ACK, and PSH with data.
    pub fn frame(&self, seq: u32, ack: u32, payload: &[u8]) -> Vec<u8> {
        self.flagged(if payload.is_empty() { 0x10 } else { 0x18 }, seq, ack, payload)
    }

    /// The same with these flags.
    pub fn flagged(&self, flags: u8, seq: u32, ack: u32, payload: &[u8]) -> Vec<u8> {
        let [source, destination] = [self.local_ip, self.remote_ip].map(|ip| self.address(ip));
        let (ttl, traffic_class, flow_label) = (self.ttl, self.traffic_class, self.flow_label);
        let ip = Ip { ttl, traffic_class, flow_label, ..Ip::new(source, destination) };
        let options = if self.timestamps { vec![1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0] } else { vec![] };
        let (ports, window) = ([self.local_port, self.remote_port], self.window);
        let tcp = Tcp { ports, seq, ack, flags, window, options, urgent: 0 };
        let (destination, source) = (self.destination_mac, self.source_mac);
        Ethernet { destination, source, vlan: self.vlan, filler: 0 }.tcp(&ip, &tcp, payload)
    }

    fn address(&self, ip: [u8; 16]) -> IpAddr {
        if self.ipv6 {
            return ip.into();
        }
        let [.., a, b, c, d] = ip;
        [a, b, c, d].into()
    }

    /// Sequence and acknowledgment number of one of our frames.
    pub fn numbers(&self, frame: &[u8]) -> (u32, u32) {
        let at = self.header() - self.tcp_header();
        let number = |at: usize| frame[at..at + 4].iter().fold(0, |n, o| n << 8 | u32::from(*o));
        (number(at + 4), number(at + 8))
    }
}
