// SPDX-License-Identifier: MIT OR Apache-2.0
//! DDP receive on emitted Verilog against its model: random messages, rates, what holds what.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, Pattern};
use ferrowarp_tests::ddp_model::{tagged, untagged, Receive, Scatter};
use ferrowarp_tests::ddp_rx::{quiet, Pauses, Rx, PAIRS};
use ferrowarp_tests::mr::Region;
use rand::seq::IndexedRandom;
use rand::Rng;
use std::collections::VecDeque;

/// Octets of a region of a queue pair.
const SPAN: u64 = 1 << 20;

/// Region of queue pair `qp` that the peer may write, and the one of its receives.
fn regions(bench: &mut Bench, rx: &mut Rx, qp: u8) -> Result<[Region; 2], String> {
    let skew = bench.rng().random_range(0..8_192);
    let base = (u64::from(qp) << 32) + skew;
    let pd = 100 + u16::from(qp);
    let key = qp ^ 0x5A;
    let writes = Region {
        to_base: bench.rng().random_range(0..u64::MAX - 2 * SPAN),
        ..Region::writable(base, SPAN, pd, key)
    };
    let to_base = bench.rng().random_range(0..u64::MAX - 2 * SPAN);
    let receives =
        Region { base: base + 2 * SPAN, local_write: true, remote_write: false, to_base, ..writes };
    rx.region(bench, 2 * u32::from(qp) + 1, writes)?;
    rx.region(bench, 2 * u32::from(qp) + 2, receives)?;
    Ok([writes, receives])
}

/// STag of one of those regions.
fn stag(qp: u8, which: u32) -> u32 {
    (2 * u32::from(qp) + 1 + which) << 8 | u32::from(qp ^ 0x5A)
}

/// A queue pair set up with its regions.
fn pair(bench: &mut Bench, rx: &mut Rx, qp: u8) -> Result<[Region; 2], String> {
    rx.set_up(bench, qp, 100 + u16::from(qp), 7 * u16::from(qp))?;
    regions(bench, rx, qp)
}

/// A receive of these lengths, its scatters one after the other with gaps from `at` on.
fn receive(qp: u8, index: u32, at: &mut u64, lengths: &[u32]) -> Receive {
    let scatters = lengths.iter().map(|&length| {
        let to = *at;
        *at += u64::from(length) + 3;
        Scatter { to, length, key: stag(qp, 1) }
    });
    Receive { index, scatters: scatters.collect() }
}

fn octets(bench: &mut Bench, n: usize) -> Vec<u8> {
    (0..n).map(|_| bench.rng().random()).collect()
}

/// Segments of a message of random length: RDMA Writes, or Sends for which a receive is posted.
fn message(
    bench: &mut Bench,
    rx: &mut Rx,
    qp: u8,
    msn: &mut u32,
    at: &mut u64,
    writes: &Region,
) -> Vec<Vec<u8>> {
    let length = match bench.rng().random_range(0..4) {
        0 => bench.rng().random_range(0..20),
        1 => bench.rng().random_range(0..3_000),
        _ => bench.rng().random_range(0..300),
    };
    let data = octets(bench, length);
    let cut = *[16, 61, 512, 1_442].choose(bench.rng()).unwrap_or(&64);
    let count = data.len().div_ceil(cut).max(1);
    let piece = |i: usize| &data[(i * cut).min(data.len())..((i + 1) * cut).min(data.len())];
    if bench.rng().random() {
        let to = writes.to_base + bench.rng().random_range(0..SPAN - 3_000);
        return (0..count)
            .map(|i| tagged(0, stag(qp, 0), to + (i * cut) as u64, i + 1 == count, piece(i)))
            .collect();
    }
    *msn += 1;
    let spare = bench.rng().random_range(0..3);
    let mut lengths = vec![data.len() as u32 + spare];
    for _ in 0..bench.rng().random_range(0..3) {
        let last = lengths.pop().unwrap_or_default();
        let first = bench.rng().random_range(0..=last);
        lengths.extend([first, last - first]);
    }
    let index = bench.rng().random();
    rx.post(qp, receive(qp, index, at, &lengths));
    let opcode = *[3, 5].choose(bench.rng()).unwrap_or(&3);
    (0..count).map(|i| untagged(opcode, 0, *msn, (i * cut) as u32, i + 1 == count, piece(i))).collect()
}

