// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two devices on a link that loses frames: the retransmission timer, or a fast resend, brings back
//! what was lost, of every kind of message.
use ferrowarp_abi::consts::wc_status;
use ferrowarp_sim::link::Fate;
use ferrowarp_sim::{run_pair_on, seeds, MemoryTiming, Pair, Side};
use ferrowarp_tests::device::{
    clock_ps, library, link, random_size, random_wire, units, Message, Plan, Traffic, Wire, RDMA_WRITE, SEND,
};
use ferrowarp_tests::tcp_judge::Changes;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::Cell;

/// Ticks of the shortest timeout; a tick of these runs is about ten round trips.
const RTO: u64 = 4;
/// Expiries in a row until a connection is lost: with one frame in fifty lost it never comes to
/// that.
const RETRIES: u64 = 12;
/// Cycles that a run may take: some dozens of expiries, each with its back-off.
const PATIENCE: u64 = 3_000_000;

/// Reads, Writes and Sends both ways while one frame in `one_in` is lost.
fn lossy(pair: &mut Pair, seed: u64, one_in: u32) -> Result<(), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let wire = random_wire(&mut rng, seed as u16, 0, false);
    let timing = MemoryTiming::steady(clock_ps());
    let plan = Plan { wires: vec![wire], numbers: vec![5], timing, longest: 6_000, budget: 30_000 };
    pair.link.capture();
    let mut traffic = Traffic::new(pair, plan)?;
    for bench in [&mut pair.a, &mut pair.b] {
        bench.set("rto_min", units(RTO));
        bench.set("retry_limit", RETRIES);
        // one run of three lacks some parts of it
        bench.set("recovery", if seed.is_multiple_of(3) { seed % 16 } else { 15 });
    }
    traffic.post(pair, 0, 0, Message::random(&mut rng, 16, SEND));
    traffic.until_settled(pair, 20_000)?;
    let mut fate = ChaCha8Rng::seed_from_u64(!seed);
    pair.link.set_hook(move |_| if fate.random_ratio(1, one_in) { Fate::Drop } else { Fate::Deliver });
    for _ in 0..10 {
        for from in 0..2 {
            let octets = random_size(&mut rng, 4_000);
            match rng.random_range(0..3) {
                0 => traffic.post(pair, from, 0, Message::random(&mut rng, octets, RDMA_WRITE)),
                1 => traffic.post(pair, from, 0, Message::random(&mut rng, octets, SEND)),
                _ => {
                    let payload: Vec<u8> = (0..octets).map(|_| rng.random()).collect();
                    traffic.post_read(pair, from, 0, &payload, [rng.random_range(0..9), 1]);
                }
            }
        }
        for _ in 0..rng.random_range(0..2_000) {
            traffic.step(pair);
        }
        traffic.look(pair)?;
    }
    traffic.until_settled(pair, PATIENCE)?;
    // the last Sends come behind every Write before them
    for from in 0..2 {
        traffic.post(pair, from, 0, Message::random(&mut rng, 16, SEND));
    }
    traffic.until_settled(pair, PATIENCE)?;
    // what is sent again then is no message a second time
    for _ in 0..20_000 {
        traffic.step(pair);
    }
    traffic.look(pair)?;
    traffic.judge_tcp(pair, &Changes::default())?;
    traffic.compare(pair)
}

