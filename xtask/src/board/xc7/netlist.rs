// SPDX-License-Identifier: MIT OR Apache-2.0
//! What constraints are judged by: ports, clocks and FIFOs of a flat netlist of Yosys.
use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Ports of cells that are clocks: of Yosys's own cells, of the vendor's, of the device.
const CLOCKS: [&str; 6] = ["CLK", "RD_CLK", "WR_CLK", "C", "clock", "sys_clk"];
/// Cells between a pad and its clock net, with `I` and `O`.
const BUFFERS: [&str; 3] = ["BUFG", "IBUFDS", "IBUFDS_GTE2"];
/// The net that each FIFO between two clocks has, and its partner.
const POINTERS: [&str; 2] = [".written_near", ".written_gray"];

#[derive(Deserialize)]
struct File {
    modules: BTreeMap<String, Module>,
}

#[derive(Deserialize)]
struct Module {
    ports: BTreeMap<String, Net>,
    cells: BTreeMap<String, Cell>,
    netnames: BTreeMap<String, Net>,
    #[serde(default)]
    memories: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Net {
    bits: Vec<Value>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    port_directions: BTreeMap<String, String>,
    connections: BTreeMap<String, Vec<Value>>,
}

/// Where a clock comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A port of the board.
    Port(String),
    /// Pin of a vendor's cell, CELL/PIN.
    Pin(String),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Port(name) | Self::Pin(name)) = self;
        f.write_str(name)
    }
}

/// A FIFO between two clocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fifo {
    /// Its instance, as Vivado names it.
    pub path: String,
    /// Clocks of its two sides.
    pub clocks: Vec<Source>,
}

/// What is asked of the flat module.
pub struct Netlist {
    /// Each bit of each port, as constraints name it.
    pub ports: BTreeSet<String>,
    /// Clocks, each with the number of cells that it clocks.
    pub clocks: BTreeMap<Source, usize>,
    /// FIFOs between two clocks.
    pub fifos: Vec<Fifo>,
    /// Instances, nets and memories, as Vivado names them.
    pub names: BTreeSet<String>,
    /// Cells by kind.
    pub kinds: BTreeMap<String, usize>,
}

impl Netlist {
    /// Reads the JSON of a flat module `top`.
    ///
    /// # Errors
    /// Another form than that of `write_json`, or a clock without driver.
    pub fn parse(json: &str, top: &str) -> Result<Self> {
        let mut file: File = serde_json::from_str(json).context("Yosys's JSON netlist is not understood")?;
        let module = file.modules.remove(top).with_context(|| format!("no module `{top}` in the netlist"))?;
        let trace = Trace::new(&module);
        let mut clocks = BTreeMap::new();
        let mut registers = BTreeMap::new();
        let mut kinds = BTreeMap::new();
        for (name, cell) in &module.cells {
            *kinds.entry(cell.kind.clone()).or_insert(0) += 1;
            let pins = CLOCKS.iter().filter_map(|pin| cell.connections.get(*pin));
            let bits: BTreeSet<u64> = pins.flatten().filter_map(Value::as_u64).collect();
            for bit in bits {
                let source =
                    trace.source(bit).with_context(|| format!("the clock of `{name}` has no driver"))?;
                for q in cell.connections.get("Q").into_iter().flatten().filter_map(Value::as_u64) {
                    registers.insert(q, source.clone());
                }
                *clocks.entry(source).or_insert(0) += 1;
            }
        }
        let clock_of = |net: &str| {
            let bit = module.netnames.get(net)?.bits.iter().find_map(Value::as_u64)?;
            registers.get(&bit).cloned()
        };
        let mut fifos = vec![];
        for path in module.netnames.keys().filter_map(|net| net.strip_suffix(POINTERS[0])) {
            let clocks =
                POINTERS.iter().filter_map(|pointer| clock_of(&format!("{path}{pointer}"))).collect();
            fifos.push(Fifo { path: path.replace('.', "/"), clocks });
        }
        let names = module.cells.keys().chain(module.netnames.keys()).chain(module.memories.keys());
        Ok(Self {
            ports: module.ports.iter().flat_map(|(name, net)| bits_of(name, net.bits.len())).collect(),
            clocks,
            fifos,
            names: names.map(|name| name.replace('.', "/")).collect(),
            kinds,
        })
    }

