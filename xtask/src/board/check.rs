// SPDX-License-Identifier: MIT OR Apache-2.0
//! A board's Verilog against its pins and clocks.
use super::file::Board;
use crate::repo;
use crate::synth::yosys;
use anyhow::{bail, Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Ports of cells that are clocks: of Yosys's own cells, and of an ECP5's.
const CLOCKS: [&str; 7] = ["CLK", "RD_CLK", "WR_CLK", "SCLK", "ECLK", "CLKI", "CLKFB"];

/// What is asked of the top module of a netlist of Yosys.
pub struct Netlist {
    /// Bits of each port.
    ports: BTreeMap<String, usize>,
    /// Names of the clocks, each with the number of cells that it clocks.
    clocks: BTreeMap<String, usize>,
}

impl Netlist {
    /// The flat design that Yosys reads by the command `sources`, in `folder`.
    ///
    /// # Errors
    /// A latch, a loop, or two drivers of a net.
    pub fn read(folder: &Path, sources: &str) -> Result<Self> {
        let script = format!(
            "read_verilog -lib +/ecp5/cells_bb.v; {sources}; hierarchy -check -top board; proc; flatten; opt_clean; check -assert; write_json check.json"
        );
        yosys::refuse_faults(&yosys::script(folder, &script)?)?;
        let file = folder.join("check.json");
        let json =
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", repo::shown(&file)))?;
        Self::parse(&json, "board")
    }

    /// Reads the JSON of a flat module `top`.
    ///
    /// # Errors
    /// Another form than that of `write_json`.
    pub fn parse(json: &str, top: &str) -> Result<Self> {
        let json: Value = serde_json::from_str(json).context("Yosys's JSON netlist is not understood")?;
        let module = &json["modules"][top];
        let object =
            |key: &str| module[key].as_object().with_context(|| format!("module `{top}` has no {key}"));
        let width = |port: &Value| port["bits"].as_array().map_or(0, Vec::len);
        let ports = object("ports")?.iter().map(|(name, port)| (name.clone(), width(port))).collect();
        let mut names: BTreeMap<u64, &str> = BTreeMap::new();
        for (name, net) in object("netnames")? {
            for bit in bits(&net["bits"]) {
                // the name nearest to the top: ports and wires of the module itself have no dot
                let known = names.entry(bit).or_insert(name.as_str());
                if depth(name) < depth(known) {
                    *known = name.as_str();
                }
            }
        }
        let mut clocks = BTreeMap::new();
        for cell in object("cells")?.values() {
            let pins = cell["connections"].as_object().context("a cell without connections")?;
            let clocked = CLOCKS.iter().filter_map(|pin| pins.get(*pin)).flat_map(bits);
            for bit in clocked.collect::<BTreeSet<_>>() {
                let name = names.get(&bit).with_context(|| format!("clock bit {bit} has no name"))?;
                *clocks.entry(name.to_string()).or_insert(0) += 1;
            }
        }
        Ok(Self { ports, clocks })
    }

    /// Refuses a port without pin, a pin without port, and a clock without frequency.
    pub fn judge(&self, board: &Board) -> Result<()> {
        let pins: BTreeMap<_, _> = board.ports.iter().map(|p| (&p.name, p.pins.len())).collect();
        for (port, bits) in &self.ports {
            match pins.get(port) {
                Some(pins) if pins == bits => {}
                Some(pins) => bail!("port `{port}` has {bits} bits and board.toml gives {pins} pins"),
                None => bail!("port `{port}` has no pin: name its pins in a [[port]] of board.toml"),
            }
        }
        if let Some(stranger) = pins.keys().find(|name| !self.ports.contains_key(**name)) {
            let ports: Vec<_> = self.ports.keys().map(String::as_str).collect();
            bail!("board.toml gives pins to `{stranger}`, and the Verilog's ports are {}", ports.join(", "));
        }
        for (clock, cells) in &self.clocks {
            if !board.clocks.contains_key(clock) && !is_feedback(clock) {
                bail!("clock `{clock}` of {cells} cells has no frequency: name its kHz in [clocks] of board.toml");
            }
        }
        if let Some(idle) = board.clocks.keys().find(|name| !self.clocks.contains_key(*name)) {
            let clocks: Vec<_> = self.clocks.keys().map(String::as_str).collect();
            bail!(
                "[clocks] of board.toml names `{idle}`, which clocks nothing; clocks are {}",
                clocks.join(", ")
            );
        }
        Ok(())
    }
}

/// The loop of a PLL clocks nothing else.
fn is_feedback(clock: &str) -> bool {
    clock == "feedback"
}

fn depth(name: &str) -> (bool, usize, usize) {
    (name.starts_with('$'), name.matches('.').count(), name.len())
}

/// Numbers of the bits of a connection, constants left out.
fn bits(value: &Value) -> Vec<u64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
}

#[cfg(test)]
mod tests {
    use super::super::file::tests::{parsed, TEXT};
    use super::*;

    const JSON: &str = r#"{"modules": {"board": {
        "ports": {"clk": {"direction": "input", "bits": [2]}, "led": {"direction": "output", "bits": [3, "0"]}},
        "netnames": {"clk": {"bits": [2]}, "core_clock": {"bits": [5]}, "echo.core_clock": {"bits": [5]}, "a.q": {"bits": [3]}},
        "cells": {"pll": {"connections": {"CLKI": [2], "CLKOS": [5], "RST": ["0"]}},
            "$a": {"connections": {"CLK": [5], "D": [3], "Q": [4]}}, "$m": {"connections": {"WR_CLK": [5, 5]}}}}}}"#;

    fn judged(json: &str, text: &str) -> Result<(), String> {
        let netlist = Netlist::parse(json, "board").map_err(|e| format!("{e:#}"))?;
        netlist.judge(&parsed(text).unwrap()).map_err(|e| e.to_string())
    }

    #[test]
    fn each_port_has_its_pins_and_each_clock_its_frequency() {
        assert_eq!(judged(JSON, TEXT), Ok(()));
        let led = r#"{ name = "led", pins = ["B1", "B2"], io = "LVCMOS33", options = ["PULLMODE=UP"], source = ["page"] }"#;
        let refused = |json: &str, text: &str| judged(json, text).unwrap_err();
        assert!(refused(JSON, &TEXT.replace(led, "")).contains("port `led` has no pin"));
        assert!(refused(JSON, &TEXT.replace(r#"["B1", "B2"]"#, r#"["B1"]"#))
            .contains("`led` has 2 bits and board.toml gives 1 pins"));
        let renamed = JSON.replace(r#""led": {"d"#, r#""lamp": {"d"#);
        assert!(refused(
            &renamed,
            &TEXT.replace("\"led\"", "\"lamp\"").replace(
                "[{ name",
                "[{ name = \"x\", pins = [\"C9\"], io = \"a\", source = [\"page\"] }, { name"
            )
        )
        .contains("board.toml gives pins to `x`, and the Verilog's ports are clk, lamp"));
        assert!(refused(JSON, &TEXT.replace("clk = 100000, ", ""))
            .contains("clock `clk` of 1 cells has no frequency"));
        assert!(refused(JSON, &TEXT.replace("clk = 100000", "clk = 100000, usb = 60000"))
            .contains("names `usb`, which clocks nothing; clocks are clk, core_clock"));
        assert!(refused("{}", TEXT).contains("module `board` has no ports"));
    }
}
