// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bench: one instance of a model with a clock, a seeded random generator, and agents on its
//! boundaries.
//!
//! One cycle: clock low, inputs set, model settled, outputs sampled (a transfer is `valid` and
//! `ready`), clock high. A sink's `ready` never depends on what the hardware shows in the same
//! cycle.

pub(crate) mod agent;
mod attach;
mod pattern;
mod ports;
mod rate;
mod side;
mod skip;
mod still;
mod unit;
pub(crate) mod wire;

pub use pattern::Pattern;
pub use rate::Rate;
pub(crate) use side::SideBeat;
pub use side::SideFrame;
pub(crate) use still::TickPin;
pub use unit::{Frame, Item};

use crate::check::{Beat, Fields};
use crate::judge::Tape;
use crate::memory::MemoryAgent;
use crate::model::{Library, Model, PortId};
use crate::pcie::PcieAgent;
use agent::{Agent, Moment, Sink, Source};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Cycles without any transfer, with work pending, that count as a deadlock (architecture.md
/// section 5).
pub const STUCK_AFTER: u64 = 50_000;
/// Cycles of reset before a case begins.
const RESET_CYCLES: u64 = 4;

/// A frame source of a bench.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SourceId(usize);
/// A frame sink of a bench.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SinkId(usize);
/// A channel source of a bench.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ChanSrcId(usize);
/// A channel sink of a bench.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ChanSinkId(usize);

/// A host's memory behind DMA ports of a bench.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct MemoryId(usize);

/// A root complex behind the TLP streams of a bench.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RootId(usize);

/// What a re-run of a failing case records.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    /// The waveform.
    pub(crate) fst: PathBuf,
    /// First cycle of the waveform.
    pub(crate) from: u64,
}

/// The agents by kind.
#[derive(Default)]
struct Agents {
    sources: Vec<Source<Beat>>,
    sinks: Vec<Sink<Beat>>,
    chan_sources: Vec<Source<Fields>>,
    chan_sinks: Vec<Sink<Fields>>,
    memories: Vec<MemoryAgent>,
    roots: Vec<PcieAgent>,
    /// Monitors and the ends of links.
    others: Vec<Box<dyn Agent>>,
}

impl Agents {
    /// All agents, in an order that does not change: random draws must repeat with the seed.
    fn all(&mut self) -> impl Iterator<Item = &mut dyn Agent> {
        let sources = self.sources.iter_mut().map(|a| a as &mut dyn Agent);
        let sinks = self.sinks.iter_mut().map(|a| a as &mut dyn Agent);
        let chan_sources = self.chan_sources.iter_mut().map(|a| a as &mut dyn Agent);
        let chan_sinks = self.chan_sinks.iter_mut().map(|a| a as &mut dyn Agent);
        let memories = self.memories.iter_mut().map(|a| a as &mut dyn Agent);
        let roots = self.roots.iter_mut().map(|a| a as &mut dyn Agent);
        let others = self.others.iter_mut().map(|a| &mut **a as &mut dyn Agent);
        sources.chain(sinks).chain(chan_sources).chain(chan_sinks).chain(memories).chain(roots).chain(others)
    }
}

/// A model under test. Made by [`run_case`](crate::run_case), which reports what fails in it:
/// methods that return no `Result` end the case by unwinding, with a text that names port or
/// boundary and cycle.
pub struct Bench {
    model: Model,
    clock: PortId,
    reset: PortId,
    rng: ChaCha8Rng,
    cycle: u64,
    agents: Agents,
    last_transfer: u64,
    last_moved: u64,
    still: still::Still,
    /// Idle data ports have random octets.
    noise: bool,
    recording: Option<Recording>,
    log: Vec<String>,
}

/// Ends the case: `run_case` catches it. No panic message is printed here, as the case's report has
/// the text.
fn fail(text: String) -> ! {
    std::panic::resume_unwind(Box::new(text))
}

/// The value, or the end of the case.
fn must<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|e| fail(e.to_string()))
}

impl Bench {
    /// A model that runs outside a case, such as one whose peer is real. The model has been through
    /// reset. Nobody catches what methods without a `Result` unwind with, and nothing is recorded.
    /// Idle data ports are zero: random octets there would be work for parts that have none.
    pub fn live(library: &Arc<Library>, seed: u64) -> Result<Self, String> {
        Ok(Self { noise: false, ..Self::new(library.instantiate(seed), seed, None)? })
    }

    /// As [`Bench::live`], but registers and memories start at 0, and the first `most` cycles after
    /// reset are recorded for [`crate::judge`].
    pub fn recorded(library: &Arc<Library>, seed: u64, most: usize) -> Result<(Self, Tape), String> {
        let mut bench = Self::new(library.instantiate_zeroed(), seed, None)?;
        let tape = bench.tape(most);
        Ok((bench, tape))
    }

    /// Records all ports of the next `most` cycles.
    pub fn tape(&mut self, most: usize) -> Tape {
        let (tape, recorder) = Tape::on(&self.model, most);
        self.agents.others.push(recorder);
        tape
    }

    /// Takes the model through reset. The error is that of the first port that is missing or of the
    /// trace.
    pub(crate) fn new(model: Model, seed: u64, recording: Option<Recording>) -> Result<Self, String> {
        let clock = model.need("clock").map_err(|e| e.to_string())?;
        let reset = model.need("reset").map_err(|e| e.to_string())?;
        let mut bench = Self {
            model,
            clock,
            reset,
            rng: ChaCha8Rng::seed_from_u64(seed),
            cycle: 0,
            agents: Agents::default(),
            last_transfer: 0,
            last_moved: 0,
            still: still::Still::default(),
            noise: true,
            recording,
            log: vec![],
        };
        bench.pulse_reset()?;
        Ok(bench)
    }

