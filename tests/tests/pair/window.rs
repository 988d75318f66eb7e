// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two devices, one of which closes its window: the other probes, and goes on though nobody tells
//! it that the window is open again.
use ferrowarp_sim::link::Fate;
use ferrowarp_sim::{run_pair_on, seeds, MemoryTiming, Pair, Side};
use ferrowarp_tests::device::{
    clock_ps, config, library, link, rewrite, units, Message, Plan, Traffic, Wire, RDMA_WRITE, SEND,
};
use ferrowarp_tests::tcp_judge::Changes;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Ticks of the shortest timeout, and cycles of a tick of these runs.
const RTO: u64 = 6;
const TICK: u64 = 1_000;
/// Octets of a Write, and Writes, all of which are far more than what is acknowledged when the
/// window closes.
const OCTETS: usize = 3_000;
const WRITES: u8 = 12;
/// Of TCP's header in a frame of IPv4 without VLAN: the window.
const WINDOW: usize = 14 + 20 + 14;

/// A pair with one connection, whose end B says that it has this window while the flag is set, in
/// units of its scale.
fn closing(pair: &mut Pair, window: u16) -> Result<(Traffic, Arc<AtomicBool>, Changes), String> {
    let config = config();
    let wire = Wire::plain(40_000, config.mtu as u16, config.window_log2 as u32);
    let timing = MemoryTiming::steady(clock_ps());
    let plan = Plan { wires: vec![wire], numbers: vec![5], timing, longest: OCTETS, budget: 100_000 };
    pair.link.capture();
    let mut traffic = Traffic::new(pair, plan)?;
    for bench in [&mut pair.a, &mut pair.b] {
        bench.set("rto_min", units(RTO));
        bench.set("retry_limit", 3);
    }
    let closed = Arc::new(AtomicBool::new(false));
    let says = Arc::clone(&closed);
    let changes = Changes::default();
    pair.link.set_hook(changes.over(move |sent| {
        match sent.from == Side::B && says.load(Ordering::Relaxed) {
            true => Fate::Replace(rewrite(sent.data, WINDOW, window)),
            false => Fate::Deliver,
        }
    }));
    traffic.post(pair, 0, 0, Message::plain(SEND, vec![7; 16]));
    traffic.until_settled(pair, 20_000)?;
    Ok((traffic, closed, changes))
}

/// A fills what it knows of the window and waits.
fn fill(traffic: &mut Traffic, pair: &mut Pair, closed: &AtomicBool, cycles: u64) -> Result<(), String> {
    closed.store(true, Ordering::Relaxed);
    for n in 0..WRITES {
        traffic.post(pair, 0, 0, Message::plain(RDMA_WRITE, vec![n; OCTETS]));
    }
    for _ in 0..cycles {
        traffic.step(pair);
        traffic.look(pair)?;
    }
    match traffic.waiting(0, 0) {
        0 => Err("the window never closed".into()),
        _ => Ok(()),
    }
}

/// Both ends keep TCP's rules. Memory is what it has to be once what was acknowledged has gone
/// there.
fn placed(traffic: &mut Traffic, pair: &mut Pair, changes: &Changes) -> Result<(), String> {
    (0..1_000).for_each(|_| traffic.step(pair));
    traffic.judge_tcp(pair, changes)?;
    traffic.compare(pair)
}

#[test]
fn a_window_whose_opening_nobody_tells_is_found() {
    let library = library().expect("the device's model");
    for seed in seeds(0..4, 0..100) {
        run_pair_on("window_opens", &library, link(), seed, |pair| {
            let (mut traffic, closed, changes) = closing(pair, 0)?;
            // some time before the first probe
            fill(&mut traffic, pair, &closed, 3 * TICK + 200 * seed)?;
            closed.store(false, Ordering::Relaxed);
            // the round trip and its variance are part of the timeout: up to two ticks
            traffic.until_settled(pair, 2 * (RTO + 2) * TICK)?;
            placed(&mut traffic, pair, &changes)
        });
    }
}

/// Windows of 0, 128 and 640 octets: the last one gets pieces of FPDUs by a timer. Each answer to a
/// probe says that the peer lives.
#[test]
fn a_window_that_stays_closed_is_probed_and_the_connection_lives() {
    let library = library().expect("the device's model");
    for window in [0, 1, 5] {
        run_pair_on("window_stays_closed", &library, link(), window.into(), |pair| {
            let (mut traffic, closed, changes) = closing(pair, window)?;
            // probes after 6, 18, 42 and 90 ticks: more than a peer that says nothing would get
            fill(&mut traffic, pair, &closed, 95 * TICK)?;
            closed.store(false, Ordering::Relaxed);
            traffic.until_settled(pair, 100 * TICK)?;
            placed(&mut traffic, pair, &changes)
        });
    }
}

/// Octets of a window below one FPDU, in units of its scale of 7.
const SMALL: u16 = 896 >> 7;

#[test]
fn a_window_below_one_fpdu_makes_progress() {
    let library = library().expect("the device's model");
    run_pair_on("window_small", &library, link(), 0, |pair| {
        let (mut traffic, small, changes) = closing(pair, SMALL)?;
        small.store(true, Ordering::Relaxed);
        for n in 0..WRITES {
            traffic.post(pair, 0, 0, Message::plain(RDMA_WRITE, vec![n; OCTETS]));
        }
        // a piece in each wait of the timer, and the rest of its FPDU behind its ACK
        let fpdus = u64::from(WRITES) * OCTETS.div_ceil(1_440) as u64;
        traffic.until_settled(pair, fpdus * 2 * (RTO + 2) * TICK)?;
        placed(&mut traffic, pair, &changes)
    });
}
