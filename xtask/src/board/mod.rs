// SPDX-License-Identifier: MIT OR Apache-2.0
//! `board`: what a board's folder says, judged, and its bitstream.

mod bitstream;
mod built;
mod check;
mod device;
mod file;
mod lpf;
mod simulate;

use crate::emit;
use crate::repo;
use crate::steps::{Step, Steps};
use crate::synth::yosys;
use anyhow::{bail, Context, Result};
use built::{read, Built};
use check::Netlist;
use ferrowarp_hdl::mac::{MacPort, LONGEST};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::emitted;
use file::Board;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask board                                 the boards that there are\n  \
    cargo xtask board ecpix5                          emit, lint, pins, clocks, frames through the loopback design in Icarus: seconds\n  \
    cargo xtask board ecpix5 --loopback --bitstream   and the bitstream of that design: a minute\n\n\
    A board is a folder of constraints with a board.toml. Each port of the Verilog has one pin, no pin is there twice, each clock has a\n\
    frequency. Files go to target/board/NAME. A bitstream fails if a clock is not reached, and the error says by how much.")]
pub struct Args {
    /// Folder of the board below constraints; default: a list of all
    board: Option<String>,
    /// The design that sends back what comes, in place of the device
    #[arg(long, requires = "bitstream")]
    loopback: bool,
    /// Map, place, route and pack, by Yosys, nextpnr and ecppack
    #[arg(long, requires_all = ["board", "loopback"])]
    bitstream: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let Some(name) = &args.board else { return list() };
    let board = Board::load(&file::folder(), name)?;
    let mut steps = Steps::new(false);
    steps.run("setup", crate::setup::ensure);
    let built = steps.run(name, |step| judge(step, name, board));
    if let Some(built) = built.filter(|_| args.loopback && args.bitstream) {
        steps.run("bitstream", |step| bitstream::build(step, name, &built));
    }
    steps.finish()
}

/// The board whose bitstream each run of CI builds.
const BUILT: &str = "ecpix5";

/// Judges all boards and builds the bitstream of one: the step of `test`.
pub fn judge_all(step: &Step) -> Result<()> {
    for name in file::names(&file::folder())? {
        let built = judge(step, &name, Board::load(&file::folder(), &name)?)?;
        if name == BUILT {
            bitstream::build(step, &name, &built)?;
        }
    }
    Ok(())
}

fn list() -> Result<()> {
    say!("{:<12} {:<28} {:<9} {:<9} {:>9}  pins", "board", "name", "chip", "package", "core");
    for name in file::names(&file::folder())? {
        let board = Board::load(&file::folder(), &name)?;
        let pins: usize = board.ports.iter().map(|port| port.pins.len()).sum();
        let mhz = board.clock_khz as f64 / 1e3;
        say!("{name:<12} {:<28} {:<9} {:<9} {mhz:>5.2} MHz  {pins}", board.name, board.chip, board.package);
    }
    say!("constraints/README.md says which of them were seen on hardware");
    Ok(())
}

/// Emits what the board needs and judges its Verilog, pins and clocks.
fn judge(step: &Step, name: &str, board: Board) -> Result<Built> {
    let folder = repo::target("board").join(name);
    step.note("emit");
    let config = emit::configured(&board.profile, &board.sets())?;
    let top = Top::of(&config)?;
    if top != Top::RnicW64 {
        bail!(
            "profile {} with {:?} is no whole device: `{}` would be emitted",
            board.profile,
            board.sets(),
            top.name()
        );
    }
    let written = emit::write(&emitted(top, &config)?, &config, &folder)?;
    step.note("Verilator's lint of the device");
    device::lint(&written.verilog, top).with_context(|| format!("board `{name}`"))?;
    let mac = ferrowarp_hdl::emit::emit("mac_port", || MacPort::new(LONGEST))?;
    let mac_file = folder.join("mac_port.v");
    repo::write(&mac_file, &mac.verilog)?;
    let own = board.loopback.verilog.iter().map(|path| file::folder().join(name).join(path));
    let sources: Vec<_> = own.chain([mac_file]).collect();
    if let Some(missing) = sources.iter().find(|path| !path.is_file()) {
        bail!("board.toml names {}, which is no file", repo::shown(missing));
    }
    step.note("pins and clocks");
    repo::write(&folder.join("loopback.lpf"), &lpf::lpf(&board))?;
    let netlist = netlist(&folder, &sources)?;
    netlist.judge(&board).with_context(|| format!("board `{name}`"))?;
    let built = Built { board, folder, sources };
    step.note("frames through the pins");
    let said = simulate::run(&built).with_context(|| format!("board `{name}`"))?;
    let pins: usize = built.board.ports.iter().map(|port| port.pins.len()).sum();
    step.line(&format!("    {name}: {pins} pins, {} clocks; {said}", built.board.clocks.len()));
    Ok(built)
}

/// The flat design, read by Yosys and refused with a latch, a loop or two drivers.
fn netlist(folder: &Path, sources: &[PathBuf]) -> Result<Netlist> {
    let script = format!(
        "read_verilog -lib +/ecp5/cells_bb.v; {}; hierarchy -check -top board; proc; flatten; opt_clean; check -assert; write_json check.json",
        read(sources)
    );
    yosys::refuse_faults(&yosys::script(folder, &script)?)?;
    let file = folder.join("check.json");
    let json =
        std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", repo::shown(&file)))?;
    Netlist::parse(&json, "board")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is measured at 1 Gb/s is what the bitstream has.
    #[test]
    fn the_device_of_a_board_is_the_one_that_bench_and_tests_have() {
        let board = Board::load(&file::folder(), BUILT).unwrap();
        let config = emit::configured(&board.profile, &board.sets()).unwrap();
        assert_eq!(config, ferrowarp_tests::rnic_1g::config());
    }
}
