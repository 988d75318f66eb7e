// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a mapped netlist costs, and its longest path.
//!
//! Read from Yosys's JSON netlist and not from `ltp`, because `ltp -noff` knows Yosys's own
//! flip-flops only: after `synth_xilinx` it walks on through every FDRE and mixes LUTs, inverters
//! and registers in one count.
use anyhow::{bail, Context, Result};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

/// A bit of a port: a net's number, or a constant as text.
#[derive(Deserialize, Clone, Debug)]
#[serde(untagged)]
pub(super) enum Bit {
    Net(u64),
    Constant(serde::de::IgnoredAny),
}

#[derive(Deserialize)]
pub(super) struct Cell {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    pub(super) port_directions: BTreeMap<String, String>,
    pub(super) connections: BTreeMap<String, Vec<Bit>>,
}

#[derive(Deserialize)]
pub(super) struct NetName {
    pub(super) bits: Vec<Bit>,
    #[serde(default)]
    hide_name: u8,
}

#[derive(Deserialize)]
pub(super) struct Module {
    pub(super) cells: BTreeMap<String, Cell>,
    pub(super) netnames: BTreeMap<String, NetName>,
}

#[derive(Deserialize)]
struct File {
    modules: BTreeMap<String, Module>,
}

/// A flat netlist of one module.
pub struct Netlist(pub(super) Module);

/// Cells of a netlist, counted in the units that devices are sold in.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Look-up tables, those used as memory and (ECP5) as carry chain included.
    pub luts: u64,
    /// Flip-flops.
    pub ffs: u64,
    /// Block RAMs: ECP5's 18 kbit EBR, Xilinx's 18 kbit halves.
    pub brams: u64,
    /// Multipliers.
    pub dsps: u64,
}

/// The path with most LUTs.
#[derive(Debug, PartialEq, Eq)]
pub struct Path {
    /// LUTs on it; carry chains, wide multiplexers and inverters beside a LUT count none.
    pub levels: u64,
    /// Names of the nets it begins and ends at.
    pub from: String,
    /// See `from`.
    pub to: String,
}

/// How a signal passes a cell.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Pass {
    /// From every input to every output.
    All,
    /// As in a CARRY4: bit i depends on bits 0 to i.
    Carry,
    /// From the address of a read alone, see [`is_read_by`]: memories made of LUTs.
    Address,
    /// Not at all: a register or block RAM.
    Stops,
}

struct Kind {
    pass: Pass,
    levels: u64,
    luts: u64,
    ffs: u64,
    brams: u64,
}

/// What a cell type of `synth_ecp5` or `synth_xilinx` is; `None` if nobody has said yet.
fn kind(name: &str) -> Option<Kind> {
    let (pass, levels, luts, ffs, brams) = match name {
        "LUT1" | "LUT2" | "LUT3" | "LUT4" | "LUT5" | "LUT6" => (Pass::All, 1, 1, 0, 0),
        "INV" | "MUXF7" | "MUXF8" | "MUXF9" | "PFUMX" | "L6MUX21" => (Pass::All, 0, 0, 0, 0),
        "CARRY4" => (Pass::Carry, 0, 0, 0, 0),
        "CCU2C" => (Pass::All, 1, 2, 0, 0),
        "FDRE" | "FDSE" | "FDRE_1" | "FDSE_1" | "TRELLIS_FF" => (Pass::Stops, 0, 0, 1, 0),
        "RAM32X1D" | "RAM64X1D" => (Pass::Address, 1, 2, 0, 0),
        "RAM32M" | "RAM64M" | "RAM128X1D" => (Pass::Address, 1, 4, 0, 0),
        "RAM64X1S" => (Pass::Address, 1, 1, 0, 0),
        "RAM128X1S" => (Pass::Address, 1, 2, 0, 0),
        "RAM256X1S" => (Pass::Address, 1, 4, 0, 0),
        "RAM32M16" | "RAM64M8" | "RAM32X16DR8" | "RAM256X1D" | "RAM512X1S" => (Pass::Address, 1, 8, 0, 0),
        "SRL16E" | "SRLC32E" => (Pass::Address, 1, 1, 0, 0),
        // Two slices hold the bits, a third one's LUTs are lost to the write port.
        "TRELLIS_DPR16X4" => (Pass::Address, 1, 6, 0, 0),
        "DP16KD" | "PDPW16KD" | "RAMB18E1" | "RAMB18E2" => (Pass::Stops, 0, 0, 0, 1),
        // No hardware: newer versions of Yosys note where a flattened module was.
        "$scopeinfo" => (Pass::Stops, 0, 0, 0, 0),
        "RAMB36E1" | "RAMB36E2" => (Pass::Stops, 0, 0, 0, 2),
        dsp if is_dsp(dsp) => (Pass::Stops, 0, 0, 0, 0),
        _ => return None,
    };
    Some(Kind { pass, levels, luts, ffs, brams })
}

