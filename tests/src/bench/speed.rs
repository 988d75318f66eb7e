//! How fast this machine simulates: it bounds what all other benches and tests can afford.
use super::{Bar, Bench, Key, Record};
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{model, run_case_on, Frame, Pattern};
use std::time::Instant;

const KEY: &str = "sim.kcycles_per_s.bench_w64";

/// Simulated cycles of one measurement: about a second, so that starting up does not count.
const CYCLES: u64 = 1_000_000;

/// Octets of a frame: the stream is busy in nearly every cycle.
const FRAME: usize = 1_514;

/// Thousands of cycles a second of `bench_w64` with traffic and monitors.
pub fn bench() -> Bench {
    Bench { name: "sim", keys: vec![Key { name: KEY.into(), bar: Bar::Informative }], run }
}

fn run(record: &mut Record) -> Result<(), String> {
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
    record.put(KEY, CYCLES as f64 / start.elapsed().as_secs_f64() / 1_000.0);
    Ok(())
}
