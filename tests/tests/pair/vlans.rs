// SPDX-License-Identifier: MIT OR Apache-2.0
//! A connection belongs to a VLAN and to a station (IEEE 802.1Q; RFC 1122 section 3.3.6): its next
//! segment in another VLAN, or to a group of stations, is neither placed nor acknowledged.
use ferrowarp_sim::link::Fate;
use ferrowarp_sim::{run_pair_on, MemoryTiming, Pair, Side};
use ferrowarp_tests::device::{
    addressed, clock_ps, config, library, link, same, tagged, Message, Plan, RawReceives, Traffic, Wire,
    RDMA_WRITE,
};

/// Cycles in which a segment that is taken is long placed and acknowledged.
const REST: u64 = 2_000;
/// Octets that the segment writes.
const OCTETS: usize = 200;
/// All stations, and a group of them.
const GROUPS: [[u8; 6]; 2] = [[0xFF; 6], [1, 0, 0x5E, 0, 0, 1]];

/// A frame comes to B; afterwards, whether its octets are in B's memory, and the frames that B sent
/// meanwhile.
fn injected(traffic: &mut Traffic, pair: &mut Pair, frame: Vec<u8>) -> (bool, usize) {
    pair.link.take_captured();
    pair.link.inject(Side::B, pair.a.cycle() * clock_ps(), frame);
    (0..REST).for_each(|_| traffic.step(pair));
    let last = traffic.hosts[1].used() - 1;
    (traffic.hosts[1].holds(&mut pair.b, last), pair.link.take_captured().len())
}

/// A's segment with a Write is lost on a connection with this tag, and comes in each of these ways
/// in turn; only the last of them is right.
fn judged(run: u16, vlan: Option<u16>, wrong: &[Option<u16>], right: &[Option<u16>]) {
    let library = library().expect("the device's model");
    run_pair_on(&format!("vlans_{run}"), &library, link(), 0, |pair| {
        let config = config();
        let wire = Wire { vlan, ..Wire::plain(run, config.mtu as u16, config.window_log2 as u32) };
        let timing = MemoryTiming::steady(clock_ps());
        let plan = Plan { wires: vec![wire], numbers: vec![3], timing, longest: OCTETS, budget: 4 * OCTETS };
        pair.link.set_hook(|sent| if sent.from == Side::A { Fate::Drop } else { Fate::Deliver });
        let mut traffic = Traffic::new(pair, plan)?;
        let mut ring = RawReceives::new(&mut traffic.hosts[1].nic, &mut pair.b, 5);
        for right in right {
            pair.link.capture();
            pair.link.take_captured();
            let payload = traffic.hosts[1].inverse(OCTETS);
            traffic.post(pair, 0, 0, Message::plain(RDMA_WRITE, payload));
            (0..REST).for_each(|_| traffic.step(pair));
            let lost = pair.link.take_captured();
            same("A", "frames sent", lost.len(), 1)?;
            let lost = &lost[0].data;
            for tci in wrong {
                let what = format!("(placed, ACKs) of a segment tagged {tci:?}");
                same("B", &what, injected(&mut traffic, pair, tagged(lost, *tci)), (false, 0))?;
            }
            for group in GROUPS {
                let what = format!("(placed, ACKs) of a segment to {group:02x?}");
                let frame = addressed(tagged(lost, *right), group);
                same("B", &what, injected(&mut traffic, pair, frame), (false, 0))?;
            }
            let what = format!("(placed, ACKs) of the segment tagged {right:?}");
            same("B", &what, injected(&mut traffic, pair, tagged(lost, *right)), (true, 1))?;
        }
        // what is nobody's does not reach firmware either
        same("B", "raw frame", ring.poll(&traffic.hosts[1].nic, &mut pair.b), None)?;
        traffic.compare(pair)
    });
}

#[test]
fn a_connection_in_a_vlan() {
    // priority and drop eligibility may differ
    judged(0, Some(0x2005), &[Some(6), None, Some(0), Some(0x105)], &[Some(5), Some(0xF005)]);
}

#[test]
fn a_connection_in_no_vlan() {
    // a tag with VID 0 has a priority alone
    judged(1, None, &[Some(6), Some(0x800), Some(1)], &[None, Some(0), Some(0xE000)]);
}

#[test]
fn a_connection_with_a_priority() {
    judged(2, Some(0xA000), &[Some(6)], &[Some(0xA000), None]);
}
