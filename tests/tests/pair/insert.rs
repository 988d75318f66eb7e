// SPDX-License-Identifier: MIT OR Apache-2.0
//! `conn_insert` while segments of its 4-tuple arrive (design decision D4): each segment is either
//! in the raw receive ring, below the producer index that the answer gives, or reached the
//! connection.
use ferrowarp_abi::codec::AdminAnswer;
use ferrowarp_abi::consts::{admin_opcode, admin_status};
use ferrowarp_sim::{run_pair_on, MemoryTiming, Pair, Side};
use ferrowarp_tests::device::{
    clock_ps, config, library, link, same, stranger, Plan, RawReceives, Traffic, Wire,
};

/// Queue pair of the connection.
const QP: u16 = 6;
/// Segments on the wire around each insert; the last ones come after it.
const SEGMENTS: u32 = 24;
/// Cycles in which everything has come to rest.
const REST: u64 = 1_500;

/// A segment of one octet from A to B, `beyond` octets beyond what B expects: each that B's
/// connection sees is answered by an ACK of its own.
fn segment(wire: &Wire, beyond: u32) -> Vec<u8> {
    let [from, to] = wire.ends;
    stranger(wire, 0, from.seq_start + beyond, to.seq_start, &[beyond as u8])
}

/// B's answer to its command.
fn answered(traffic: &mut Traffic, pair: &mut Pair) -> Result<AdminAnswer, String> {
    for _ in 0..5_000 {
        traffic.step(pair);
        let answers = traffic.hosts[1].nic.answered(&mut pair.b).map_err(|e| e.to_string())?;
        if let Some((head, _)) = answers.into_iter().next() {
            same("B", "status", head.status, admin_status::DONE)?;
            return Ok(head);
        }
    }
    Err("a command was not answered".to_string())
}

#[test]
fn a_segment_is_in_the_ring_below_the_index_or_reached_the_connection() {
    let library = library().expect("the device's model");
    run_pair_on("insert_under_traffic", &library, link(), 0, |pair| {
        let config = config();
        let wire = Wire::plain(0, config.mtu as u16, config.window_log2 as u32);
        let timing = MemoryTiming::steady(clock_ps());
        let plan = Plan { wires: vec![wire], numbers: vec![QP], timing, longest: 0, budget: 0 };
        let mut traffic = Traffic::new(pair, plan)?;
        let mut ring = RawReceives::new(&mut traffic.hosts[1].nic, &mut pair.b, 5);
        answered(&mut traffic, pair)?;
        pair.link.capture();
        let (mut in_ring, mut acked) = (0, 0);
        for distance in 0..=40 {
            traffic.hosts[1].nic.command(&mut pair.b, admin_opcode::CONN_REMOVE, QP, &[]);
            answered(&mut traffic, pair)?;
            pair.link.take_captured();
            for n in 1..=SEGMENTS {
                pair.link.inject(Side::B, pair.a.cycle() * clock_ps(), segment(&wire, 8 * n));
            }
            // the first of them is at B after the link's delay of about 80 cycles
            (0..100 + distance).for_each(|_| traffic.step(pair));
            wire.insert(&mut traffic.hosts[1].nic, &mut pair.b, 1, QP);
            let index = answered(&mut traffic, pair)?.value;
            let below = |n: u32| format!("distance {distance}: {n} frames in the ring, index {index}");
            // what was written before the answer is there with it
            let nic = &traffic.hosts[1].nic;
            let early = std::iter::from_fn(|| ring.poll(nic, &mut pair.b)).count() as u32;
            same("B", &below(early), in_ring + early, index)?;
            (0..REST).for_each(|_| traffic.step(pair));
            let nic = &traffic.hosts[1].nic;
            same("B", &below(early), ring.poll(nic, &mut pair.b), None)?;
            let sent = pair.link.take_captured();
            let acks = sent.iter().filter(|f| f.from == Side::B).count() as u32;
            same("B", &format!("distance {distance}: segments found"), early + acks, SEGMENTS)?;
            (in_ring, acked) = (in_ring + early, acked + acks);
        }
        // both kinds there were, or the test saw nothing
        if in_ring == 0 || acked == 0 {
            return Err(format!("{in_ring} segments in the ring, {acked} at the connection"));
        }
        Ok(())
    });
}
