//! How fast this machine simulates: it bounds what all other benches and tests can afford.
//!
//! - `sim.kcycles_per_s.bench_w64`: thousands of cycles a second of a small top with traffic and monitors.
//! - `sim.kcycles_per_s.10g`: of the whole device (`rnic_w64`, profile `10g` with 16 queue pairs) with its root complex, without
//!   monitors, while frames of a stranger come in at the full rate of its stream.
//! - `sim.host_instructions_per_cycle`: instructions of a cycle of that, of model and bench, by callgrind: the same in each run with
//!   the same compilers.
use super::{Bar, Bench, Key, Record};
use crate::device::config;
use crate::rnic::Rnic;
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::pcie::RcConfig;
use ferrowarp_sim::{model, run_case_on, Bench as Sim, Frame, Library, Pattern};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

const SMALL: &str = "sim.kcycles_per_s.bench_w64";
const DEVICE: &str = "sim.kcycles_per_s.10g";
const INSTRUCTIONS: &str = "sim.host_instructions_per_cycle";

/// Simulated cycles of the small top: about a second, so that starting up does not count.
const CYCLES: u64 = 1_000_000;
/// Simulated cycles of the device: some seconds.
const DEVICE_CYCLES: u64 = 60_000;
/// Simulated cycles under callgrind, which is fifty times as slow.
const COUNTED: u64 = 2_000;

/// Octets of a frame: the stream is busy in nearly every cycle.
const FRAME: usize = 1_514;
/// Cycles of such a frame.
const BEATS: u64 = FRAME.div_ceil(8) as u64;

/// Thousands of cycles a second, instructions of a cycle.
pub fn bench() -> Bench {
    let key = |name: &str| Key { name: name.into(), bar: Bar::Informative };
    Bench { name: "sim", keys: [SMALL, DEVICE, INSTRUCTIONS].map(key).into(), run }
}

fn run(record: &mut Record) -> Result<(), String> {
    record.put(SMALL, small()?);
    let library = model(Top::RnicW64, &config()).map_err(|e| e.to_string())?;
    let mut device = Device::new(&library)?;
    let start = Instant::now();
    device.cycles_measured(DEVICE_CYCLES);
    record.put(DEVICE, DEVICE_CYCLES as f64 / start.elapsed().as_secs_f64() / 1_000.0);
    record.put(INSTRUCTIONS, counted(library.file())? / COUNTED as f64);
    Ok(())
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

/// The device, ready, with nobody who knows it.
struct Device {
    bench: Sim,
    nic: Rnic,
    frame: Vec<u8>,
}

impl Device {
    fn new(library: &Arc<Library>) -> Result<Self, String> {
        let mut bench = Sim::live(library, 1)?;
        let nic = Rnic::new(&mut bench, RcConfig::steady(crate::rnic::CLOCK_PS));
        nic.ready(&mut bench)?;
        // IPv4 and TCP without options, of a connection that nobody has; checksums that are wrong are computed as well
        let mut frame = vec![0x5a; FRAME];
        frame[12..16].copy_from_slice(&[8, 0, 0x45, 0]);
        frame[16..18].copy_from_slice(&(FRAME as u16 - 14).to_be_bytes());
        frame[23] = 6;
        Ok(Self { bench, nic, frame })
    }

    /// What is measured. Callgrind counts in the function of this name.
    #[inline(never)]
    fn cycles_measured(&mut self, cycles: u64) {
        for n in 0..cycles {
            if n.is_multiple_of(BEATS) {
                self.bench.send(self.nic.rx, Frame::good(self.frame.clone()));
            }
            self.bench.step();
        }
    }
}

/// Runs what callgrind is to count, on a model that was built before: nothing is elaborated.
pub fn cycles_of(file: &Path) -> Result<(), String> {
    let library = Library::built(file).map_err(|e| e.to_string())?;
    Device::new(&library)?.cycles_measured(COUNTED);
    Ok(())
}

/// Instructions of [`COUNTED`] cycles, by this very program under callgrind.
fn counted(model: &Path) -> Result<f64, String> {
    let own = std::env::current_exe().map_err(|e| format!("cannot find this program: {e}"))?;
    let mut program = Command::new(own);
    program.args(["bench", "--cycles-of"]).arg(model);
    super::driver::callgrind(&program, "cycles_measured").map(|(total, _)| total)
}
