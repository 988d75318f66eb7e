// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ports and frames from a seed.
use super::{octets, Frame, Port, MILLION, OCTET};
use rand::seq::IndexedRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// VIDs of the ports.
const VIDS: [u16; 3] = [1, 20, 4_094];
/// Stations behind each port.
const STATIONS: u8 = 4;

/// Ports of all kinds: access ports and trunks, short queues and long ones, with marks and without,
/// on good cables and bad ones.
pub fn ports(rng: &mut ChaCha8Rng) -> Vec<Port> {
    let n = rng.random_range(2..8);
    (0..n).map(|_| port(rng)).collect()
}

fn port(rng: &mut ChaCha8Rng) -> Port {
    let vids: Vec<u16> = match rng.random_range(0..4) {
        0 => VIDS.into_iter().filter(|_| rng.random()).chain([20]).collect(),
        // most ports have the first VLAN in common
        pick => vec![VIDS[usize::from(pick == 1)]],
    };
    let untagged = (vids.len() == 1 && rng.random_ratio(9, 10)).then(|| vids[0]);
    let queue = *[0, 1_600, 9_000, 60_000].choose(rng).expect("there are some");
    let ecn = rng.random_ratio(2, 3).then(|| rng.random_range(0..=queue / 2));
    let odds = match rng.random_range(0..3) {
        0 => [0; 4],
        1 => [MILLION / 100, 0, 0, 0],
        _ => [MILLION / 50; 4],
    };
    let extra = if rng.random_ratio(1, 3) { rng.random_range(0..3) * 1_000_000 } else { 0 };
    Port { untagged, vids, queue, ecn, odds, extra, seed: rng.random() }
}

/// The address of a station.
fn station(port: usize, n: u8) -> [u8; 6] {
    [2, 0, 0, 0, port as u8, n]
}

/// An address of any kind.
fn address(rng: &mut ChaCha8Rng, ports: usize) -> [u8; 6] {
    match rng.random_range(0..40) {
        0 => [0xFF; 6],
        1 => [0x33, 0x33, 0, 0, 0, 1],
        2 => [0x01, 0x80, 0xC2, 0, 0, rng.random_range(0..32)],
        3 => [2, 0xFF, rng.random(), rng.random(), 0, 0],
        _ => station(rng.random_range(0..ports), rng.random_range(0..STATIONS)),
    }
}

/// A tag, two or none: mostly what the port wants, but not always.
fn tags(rng: &mut ChaCha8Rng, port: &Port) -> Vec<u8> {
    let own = *port.vids.choose(rng).expect("a port is in a VLAN");
    let vid = match rng.random_range(0..20) {
        0 => 0,
        1 => rng.random_range(0..4_096),
        _ => own,
    };
    let [high, low] = (vid + rng.random_range(0..16) * 4_096).to_be_bytes();
    let wants = if rng.random_ratio(1, 20) { rng.random() } else { port.untagged.is_none() };
    let mut tags = if wants { vec![0x81, 0, high, low] } else { vec![] };
    if rng.random_ratio(1, 20) {
        tags.extend([0x88, 0xA8, high, low]);
    }
    tags
}

/// What a frame carries: headers of IP with ECN of all kinds, or something else.
fn payload(rng: &mut ChaCha8Rng, octets: usize) -> Vec<u8> {
    let mut rest = vec![0; octets.max(66)];
    rng.fill(&mut rest[..]);
    let kind = match rng.random_range(0..5) {
        0 => [0x08, 0x06],
        1 => {
            rest[0] = 0x60 + rest[0] % 16;
            [0x86, 0xDD]
        }
        _ => {
            let words = rng.random_range(5..16_u8);
            rest[0] = 0x40 + words;
            let sum = octets::checksum(&rest[..usize::from(words) * 4]);
            rest[10..12].copy_from_slice(&sum);
            [0x08, 0]
        }
    };
    [&kind[..], &rest].concat()
}

/// Frames that come at a port, `frames` of them: bursts at the line's rate with pauses between
/// them, many of which go to one station.
pub fn frames(rng: &mut ChaCha8Rng, ports: &[Port], own: usize, frames: usize) -> Vec<Frame> {
    let (mut at, mut all, mut favourite) = (0_u64, vec![], [2; 6]);
    while all.len() < frames {
        let burst = rng.random_range(1..60);
        // times of several ports are often the same
        at = (at + rng.random_range(0..burst * 2_000_000)).next_multiple_of(100_000);
        if rng.random() {
            favourite = address(rng, ports.len());
        }
        for _ in 0..burst {
            let to = if rng.random_ratio(3, 4) { favourite } else { address(rng, ports.len()) };
            let from = match rng.random_range(0..50) {
                0 => address(rng, ports.len()),
                _ => station(own, rng.random_range(0..STATIONS)),
            };
            let octets = if rng.random() { 1_500 } else { rng.random_range(0..1_500) };
            let data = [&to[..], &from, &tags(rng, &ports[own]), &payload(rng, octets)].concat();
            at += (data.len() as u64 + 24) * OCTET;
            all.push(Frame { at, data, bad: rng.random_ratio(1, 50) });
        }
    }
    all
}
