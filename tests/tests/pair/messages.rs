// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two devices on a link: RDMA Writes and Sends from work request to memory, judged by `tshark` on
//! the wire.
use ferrowarp_sim::{run_pair_on, seeds, MemoryTiming, Pair};
use ferrowarp_tests::device::{clock_ps, judged, library, link, random_wire, Plan, Run, Traffic};
use ferrowarp_tests::tcp_judge::Changes;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Mutex;

/// Random messages both ways between two devices. One run in six has messages of up to 100 KiB on
/// one connection, the others up to 6,000 octets on one or two, so that the frame stores hold the
/// windows.
fn mixed(pair: &mut Pair, seed: u64, markers: bool) -> Result<Run, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let long = seed.is_multiple_of(6);
    let connections = if long { 1 } else { rng.random_range(1..=2) };
    let mut numbers: Vec<u16> = (0..16).collect();
    numbers.shuffle(&mut rng);
    numbers.truncate(usize::from(connections));
    let wire = |nth| random_wire(&mut rng, seed as u16, nth, markers);
    let wires: Vec<_> = (0..connections).map(wire).collect();
    let established = wires.iter().map(|w| w.established()).collect();
    let rough = rng.random_bool(0.7);
    let plan = Plan {
        wires,
        numbers,
        timing: if rough { MemoryTiming::rough(clock_ps()) } else { MemoryTiming::steady(clock_ps()) },
        longest: if long { 102_400 } else { 6_000 },
        budget: if long { 60_000 } else { 15_000 },
    };
    pair.link.capture();
    let mut traffic = Traffic::new(pair, plan)?;
    traffic.run(pair, &mut rng)?;
    let frames = pair.link.take_captured();
    traffic.judge_captured(pair, frames.clone(), &Changes::default())?;
    Ok(Run { seed, established, fpdus: traffic.fpdus(), frames })
}

#[test]
fn mixed_messages_arrive_whole_once_and_in_order() {
    let library = library().expect("the device's model");
    let runs: Mutex<Vec<Run>> = Mutex::new(vec![]);
    for seed in seeds(0..60, 0..1_000) {
        run_pair_on("mixed_messages", &library, link(), seed, |pair| {
            let run = mixed(pair, seed, false)?;
            runs.lock().map_err(|e| e.to_string())?.push(run);
            Ok(())
        });
    }
    judged("first.pcapng", runs);
}

/// Not judged by tshark: version 4.0 loses a stream in which a marker is due exactly where an FPDU
/// ends.
#[test]
fn mixed_messages_arrive_with_markers_too() {
    let library = library().expect("the device's model");
    for seed in seeds(100..106, 100..300) {
        run_pair_on("mixed_markers", &library, link(), seed, |pair| mixed(pair, seed, true).map(drop));
    }
}
