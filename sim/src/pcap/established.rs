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
use crate::link::Side;
use crate::wire::{Ethernet, Ip, Tcp};
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
        let tcp = Tcp {
            ports: [from.port, to.port],
            seq: from.seq_start.wrapping_sub(step.before),
            ack: if step.flags & ACK == 0 { 0 } else { to.seq_start.wrapping_sub(step.acked) },
            flags: step.flags,
            window: 0xffff,
            options: step.options.clone(),
            ..Tcp::default()
        };
        let around = Ethernet { destination: to.mac, source: from.mac, vlan: self.vlan, filler: 0 };
        around.tcp(&Ip::new(from.ip, to.ip), &tcp, &step.payload)
    }
}
