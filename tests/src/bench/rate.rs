// SPDX-License-Identifier: MIT OR Apache-2.0
//! Message rates of two whole devices on a link of 10 Gb/s: RDMA Writes of 64 octets in one
//! direction.
//!
//! The devices, the link and the memories are those of `first`. Each Write has one segment and a
//! completion. One queue pair has [`DEEP`] Writes posted, each of sixteen has [`DEEP_OF_MANY`].
//! Each completion is followed by a post, so no send queue runs dry. The rate counts completions in
//! millions a second of simulated time. The first [`BEFORE`] do not count. Both halves of those
//! that count must have the same rate within [`STEADY`]. In the end both memories are compared with
//! what was written.
//!
//! - `rate.write64.qp1`: one queue pair.
//! - `rate.write64.qp16`: sixteen queue pairs at once.
//!
//! The bars are below what was measured: 0.989 and 3.789.
use super::key::{Bar, Bench, Key, Record};
use crate::device::{clock_ps, config, library, link, Message, Plan, Traffic, Wire, RDMA_WRITE};
use ferrowarp_sim::{run_pair_on, MemoryTiming, Pair};
use std::cell::Cell;

/// Writes that are posted at once: of one queue pair, whose send queue has 256 slots, and of each
/// of sixteen.
const DEEP: usize = 192;
const DEEP_OF_MANY: usize = 32;
/// Queue pairs, Writes of each that are posted at once, key, and the least rate.
const LOADS: [(u16, usize, &str, f64); 2] =
    [(1, DEEP, "rate.write64.qp1", 0.9), (16, DEEP_OF_MANY, "rate.write64.qp16", 3.2)];

/// Octets of a Write.
const OCTETS: usize = 64;
/// Completions before the first that counts.
const BEFORE: usize = 1_000;
/// Completions of each half of what counts.
const HALF: usize = 1_500;
/// How far the halves may differ.
const STEADY: f64 = 0.01;
/// Cycles that a Write may take at most, about three times what one queue pair needs.
const PATIENCE: u64 = 600;

/// Rates of short Writes.
pub fn bench() -> Bench {
    let key = |(_, _, name, least): (_, _, &str, _)| Key { name: name.into(), bar: Bar::AtLeast(least) };
    Bench { name: "rate", keys: LOADS.map(key).into(), run }
}

fn run(record: &mut Record) -> Result<(), String> {
    let library = library().map_err(|e| e.to_string())?;
    for (queue_pairs, deep, key, _) in LOADS {
        let rate = Cell::new(f64::NAN);
        run_pair_on(key, &library, link(), 1, |pair| {
            rate.set(measure(pair, queue_pairs, deep)?);
            Ok(())
        });
        record.put(key, rate.get());
    }
    Ok(())
}

/// Millions of Writes a second from A to B.
fn measure(pair: &mut Pair, queue_pairs: u16, deep: usize) -> Result<f64, String> {
    let c = config();
    let writes = BEFORE + 2 * HALF + usize::from(queue_pairs) * deep;
    let wire = |nth| Wire::plain(nth, c.mtu as u16, c.window_log2 as u32);
    let plan = Plan {
        wires: (0..queue_pairs).map(wire).collect(),
        numbers: (0..queue_pairs).collect(),
        timing: MemoryTiming::steady(clock_ps()),
        longest: OCTETS,
        budget: writes * OCTETS,
    };
    let mut traffic = Traffic::new(pair, plan)?;
    let mut posted = 0;
    // cycles at which so many were completed
    let mut at = [0; 3];
    for (completed, cycle) in [BEFORE, BEFORE + HALF, BEFORE + 2 * HALF].into_iter().zip(&mut at) {
        *cycle = until_completed(pair, &mut traffic, (queue_pairs, deep), &mut posted, completed)?;
    }
    traffic.until_settled(pair, PATIENCE * writes as u64)?;
    traffic.compare(pair)?;
    // a million a second is one each 10^6 ps
    let rate = |from: u64, to: u64, count: usize| count as f64 * 1e6 / ((to - from) * clock_ps()) as f64;
    let halves = [rate(at[0], at[1], HALF), rate(at[1], at[2], HALF)];
    match (halves[0] / halves[1] - 1.0).abs() < STEADY {
        true => Ok(rate(at[0], at[2], 2 * HALF)),
        false => Err(format!("the rate is not steady: {} M/s, then {} M/s", halves[0], halves[1])),
    }
}

/// Keeps `deep` Writes of each queue pair posted until `completed` of all were completed; the cycle
/// then.
fn until_completed(
    pair: &mut Pair,
    traffic: &mut Traffic,
    (queue_pairs, deep): (u16, usize),
    posted: &mut usize,
    completed: usize,
) -> Result<u64, String> {
    let end = pair.a.cycle() + PATIENCE * completed as u64;
    loop {
        let mut waiting = 0;
        for nth in 0..usize::from(queue_pairs) {
            for _ in traffic.waiting(0, nth)..deep {
                let message = Message::plain(RDMA_WRITE, traffic.hosts[1].inverse(OCTETS));
                traffic.post(pair, 0, nth, message);
                *posted += 1;
            }
            waiting += traffic.waiting(0, nth);
        }
        if *posted - waiting >= completed {
            return Ok(pair.a.cycle());
        }
        if pair.a.cycle() >= end {
            return Err(format!("{} of {completed} Writes are completed in time", *posted - waiting));
        }
        traffic.step(pair);
        traffic.look(pair)?;
    }
}
