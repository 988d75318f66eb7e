// SPDX-License-Identifier: MIT OR Apache-2.0
//! Segments of a third station that knows a connection: what an attacker may put on the wire.
use super::Wire;
use ferrowarp_sim::wire::{Ethernet, Ip, Tcp, SHORTEST};

/// The frame of a segment with ACK and a window of 128 octets, in the name of the end `from` of a
/// connection without VLAN.
pub fn stranger(wire: &Wire, from: usize, seq: u32, ack: u32, octets: &[u8]) -> Vec<u8> {
    let (from, to) = (wire.ends[from], wire.ends[1 - from]);
    let tcp = Tcp { ports: [from.port, to.port], seq, ack, flags: 0x10, window: 0x80, ..Tcp::default() };
    let around = Ethernet { destination: to.mac, source: from.mac, vlan: None, filler: 0 };
    around.tcp(&Ip::new(from.ip, to.ip), &tcp, octets)
}

/// The same frame with this tag of 802.1Q alone, or with none.
pub fn tagged(frame: &[u8], tci: Option<u16>) -> Vec<u8> {
    let mut frame = frame.to_vec();
    if frame[12..14] == [0x81, 0] {
        frame.drain(12..16);
    }
    if let Some(tci) = tci {
        frame.splice(12..12, [[0x81, 0], tci.to_be_bytes()].concat());
    }
    frame.resize(frame.len().max(SHORTEST), 0);
    frame
}

/// The same frame to this station or group.
pub fn addressed(mut frame: Vec<u8>, to: [u8; 6]) -> Vec<u8> {
    frame[..6].copy_from_slice(&to);
    frame
}
