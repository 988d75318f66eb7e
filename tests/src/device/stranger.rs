// SPDX-License-Identifier: MIT OR Apache-2.0
//! Segments of a third station that knows a connection: what an attacker may put on the wire.
use super::Wire;
use std::net::IpAddr;

/// Octets of the shortest frame, without FCS.
const SHORTEST: usize = 60;

/// Ones' complement checksum (RFC 1071).
fn checksum(octets: &[u8]) -> [u8; 2] {
    let words = octets.chunks(2).map(|w| u32::from(w[0]) << 8 | u32::from(*w.get(1).unwrap_or(&0)));
    let sum = words.sum::<u32>();
    let sum = (sum & 0xFFFF) + (sum >> 16);
    (!(sum as u16 + (sum >> 16) as u16)).to_be_bytes()
}

/// The frame of a segment with ACK and a window of 128 octets, in the name of the end `from` of a
/// connection without VLAN.
///
/// # Panics
/// If the connection is not IPv4, or the segment is longer than 200 octets.
pub fn stranger(wire: &Wire, from: usize, seq: u32, ack: u32, octets: &[u8]) -> Vec<u8> {
    let (from, to) = (wire.ends[from], wire.ends[1 - from]);
    let (IpAddr::V4(source), IpAddr::V4(target)) = (from.ip, to.ip) else { panic!("the connection is IPv4") };
    let mut tcp = vec![];
    tcp.extend(from.port.to_be_bytes());
    tcp.extend(to.port.to_be_bytes());
    tcp.extend(seq.to_be_bytes());
    tcp.extend(ack.to_be_bytes());
    tcp.extend([0x50, 0x10, 0x00, 0x80, 0, 0, 0, 0]);
    tcp.extend(octets);
    let length = u8::try_from(tcp.len()).ok().filter(|n| *n <= 220).expect("at most 200 octets");
    let pseudo = [&source.octets()[..], &target.octets(), &[0, 6, 0, length], &tcp].concat();
    tcp[16..18].copy_from_slice(&checksum(&pseudo));
    let mut ip = vec![0x45, 0, 0, 20 + length, 0, 0, 0x40, 0, 64, 6, 0, 0];
    ip.extend([source.octets(), target.octets()].concat());
    let sum = checksum(&ip);
    ip[10..12].copy_from_slice(&sum);
    let mut frame = [&to.mac[..], &from.mac, &[0x08, 0x00], &ip, &tcp].concat();
    frame.resize(frame.len().max(SHORTEST), 0);
    frame
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
