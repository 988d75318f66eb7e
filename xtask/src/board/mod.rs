// SPDX-License-Identifier: MIT OR Apache-2.0
//! `board`: what a board's folder says, judged, and its bitstream.

mod any;
mod bitstream;
mod built;
mod check;
mod device;
mod file;
mod lpf;
mod parts;
mod simulate;
mod xc7;

use crate::repo;
use crate::steps::{Step, Steps};
use crate::synth::yosys;
use any::Any;
use anyhow::{bail, Context, Result};
use built::{read, Built};
use check::Netlist;
use file::Board;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask board                                 the boards that there are\n  \
    cargo xtask board ecpix5                          emit, lint, pins, clocks, frames through the loopback design in Icarus: seconds\n  \
    cargo xtask board ecpix5 --loopback --bitstream   and the bitstream of that design: a minute\n  \
    cargo xtask board kc705                           emit, lint, and a dry run of the Vivado project: seconds\n\n\
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
    let board = Any::load(&file::folder(), name)?;
    if args.bitstream && matches!(board, Any::Xc7(_)) {
        bail!("board `{name}`: its bitstream is made by Vivado; constraints/{name}/README.md says how");
    }
    let mut steps = Steps::new(false);
    steps.run("setup", crate::setup::ensure);
    let built = steps.run(name, |step| judge_any(step, name, board)).flatten();
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
        let built = judge_any(step, &name, Any::load(&file::folder(), &name)?)?;
        if let Some(built) = built.filter(|_| name == BUILT) {
            bitstream::build(step, &name, &built)?;
        }
    }
    Ok(())
}

/// Judges a board of any family; returns its design if the bitstream can be made here.
fn judge_any(step: &Step, name: &str, board: Any) -> Result<Option<Built>> {
    match board {
        Any::Ecp5(board) => judge(step, name, *board).map(Some),
        Any::Xc7(board) => xc7::judge(step, name, &board).map(|()| None),
    }
}

fn list() -> Result<()> {
    say!("{:<12} {:<28} {:<9} {:<9} {:>9}  pins", "board", "name", "chip", "package", "core");
    for name in file::names(&file::folder())? {
        let board = Any::load(&file::folder(), &name)?.row();
        let mhz = board.clock_khz as f64 / 1e3;
        say!(
            "{name:<12} {:<28} {:<9} {:<9} {mhz:>5.2} MHz  {}",
            board.name,
            board.chip,
            board.package,
            board.pins
        );
    }
    say!("constraints/README.md says which of them were seen on hardware");
    Ok(())
}

/// Emits what the board needs and judges its Verilog, pins and clocks.
fn judge(step: &Step, name: &str, board: Board) -> Result<Built> {
    let folder = repo::target("board").join(name);
    step.note("emit");
    let mac_file = parts::emit(step, &board.profile, &board.sets(), &folder)
        .with_context(|| format!("board `{name}`"))?
        .mac_file;
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
        let Any::Ecp5(board) = Any::load(&file::folder(), BUILT).unwrap() else { panic!("an ECP5") };
        let config = crate::emit::configured(&board.profile, &board.sets()).unwrap();
        assert_eq!(config, ferrowarp_tests::rnic_1g::config());
    }
}
