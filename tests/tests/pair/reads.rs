// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two devices: RDMA Reads beside Writes and Sends, from work request to memory, judged by `tshark`
//! on the wire.
use ferrowarp_sim::{run_pair_on, seeds, MemoryTiming, Pair};
use ferrowarp_tests::device::{
    clock_ps, judged, library, link, random_size, random_wire, Message, Plan, Run, Traffic, Wire, RDMA_WRITE,
    SEND,
};
use ferrowarp_tests::tcp_judge::Changes;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Mutex;

/// Octets of one host's region that a run may fill.
const BUDGET: usize = 30_000;

/// Reads, Writes and Sends in random order both ways on one connection.
fn mixed(pair: &mut Pair, seed: u64) -> Result<Run, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let wire: Wire = random_wire(&mut rng, seed as u16, 0, false);
    let timing = if seed.is_multiple_of(2) {
        MemoryTiming::rough(clock_ps())
    } else {
        MemoryTiming::steady(clock_ps())
    };
    let plan =
        Plan { wires: vec![wire], numbers: vec![seed as u16 % 16], timing, longest: 6_000, budget: BUDGET };
    pair.link.capture();
    let mut traffic = Traffic::new(pair, plan)?;
    traffic.post(pair, 0, 0, Message::random(&mut rng, 16, SEND));
    traffic.until_settled(pair, 20_000)?;
    for _ in 0..12 {
        for from in 0..2 {
            let octets = random_size(&mut rng, 6_000).min(4_000);
            match rng.random_range(0..4) {
                0 => traffic.post(pair, from, 0, Message::random(&mut rng, octets.min(2_000), RDMA_WRITE)),
                1 => traffic.post(pair, from, 0, Message::random(&mut rng, octets.min(2_000), SEND)),
                _ => {
                    let payload: Vec<u8> = (0..octets).map(|_| rng.random()).collect();
                    let gaps = [rng.random_range(0..9), rng.random_range(0..9)];
                    traffic.post_read(pair, from, 0, &payload, gaps);
                }
            }
        }
        for _ in 0..rng.random_range(0..400) {
            traffic.step(pair);
        }
        traffic.look(pair)?;
    }
    traffic.until_settled(pair, 200_000)?;
    for from in 0..2 {
        traffic.post(pair, from, 0, Message::random(&mut rng, 16, SEND));
    }
    traffic.until_settled(pair, 20_000)?;
    for _ in 0..2_000 {
        traffic.step(pair);
    }
    traffic.look(pair)?;
    traffic.compare(pair)?;
    let established = vec![wire.established()];
    let frames = pair.link.take_captured();
    traffic.judge_captured(pair, frames.clone(), &Changes::default())?;
    Ok(Run { seed, established, fpdus: traffic.fpdus(), frames })
}

#[test]
fn reads_of_every_size_come_back() {
    let library = library().expect("the device's model");
    run_pair_on("reads_of_every_size", &library, link(), 0, |pair| {
        let wire = Wire::plain(0, 1500, 14);
        let timing = MemoryTiming::steady(clock_ps());
        let plan = Plan { wires: vec![wire], numbers: vec![3], timing, longest: 70_000, budget: 200_000 };
        pair.link.capture();
        let mut traffic = Traffic::new(pair, plan)?;
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        traffic.post(pair, 0, 0, Message::random(&mut rng, 16, SEND));
        traffic.until_settled(pair, 20_000)?;
        // nothing, one octet, the most of one FPDU, one more, many FPDUs
        for octets in [0, 1, 7, 1_440, 1_441, 65_536] {
            for from in 0..2 {
                let payload: Vec<u8> = (0..octets).map(|_| rng.random()).collect();
                traffic.post_read(pair, from, 0, &payload, [3, 1]);
            }
            traffic.until_settled(pair, 60_000).map_err(|e| format!("{octets} octets: {e}"))?;
        }
        // more at once than may be under way
        for n in 0..30_usize {
            traffic.post_read(pair, n % 2, 0, &vec![n as u8; 100 * n], [0, 0]);
        }
        traffic.until_settled(pair, 100_000)?;
        traffic.judge_tcp(pair, &Changes::default())?;
        traffic.compare(pair)
    });
}

#[test]
fn reads_beside_writes_and_sends() {
    let library = library().expect("the device's model");
    let runs: Mutex<Vec<Run>> = Mutex::new(vec![]);
    for seed in seeds(0..16, 0..300) {
        run_pair_on("reads_beside", &library, link(), seed, |pair| {
            let run = mixed(pair, seed)?;
            runs.lock().map_err(|e| e.to_string())?.push(run);
            Ok(())
        });
    }
    judged("reads.pcapng", runs);
}
