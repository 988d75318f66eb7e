// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads and writes of the edge on a bus that spoils completions, answers late or not at all, and
//! has no credits for a while.
use super::misdeeds;
use crate::campaign::covering::covering;
use crate::campaign::figures::Figures;
use crate::campaign::hardware::Trial;
use crate::campaign::part::Part;
use crate::campaign::run::Run;
use crate::pcie::{Dma, ACROSS, CLOCK_PS, HIGH, LOW, TOPS};
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::pcie::RcConfig;
use ferrowarp_sim::{Bench, Pattern};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::LazyLock;

/// Reads of a run.
const READS: usize = 300;
/// Cycles of a tick, and ticks until a read is given up: more than all reads under way take, behind
/// a link that was away twice.
const TICK: u64 = 8_000;
const TIMEOUT: u64 = 2;
/// The tag of a read that was given up rests as long again. A late answer takes a while itself.
const REST: u64 = 5 * TICK / 2;
/// Cycles without an answer that are a wedge, and those that reads at the end may take.
const WEDGED: u64 = 100_000;
const LONG: u64 = 400_000;
/// Cycles for which credits or the link are away, at most, and for which they are there again, at
/// least: all reads under way are answered in that time.
const AWAY: u64 = 5_000;
const THERE: u64 = 3_000;
/// One of so many reads is spoilt; non-posted credits; what is held.
const SPOILT: [u32; 3] = [4, 12, 60];
const CREDITS: [usize; 3] = [3, 8, 32];
const HELD: [&str; 4] = ["nothing", "reads", "the link", "both"];

static CELLS: LazyLock<Vec<Vec<usize>>> = LazyLock::new(|| covering(&[2, 3, 3, 4, 2], 2));

/// The part.
pub struct Reads;

impl Part for Reads {
    fn name(&self) -> &'static str {
        "F5-reads"
    }

    fn about(&self) -> &'static str {
        "completions that are spoilt, late or missing, and credits that are away"
    }

    fn cells(&self) -> usize {
        CELLS.len()
    }

    fn cell(&self, cell: usize) -> String {
        let row = &CELLS[cell];
        format!(
            "{}, one read of {} spoilt, {} credits, {} held for a while{}",
            TOPS[row[0]].name(),
            SPOILT[row[1]],
            CREDITS[row[2]],
            HELD[row[3]],
            if row[4] == 1 { ", ports idle at random" } else { "" }
        )
    }

    fn models(&self) -> Vec<(Top, Config)> {
        TOPS.map(|top| (top, Config::profile(Profile::Tiny))).into()
    }

    fn steps(&self, _run: &Run) -> usize {
        READS
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Figures, String> {
        let row = &CELLS[trial.run.cell];
        trial.bench((TOPS[row[0]], &Config::profile(Profile::Tiny)), |bench| {
            let mut edge = Edge::new(bench, row, trial.run.seed);
            edge.run(bench, trial.run)?;
            edge.rest(bench)?;
            let pcie_faults = bench.root(edge.dma.root).spoilt.len() as u64;
            Ok(Figures { pcie_faults, ..Default::default() })
        })
    }
}

/// The edge, and what is done to it.
struct Edge {
    dma: Dma,
    rng: ChaCha8Rng,
    reads: Vec<(u64, usize)>,
    /// Answers that came, the reads that ended with an error, and the cycle of the newest answer.
    answered: usize,
    failed: Vec<(u64, usize)>,
    moved: u64,
    /// What may be held, what is, and up to which cycle.
    may_hold: [bool; 2],
    held: [bool; 2],
    until: u64,
}