/// A part of a cell that takes all its inputs to all its outputs.
struct Node {
    inputs: Vec<u64>,
    outputs: Vec<u64>,
    levels: u64,
}

impl Netlist {
    /// The module `top` of Yosys's `write_json`.
    pub fn parse(json: &str, top: &str) -> Result<Self> {
        let mut file: File = serde_json::from_str(json).context("Yosys's JSON netlist is not understood")?;
        file.modules.remove(top).map(Netlist).with_context(|| format!("no module `{top}` in the netlist"))
    }

    /// Counts the cells.
    pub fn counts(&self) -> Result<Counts> {
        let mut sum = Counts::default();
        for cell in self.0.cells.values() {
            let k = known(&cell.kind)?;
            sum.luts += k.luts;
            sum.ffs += k.ffs;
            sum.brams += k.brams;
            sum.dsps += u64::from(is_dsp(&cell.kind));
        }
        Ok(sum)
    }

    /// The path between registers, ports and block RAMs that passes most LUTs.
    pub fn longest_path(&self) -> Result<Path> {
        let nodes = self.nodes()?;
        let driver: HashMap<u64, usize> =
            nodes.iter().enumerate().flat_map(|(i, n)| n.outputs.iter().map(move |o| (*o, i))).collect();
        let mut readers = vec![Vec::new(); nodes.len()];
        let mut waits = vec![0usize; nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            for d in node.inputs.iter().filter_map(|b| driver.get(b)) {
                readers[*d].push(i);
                waits[i] += 1;
            }
        }
        // Kahn's order; `best` of a node is its levels and the input bit that they come through.
        let mut best: Vec<(u64, Option<u64>)> = vec![(0, None); nodes.len()];
        let mut ready: Vec<usize> = (0..nodes.len()).filter(|i| waits[*i] == 0).collect();
        let mut done = 0;
        while let Some(i) = ready.pop() {
            done += 1;
            let arrival = |bit: &u64| driver.get(bit).map_or(0, |d| best[*d].0);
            let worst = nodes[i].inputs.iter().max_by_key(|b| arrival(b)).copied();
            best[i] = (nodes[i].levels + worst.map_or(0, |b| arrival(&b)), worst);
            for r in &readers[i] {
                waits[*r] -= 1;
                if waits[*r] == 0 {
                    ready.push(*r);
                }
            }
        }
        if done < nodes.len() {
            let at = (0..nodes.len()).find(|i| waits[*i] > 0).and_then(|i| nodes[i].outputs.first());
            bail!("combinational loop through {}", at.map_or("a cell".into(), |b| self.name_of(*b)));
        }
        Ok(self.path_ending_at(&nodes, &driver, &best))
    }

    fn path_ending_at(
        &self,
        nodes: &[Node],
        driver: &HashMap<u64, usize>,
        best: &[(u64, Option<u64>)],
    ) -> Path {
        let Some(end) = (0..nodes.len()).max_by_key(|i| best[*i].0) else {
            return Path { levels: 0, from: "-".into(), to: "-".into() };
        };
        let mut from = None;
        let mut at = Some(end);
        while let Some(bit) = at.and_then(|i| best[i].1) {
            from = Some(bit);
            at = driver.get(&bit).copied();
        }
        let name = |bit: Option<u64>| bit.map_or("a constant".into(), |b| self.name_of(b));
        let last = nodes[end].outputs.first().copied();
        Path { levels: best[end].0, from: name(from), to: self.register_behind(last).unwrap_or(name(last)) }
    }

    /// The register that takes `bit`, by the name of its output: that is the name people know.
    fn register_behind(&self, bit: Option<u64>) -> Option<String> {
        let is = |b: &Bit| matches!(b, Bit::Net(n) if Some(*n) == bit);
        let registers = self.0.cells.values().filter(|c| kind(&c.kind).is_some_and(|k| k.ffs > 0));
        let taker = registers.filter(|c| c.connections.values().flatten().any(is)).find_map(|c| {
            let outputs = c
                .connections
                .iter()
                .filter(|(p, _)| c.port_directions.get(*p).is_some_and(|d| d == "output"));
            outputs.flat_map(|(_, bits)| bits).find_map(|b| if let Bit::Net(n) = b { Some(*n) } else { None })
        })?;
        Some(format!("{} (register)", self.name_of(taker)))
    }

