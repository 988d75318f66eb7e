// SPDX-License-Identifier: MIT OR Apache-2.0
//! Payload that is read late, or never, delays its own queue pair only: a whole device with sixteen
//! of them.
use ferrowarp_sim::{run_pair_on, MemoryTiming, Pair};
use ferrowarp_tests::device::{
    clock_ps, library, link, random_wire, Message, Plan, Traffic, RDMA_WRITE, SEND,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::cell::Cell;

/// Queue pairs, and the one whose payload is late.
const QPS: usize = 16;
const LATE: usize = 7;
/// Writes of each, and octets of one.
const WRITES: usize = 4;
const OCTETS: usize = 6_000;
/// Nanoseconds by which late reads are late.
const LATE_NS: u64 = 20_000;

/// Writes of all queue pairs; those of one are read late.
fn writes(pair: &mut Pair, ns: Option<u64>) -> Result<Traffic, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let wires = (0..QPS as u16).map(|nth| random_wire(&mut rng, 0, nth, false)).collect();
    let plan = Plan {
        wires,
        numbers: (0..QPS as u16).collect(),
        timing: MemoryTiming::steady(clock_ps()),
        longest: OCTETS,
        budget: QPS * WRITES * OCTETS,
    };
    let mut traffic = Traffic::new(pair, plan)?;
    for nth in 0..QPS {
        traffic.post(pair, 0, nth, Message::plain(SEND, vec![1; 16]));
    }
    traffic.until_settled(pair, 60_000)?;
    for n in 0..WRITES {
        // the late one comes first
        for nth in (0..QPS).map(|i| (i + LATE) % QPS) {
            let payload = (0..OCTETS).map(|i| (i * 7 + n + nth) as u8).collect();
            traffic.post(pair, 0, nth, Message::plain(RDMA_WRITE, payload));
            if let (LATE, Some(ns)) = (nth, ns) {
                let host = &traffic.hosts[0];
                let at = host.base + (host.used() - OCTETS) as u64;
                pair.a.host(host.nic.memory).delay(at, OCTETS as u64, ns);
            }
        }
    }
    Ok(traffic)
}

/// Cycles until the Writes of the others are complete.
fn others(name: &str, ns: Option<u64>) -> u64 {
    let took = Cell::new(0);
    let library = library().expect("the device's model");
    run_pair_on(name, &library, link(), 0, |pair| {
        let mut traffic = writes(pair, ns)?;
        let start = pair.a.cycle();
        while (0..QPS).any(|nth| nth != LATE && traffic.waiting(0, nth) > 0) {
            if pair.a.cycle() - start > 300_000 {
                return Err("completions of the others are owed".into());
            }
            traffic.step(pair);
            traffic.look(pair)?;
        }
        took.set(pair.a.cycle() - start);
        if ns == Some(u64::MAX) {
            return if traffic.waiting(0, LATE) == WRITES { Ok(()) } else { Err("it was not late".into()) };
        }
        traffic.until_settled(pair, 300_000)?;
        traffic.compare(pair)
    });
    took.get()
}

#[test]
fn late_payload_delays_its_own_queue_pair_only() {
    let prompt = others("late_reads_none", None);
    for (name, ns) in [("late_reads", LATE_NS), ("late_reads_never", u64::MAX)] {
        let took = others(name, Some(ns));
        assert!(
            10 * prompt >= 9 * took,
            "{name}: {took} cycles for the others' Writes, {prompt} beside a payload that is prompt"
        );
    }
}
