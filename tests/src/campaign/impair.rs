// SPDX-License-Identifier: MIT OR Apache-2.0
//! F1: two devices on a wire that loses, holds back, doubles and spoils frames, in each way that
//! connections may look. All messages arrive whole and once.

mod cell;
mod wire;

use super::covering::covering;
use super::figures::Figures;
use super::hardware::Trial;
use super::part::Part;
use super::run::Run;
use crate::device::{
    clock_ps, config, link, random_size, units, Message, Plan, Traffic, RDMA_WRITE, SEND, SEND_SOLICITED,
};
use cell::Factors;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::link::LinkStats;
use ferrowarp_sim::{LinkConfig, MemoryTiming, Pair, Side};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::LazyLock;

/// Factors that meet in all values somewhere.
const STRENGTH: usize = 3;
/// Messages of a run, the longest, and how many of a direction of a connection may wait.
const MESSAGES: usize = 90;
const LONGEST: usize = 6_000;
const AHEAD: usize = 8;
/// Ticks of the shortest timeout, and expiries in a row until a connection is lost: it never comes
/// to that.
const RTO: u64 = 4;
const RETRIES: u64 = 14;
/// Cycles without a completion that are a wedge: eight expiries of which each waits twice as long
/// as the one before.
const WEDGED: u64 = 1_500_000;
/// Cycles of the first messages, before anything is spoilt.
const FIRST: u64 = 200_000;
/// Cycles behind the last completion: what is sent again then is no message a second time.
const QUIET: u64 = 20_000;

static CELLS: LazyLock<Vec<Vec<usize>>> = LazyLock::new(|| covering(&Factors::SIZES, STRENGTH));

/// The part.
pub struct Impairment;

impl Part for Impairment {
    fn name(&self) -> &'static str {
        "F1"
    }

    fn about(&self) -> &'static str {
        "a wire that loses, reorders, doubles and spoils frames"
    }

    fn cells(&self) -> usize {
        CELLS.len()
    }

    fn cell(&self, cell: usize) -> String {
        Factors::of(&CELLS[cell]).to_string()
    }

    fn steps(&self, _run: &Run) -> usize {
        MESSAGES
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Figures, String> {
        let factors = Factors::of(&CELLS[trial.run.cell]);
        let link = LinkConfig { delay_ns: factors.delay_ns.unwrap_or(link().delay_ns), ..link() };
        trial.pair((Top::DeviceW64, &config()), link, |pair| {
            let mut impaired = Impaired::new(pair, &factors, trial.run.seed)?;
            impaired.run(pair, trial.run)?;
            let spoilt = |s: LinkStats| s.dropped + s.damaged + s.duplicated + s.delayed;
            let impaired_frames = Side::BOTH.map(|side| spoilt(pair.link.stats(side))).iter().sum();
            let connections = factors.connections as u64;
            Ok(Figures {
                completions: impaired.completions,
                connections,
                impaired_frames,
                ..Default::default()
            })
        })
    }
}

struct Impaired {
    traffic: Traffic,
    connections: usize,
    /// Cycle of the newest completion.
    moved: u64,
    completions: u64,
}

impl Impaired {
    /// Both devices with their connections, each used once, and then the wire as it is to be.
    fn new(pair: &mut Pair, factors: &Factors, seed: u64) -> Result<Self, String> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let timing = match factors.is_rough {
            true => MemoryTiming::rough(clock_ps()),
            false => MemoryTiming::steady(clock_ps()),
        };
        let connections = factors.connections;
        let wires = (0..connections).map(|nth| factors.wire(&mut rng, seed, nth)).collect();
        let numbers = (0..connections as u16).map(|nth| (nth + seed as u16) % config().qps as u16).collect();
        let budget = MESSAGES * LONGEST;
        let mut traffic = Traffic::new(pair, Plan { wires, numbers, timing, longest: LONGEST, budget })?;
        for bench in [&mut pair.a, &mut pair.b] {
            bench.set("rto_min", units(RTO));
            bench.set("retry_limit", RETRIES);
            // one run of three lacks some parts of it
            bench.set("recovery", if seed.is_multiple_of(3) { seed / 3 % 16 } else { 15 });
        }
        // the initiator speaks first, as RFC 5044 section 7.1.3 has it
        for nth in 0..connections {
            traffic.post(pair, 0, nth, Message::random(&mut rng, 16, SEND));
        }
        traffic.until_settled(pair, FIRST)?;
        pair.link.set_hook(wire::hook(factors, !seed));
        Ok(Self { traffic, connections, moved: pair.a.cycle(), completions: 0 })
    }

    /// The messages of a run, whole and once.
    fn run(&mut self, pair: &mut Pair, run: &Run) -> Result<(), String> {
        for place in (0..MESSAGES).filter(|&place| run.performs(place)) {
            // each step has draws of its own, so that the others stay as they are without it
            let mut rng = ChaCha8Rng::seed_from_u64(run.seed ^ (place as u64 + 1) << 48);
            self.message(pair, &mut rng)?;
        }
        // a Send each way comes behind every Write, signaled or not
        for nth in 0..self.connections {
            for from in 0..2 {
                self.traffic.post(pair, from, nth, Message::plain(SEND, vec![from as u8; 16]));
            }
        }
        self.until(pair, |traffic| traffic.settled())?;
        for _ in 0..QUIET {
            self.traffic.step(pair);
        }
        self.traffic.look(pair).map_err(|why| format!("I2: {why}"))?;
        self.traffic.compare(pair).map_err(|why| format!("I1: {why}"))
    }

    fn message(&mut self, pair: &mut Pair, rng: &mut ChaCha8Rng) -> Result<(), String> {
        let (from, nth) = (rng.random_range(0..2), rng.random_range(0..self.connections));
        self.until(pair, |traffic| traffic.waiting(from, nth) < AHEAD)?;
        let octets = random_size(rng, LONGEST);
        match rng.random_range(0..6) {
            0 => {
                let payload: Vec<u8> = (0..octets).map(|_| rng.random()).collect();
                let gaps = [rng.random_range(0..9), rng.random_range(0..9)];
                self.traffic.post_read(pair, from, nth, &payload, gaps);
            }
            1 => self.traffic.post(pair, from, nth, Message::random(rng, octets, SEND_SOLICITED)),
            2 | 3 => self.traffic.post(pair, from, nth, Message::random(rng, octets, SEND)),
            _ => self.traffic.post(pair, from, nth, Message::random(rng, octets, RDMA_WRITE)),
        }
        let end = pair.a.cycle() + rng.random_range(0..600);
        while pair.a.cycle() < end {
            self.step(pair)?;
        }
        Ok(())
    }

    /// Some cycles, and the completions that came.
    fn step(&mut self, pair: &mut Pair) -> Result<(), String> {
        for _ in 0..16 {
            self.traffic.step(pair);
        }
        let before = self.traffic.owed_completions();
        self.traffic.look(pair).map_err(|why| format!("I2: {why}"))?;
        let came = before - self.traffic.owed_completions();
        self.completions += came as u64;
        if came > 0 || before == 0 {
            self.moved = pair.a.cycle();
        }
        Ok(())
    }

    /// Steps until something is so; nothing that is owed may come for too long.
    fn until(&mut self, pair: &mut Pair, done: impl Fn(&Traffic) -> bool) -> Result<(), String> {
        while !done(&self.traffic) {
            self.step(pair)?;
            if pair.a.cycle() > self.moved + WEDGED {
                return Err(format!(
                    "I5: {} completions are owed, none came for {WEDGED} cycles",
                    self.traffic.owed_completions()
                ));
            }
        }
        Ok(())
    }
}