    fn nodes(&self) -> Result<Vec<Node>> {
        let mut nodes = Vec::new();
        for cell in self.0.cells.values() {
            let k = known(&cell.kind)?;
            let bits = |direction: &str, wanted: &dyn Fn(&str, usize) -> bool| -> Vec<u64> {
                let ports = cell
                    .connections
                    .iter()
                    .filter(|(p, _)| cell.port_directions.get(*p).is_some_and(|d| d == direction));
                ports
                    .flat_map(|(p, bits)| bits.iter().enumerate().filter(|(i, _)| wanted(p, *i)))
                    .filter_map(|(_, b)| if let Bit::Net(n) = b { Some(*n) } else { None })
                    .collect()
            };
            let all: &dyn Fn(&str, usize) -> bool = &|_, _| true;
            let mut node = |inputs: Vec<u64>, outputs| {
                // A shift register of fixed length is read at a constant address: a path begins at
                // it.
                let levels = if inputs.is_empty() { 0 } else { k.levels };
                nodes.push(Node { inputs, outputs, levels });
            };
            match k.pass {
                Pass::All => node(bits("input", all), bits("output", all)),
                Pass::Address => {
                    let outputs = cell.port_directions.iter().filter(|(_, way)| *way == "output");
                    for (output, _) in outputs {
                        let reads = bits("input", &|port, _| is_read_by(&cell.kind, port, output));
                        node(reads, bits("output", &|port, _| port == output));
                    }
                }
                Pass::Carry => {
                    for i in 0..4 {
                        node(bits("input", &|_, bit| bit <= i), bits("output", &|_, bit| bit == i));
                    }
                }
                Pass::Stops => {}
            }
        }
        Ok(nodes)
    }

    /// A name that people gave to the net, else Yosys's own.
    fn name_of(&self, bit: u64) -> String {
        let has = |n: &NetName| n.bits.iter().position(|b| matches!(b, Bit::Net(x) if *x == bit));
        let names = self.0.netnames.iter().filter_map(|(name, n)| has(n).map(|at| (n, name, at)));
        let found = names.min_by_key(|(n, name, _)| (n.hide_name, name.len()));
        match found {
            Some((n, name, at)) if n.bits.len() > 1 => format!("{name}[{at}]"),
            Some((_, name, _)) => name.clone(),
            None => format!("net {bit}"),
        }
    }
}

fn is_dsp(kind: &str) -> bool {
    matches!(kind, "MULT18X18D" | "DSP48E1" | "DSP48E2")
}

/// Whether `port` is the address at which a memory of LUTs reads for `output`. The address of a
/// write waits for the clock.
fn is_read_by(kind: &str, port: &str, output: &str) -> bool {
    match kind {
        "TRELLIS_DPR16X4" => port == "RAD",
        "RAM32X1D" | "RAM64X1D" | "RAM128X1D" | "RAM256X1D" if output == "DPO" => port.starts_with("DPRA"),
        // a port for each letter: ADDRA reads for DOA
        "RAM32M" | "RAM64M" | "RAM32M16" | "RAM64M8" => {
            port.strip_prefix("ADDR").is_some_and(|letter| output.strip_prefix("DO") == Some(letter))
        }
        _ => port.starts_with('A'),
    }
}

