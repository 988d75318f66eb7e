// SPDX-License-Identifier: MIT OR Apache-2.0
//! A receive that is read late delays the Sends of its own queue pair, and no other's.
use ferrowarp_sim::{run_pair_on, MemoryTiming, Pair};
use ferrowarp_tests::device::{clock_ps, library, link, units, Message, Plan, Traffic, Wire, SEND};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Queue pairs, the one whose receives are late, and host B, whose ring is slow.
const ALL: u16 = 16;
const SLOW: usize = 5;
const B: usize = 1;
/// Nanoseconds of a slow read, and of one that is never answered.
const LATE: u64 = 20_000;
const NEVER: u64 = u64::MAX;
/// Sends of each of the others, their octets, and how many of them may wait.
const SENDS: usize = 24;
const OCTETS: usize = 1_000;
const AHEAD: usize = 4;
/// Octets of a Send of the slow queue pair.
const SHORT: usize = 64;
/// Ticks of the shortest timeout, and expiries in a row until a connection is lost.
const RTO: u64 = 8;
const RETRIES: u64 = 12;

fn plan() -> Plan {
    let wires = (0..ALL).map(|nth| Wire::plain(nth, 1500, 14)).collect();
    let timing = MemoryTiming::steady(clock_ps());
    Plan { wires, numbers: (0..ALL).collect(), timing, longest: OCTETS, budget: 200_000 }
}

/// A Send of the slow queue pair, which puts in place what is there: it may come or not.
fn post_slow(traffic: &mut Traffic, pair: &mut Pair) {
    let at = traffic.hosts[B].used();
    let payload = traffic.hosts[B].expected[at..at + SHORT].to_vec();
    traffic.post(pair, 0, SLOW, Message::plain(SEND, payload));
}

/// Cycles that the others' Sends take beside a ring whose reads take `ns` more, for which `slow`
/// Sends wait.
fn others(pair: &mut Pair, ns: u64, slow: usize) -> Result<u64, String> {
    let mut traffic = Traffic::new(pair, plan())?;
    for bench in [&mut pair.a, &mut pair.b] {
        bench.set("rto_min", units(RTO));
        bench.set("retry_limit", RETRIES);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for nth in 0..usize::from(ALL) {
        traffic.post(pair, 0, nth, Message::random(&mut rng, 16, SEND));
    }
    traffic.until_settled(pair, 50_000)?;
    let (base, log2) = (traffic.hosts[B].qps[SLOW].row.rq_base, traffic.hosts[B].qps[SLOW].row.rq_log2);
    pair.b.host(traffic.hosts[B].nic.memory).delay(base, 32 << log2, ns);
    traffic.may_fail = (ns == NEVER).then_some(SLOW);
    let start = pair.a.cycle();
    let mut left = [SENDS; ALL as usize];
    left[SLOW] = 0;
    let owes = |t: &Traffic| (0..usize::from(ALL)).any(|nth| nth != SLOW && t.waiting(0, nth) > 0);
    while left.iter().any(|&n| n > 0) || owes(&traffic) {
        for (nth, left) in left.iter_mut().enumerate() {
            if *left > 0 && traffic.waiting(0, nth) < AHEAD {
                traffic.post(pair, 0, nth, Message::plain(SEND, vec![nth as u8; OCTETS]));
                *left -= 1;
            }
        }
        while traffic.waiting(0, SLOW) < slow {
            post_slow(&mut traffic, pair);
        }
        (0..20).for_each(|_| traffic.step(pair));
        traffic.look(pair)?;
        if pair.a.cycle() - start > 2_000_000 {
            return Err(format!("not in 2000000 cycles: {left:?} left"));
        }
    }
    let cycles = pair.a.cycle() - start;
    if ns != NEVER {
        traffic.until_settled(pair, 3_000_000)?;
    }
    (0..2_000).for_each(|_| traffic.step(pair));
    traffic.look(pair)?;
    traffic.compare(pair)?;
    Ok(cycles)
}

fn timed(name: &str, ns: u64, slow: usize) -> u64 {
    let library = library().expect("the device's model");
    let cycles = std::sync::Mutex::new(0);
    run_pair_on(name, &library, link(), 0, |pair| {
        *cycles.lock().map_err(|e| e.to_string())? = others(pair, ns, slow)?;
        Ok(())
    });
    cycles.into_inner().expect("the case did not panic")
}

#[test]
fn a_slow_ring_takes_less_than_a_tenth_of_the_others_rate() {
    let without = timed("no_slow_ring", 0, 2);
    for (name, ns, slow) in [("slow_ring", LATE, 2), ("dead_ring", NEVER, 2), ("crowded_ring", LATE, 12)] {
        let with = timed(name, ns, slow);
        assert!(10 * without >= 9 * with, "{name}: {with} cycles for the others' Sends, {without} without");
    }
}
