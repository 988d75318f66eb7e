// SPDX-License-Identifier: MIT OR Apache-2.0
//! The raw receive ring under rubbish at line rate and a slow reader: what firmware lives on gets
//! through.
use ferrowarp_sim::{run_pair_on, MemoryTiming, Side};
use ferrowarp_tests::device::{addressed, clock_ps, library, link, same, Plan, RawReceives, Traffic, Wire};
use ferrowarp_tests::net_rx_frames::{ethernet, ip_packet, Tuple};

/// log2 of the ring's slots, and cycles in which the reader takes one frame.
const LOG2: u8 = 3;
const PACE: u64 = 2_000;
/// Frames of rubbish in so many cycles: what 10 Gb/s carry of the shortest.
const RUBBISH: u64 = 95;
const CYCLES: u64 = 1_000;
/// Frames that matter, and cycles between two.
const WANTED: u64 = 6;
const APART: u64 = 3_000;
/// Cycles from the wire to the reader's hands: all frames that may stand before one in the ring,
/// and what comes with it.
const BOUND: u64 = PACE * ((1 << LOG2) + 1);

/// ARP and ICMPv6 come to the reader under a flood of UDP.
fn under_flood(name: &str, wanted: impl Fn(u8) -> Vec<u8> + Send + Sync) {
    let library = library().expect("the device's model");
    run_pair_on(name, &library, link(), 0, |pair| {
        let wire = Wire::plain(0, 1500, 14);
        let timing = MemoryTiming::steady(clock_ps());
        let plan = Plan { wires: vec![wire], numbers: vec![0], timing, longest: 0, budget: 0 };
        let mut traffic = Traffic::new(pair, plan)?;
        let mut ring = RawReceives::new(&mut traffic.hosts[1].nic, &mut pair.b, LOG2);
        let tuple = Tuple {
            source: vec![10, 0, 0, 1],
            destination: vec![10, 0, 0, 2],
            source_port: 9,
            destination_port: 9,
        };
        let udp =
            addressed(ethernet(None, 0x0800, &ip_packet(&tuple, &[], 17, &[0x55; 20]), 0), wire.ends[1].mac);
        let (mut sent, mut came) = (vec![], vec![]);
        let most = 4 * CYCLES + WANTED * APART + BOUND;
        for at in 0..most {
            if at % CYCLES == 0 {
                (0..RUBBISH)
                    .for_each(|_| pair.link.inject(Side::B, pair.a.cycle() * clock_ps(), udp.clone()));
            }
            if at > 4 * CYCLES && at % APART == APART / 2 && (sent.len() as u64) < WANTED {
                let frame = wanted(sent.len() as u8);
                pair.link.inject(Side::B, pair.a.cycle() * clock_ps(), frame.clone());
                sent.push(frame);
            }
            traffic.step(pair);
            if at % PACE == 0 {
                let got = ring.poll(&traffic.hosts[1].nic, &mut pair.b);
                came.extend(got.filter(|frame| *frame != udp));
            }
        }
        same("B", "frames that came", came.len(), sent.len())?;
        same("B", "what came", came, sent)?;
        Ok(())
    });
}

#[test]
fn arp_gets_through() {
    under_flood("raw_arp", |n| addressed(ethernet(None, 0x0806, &[n; 28], 0), [0xFF; 6]));
}

#[test]
fn neighbour_discovery_gets_through() {
    let tuple = Tuple { source: vec![1; 16], destination: vec![2; 16], source_port: 0, destination_port: 0 };
    under_flood("raw_nd", |n| {
        addressed(
            ethernet(None, 0x86DD, &ip_packet(&tuple, &[], 58, &[n; 32]), 0),
            [0x33, 0x33, 0xFF, 0, 0, 2],
        )
    });
}