#[test]
fn random_messages_of_several_queue_pairs() {
    for seed in seeds(1..7, 1..120) {
        run_case("ddp_rx-random", Top::DdpRxW64, seed, |bench| {
            let mut pattern = || *Pattern::ALL.choose(bench.rng()).unwrap_or(&Pattern::None);
            let pauses = Pauses { idle: pattern(), stall: pattern() };
            let mut rx = Rx::new(bench, pauses)?;
            let mut queues = vec![];
            for qp in [0, 3, 9, 15] {
                let [writes, receives] = pair(bench, &mut rx, qp)?;
                let (mut msn, mut at) = (0, receives.to_base);
                let mut queue = VecDeque::new();
                for _ in 0..12 {
                    queue.extend(message(bench, &mut rx, qp, &mut msn, &mut at, &writes));
                }
                queues.push((qp, queue));
            }
            while !queues.is_empty() {
                let i = bench.rng().random_range(0..queues.len());
                match queues[i].1.pop_front() {
                    Some(ulpdu) => rx.send(bench, queues[i].0, 0, &ulpdu),
                    None => drop(queues.swap_remove(i)),
                }
            }
            rx.check(bench)?;
            assert!(rx.model.faults.is_empty() && rx.model.completions.len() > 8);
            Ok(())
        });
    }
}

#[test]
fn random_faults_stop_their_queue_pair_alone() {
    for seed in seeds(1..7, 1..120) {
        run_case("ddp_rx-garbage", Top::DdpRxW64, seed, |bench| {
            let mut pattern = || *Pattern::ALL.choose(bench.rng()).unwrap_or(&Pattern::None);
            let pauses = Pauses { idle: pattern(), stall: pattern() };
            let mut rx = Rx::new(bench, pauses)?;
            let mut pairs = vec![];
            for qp in 0..PAIRS {
                let [writes, receives] = pair(bench, &mut rx, qp)?;
                pairs.push((qp, writes, 0, receives.to_base, VecDeque::<Vec<u8>>::new()));
            }
            for _ in 0..250 {
                let i = bench.rng().random_range(0..pairs.len());
                let (qp, writes, msn, at, queue) = &mut pairs[i];
                let mut ulpdu = queue.pop_front().unwrap_or_else(|| {
                    queue.extend(message(bench, &mut rx, *qp, msn, at, writes));
                    queue.pop_front().unwrap_or_default()
                });
                let mut verdict = 0;
                if bench.rng().random_bool(0.04) {
                    match bench.rng().random_range(0..4) {
                        // garbage of any length
                        0 => {
                            let length = bench.rng().random_range(14..80);
                            ulpdu = octets(bench, length);
                        }
                        // garbage behind a good version
                        1 => {
                            let length = bench.rng().random_range(14..80);
                            ulpdu = octets(bench, length);
                            ulpdu[0] = ulpdu[0] & !3 | 1;
                            ulpdu[1] = ulpdu[1] & 0x3F | 0x40;
                        }
                        // one bit of a header
                        2 => {
                            let bit = bench.rng().random_range(0..8 * ulpdu.len().min(18));
                            ulpdu[bit / 8] ^= 1 << (bit % 8);
                        }
                        _ => verdict = bench.rng().random_range(1..6),
                    }
                }
                rx.send(bench, *qp, verdict, &ulpdu);
            }
            rx.check(bench)?;
            assert!(rx.faults.len() > 2, "{} faults", rx.faults.len());
            Ok(())
        });
    }
}

#[test]
fn two_runs_of_garbage_write_nothing() {
    for seed in seeds(1..3, 1..40) {
        run_case("ddp_rx-noise", Top::DdpRxW64, seed, |bench| {
            let mut rx = Rx::new(bench, Pauses::NONE)?;
            for round in 0..2 {
                for qp in 0..PAIRS {
                    pair(bench, &mut rx, qp)?;
                    let length = bench.rng().random_range(18..200);
                    let mut ulpdu = octets(bench, length);
                    if round == 1 {
                        ulpdu[..2].copy_from_slice(&[0xC1, 0x40]);
                    }
                    rx.send(bench, qp, 0, &ulpdu);
                }
                rx.check(bench)?;
            }
            assert!(rx.memory.is_empty() && rx.faults.len() >= 30, "{} faults", rx.faults.len());
            Ok(())
        });
    }
}

/// Beats a cycle on the ULPDU side, and cycles a segment on that of placement, with `count`
/// segments of `payload` octets each, made by `make`.
fn rate(
    bench: &mut Bench,
    rx: &mut Rx,
    count: usize,
    make: impl Fn(u32, u64) -> Vec<u8>,
) -> Result<(f64, f64), String> {
    bench.restart_rates();
    for i in 0..count {
        let ulpdu = make(i as u32 + 1, 4_096 * i as u64);
        rx.send(bench, 1, 0, &ulpdu);
    }
    rx.check(bench)?;
    let place = bench.sink_rate(rx.place);
    Ok((bench.source_rate(rx.input).beats_per_cycle(), place.cycles() as f64 / count as f64))
}

