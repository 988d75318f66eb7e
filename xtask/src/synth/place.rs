// SPDX-License-Identifier: MIT OR Apache-2.0
//! Place and route: the mapped parts joined under a shell of four pins, by nextpnr.
use super::area::Device;
use super::beside::Beside;
use super::fanout::Leg;
use super::netlist::Netlist;
use super::nextpnr::{self, Clock, Used};
use super::parts::Apart;
use super::record;
use super::yosys::{self, Family};
use crate::benchfile::Figures;
use crate::steps::Step;
use crate::{repo, setup};
use anyhow::{Context, Result};
use ferrowarp_hdl::emit::{Direction, Port};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The clock that the device is to reach, MHz.
pub(super) const TARGET_MHZ: f64 = 62.5;

/// What it must reach at least, MHz.
const LEAST_MHZ: f64 = 52.0;

/// The shell's module.
pub(super) const SHELL: &str = "shell";

/// The shell, and the command that maps the shell.
pub(super) const SHELLED: (&str, &str) = (SHELL, "synth_ecp5 -noflatten -top shell");

/// What nextpnr's report tells.
#[derive(Deserialize)]
struct Report {
    fmax: BTreeMap<String, Clock>,
    critical_paths: Vec<Critical>,
    utilization: BTreeMap<String, Used>,
}

#[derive(Deserialize)]
struct Critical {
    from: String,
    to: String,
    path: Vec<Hop>,
}

/// A step of a path.
#[derive(Deserialize)]
struct Hop {
    /// ns.
    delay: f64,
    from: End,
    to: End,
    #[serde(rename = "type")]
    kind: String,
    /// Between two cells: the net.
    net: Option<String>,
}

#[derive(Deserialize)]
struct End {
    cell: String,
}

impl Critical {
    /// Whether it begins and ends at the clock; others begin or end at a pad.
    fn is_between_registers(&self) -> bool {
        [&self.from, &self.to].iter().all(|end| end.starts_with("posedge"))
    }

    /// In a line: from where to where, and what its time goes into.
    fn told(&self) -> Option<String> {
        let sum = |is: &dyn Fn(&str) -> bool| -> f64 {
            self.path.iter().filter(|h| is(&h.kind)).map(|h| h.delay).sum()
        };
        let cells = self.path.iter().filter(|h| h.kind == "logic").count();
        Some(format!(
            "longest path: {} -> {}, {cells} cells, {:.1} ns in them and {:.1} ns between them",
            self.path.first()?.from.cell,
            self.path.last()?.to.cell,
            sum(&|k| k != "routing"),
            sum(&|k| k == "routing"),
        ))
    }
}

/// A device that is placed and routed.
pub struct Placed {
    /// By whom and how, in lines.
    run: String,
    /// Its clock's highest frequency, MHz.
    pub fmax_mhz: f64,
    /// What limits it.
    pub path: String,
    /// The nets of that path.
    pub legs: Vec<Leg>,
    /// Kind of cell, how many are used, how many there are.
    pub used: Vec<(String, u64, u64)>,
}

impl Placed {
    pub(super) fn read(report: &str, run: String) -> Result<Self> {
        let report: Report = serde_json::from_str(report).context("nextpnr's report is not understood")?;
        let clocks = report.fmax.values().map(|c| c.achieved);
        let fmax_mhz = clocks.min_by(f64::total_cmp).context("nextpnr's report names no clock")?;
        let longest = report.critical_paths.iter().find(|p| p.is_between_registers());
        let path =
            longest.and_then(Critical::told).context("nextpnr's report names no path between registers")?;
        let hops = longest.map(|path| &path.path[..]).unwrap_or_default();
        let leg = |hop: &Hop| Some(Leg { net: hop.net.clone()?, delay: hop.delay });
        let legs = hops.iter().filter_map(leg).collect();
        let used = report.utilization.into_iter().filter(|(_, u)| u.used > 0);
        Ok(Self {
            run,
            fmax_mhz,
            path,
            legs,
            used: used.map(|(kind, u)| (kind, u.used, u.available)).collect(),
        })
    }

    /// What it takes, in lines.
    pub fn table(&self) -> String {
        let mut text = format!(
            "{}placed and routed: {:.2} MHz\n{}\n{:<16} {:>7} {:>9}\n",
            self.run, self.fmax_mhz, self.path, "cells", "used", "available"
        );
        for (kind, used, available) in &self.used {
            // writing to a string does not fail
            let _ = writeln!(text, "{kind:<16} {used:>7} {available:>9}");
        }
        text
    }

    /// Writes what it takes to `docs/synth/<profile>-ecp5.placed.txt`, or `.beside-LUT4-EBR.txt`.
    pub fn save(&self, profile: &str, beside: Option<Beside>) -> Result<PathBuf> {
        let path = record::file(profile, Family::Ecp5).with_extension(format!("{}.txt", name_of(beside)));
        repo::write(&path, &self.table())?;
        Ok(path)
    }