fn known(name: &str) -> Result<Kind> {
    if matches!(name, "LDCE" | "LDPE") {
        bail!("the netlist holds a latch ({name})");
    }
    kind(name)
        .with_context(|| format!("cell type `{name}` has no cost yet: add it to xtask/src/synth/netlist.rs"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{json, Value};

    fn cell(kind: &str, inputs: Value, outputs: Value) -> Value {
        let mut directions = serde_json::Map::new();
        let mut connections = serde_json::Map::new();
        for (side, ports) in [("input", inputs), ("output", outputs)] {
            for (port, bits) in ports.as_object().unwrap() {
                directions.insert(port.clone(), side.into());
                connections.insert(port.clone(), bits.clone());
            }
        }
        json!({ "type": kind, "port_directions": directions, "connections": connections })
    }

    fn netlist(cells: Value) -> Netlist {
        let names = json!({
            "a": { "hide_name": 0, "bits": [2, 3] },
            "$x": { "hide_name": 1, "bits": [7] },
            "y": { "hide_name": 0, "bits": [7] },
        });
        let file = json!({ "modules": { "t": { "cells": cells, "netnames": names } } });
        Netlist::parse(&file.to_string(), "t").unwrap()
    }

    #[test]
    fn luts_are_counted_along_the_longest_path_between_registers() {
        let n = netlist(json!({
            "l1": cell("LUT2", json!({ "I0": [2], "I1": ["1"] }), json!({ "O": [4] })),
            "inv": cell("INV", json!({ "I": [4] }), json!({ "O": [5] })),
            "l2": cell("LUT2", json!({ "I0": [5], "I1": [3] }), json!({ "O": [7] })),
            "ff": cell("FDRE", json!({ "D": [7], "C": [9] }), json!({ "Q": [8] })),
            "l3": cell("LUT1", json!({ "I0": [8] }), json!({ "O": [2] })),
            "ff2": cell("FDRE", json!({ "D": [8], "C": [9] }), json!({ "Q": [3] })),
            "scope": cell("$scopeinfo", json!({}), json!({})),
        }));
        assert_eq!(
            n.longest_path().unwrap(),
            Path { levels: 3, from: "net 8".into(), to: "net 8 (register)".into() }
        );
        assert_eq!(n.counts().unwrap(), Counts { luts: 3, ffs: 2, ..Counts::default() });
    }

    #[test]
    fn a_carry_chain_is_no_level_and_no_loop() {
        let n = netlist(json!({
            "c": cell("CARRY4", json!({ "CI": ["0"], "S": [2, 4, "0", "0"] }), json!({ "CO": [3, 5, 6, 7] })),
            "l": cell("LUT1", json!({ "I0": [3] }), json!({ "O": [4] })),
        }));
        assert_eq!(n.longest_path().unwrap().levels, 1);
    }

    #[test]
    fn a_loop_a_latch_and_an_unknown_cell_are_refused() {
        let looped = netlist(json!({
            "l1": cell("LUT1", json!({ "I0": [7] }), json!({ "O": [4] })),
            "l2": cell("LUT1", json!({ "I0": [4] }), json!({ "O": [7] })),
        }));
        assert!(looped.longest_path().unwrap_err().to_string().starts_with("combinational loop through"));
        let latch = netlist(json!({ "l": cell("LDCE", json!({}), json!({})) }));
        assert!(latch.counts().unwrap_err().to_string().contains("latch"));
        let odd = netlist(json!({ "l": cell("BUFR", json!({}), json!({})) }));
        assert!(odd.counts().unwrap_err().to_string().contains("BUFR"));
    }

    #[test]
    fn a_shift_register_of_fixed_length_begins_a_path() {
        let n = netlist(json!({
            "s": cell("SRL16E", json!({ "A0": ["1"], "A1": ["0"], "D": [2], "CLK": [9] }), json!({ "Q": [4] })),
            "l": cell("LUT1", json!({ "I0": [4] }), json!({ "O": [7] })),
        }));
        assert_eq!(n.longest_path().unwrap().levels, 1);
    }

    #[test]
    fn a_memory_of_luts_is_read_through_its_address_only() {
        let n = netlist(json!({
            "l": cell("LUT1", json!({ "I0": [2] }), json!({ "O": [4] })),
            "m": cell("RAM32M", json!({ "ADDRA": [3], "DIA": [4] }), json!({ "DOA": [7] })),
        }));
        assert_eq!(n.longest_path().unwrap().levels, 1);
        assert_eq!(n.counts().unwrap().luts, 5);
        // the write's address waits for the clock
        let n = netlist(json!({
            "l": cell("LUT1", json!({ "I0": [2] }), json!({ "O": [4] })),
            "m": cell("RAM64X1D", json!({ "A0": [4], "DPRA0": [3] }), json!({ "DPO": [7], "SPO": [8] })),
            "n": cell("RAM64X1D", json!({ "A0": [4], "DPRA0": [3] }), json!({ "DPO": [9] })),
        }));
        assert_eq!(n.longest_path().unwrap().levels, 2, "SPO reads at the address of the write");
        let n = netlist(json!({
            "l": cell("LUT1", json!({ "I0": [2] }), json!({ "O": [4] })),
            "n": cell("RAM64X1D", json!({ "A0": [4], "DPRA0": [3] }), json!({ "DPO": [9] })),
        }));
        assert_eq!(n.longest_path().unwrap().levels, 1);
    }
}
