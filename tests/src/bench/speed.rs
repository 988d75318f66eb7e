// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast this machine simulates: it bounds what all other benches and tests can afford. A cycle
//! is one of one whole device (`rnic_w64`, profile `10g` with 16 queue pairs) with its root complex
//! and its link; software and peer are a recording ([`crate::recorded`]). Cycles that are passed
//! over count as well.
//!
//! - `sim.host_instructions_per_cycle.tour`, `.line`: instructions of a cycle, of model and bench,
//!   by callgrind.
//! - `sim.cycles.tour`, `.line`: cycles of the load. Its work is their product with the figure
//!   above.
//! - `sim.kcycles_per_s.tour`, `.line`: thousands of cycles a second of wall time;
//!   `sim.kcycles_per_s.bench_w64`: of a small top with monitors.
//! - `sim.idle_10s_wall_s`: wall seconds of 10 s of device time in which nothing happens, two
//!   devices and an open connection, behind the time for which they wait for software; the least of
//!   three, as other work on the machine only adds.
//! - `sim.pair_speedup`: wall time of the load `line` between two devices on one thread, over that
//!   on two threads.
//! - `sim.load`: how many processes wanted a core meanwhile, beside which figures of wall time are
//!   to be read.
use super::key::{Bar, Bench, Key, Record};
use crate::device::config;
use crate::recorded::{idle, line, tour, wall, Load};
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::rnic::{wire, Replay};
use ferrowarp_sim::{model, paths, run_case_on, Frame, Library, Pattern};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

const SMALL: &str = "sim.kcycles_per_s.bench_w64";
const IDLE: &str = "sim.idle_10s_wall_s";
const SPEEDUP: &str = "sim.pair_speedup";
const LOAD: &str = "sim.load";

/// A recorded load: its name, what a cycle may take of instructions, and how it is made.
struct Recorded {
    name: &'static str,
    most: f64,
    make: fn() -> Result<Load, String>,
}

const RECORDED: [Recorded; 2] = [
    // A tour that also waits, in cycles that cost little, has a lower figure for the same work. Six
    // recordings of one tree had 45,190 to 46,330: the higher ones beside other work.
    Recorded { name: "tour", most: 47_000.0, make: tour },
    Recorded { name: "line", most: 49_700.0, make: || line(WRITES) },
];

/// Writes each way of the load `line`.
const WRITES: usize = 4;
/// Simulated cycles of the small top: about a second, so that starting up does not count.
const CYCLES: u64 = 1_000_000;
/// Octets of a frame of the small top: its stream is busy in nearly every cycle.
const FRAME: usize = 1_514;

fn speed(name: &str) -> String {
    format!("sim.kcycles_per_s.{name}")
}

fn length(name: &str) -> String {
    format!("sim.cycles.{name}")
}

fn instructions(name: &str) -> String {
    format!("sim.host_instructions_per_cycle.{name}")
}

/// Thousands of cycles a second, instructions of a cycle.
pub fn bench() -> Bench {
    let told = |name: String| Key { name, bar: Bar::Informative };
    let mut keys = vec![told(SMALL.into()), told(LOAD.into()), told(SPEEDUP.into())];
    keys.push(Key { name: IDLE.into(), bar: Bar::AtMost(1.0) });
    for load in RECORDED {
        keys.push(told(length(load.name)));
        keys.push(told(speed(load.name)));
        keys.push(Key { name: instructions(load.name), bar: Bar::AtMost(load.most) });
    }
    Bench { name: "sim", keys, run }
}

fn run(record: &mut Record) -> Result<(), String> {
    record.put(SMALL, small()?);
    let library = model(Top::RnicW64, &config()).map_err(|e| e.to_string())?;
    for load in RECORDED {
        let made = (load.make)()?;
        let file = keep(load.name, &made)?;
        let mut device = Device::new(&library, made)?;
        let start = Instant::now();
        let cycles = device.cycles_measured()?;
        record.put(length(load.name), cycles as f64);
        record.put(speed(load.name), cycles as f64 / start.elapsed().as_secs_f64() / 1_000.0);
        record.put(instructions(load.name), counted(library.file(), &file)? / cycles as f64);
    }
    let tries = [(); 3].map(|()| idle());
    let least = tries.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().min().unwrap_or_default();
    record.put(IDLE, least.as_secs_f64());
    let [stepped, blocks] = [true, false].map(|lock_step| wall(WRITES, lock_step));
    record.put(SPEEDUP, stepped?.as_secs_f64() / blocks?.as_secs_f64());
    record.put(LOAD, wanted()?);
    Ok(())
}

/// Processes that wanted a core in the last minute, on average.
fn wanted() -> Result<f64, String> {
    let text = std::fs::read_to_string("/proc/loadavg").map_err(|e| format!("/proc/loadavg: {e}"))?;
    let first = text.split_whitespace().next().and_then(|n| n.parse().ok());
    first.ok_or_else(|| format!("/proc/loadavg has `{text}`"))
}

fn small() -> Result<f64, String> {
    // Built ahead: compiling is not simulating.
    let library = model(Top::BenchW64, &Config::profile(Profile::Tiny)).map_err(|e| e.to_string())?;
    let start = Instant::now();
    run_case_on("speed", &library, 1, |bench| {
        let source = bench.source("skid_rx", Pattern::None);
        let sink = bench.sink("skid_tx", Pattern::None);
        for _ in 0..CYCLES / 1_000 {
            for _ in 0..1_000 / (FRAME as u64 / 8) {
                bench.send(source, Frame::good(vec![0x5a; FRAME]));
            }
            (0..1_000).for_each(|_| bench.step());
            bench.received(sink);
        }
        Ok(())
    });
    Ok(CYCLES as f64 / start.elapsed().as_secs_f64() / 1_000.0)
}

/// Writes a load to a file.
fn keep(name: &str, load: &Load) -> Result<PathBuf, String> {
    let file = paths::target().join(format!("bench.{name}.json"));
    let text = serde_json::to_string(load).map_err(|e| e.to_string())?;
    std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(file)
}

/// The device before its load begins.
struct Device {
    replay: Replay,
    from: u64,
    until: u64,
}

impl Device {
    fn new(library: &Arc<Library>, Load { recording, from }: Load) -> Result<Self, String> {
        let until = recording.cycles();
        let mut replay = Replay::new(library, wire(&config()), recording, true)?;
        replay.run(from)?;
        Ok(Self { replay, from, until })
    }

    /// What is measured; its cycles. Callgrind counts in the function of this name.
    #[inline(never)]
    fn cycles_measured(&mut self) -> Result<u64, String> {
        self.replay.run(self.until)?;
        Ok(self.until - self.from)
    }
}

/// Runs what callgrind is to count, on a model that was built and a load that was recorded before:
/// nothing is elaborated.
pub fn cycles_of(file: &Path, load: &Path) -> Result<(), String> {
    let library = Library::built(file).map_err(|e| e.to_string())?;
    let text = std::fs::read_to_string(load).map_err(|e| format!("{}: {e}", load.display()))?;
    let load = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", load.display()))?;
    Device::new(&library, load)?.cycles_measured().map(drop)
}

/// Instructions of a load, by this very program under callgrind.
fn counted(model: &Path, load: &Path) -> Result<f64, String> {
    let own = std::env::current_exe().map_err(|e| format!("cannot find this program: {e}"))?;
    let mut program = Command::new(own);
    program.args(["bench", "--cycles-of"]).args([model, load]);
    super::driver::callgrind(&program, "cycles_measured").map(|(total, _)| total)
}