impl Edge {
    fn new(bench: &mut Bench, row: &[usize], seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mps, mrrs) = (rng.random_range(0..=2), rng.random_range(0..=2));
        let rcb = [64, 128][rng.random_range(0..2)];
        let mut config = RcConfig { mps, mrrs, rcb, ..RcConfig::rough(CLOCK_PS) };
        config.timing.read_credits = CREDITS[row[2]];
        let idle = [Pattern::None, Pattern::Random][row[4]];
        let dma = Dma::new(bench, config, idle);
        bench.set("timeout", TIMEOUT);
        let may_hold = [row[3] & 1 == 1, row[3] & 2 == 2];
        let moved = bench.cycle();
        let held = [false; 2];
        Self { dma, rng, reads: vec![], answered: 0, failed: vec![], moved, may_hold, held, until: 0 }
    }

    /// A cycle with its tick; what is held changes now and then.
    fn step(&mut self, bench: &mut Bench) -> Result<(), String> {
        let cycle = bench.cycle();
        if cycle >= self.until {
            let is_free = self.held == [false; 2];
            self.held = self.may_hold.map(|may| may && is_free && self.rng.random());
            self.hold(bench);
            let least = if self.held == [false; 2] { THERE } else { 1 };
            self.until = cycle + self.rng.random_range(least..AWAY);
        }
        bench.set("tick", u64::from(cycle.is_multiple_of(TICK)));
        self.dma.step(bench);
        for (index, answer) in self.dma.answered(bench) {
            let (addr, length) = self.reads[index];
            self.answered += 1;
            self.moved = bench.cycle();
            if answer.err {
                self.failed.push((addr, length));
            } else if answer.data != self.dma.octets(addr, length) {
                return Err(format!("I1: a read of {length} octets at {addr:#x} brings others"));
            }
        }
        // nothing counts as a wedge while the bus stands still
        if self.held != [false; 2] || self.answered == self.reads.len() {
            self.moved = bench.cycle();
        }
        match bench.cycle() - self.moved > WEDGED {
            true => Err(format!("I5: {} reads are not answered", self.reads.len() - self.answered)),
            false => Ok(()),
        }
    }

    fn hold(&self, bench: &mut Bench) {
        let [reads, link] = self.held;
        bench.hold_reads(self.dma.root, reads);
        bench.hold_link(self.dma.root, link);
    }

    /// All reads of the run, with writes beside them.
    fn run(&mut self, bench: &mut Bench, run: &Run) -> Result<(), String> {
        let one_in = SPOILT[CELLS[run.cell][1]];
        for place in (0..READS).filter(|&place| run.performs(place)) {
            let mut rng = ChaCha8Rng::seed_from_u64(run.seed ^ (place as u64 + 1) << 48);
            if rng.random_ratio(1, one_in) {
                let misdeed = misdeeds::any(&mut rng, REST);
                bench.root(self.dma.root).misbehave(rng.random_range(0..3), misdeed);
            }
            let most = [8, 64, 700, 4_096][rng.random_range(0..4)];
            let length = rng.random_range(1..=most);
            let (base, octets) = [LOW, HIGH][rng.random_range(0..2)];
            let addr = base + rng.random_range(0..=octets - length as u64);
            self.reads.push((addr, length));
            while !self.dma.ask(bench, self.reads.len() - 1, addr, length) {
                self.step(bench)?;
            }
            if rng.random_ratio(1, 4) {
                let length = rng.random_range(1..=300);
                let addr = ACROSS.0 + rng.random_range(0..=ACROSS.1 - length as u64);
                self.dma.write(bench, addr, length);
            }
            for _ in 0..rng.random_range(0..60) {
                self.step(bench)?;
            }
        }
        while self.answered < self.reads.len() {
            self.step(bench)?;
        }
        self.blamed(bench)
    }

    /// Reads end with an error because the bus spoilt them, and each read that was spoilt so that
    /// nothing can make up for it ends with an error.
    fn blamed(&self, bench: &mut Bench) -> Result<(), String> {
        let spoilt = &bench.root(self.dma.root).spoilt;
        if spoilt.len() < self.failed.len() {
            let (ends, spoilt) = (self.failed.len(), spoilt.len());
            return Err(format!("I2: {ends} reads end with an error, {spoilt} were spoilt"));
        }
        let failed = |at: u64| self.failed.iter().any(|&(addr, n)| (addr..addr + n as u64).contains(&at));
        match spoilt.iter().find(|(asked, how)| misdeeds::is_fatal(asked, *how) && !failed(asked.span().0)) {
            None => Ok(()),
            Some((asked, how)) => Err(format!(
                "I1: {how:?} to the read of {:#x}, and no read there ends with an error",
                asked.addr
            )),
        }
    }

    /// Nothing is spoilt any more: writes are in memory, all tags come back, all reads are right.
    fn rest(&mut self, bench: &mut Bench) -> Result<(), String> {
        bench.root(self.dma.root).behave();
        self.may_hold = [false; 2];
        self.held = [false; 2];
        self.hold(bench);
        for _ in 0..(2 * TIMEOUT + 3) * TICK {
            self.step(bench)?;
        }
        bench.set("tick", 0);
        self.dma.until_written(bench, WEDGED).map_err(|why| format!("I1: {why}"))?;
        if bench.get("outstanding") != 0 {
            return Err("I6: tags do not come back".into());
        }
        let reads: Vec<_> = (0..40).map(|n| (HIGH.0 + n, 2_048)).collect();
        self.dma.read_right(bench, &reads, LONG).map_err(|why| format!("I1: {why}"))
    }
}
