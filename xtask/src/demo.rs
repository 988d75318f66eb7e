//! `demo`: two whole devices in simulation, what they exchanged, and what tshark says about the wire between them.
use crate::{emit, repo, setup, steps::Steps, synth};
use anyhow::{anyhow, ensure, Context, Result};
use ferrowarp_hdl::top::Top;
use ferrowarp_tests::demo::{self, Judged, Shown};
use ferrowarp_tests::device;
use std::panic::catch_unwind;
use std::path::Path;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask demo\n  \
    wireshark target/demo/first.pcapng\n\n\
    Installs what is missing, builds the simulation of a device from its emitted Verilog (a minute or two, once), joins\n\
    two of them by a link of 10 Gb/s, exchanges an RDMA Write of 64 KiB and 10 Sends, compares both memories, and has\n\
    tshark read the capture.")]
pub struct Args {}

pub fn run(_: &Args) -> Result<()> {
    let mut steps = Steps::new(false);
    let capture = repo::target("demo").join("first.pcapng");
    steps.run("setup", setup::ensure);
    let model = steps.run("model of the device", |step| {
        step.note("Rust-HDL to Verilog, Verilator, C++: a minute or two if it is not there yet");
        device::library().context("no model of the device").map(drop)
    });
    let verilog = steps.run("the device's Verilog, read by Yosys", |_| verilog());
    let shown = model.and_then(|()| steps.run("two devices on a link", |_| exchange(&capture)));
    let judged = shown.as_ref().and_then(|shown| {
        steps.run("tshark", |_| demo::judge(&capture, shown.fpdus).map_err(|why| anyhow!(why)))
    });
    if let Some(shown) = &shown {
        print_stages(shown);
        println!("\ncapture of both ports: {}", repo::shown(&capture));
    }
    if let Some(judged) = &judged {
        print_judgement(judged);
    }
    if let Some(verilog) = &verilog {
        println!("{verilog}");
    }
    steps.finish()?;
    let faults = judged.map_or_else(Vec::new, |judged| judged.faults);
    ensure!(faults.is_empty(), "tshark finds faults in {}:\n{}", repo::shown(&capture), faults.join("\n"));
    Ok(())
}

/// Writes the Verilog that is simulated to `target/demo`, and has Yosys look for what simulates but cannot be built.
fn verilog() -> Result<String> {
    let config = device::config();
    let emitted = Top::DeviceW64.emit(&config)?;
    let files = emit::write(&emitted, &config, &repo::target("demo"))?;
    synth::latch_check(&emitted)?;
    let (lines, path) = (emitted.verilog.lines().count(), repo::shown(&files.verilog));
    Ok(format!(
        "Verilog: {} modules, {lines} lines in {path}; Yosys: no latch, double driver or loop",
        emitted.modules
    ))
}

/// Runs both devices; a failing run panics with its seed, waveform and repro line.
fn exchange(capture: &Path) -> Result<Shown> {
    let folder = capture.parent().context("the capture is in a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let seen = catch_unwind(|| demo::run(capture)).map_err(|_| anyhow!("the run failed, see above"))?;
    seen.map_err(|why| anyhow!(why))
}

/// Prints a line for each stage: simulated time and goodput.
fn print_stages(shown: &Shown) {
    let width = shown.stages.iter().map(|s| s.what.len()).max().unwrap_or(0);
    println!("\n{:<width$} {:>8} {:>12} {:>10}", "stage", "octets", "simulated us", "Gb/s");
    for stage in &shown.stages {
        let us = stage.ps as f64 / 1e6;
        let (octets, goodput) = match stage.octets {
            0 => ("-".into(), "-".into()),
            octets => (octets.to_string(), format!("{:.2}", stage.goodput())),
        };
        println!("{:<width$} {octets:>8} {us:>12.2} {goodput:>10}", stage.what);
    }
    println!("\nmemory: {} octets of both hosts compared, all as they must be", shown.compared);
}

/// Prints what tshark counted.
fn print_judgement(judged: &Judged) {
    let s = &judged.summary;
    println!("tshark: {} frames, {} with TCP, {} with MPA", s.frames, s.count("tcp"), s.count("iwarp_mpa"));
    println!("tshark: {} CRCs of FPDUs good, {} bad", s.crc.good, s.crc.bad);
    println!("tshark: {} checksums good, {} bad", s.checksums.good, s.checksums.bad);
    println!("tshark: {} complaints, malformed layers among them", judged.faults.len());
}
