// SPDX-License-Identifier: MIT OR Apache-2.0
//! nextpnr for ECP5: its options, and what its log tells.
use crate::{child, repo};
use anyhow::{bail, Context, Result};
use serde::Deserialize;
use std::fmt;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// The part: an LFE5UM5G-85F in a package of 756 balls.
pub const PART: [&str; 4] = ["--um5g-85k", "--package", "CABGA756", "--lpf-allow-unconstrained"];

/// Older versions of nextpnr do not have it.
pub const PLACER: &str = "static";
/// The placer that leaves a fifth less wire than nextpnr's usual one on this device, with a good
/// seed; and the router that makes way for an arc by taking another one up, which comes to an end
/// here. docs/placement.md has the runs.
pub const UNSEEDED: [&str; 4] = ["--placer", PLACER, "--router", "router1"];
/// The seed of the whole device.
pub const SEED: [&str; 2] = ["--seed", "3"];
/// The way of one part, which has room: nextpnr's usual placer.
pub const ONE: [&str; 4] = ["--seed", "3", "--router", "router1"];

/// A clock of nextpnr's report.
#[derive(Deserialize)]
pub struct Clock {
    /// MHz that were reached.
    pub achieved: f64,
}

/// Cells of a kind in nextpnr's report.
#[derive(Deserialize)]
pub struct Used {
    /// How many are used.
    pub used: u64,
    /// How many the chip has.
    pub available: u64,
}

/// What nextpnr's log tells of a run.
#[derive(Debug, Default, PartialEq)]
pub struct Run {
    /// Chip, placer, seed and router.
    way: String,
    /// Wire between the placed cells, tiles.
    wire: u64,
    /// Arcs routed with another one taken up for them, arcs routed without, and arcs left.
    arcs: [u64; 3],
}

impl Run {
    /// Takes a line of the log.
    fn take(&mut self, line: &str) {
        if let Some((_, wire)) = line.rsplit_once("wirelen = ") {
            self.wire = wire.trim().parse().unwrap_or(self.wire);
        }
        // iterations | with and without taking up | the same of this batch | left | seconds
        if let [_, routed, _, left, ..] = line.split('|').collect::<Vec<_>>()[..] {
            let numbers = [routed, left].into_iter().flat_map(|column| column.split(' '));
            let numbers: Vec<u64> = numbers.filter_map(|n| n.parse().ok()).collect();
            self.arcs = numbers.try_into().unwrap_or(self.arcs);
        }
    }

    /// Itself, if the log told of wire and of arcs, and of none that is left.
    fn ended(self) -> Result<Self> {
        let [with, without, left] = self.arcs;
        if self.wire == 0 || with + without == 0 || left > 0 {
            bail!("nextpnr-ecp5 ended well, but its log does not say that every arc is routed: {self:?}");
        }
        Ok(self)
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [with, without, left] = self.arcs;
        writeln!(f, "options: {}", self.way)?;
        writeln!(f, "wire after placement: {}", self.wire)?;
        writeln!(f, "arcs routed: {without}, and {with} for which another one was taken up; left: {left}")
    }
}

/// Places and routes `<name>.json` in `folder` by the options `way`, with the clocks that `clocks`
/// asks for. `<name>.report.json` is written beside the netlist, and what nextpnr says to
/// `<name>.log`.
pub fn run(folder: &Path, name: &str, way: &[&str], clocks: &[&str]) -> Result<Run> {
    let log = &folder.join(format!("{name}.log"));
    let cannot_write = || format!("cannot write {}", repo::shown(log));
    let mut out = File::create(log).with_context(cannot_write)?;
    let [json, report, config] = ["json", "report.json", "config"].map(|ending| format!("{name}.{ending}"));
    let mut command = Command::new("nextpnr-ecp5");
    command.args(way).args(clocks).arg("--timing-allow-fail");
    command.args(["--json", &json, "--report", &report, "--textcfg", &config]).current_dir(folder);
    let mut run = Run { way: way.join(" "), ..Run::default() };
    let mut kept = Ok(());
    let ended = child::stream(&mut command, |line| {
        run.take(line);
        if kept.is_ok() {
            kept = writeln!(out, "{line}");
        }
    })?;
    kept.with_context(cannot_write)?;
    if !ended.success() {
        bail!("nextpnr-ecp5: {ended}; {} says why", repo::shown(log));
    }
    run.ended().with_context(|| format!("see {}", repo::shown(log)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_tells_wire_and_arcs() {
        let mut run = Run::default();
        assert!(Run::default().ended().is_err(), "a log that tells nothing");
        for line in [
            "Info:   at iteration #36: temp = 0.000000, timing cost = 0, wirelen = 452251",
            "Info:   at iteration #37: temp = 0.000000, timing cost = 0, wirelen = 452242 ",
            "Info:            |   (re-)routed arcs  |   delta    | remaining|       time spent     |",
            "Info:    IterCnt |  w/ripup   wo/ripup |  w/r  wo/r |      arcs| batch(sec) total(sec)|",
            "Info:     388000 |    52481     325632 |  202   709 |       755|       1.60     555.36|",
            "Info:     388825 |    52537     326275 |   56   643 |         0|       1.11     556.47|",
            "Info: Routing complete.",
        ] {
            run.take(line);
        }
        let run = run.ended().unwrap();
        assert_eq!(run, Run { wire: 452_242, arcs: [52_537, 326_275, 0], ..Run::default() });
        assert!(run
            .to_string()
            .ends_with("arcs routed: 326275, and 52537 for which another one was taken up; left: 0\n"));
        assert!(Run { arcs: [52_537, 326_275, 1], ..run }.ended().is_err(), "an arc without a way");
    }
}
