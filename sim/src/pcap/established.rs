// SPDX-License-Identifier: MIT OR Apache-2.0
//! The beginning of a connection that was there before the capture began.
//!
//! `tshark` recognises FPDUs only inside a conversation in which it has seen an MPA Request and a
//! Reply: they tell it where the first FPDU begins, which side sends markers, and whether there is
//! a CRC (packet-iwarp-mpa.c of Wireshark; there is no setting that does it). A test that loads an
//! established connection into a device therefore writes these five frames in front: SYN, SYN with
//! ACK, ACK, Request, Reply. They are made by plain code, and they leave both sequence numbers
//! where the capture's first FPDUs begin.
//!
//! In one file every connection needs addresses and ports of its own: tshark 4.0 begins a new TCP
//! stream at a second SYN, but keeps MPA's state of the first and takes the second Request for an
//! FPDU.
use crate::link::{Side, MIN_FRAME};
use std::net::IpAddr;

/// Request and Reply without private data: key 16, flags 1, revision 1, length 2 octets.
const STARTUP: u32 = 20;
/// Flags of a startup frame: the sender wants markers; CRCs are wanted.
const WANTS_MARKERS: u8 = 0x80;
const WANTS_CRC: u8 = 0x40;
/// TCP flags.
const SYN: u8 = 0x02;
const PSH: u8 = 0x08;
const ACK: u8 = 0x10;

/// One end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Endpoint {
    /// Ethernet address.
    pub mac: [u8; 6],
    /// IP address; both ends have the same version.
    pub ip: IpAddr,
    /// TCP port.
    pub port: u16,
    /// Sequence number of the first octet of full operation that this end sends.
    pub seq_start: u32,
    /// Shift of the windows that this end advertises.
    pub window_scale: u8,
    /// This end wants markers in what it receives.
    pub wants_markers: bool,
}

/// A connection that was established before the capture: A sent the Request, B the Reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Established {
    /// Both ends, A first.
    pub ends: [Endpoint; 2],
    /// Tag control information, if the frames are tagged (IEEE 802.1Q).
    pub vlan: Option<u16>,
    /// FPDUs have CRCs.
    pub crc: bool,
}

/// One frame of the beginning.
struct Step {
    from: Side,
    /// How far before `seq_start` of its sender it begins.
    before: u32,
    /// The same for what it acknowledges.
    acked: u32,
    flags: u8,
    options: Vec<u8>,
    payload: Vec<u8>,
}

impl Established {
    /// Addresses and ports, A's first.
    pub(super) fn tuple(&self) -> [(IpAddr, u16); 2] {
        self.ends.map(|e| (e.ip, e.port))
    }

    /// SYN, SYN with ACK, ACK, MPA Request, MPA Reply; the end that sends each.
    pub fn frames(&self) -> Vec<(Side, Vec<u8>)> {
        let startup = |from: Side, kind: &[u8; 3]| {
            let markers = if self.ends[from as usize].wants_markers { WANTS_MARKERS } else { 0 };
            let crc = if self.crc { WANTS_CRC } else { 0 };
            [b"MPA ID ".as_slice(), kind, b" Frame", &[markers | crc, 1, 0, 0]].concat()
        };
        // a window scale option of three octets and a NOP
        let scale = |from: Side| vec![1, 3, 3, self.ends[from as usize].window_scale];
        let step = |from, before, acked, flags, options, payload| Step {
            from,
            before,
            acked,
            flags,
            options,
            payload,
        };
        let steps = [
            step(Side::A, STARTUP + 1, 0, SYN, scale(Side::A), vec![]),
            step(Side::B, STARTUP + 1, STARTUP, SYN | ACK, scale(Side::B), vec![]),
            step(Side::A, STARTUP, STARTUP, ACK, vec![], vec![]),
            step(Side::A, STARTUP, STARTUP, PSH | ACK, vec![], startup(Side::A, b"Req")),
            step(Side::B, STARTUP, 0, PSH | ACK, vec![], startup(Side::B, b"Rep")),
        ];
        steps.iter().map(|s| (s.from, self.frame(s))).collect()
    }

    /// Ethernet, IP and TCP around a step.
    fn frame(&self, step: &Step) -> Vec<u8> {
        let (from, to) = (&self.ends[step.from as usize], &self.ends[step.from.other() as usize]);
        let acked = if step.flags & ACK == 0 { 0 } else { to.seq_start.wrapping_sub(step.acked) };
        let words = 5 + step.options.len() / 4;
        let mut tcp = [from.port.to_be_bytes(), to.port.to_be_bytes()].concat();
        tcp.extend(from.seq_start.wrapping_sub(step.before).to_be_bytes());
        tcp.extend(acked.to_be_bytes());
        tcp.extend([(words << 4) as u8, step.flags, 0xff, 0xff, 0, 0, 0, 0]);
        tcp.extend(&step.options);
        tcp.extend(&step.payload);
        let length = tcp.len() as u16;
        let (kind, addresses, ip) = match (from.ip, to.ip) {
            (IpAddr::V4(a), IpAddr::V4(b)) => {
                let addresses = [a.octets(), b.octets()].concat();
                let mut ip = vec![0x45, 0];
                ip.extend((20 + length).to_be_bytes());
                ip.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
                ip.extend(&addresses);
                let sum = checksum(&ip).to_be_bytes();
                ip[10..12].copy_from_slice(&sum);
                (0x0800_u16, addresses, ip)
            }
            (a, b) => {
                let v6 = |ip: IpAddr| match ip {
                    IpAddr::V4(ip) => ip.to_ipv6_mapped().octets(),
                    IpAddr::V6(ip) => ip.octets(),
                };
                let addresses = [v6(a), v6(b)].concat();
                let mut ip = vec![0x60, 0, 0, 0];
                ip.extend(length.to_be_bytes());
                ip.extend([6, 64]);
                ip.extend(&addresses);
                (0x86dd, addresses, ip)
            }
        };
        // of the pseudo header only the sum counts, in which both versions are alike
        let pseudo = [addresses, length.to_be_bytes().to_vec(), vec![0, 6], tcp.clone()].concat();
        let sum = checksum(&pseudo).to_be_bytes();
        tcp[16..18].copy_from_slice(&sum);
        let mut frame = [to.mac, from.mac].concat();
        if let Some(tci) = self.vlan {
            frame.extend([0x81, 0]);
            frame.extend(tci.to_be_bytes());
        }
        frame.extend(kind.to_be_bytes());
        frame.extend(ip);
        frame.extend(tcp);
        frame.resize(frame.len().max(MIN_FRAME as usize), 0);
        frame
    }
}

/// The Internet checksum (RFC 1071) of octets whose own field is 0.
fn checksum(octets: &[u8]) -> u16 {
    let word = |pair: &[u8]| u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0));
    let mut sum: u64 = octets.chunks(2).map(word).sum();
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}