    /// Cells whose kind begins with one of `heads`.
    pub fn count(&self, heads: &[&str]) -> usize {
        let counted = |kind: &str| heads.iter().any(|head| kind.starts_with(head));
        self.kinds.iter().filter(|(kind, _)| counted(kind)).map(|(_, n)| n).sum()
    }
}

/// Names of the bits of a port.
fn bits_of(name: &str, width: usize) -> Vec<String> {
    match width {
        1 => vec![name.to_string()],
        _ => (0..width).map(|bit| format!("{name}[{bit}]")).collect(),
    }
}

/// Who drives each bit.
struct Trace<'a> {
    ports: BTreeMap<u64, &'a str>,
    drivers: BTreeMap<u64, (&'a str, &'a str, &'a Cell)>,
}

impl<'a> Trace<'a> {
    fn new(module: &'a Module) -> Self {
        let mut ports = BTreeMap::new();
        for (name, net) in &module.ports {
            ports.extend(net.bits.iter().filter_map(Value::as_u64).map(|bit| (bit, name.as_str())));
        }
        let mut drivers = BTreeMap::new();
        for (name, cell) in &module.cells {
            for (pin, bits) in &cell.connections {
                if cell.port_directions.get(pin).is_some_and(|direction| direction == "output") {
                    let driven = bits.iter().filter_map(Value::as_u64);
                    drivers.extend(driven.map(|bit| (bit, (name.as_str(), pin.as_str(), cell))));
                }
            }
        }
        Self { ports, drivers }
    }

    /// Behind buffers; none where nothing drives, or buffers drive each other.
    fn source(&self, bit: u64) -> Option<Source> {
        let mut bit = bit;
        for _ in 0..=self.drivers.len() {
            let Some((name, pin, cell)) = self.drivers.get(&bit) else {
                return self.ports.get(&bit).map(|port| Source::Port((*port).to_string()));
            };
            if !BUFFERS.contains(&cell.kind.as_str()) {
                return Some(Source::Pin(format!("{}/{pin}", name.replace('.', "/"))));
            }
            bit = cell.connections.get("I")?.first()?.as_u64()?;
        }
        None
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A netlist that fits the board of `file::tests::TEXT`.
    pub const JSON: &str = r#"{"modules": {"board": {
        "ports": {"clk": {"bits": [2]}, "led": {"bits": [3, 4]}, "lane": {"bits": [9]}},
        "netnames": {"mac.in.written_gray": {"bits": [3]}, "mac.in.written_near": {"bits": [4]}, "clock": {"bits": [5]}},
        "cells": {"net": {"type": "BUFG", "port_directions": {"I": "input", "O": "output"}, "connections": {"I": [2], "O": [5]}},
            "ip": {"type": "ip", "port_directions": {"clk_out": "output"}, "connections": {"clk_out": [6], "rx": [9]}},
            "$a": {"type": "$dff", "connections": {"CLK": [5], "Q": [3]}}, "$b": {"type": "$dff", "connections": {"CLK": [6], "Q": [4]}}}}}}"#;

    #[test]
    fn clocks_are_traced_to_the_port_or_the_vendors_pin() {
        let netlist = Netlist::parse(JSON, "board").unwrap();
        assert_eq!(
            netlist.ports.iter().map(String::as_str).collect::<Vec<_>>(),
            ["clk", "lane", "led[0]", "led[1]"]
        );
        let (port, pin) = (Source::Port("clk".into()), Source::Pin("ip/clk_out".into()));
        assert_eq!(netlist.clocks, [(port.clone(), 1), (pin.clone(), 1)].into());
        assert_eq!(netlist.fifos, [Fifo { path: "mac/in".into(), clocks: vec![pin, port] }]);
        assert!(netlist.names.contains("mac/in/written_gray"));
        assert_eq!((netlist.count(&["$d"]), netlist.count(&["BUF", "ip"])), (2, 2));
    }

    #[test]
    fn a_clock_without_driver_and_buffers_in_a_ring_are_refused() {
        let refused = |json: &str| format!("{:#}", Netlist::parse(json, "board").err().unwrap());
        assert!(refused(&JSON.replace(r#""I": [2]"#, r#""I": [7]"#)).contains("clock of `$a` has no driver"));
        assert!(refused(&JSON.replace(r#""I": [2]"#, r#""I": [5]"#)).contains("clock of `$a` has no driver"));
        assert!(refused("{\"modules\": {}}").contains("no module `board`"));
    }
}