#[test]
fn long_writes_flow_a_beat_a_cycle() {
    quiet("rate-write", |bench, rx| {
        let [w, _] = pair(bench, rx, 1)?;
        let to = w.to_base;
        let long = rate(bench, rx, 60, |_, at| tagged(0, stag(1, 0), to + at, true, &[7; 1_446]))?;
        assert!(long.0 >= 0.97, "{:.4} beats a cycle", long.0);
        for payload in [8, 64, 256] {
            let make = |_, at| tagged(0, stag(1, 0), to + at, true, &vec![7; payload]);
            let cycles = rate(bench, rx, 60, make)?.1;
            assert!(cycles <= 5.0 + payload as f64 / 8.0, "{payload}: {cycles} cycles each");
        }
        Ok(())
    });
}

#[test]
fn long_sends_flow_nearly_a_beat_a_cycle() {
    quiet("rate-send", |bench, rx| {
        let [_, r] = pair(bench, rx, 1)?;
        let mut at = r.to_base;
        for (n, payload) in [(40, 1_442_u32), (40, 64)].into_iter().enumerate() {
            for i in 0..payload.0 {
                rx.post(1, receive(1, i, &mut at, &[payload.1]));
            }
            let first = 40 * n as u32;
            let make = |i, _| untagged(3, 0, first + i, 0, true, &vec![9; payload.1 as usize]);
            let beats = rate(bench, rx, 40, make)?.0;
            assert!(beats >= if n == 0 { 0.97 } else { 0.9 }, "{beats:.4} beats a cycle");
        }
        Ok(())
    });
}

#[test]
fn the_first_octet_of_a_write_leaves_soon() {
    quiet("latency", |bench, rx| {
        let [w, _] = pair(bench, rx, 1)?;
        let start = bench.cycle();
        rx.send(bench, 1, 0, &tagged(0, stag(1, 0), w.to_base, true, &[1; 64]));
        while rx.placed.is_empty() && bench.cycle() < start + 100 {
            rx.run(bench, 1)?;
        }
        let cycles = bench.cycle() - start;
        assert!(cycles <= 40, "{cycles} cycles");
        rx.check(bench)
    });
}

#[test]
fn a_completion_follows_its_octets() {
    quiet("order", |bench, rx| {
        let [w, r] = pair(bench, rx, 4)?;
        let mut at = r.to_base;
        rx.post(4, receive(4, 1, &mut at, &[100, 100]));
        rx.send(bench, 4, 0, &tagged(0, stag(4, 0), w.to_base, true, &[5; 600]));
        rx.send(bench, 4, 0, &untagged(3, 0, 1, 0, true, &[6; 150]));
        bench.hold_sink(rx.place, true);
        rx.run(bench, 400)?;
        assert!(rx.completions.is_empty() && rx.memory.is_empty());
        bench.hold_sink(rx.place, false);
        rx.check(bench)?;
        assert_eq!(rx.completions[0].1, rx.placed.len(), "frames before the completion");
        Ok(())
    });
}

#[test]
fn dead_queue_pairs_take_nothing_and_hold_nobody() {
    quiet("dead", |bench, rx| {
        let [w, _] = pair(bench, rx, 2)?;
        let [v, r] = pair(bench, rx, 3)?;
        let mut at = r.to_base;
        bench.set("ddp_dead", 1 << 3);
        rx.post(3, receive(3, 1, &mut at, &[100]));
        if let Some(pair) = rx.model.pairs.get_mut(&3) {
            pair.stopped = true;
        }
        for i in 0..20 {
            rx.send(bench, 2, 0, &tagged(0, stag(2, 0), w.to_base + 100 * i, true, &[1; 100]));
            rx.send(bench, 3, 0, &tagged(0, stag(3, 0), v.to_base, true, &[2; 900]));
            rx.send(bench, 3, 0, &untagged(3, 0, 1, 0, true, &[2; 90]));
            rx.send(bench, 3, 1, &[]);
        }
        rx.check(bench)?;
        bench.set("ddp_dead", 0);
        // a new stream of it begins with MSN 1
        pair(bench, rx, 3)?;
        let mut at = rx.model.regions.0[&8].to_base;
        rx.post(3, receive(3, 2, &mut at, &[100]));
        rx.send(bench, 3, 0, &untagged(3, 0, 1, 0, true, &[2; 90]));
        rx.check(bench)
    });
}
