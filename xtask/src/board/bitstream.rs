// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a board's Verilog to its bitstream.
use super::built::{read, Built};
use super::file::Board;
use super::pack::pack;
use super::record::{self, Placed};
use super::report::Report;
use crate::benchfile::{self, Figures};
use crate::steps::Step;
use crate::synth::{carried, nextpnr, yosys};
use crate::{child, repo, setup};
use anyhow::{bail, Context, Result};
use std::process::Command;
use std::slice::from_ref;

/// The name of the whole design's files.
pub const WHOLE: &str = "whole";
/// The name of the loopback design's files.
pub const LOOPBACK: &str = "loopback";
/// Preferences of both designs.
pub const PINS: &str = "pins.lpf";

/// Maps, places, routes and packs the loopback design of board `name`. The clocks and the size go
/// to `target/bench.json` as `board.<name>.loopback.*`.
///
/// # Errors
/// A tool that fails, or a clock that is not reached.
pub fn loopback(step: &Step, name: &str, built: &Built) -> Result<()> {
    let tools = setup::ensure_ecppack(step)?;
    let (board, folder) = (&built.board, &built.folder);
    step.note("map");
    let mapped = format!("{}; synth_ecp5 -abc9 -top board -json loopback.json", read(&built.loopback));
    yosys::refuse_faults(&yosys::script(folder, &mapped)?)?;
    step.note("place and route");
    let mut route = Command::new("nextpnr-ecp5");
    route.args(chip(board)).args(["--seed", &board.loopback.seed.to_string(), "--timing-allow-fail"]);
    route.args(["--lpf", PINS, "--json", "loopback.json", "--report", "loopback.report.json"]);
    step.capture(route.args(["--textcfg", "loopback.config"]).current_dir(folder))?;
    let report = Report::load(folder, LOOPBACK)?;
    benchfile::merge(&figures(&report, &format!("board.{name}.loopback")))?;
    report.reached(&board.clocks)?;
    step.note("pack");
    let octets = pack(folder, LOOPBACK, board.idcode)?;
    step.line(&format!("    by {tools}"));
    tell(step, &report, built, LOOPBACK, octets);
    Ok(())
}

/// The same of the whole design, whose device is mapped part by part. A record of the run goes to
/// `docs/synth/<name>.placed.txt`, also if a clock is not reached.
///
/// # Errors
/// A tool that fails, or a clock that is not reached.
pub fn whole(step: &Step, name: &str, built: &Built) -> Result<()> {
    let versions = [
        setup::ensure_nextpnr(step, nextpnr::PLACER)?,
        setup::ensure_ecppack(step)?,
        child::capture(Command::new("yosys").arg("-V"))?.trim().to_string(),
    ];
    let (board, folder) = (&built.board, &built.folder);
    let own = [built.whole.as_slice(), from_ref(&built.parts.mac_file)].concat();
    carried::join(step, &built.parts.device, &own, (folder, WHOLE))?;
    let netlist = folder.join(format!("{WHOLE}.json"));
    let netlist = std::fs::read_to_string(&netlist)
        .with_context(|| format!("cannot read {}", repo::shown(&netlist)))?;
    named(&netlist, board.clocks.keys())?;
    step.note("place and route: about an hour");
    let log = folder.join(format!("{WHOLE}.log"));
    step.line(&format!("    its log grows in {}", repo::shown(&log)));
    let seed = board.whole.seed.to_string();
    let chip = chip(board);
    let chip: Vec<_> = chip.iter().map(String::as_str).collect();
    let way = [&chip[..], &nextpnr::UNSEEDED, &["--seed", &seed]].concat();
    let run = nextpnr::run(folder, WHOLE, &way, &["--lpf", PINS])?;
    let report = Report::load(folder, WHOLE)?;
    let placed = Placed { hash: record::hash(built)?, report };
    let file = record::file(name);
    repo::write(&file, &placed.text(&format!("{}\n{run}", versions.join("\n"))))?;
    step.line(&format!("    written: {}", repo::shown(&file)));
    placed.report.reached(&board.clocks).with_context(|| format!("board `{name}`"))?;
    step.note("pack");
    let octets = pack(folder, WHOLE, board.idcode)?;
    tell(step, &placed.report, built, WHOLE, octets);
    Ok(())
}

/// Fails if a clock has no net of its name: nextpnr would place without the clock's frequency.
fn named<'a>(netlist: &str, clocks: impl IntoIterator<Item = &'a String>) -> Result<()> {
    match clocks.into_iter().find(|clock| !netlist.contains(&format!("\"{clock}\":"))) {
        Some(lost) => {
            bail!("the joined netlist has no net `{lost}`, a clock of board.toml: mark its wire by `keep`")
        }
        None => Ok(()),
    }
}

/// nextpnr's options for the chip of a board.
fn chip(board: &Board) -> [String; 5] {
    let speed = board.speed.to_string();
    [format!("--{}", board.chip), "--package".into(), board.package.clone(), "--speed".into(), speed]
}

/// Speeds and size, in lines.
fn tell(step: &Step, report: &Report, built: &Built, name: &str, octets: usize) {
    for (clock, mhz) in &report.mhz {
        step.line(&format!("    {clock}: {mhz:.1} MHz"));
    }
    let [luts, ffs, rams] = ["TRELLIS_COMB", "TRELLIS_FF", "DP16KD"].map(|kind| report.cells(kind));
    let bit = repo::shown(&built.folder.join(format!("{name}.bit")));
    let kib = octets / 1024;
    step.line(&format!("    {luts} LUT4 and carries, {ffs} FF, {rams} block RAMs; {bit} of {kib} KiB"));
}

/// Speeds of both clocks in MHz, and LUT4 with carries, by their keys.
fn figures(report: &Report, prefix: &str) -> Figures {
    let keys = [("core_clock", "fmax_core_mhz"), ("eth_rx_clock", "fmax_mac_mhz")];
    let speeds = keys.iter().filter_map(|(clock, key)| Some((*key, *report.mhz.get(*clock)?)));
    let size = ("comb", report.cells("TRELLIS_COMB") as f64);
    speeds.chain([size]).map(|(key, value)| (format!("{prefix}.{key}"), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_without_a_net_is_named() {
        let netlist = r#"{"netnames": {"clk": {"bits": [1]}}}"#;
        named(netlist, &["clk".to_string()]).unwrap();
        let refused = named(netlist, &["core_clock".to_string()]).unwrap_err().to_string();
        assert!(refused.contains("no net `core_clock`"), "{refused}");
    }

    #[test]
    fn speeds_and_size_are_keys_of_the_board() {
        let found = figures(&super::super::report::tests::of(160.0), "board.a.loopback");
        let keys = [("comb", 1_400.0), ("fmax_core_mhz", 160.0), ("fmax_mac_mhz", 150.0)];
        assert_eq!(found, keys.map(|(key, value)| (format!("board.a.loopback.{key}"), value)).into());
    }
}
