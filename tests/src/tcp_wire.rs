// SPDX-License-Identifier: MIT OR Apache-2.0
//! TCP segments in plain code, for tests: RFC 791, 8200, 9293 and 1071, nothing from `abi`.
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Octets of the least Ethernet frame without its FCS.
pub const LEAST: usize = 60;

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
        let ethertype: u16 = if self.ipv6 { 0x86DD } else { 0x0800 };
        let mut out = [self.destination_mac, self.source_mac].concat();
        if let Some(tci) = self.vlan {
            out.extend([0x81, 0x00]);
            out.extend(tci.to_be_bytes());
        }
        out.extend(ethertype.to_be_bytes());
        out.extend(self.packet(&self.segment(flags, seq, ack, payload)));
        out.resize(out.len().max(LEAST), 0);
        out
    }

    fn segment(&self, flags: u8, seq: u32, ack: u32, payload: &[u8]) -> Vec<u8> {
        let mut tcp = [self.local_port.to_be_bytes(), self.remote_port.to_be_bytes()].concat();
        tcp.extend(seq.to_be_bytes());
        tcp.extend(ack.to_be_bytes());
        tcp.extend([(self.tcp_header() as u8 / 4) << 4, flags]);
        tcp.extend(self.window.to_be_bytes());
        tcp.extend([0; 4]);
        if self.timestamps {
            tcp.extend([1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0]);
        }
        tcp.extend_from_slice(payload);
        let mut covered = self.addresses().concat();
        covered.extend((tcp.len() as u32).to_be_bytes());
        covered.extend([0, 0, 0, 6]);
        covered.extend_from_slice(&tcp);
        let sum = checksum(&covered);
        tcp[16..18].copy_from_slice(&sum.to_be_bytes());
        tcp
    }

    fn packet(&self, tcp: &[u8]) -> Vec<u8> {
        let mut ip = vec![];
        if self.ipv6 {
            let first = 6 << 28 | u32::from(self.traffic_class) << 20 | self.flow_label;
            ip.extend(first.to_be_bytes());
            ip.extend((tcp.len() as u16).to_be_bytes());
            ip.extend([6, self.ttl]);
            ip.extend(self.addresses().concat());
        } else {
            ip.extend([0x45, self.traffic_class]);
            ip.extend((20 + tcp.len() as u16).to_be_bytes());
            // Identification 0, DF
            ip.extend([0, 0, 0x40, 0, self.ttl, 6, 0, 0]);
            ip.extend(self.addresses().concat());
            let sum = checksum(&ip);
            ip[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        ip.extend_from_slice(tcp);
        ip
    }

    /// Source and destination as they stand in the IP header.
    fn addresses(&self) -> [&[u8]; 2] {
        let from = if self.ipv6 { 0 } else { 12 };
        [&self.local_ip[from..], &self.remote_ip[from..]]
    }

    /// Sequence and acknowledgment number of one of our frames.
    pub fn numbers(&self, frame: &[u8]) -> (u32, u32) {
        let at = self.header() - self.tcp_header();
        let number = |at: usize| frame[at..at + 4].iter().fold(0, |n, o| n << 8 | u32::from(*o));
        (number(at + 4), number(at + 8))
    }
}

/// Internet checksum: the complement of the ones' complement sum of 16-bit words.
fn checksum(octets: &[u8]) -> u16 {
    let word = |pair: &[u8]| u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0));
    let mut sum: u64 = octets.chunks(2).map(word).sum();
    while sum >> 16 != 0 {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}