/// Cycles from the first post to the last completion of four messages of 16 KiB, Reads or Writes,
/// while of the device that sends the octets the frames with payload of these numbers are lost. No
/// timer helps.
fn without_timer(pair: &mut Pair, reads: bool, lost: &[u64]) -> Result<u64, String> {
    const LONG: usize = 16 << 10;
    let timing = MemoryTiming::steady(clock_ps());
    let plan = Plan {
        wires: vec![Wire::plain(0, 1_500, 14)],
        numbers: vec![5],
        timing,
        longest: LONG,
        budget: 4 * LONG,
    };
    pair.link.capture();
    let mut traffic = Traffic::new(pair, plan)?;
    for bench in [&mut pair.a, &mut pair.b] {
        bench.set("rto_min", units(655));
        bench.set("retry_limit", RETRIES);
    }
    traffic.post(pair, 0, 0, Message::plain(SEND, vec![7; 16]));
    traffic.until_settled(pair, 20_000)?;
    let sender = if reads { Side::B } else { Side::A };
    let (mut nth, lost) = (0, lost.to_vec());
    pair.link.set_hook(move |sent| {
        let has_payload = sent.from == sender && sent.data.len() > 200;
        nth += u64::from(has_payload);
        if has_payload && lost.contains(&nth) {
            Fate::Drop
        } else {
            Fate::Deliver
        }
    });
    let start = pair.a.cycle();
    for n in 0..4_u8 {
        let payload: Vec<u8> = (0..LONG).map(|i| (i / 7) as u8 ^ n).collect();
        if reads {
            traffic.post_read(pair, 0, 0, &payload, [3, 1]);
        } else {
            traffic.post(pair, 0, 0, Message::plain(RDMA_WRITE, payload));
        }
    }
    traffic.until_settled(pair, 500_000)?;
    let cycles = pair.a.cycle() - start;
    // it comes behind the octets of every Write
    traffic.post(pair, 0, 0, Message::plain(SEND, vec![8; 16]));
    traffic.until_settled(pair, 20_000)?;
    traffic.compare(pair)?;
    traffic.judge_tcp(pair, &Changes::default())?;
    Ok(cycles)
}

/// A round trip and the three frames that tell of the loss are about 1,000 cycles. What leaves
/// again takes 2,000, and 1,000 more in half of the window, for which ACKs have to come.
#[test]
fn a_lost_frame_is_mended_without_a_timer() {
    let library = library().expect("the device's model");
    for reads in [false, true] {
        let took = |lost: &[u64]| {
            let cycles = Cell::new(0);
            run_pair_on("fast", &library, link(), 1, |pair| {
                cycles.set(without_timer(pair, reads, lost)?);
                Ok(())
            });
            cycles.get()
        };
        let whole = took(&[]);
        for (lost, most) in [(&[20][..], 5_000), (&[9, 30], 10_000)] {
            let more = took(lost) - whole;
            assert!(more < most, "{more} cycles for {lost:?}, reads {reads}");
        }
    }
}

#[test]
fn every_message_arrives_once_though_frames_are_lost() {
    let library = library().expect("the device's model");
    for seed in seeds(0..12, 0..300) {
        run_pair_on("lossy", &library, link(), seed, |pair| lossy(pair, seed, 50));
    }
}

#[test]
fn a_peer_that_is_gone_ends_the_connection() {
    let library = library().expect("the device's model");
    run_pair_on("peer_gone", &library, link(), 1, |pair| {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let wire = random_wire(&mut rng, 1, 0, false);
        let timing = MemoryTiming::steady(clock_ps());
        let plan = Plan { wires: vec![wire], numbers: vec![5], timing, longest: 1_000, budget: 2_000 };
        let mut traffic = Traffic::new(pair, plan)?;
        pair.a.set("rto_min", units(2));
        pair.a.set("retry_limit", 4);
        traffic.post(pair, 0, 0, Message::plain(SEND, vec![7; 16]));
        traffic.until_settled(pair, 20_000)?;
        pair.link.set_hook(|_| Fate::Drop);
        pair.link.capture();
        traffic.post(pair, 0, 0, Message::plain(RDMA_WRITE, vec![9; 300]));
        // some 2, 4, 8 and 16 ticks of 1,000 cycles, by what the round trip was
        for _ in 0..80_000 {
            traffic.step(pair);
        }
        let sent = pair.link.take_captured().len();
        if sent != 4 {
            return Err(format!("{sent} frames left, not the first one and three again"));
        }
        let [cqes, _] = traffic.hosts[0].poll(&mut pair.a);
        match &cqes[..] {
            [cqe] if cqe.status == wc_status::RETRY_EXC_ERR && cqe.error == 0 => Ok(()),
            other => Err(format!("completions {other:?}, expected one with retry_exc_err")),
        }
    });
}
