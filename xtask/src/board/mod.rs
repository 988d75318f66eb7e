// SPDX-License-Identifier: MIT OR Apache-2.0
//! `board`: what a board's folder says, judged, and its bitstream.

mod any;
pub mod bench;
mod bitstream;
mod built;
mod check;
mod device;
mod file;
mod flash;
mod lpf;
mod pack;
mod parts;
mod record;
mod report;
mod simulate;
mod whole;
mod xc7;

use crate::repo;
use crate::steps::{Step, Steps};
use any::Any;
use anyhow::{bail, Context, Result};
use built::{read, Built};
use check::Netlist;
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::rgmii::BoardText;
use file::Board;
use flash::Load;
use record::Placed;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask board                                 the boards that there are\n  \
    cargo xtask board ecpix5                          emit, lint, pins, clocks, frames through the loopback design in Icarus: seconds\n  \
    cargo xtask board ecpix5 --loopback --bitstream   and the bitstream of that design: a minute\n  \
    cargo xtask board ecpix5 --bitstream              the bitstream of the device: an hour or two\n  \
    cargo xtask board ecpix5 --flash                  load the bitstream to the board, by openFPGALoader\n  \
    cargo xtask board kc705                           emit, lint, and a dry run of the Vivado project: seconds\n\n\
    A board is a folder of constraints with a board.toml. Each port of the Verilog has one pin, no pin is there twice, each clock has a\n\
    frequency. Files go to target/board/NAME. A bitstream fails if a clock is not reached, and the error says by how much.")]
pub struct Args {
    /// Folder of the board below constraints; default: a list of all
    board: Option<String>,
    /// The design that sends back what comes, in place of the device
    #[arg(long)]
    loopback: bool,
    /// Map, place, route and pack, by Yosys, nextpnr and ecppack; the device's figures are written
    /// to docs/synth/NAME.placed.txt
    #[arg(long, requires = "board")]
    bitstream: bool,
    /// Load a bitstream that was made, by openFPGALoader
    #[arg(long, requires = "board", conflicts_with = "bitstream")]
    flash: bool,
    /// Print the command of --flash and do not run it
    #[arg(long, requires = "flash")]
    dry_run: bool,
}

pub fn run(args: &Args) -> Result<()> {
    if args.loopback && !args.bitstream && !args.flash {
        bail!("--loopback chooses a design of --bitstream or --flash: give one of the two");
    }
    let Some(name) = &args.board else { return list() };
    let board = Any::load(&file::folder(), name)?;
    if (args.bitstream || args.flash) && matches!(board, Any::Xc7(_)) {
        bail!("board `{name}`: its bitstream is made and loaded by Vivado; constraints/{name}/README.md says how");
    }
    if let (true, Any::Ecp5(board)) = (args.flash, &board) {
        let folder = &repo::target("board").join(name);
        let load = Load { name, board, folder, loopback: args.loopback, dry_run: args.dry_run };
        say!("{}", load.run(&std::env::var_os("PATH").unwrap_or_default())?);
        return Ok(());
    }
    let mut steps = Steps::new(false);
    steps.run("setup", crate::setup::ensure);
    let built = steps.run(name, |step| judge_any(step, name, board)).flatten();
    if let Some(built) = built.filter(|_| args.bitstream) {
        steps.run("bitstream", |step| match args.loopback {
            true => bitstream::loopback(step, name, &built),
            false => bitstream::whole(step, name, &built),
        });
    }
    steps.finish()
}

/// What a simulation of a board at its pins needs.
pub struct Pinned {
    /// The board's own Verilog.
    pub text: BoardText,
    /// The device's numbers.
    pub config: Config,
}

/// The whole design of a board with an RGMII PHY, for a simulation.
///
/// # Errors
/// A board that is not there, is no ECP5, or lacks a file.
pub fn pinned(name: &str) -> Result<Pinned> {
    let Any::Ecp5(board) = Any::load(&file::folder(), name)? else {
        bail!("board `{name}` has no RGMII pins that are simulated; boards of family ecp5 have");
    };
    let mut verilog = String::new();
    for file in board.whole.files(name)? {
        verilog +=
            &std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", repo::shown(&file)))?;
    }
    let config = crate::emit::configured(&board.profile, &board.sets())?;
    Ok(Pinned { text: BoardText { clock_port: board.oscillator, verilog }, config })
}

/// The board whose bitstream each run of CI builds.
const BUILT: &str = "ecpix5";

/// Judges all boards and builds the bitstream of one: the step of `test`.
pub fn judge_all(step: &Step) -> Result<()> {
    for name in file::names(&file::folder())? {
        let built = judge_any(step, &name, Any::load(&file::folder(), &name)?)?;
        if let Some(built) = built.filter(|_| name == BUILT) {
            bitstream::loopback(step, &name, &built)?;
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

/// Emits what the board needs and judges the Verilog of both designs, pins and clocks.
fn judge(step: &Step, name: &str, board: Board) -> Result<Built> {
    judged(step, name, board).with_context(|| format!("board `{name}`"))
}

fn judged(step: &Step, name: &str, board: Board) -> Result<Built> {
    let folder = repo::target("board").join(name);
    step.note("emit");
    let parts = parts::emit(step, Top::CarriedW64, &board.profile, &board.sets(), &folder)?;
    let loopback = [board.loopback.files(name)?, vec![parts.mac_file.clone()]].concat();
    let built = Built { whole: board.whole.files(name)?, board, folder, loopback, parts };
    step.note("pins and clocks");
    repo::write(&built.folder.join(bitstream::PINS), &lpf::lpf(&built.board))?;
    Netlist::read(&built.folder, &read(&built.loopback))?.judge(&built.board).context("loopback design")?;
    whole::judge(&built).context("whole design")?;
    step.note("frames through the pins");
    let said = simulate::run(&built)?;
    let pins: usize = built.board.ports.iter().map(|port| port.pins.len()).sum();
    step.line(&format!("    {name}: {pins} pins, {} clocks; {said}", built.board.clocks.len()));
    if Placed::load(name)?.is_some_and(|placed| record::hash(&built).is_ok_and(|hash| hash != placed.hash)) {
        let file = repo::shown(&record::file(name));
        step.line(&format!("    {file} is of other Verilog: `board {name} --bitstream` records anew"));
    }
    Ok(built)
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