    /// What is wrong with its clock, if the profile has a bar.
    pub fn slow(&self, profile: &str) -> Option<String> {
        let is_slow = profile == "tiny" && self.fmax_mhz < LEAST_MHZ;
        is_slow.then(|| {
            format!(
                "synth.{profile}.fmax_mhz is {:.2}, {:.2} below the bar of {LEAST_MHZ}: {}",
                self.fmax_mhz,
                LEAST_MHZ - self.fmax_mhz,
                self.path
            )
        })
    }

    /// The keys.
    pub fn figures(&self, profile: &str) -> Figures {
        [(format!("synth.{profile}.fmax_mhz"), self.fmax_mhz)].into()
    }
}

/// Joins the parts of `device` under the shell, places and routes them; logs stay in
/// `target/synth`.
pub fn place(
    step: &Step,
    apart: &Apart,
    shell: &str,
    beside: Option<Beside>,
    device: &Device,
) -> Result<Placed> {
    let name = &name_of(beside);
    let version = setup::ensure_nextpnr(step, nextpnr::PLACER)?;
    let folder = repo::target("synth");
    step.note("join");
    let shell = beside.map_or(shell.to_string(), |beside| beside.add_to(shell));
    let verilog = format!("{shell}{}", apart.frame);
    join(&folder, name, SHELLED, &verilog, &netlists(apart, device))?;
    let counts = Netlist::parse(&netlist(&folder, name)?, SHELL)?.counts()?;
    step.line(&format!("    with the shell: {} LUT4, {} FF, {} EBR", counts.luts, counts.ffs, counts.brams));
    step.note("place and route: twenty to forty minutes");
    let log = folder.join(format!("{name}.log"));
    step.line(&format!("    its log grows in {}", repo::shown(&log)));
    let way = [&nextpnr::PART[..], &nextpnr::UNSEEDED, &nextpnr::SEED].concat();
    let run = nextpnr::run(&folder, name, &way, &["--freq", &TARGET_MHZ.to_string()])?;
    Placed::read(&report(&folder, name)?, format!("{version}\n{run}"))
}

/// What the files of a run are called.
fn name_of(beside: Option<Beside>) -> String {
    beside.map_or("placed".into(), |beside| beside.name())
}

/// Each module of the parts once, with its netlist.
pub(super) fn netlists<'a>(apart: &'a Apart, device: &'a Device) -> Vec<(&'a str, &'a Path)> {
    let mut parts: Vec<(&str, &Path)> = Vec::new();
    for (part, mapped) in apart.parts.iter().zip(&device.parts) {
        if parts.iter().all(|(module, _)| *module != part.module) {
            parts.push((&part.module, &mapped.netlist));
        }
    }
    parts
}

/// Joins mapped parts, each a module and its netlist, under the module that `verilog` holds beside
/// their black boxes, and that the command maps: to `<name>.json` in `folder`.
pub(super) fn join(
    folder: &Path,
    name: &str,
    (top, mapped): (&str, &str),
    verilog: &str,
    parts: &[(&str, &Path)],
) -> Result<()> {
    repo::write(&folder.join(format!("{name}.v")), verilog)?;
    yosys::script(folder, &format!("read_verilog {name}.v; {mapped}; write_rtlil {name}.il"))?;
    let mut script = format!("read_rtlil {name}.il");
    for (module, netlist) in parts {
        let text = std::fs::read_to_string(netlist)
            .with_context(|| format!("cannot read {}", repo::shown(netlist)))?;
        let own = format!("{module}.only.json");
        repo::write(&folder.join(&own), &only(&text, module)?)?;
        script += &format!("; delete ={module}; read_json {own}");
    }
    script += &format!("; hierarchy -check -top {top}; flatten; opt_expr; opt_lut_ins -tech ecp5; opt_clean -purge; check; write_json {name}.json");
    yosys::script(folder, &script).map(drop)
}

/// nextpnr's report of a run.
pub(super) fn report(folder: &Path, name: &str) -> Result<String> {
    read(&folder.join(format!("{name}.report.json")))
}

/// The netlist of a run.
pub(super) fn netlist(folder: &Path, name: &str) -> Result<String> {
    read(&folder.join(format!("{name}.json")))
}

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("cannot read {}", repo::shown(file)))
}

/// A netlist without the library's cells, which stand in each part's and may be read only once.
fn only(netlist: &str, module: &str) -> Result<String> {
    let mut netlist: serde_json::Value =
        serde_json::from_str(netlist).context("Yosys's JSON netlist is not understood")?;
    let modules = netlist.get_mut("modules").and_then(serde_json::Value::as_object_mut);
    let modules = modules.context("a netlist without modules")?;
    modules.retain(|name, _| name == module);
    Ok(netlist.to_string())
}