    /// Resets the hardware in the middle of a case: queued and unfinished frames are forgotten on
    /// all agents.
    pub fn reset(&mut self) {
        must(self.pulse_reset());
    }

    fn pulse_reset(&mut self) -> Result<(), String> {
        self.model.set_u64(self.reset, 1).map_err(|e| e.to_string())?;
        for agent in self.agents.all() {
            agent.reset();
        }
        for _ in 0..RESET_CYCLES {
            self.tick(false)?;
        }
        self.model.set_u64(self.reset, 0).map_err(|e| e.to_string())
    }

    /// One clock cycle; a broken contract or a deadlock ends the case.
    pub fn step(&mut self) {
        must(self.tick(true));
    }

    /// One clock cycle; the error is a broken contract or a deadlock.
    pub(crate) fn try_step(&mut self) -> Result<(), String> {
        self.tick(true)
    }

    /// Steps until `done`, which is asked before each cycle. Returns the cycles that it took; the
    /// error is a broken contract, a deadlock, or `max_cycles` used up, with the state of all
    /// agents.
    pub fn run_until(
        &mut self,
        max_cycles: u64,
        mut done: impl FnMut(&mut Bench) -> bool,
    ) -> Result<u64, String> {
        let start = self.cycle;
        while !done(self) {
            if self.cycle - start >= max_cycles {
                return Err(format!("not done after {max_cycles} cycles\n{}", self.dump()));
            }
            self.tick(true)?;
        }
        Ok(self.cycle - start)
    }

    /// Settles the model with the clock low, so that outputs answer to what [`Bench::set`] changed,
    /// before the next edge.
    pub fn settle(&mut self) {
        self.still.ends();
        must(self.model.set_u64(self.clock, 0));
        self.model.eval();
    }

    /// One clock cycle. In reset the agents drive their ports, and nothing is judged.
    fn tick(&mut self, judged: bool) -> Result<(), String> {
        self.still.ends();
        if let Some(recording) = self.recording.as_ref().filter(|r| r.from == self.cycle) {
            self.model.trace_open(&recording.fst).map_err(|e| e.to_string())?;
        }
        self.model.set_u64(self.clock, 0).map_err(|e| e.to_string())?;
        let mut fault = None;
        let mut moved = false;
        let cycle = self.cycle;
        let log = self.recording.is_some().then_some(&mut self.log);
        let noise = self.noise;
        let mut now = Moment { model: &mut self.model, rng: &mut self.rng, cycle, noise, log };
        let mut blame = |agent: &str, why: String| {
            fault.get_or_insert_with(|| format!("cycle {cycle}, {agent}: {why}"));
        };
        for agent in self.agents.all() {
            agent.drive(&mut now).unwrap_or_else(|why| blame(agent.prefix(), why.to_string()));
        }
        now.model.eval();
        now.model.advance();
        if judged {
            for agent in self.agents.all() {
                agent.probe(&mut now).unwrap_or_else(|why| blame(agent.prefix(), why.to_string()));
                match agent.sample(&mut now) {
                    Ok(transfer) => moved |= transfer,
                    Err(why) => blame(agent.prefix(), why.to_string()),
                }
            }
        }
        self.model.set_u64(self.clock, 1).map_err(|e| e.to_string())?;
        self.model.eval();
        self.model.advance();
        self.cycle += 1;
        if let Some(fault) = fault {
            return Err(format!("{fault}\n{}", self.dump()));
        }
        self.watch_progress(moved)
    }

    /// Forward progress: a transfer anywhere, or nothing to do.
    fn watch_progress(&mut self, moved: bool) -> Result<(), String> {
        if moved {
            self.last_moved = self.cycle;
        }
        if moved || !self.agents.all().any(|a| a.pending()) {
            self.last_transfer = self.cycle;
        }
        let quiet = self.cycle - self.last_transfer;
        if quiet < STUCK_AFTER {
            return Ok(());
        }
        Err(format!("no transfer anywhere for {quiet} cycles with work pending\n{}", self.dump()))
    }

    /// Writes a waveform from now on, and ends one that is being written.
    pub fn trace(&mut self, path: &Path) -> Result<(), String> {
        self.model.trace_open(path).map_err(|e| e.to_string())
    }

    /// The state of all agents, a line each.
    pub fn dump(&mut self) -> String {
        let (agents, model) = (&mut self.agents, &self.model);
        let lines: Vec<_> = agents.all().map(|a| format!("  {}", a.state(model))).collect();
        format!("at cycle {}:\n{}", self.cycle, lines.join("\n"))
    }

    /// Cycles since power-up, reset included.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Cycles since the last transfer at any boundary.
    pub fn still_for(&self) -> u64 {
        self.cycle - self.last_moved
    }

    /// The case's random generator: all that a body draws must come from it, so that a seed repeats
    /// the case.
    pub fn rng(&mut self) -> &mut ChaCha8Rng {
        &mut self.rng
    }

    /// Lines of `frames.txt`.
    pub(crate) fn take_log(&mut self) -> Vec<String> {
        self.model.trace_close();
        std::mem::take(&mut self.log)
    }
}