/// A module of four pins around `top`: a shift register feeds its inputs, another one takes its
/// outputs, so that nothing of the device is constant or unread and its paths begin and end at
/// registers.
pub(super) fn shell(top: &str, ports: &[Port]) -> String {
    let driven: Vec<_> = ports.iter().filter(|p| !matches!(p.name.as_str(), "clock" | "reset")).collect();
    let width = |way| driven.iter().filter(|p| p.direction == way).map(|p| p.width).sum::<usize>();
    let (ins, outs) = (width(Direction::Input), width(Direction::Output));
    let (mut wires, mut next) = (String::new(), BTreeMap::new());
    for port in &driven {
        let at: &mut usize = next.entry(port.direction == Direction::Input).or_default();
        let bus = if port.direction == Direction::Input { "into" } else { "out" };
        // writing to a string does not fail
        let _ = writeln!(wires, "    .{}({bus}[{}:{}]),", port.name, *at + port.width - 1, at);
        *at += port.width;
    }
    format!(
        "module {SHELL}(input clock, input reset, input si, output so);\n\
         reg [{i}:0] into;\nwire [{o}:0] out;\nreg [{o}:0] taken;\nreg [{o}:0] shift;\nreg [7:0] turn;\nreg held;\n\
         assign so = shift[0];\n\
         always @(posedge clock) begin\n    held <= reset;\n    into <= {{into, si}};\n    taken <= out;\n    turn <= turn + 1;\n    \
         if (turn == 0) shift <= taken; else shift <= shift >> 1;\nend\n\
         {top} device(\n{wires}    .clock(clock),\n    .reset(held)\n);\nendmodule\n",
        i = ins - 1,
        o = outs - 1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_is_read() {
        let report = r#"{"fmax": {"$glbnet$clock": {"achieved": 41.5, "constraint": 62.5}}, "critical_paths": [
            {"from": "<async>", "to": "posedge $glbnet$clock", "path": []},
            {"from": "posedge $glbnet$clock", "to": "posedge $glbnet$clock", "path": [
                {"delay": 0.5, "type": "clk-to-q", "from": {"cell": "a", "port": "CLK"}, "to": {"cell": "a", "port": "Q"}},
                {"delay": 1.5, "type": "routing", "net": "n", "from": {"cell": "a", "port": "Q"}, "to": {"cell": "b", "port": "A"}},
                {"delay": 0.25, "type": "logic", "from": {"cell": "b", "port": "A"}, "to": {"cell": "b", "port": "F"}},
                {"delay": 0.25, "type": "setup", "from": {"cell": "c", "port": "DI"}, "to": {"cell": "c", "port": "CLK"}}]}],
            "utilization": {"DP16KD": {"available": 208, "used": 117}, "DCUA": {"available": 2, "used": 0}}}"#;
        let placed = Placed::read(report, String::from("by nextpnr\n")).unwrap();
        assert_eq!(placed.used, [("DP16KD".to_string(), 117, 208)]);
        assert_eq!(placed.legs, [Leg { net: "n".into(), delay: 1.5 }]);
        assert_eq!(placed.figures("tiny")["synth.tiny.fmax_mhz"], 41.5);
        assert!(placed.table().starts_with("by nextpnr\nplaced and routed: 41.50 MHz\n"));
        assert!(placed.table().contains("DP16KD"));
        assert!(placed.table().contains("a -> c, 1 cells, 1.0 ns in them and 1.5 ns between them"));
        let empty = r#"{"fmax": {}, "critical_paths": [], "utilization": {}}"#;
        assert!(Placed::read(empty, String::new()).is_err(), "a report without a clock");
    }

    #[test]
    fn a_clock_below_the_bar_is_told() {
        let placed =
            |fmax_mhz| Placed { run: "".into(), fmax_mhz, path: "a -> b".into(), legs: vec![], used: vec![] };
        let told = placed(50.0).slow("tiny").unwrap();
        assert_eq!(told, "synth.tiny.fmax_mhz is 50.00, 2.00 below the bar of 52: a -> b");
        assert!(placed(52.0).slow("tiny").is_none() && placed(1.0).slow("10g").is_none());
        let path = record::file("tiny", Family::Ecp5).with_extension("placed.txt");
        let text = std::fs::read_to_string(path).unwrap();
        let mhz = text.lines().find_map(|l| l.strip_prefix("placed and routed: ")).unwrap();
        let recorded: f64 = mhz.trim_end_matches(" MHz").parse().unwrap();
        assert_eq!(placed(recorded).slow("tiny"), None, "the record");
    }

    #[test]
    fn the_library_is_left_out_of_a_part() {
        let text = r#"{"creator": "y", "modules": {"LUT4": {}, "a": {"cells": {}}}}"#;
        assert_eq!(only(text, "a").unwrap(), r#"{"creator":"y","modules":{"a":{"cells":{}}}}"#);
        assert!(only("[]", "a").is_err());
    }

    #[test]
    fn every_bit_of_every_port_is_at_a_register_of_the_shell() {
        let port = |name: &str, width, direction| Port { name: name.into(), width, direction };
        let ports = [
            port("clock", 1, Direction::Input),
            port("reset", 1, Direction::Input),
            port("a", 3, Direction::Input),
            port("q", 2, Direction::Output),
            port("b", 1, Direction::Input),
        ];
        let text = shell("t", &ports);
        for wire in [
            ".a(into[2:0])",
            ".b(into[3:3])",
            ".q(out[1:0])",
            ".reset(held)",
            "reg [3:0] into;",
            "wire [1:0] out;",
        ] {
            assert!(text.contains(wire), "{wire} in {text}");
        }
    }
}
