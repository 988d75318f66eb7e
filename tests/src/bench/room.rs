// SPDX-License-Identifier: MIT OR Apache-2.0
//! Block RAM of the whole device of `10g`, counted in the Verilog that is emitted.
//!
//! A memory counts if its `syn_ramstyle` asks for block RAM on a Lattice device. A Xilinx device
//! has some of these in LUT RAM. A module counts as often as it stands in the device. Most memories
//! have a place for each queue pair. So the device is emitted with 64 queue pairs and with 16, and
//! the difference counts.
//!
//! - `room.qp.kbit`: block RAM of one queue pair, in units of 1,024 bits.
//! - `room.kbit`: block RAM of the device.
use super::key::{Bar, Bench, Key, Record};
use crate::rnic::ten;
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::top::Top;
use std::collections::BTreeMap;

/// Queue pairs and completion queues of the second device.
const FEW: u64 = 16;
const KBIT: f64 = 1_024.0;

/// Block RAM of a queue pair.
pub fn bench() -> Bench {
    let key = |name: &str, bar| Key { name: name.into(), bar };
    let keys = vec![key("room.qp.kbit", Bar::AtMost(56.0)), key("room.kbit", Bar::Informative)];
    Bench { name: "room", keys, run }
}

fn run(record: &mut Record) -> Result<(), String> {
    let many = ten();
    let few = Config { qps: FEW, cqs: FEW, ..many.clone() };
    let bits = |config: &Config| {
        let emitted = Top::RnicW64.emit(config).map_err(|e| e.to_string())?;
        block_ram(&emitted.verilog, Top::RnicW64.name())
    };
    let (all, less) = (bits(&many)?, bits(&few)?);
    let more = all.checked_sub(less).ok_or("fewer queue pairs have more block RAM")?;
    record.put("room.qp.kbit", more as f64 / (many.qps - FEW) as f64 / KBIT);
    record.put("room.kbit", all as f64 / KBIT);
    Ok(())
}

/// A module's own bits of block RAM, and the modules in it.
#[derive(Default)]
struct Module<'a> {
    bits: u64,
    parts: Vec<&'a str>,
}

/// Bits of block RAM in `top` and all that stands in it. One declaration stands in a line, as the
/// emitter writes it.
fn block_ram(verilog: &str, top: &str) -> Result<u64, String> {
    let mut modules: BTreeMap<&str, Module<'_>> = BTreeMap::new();
    let mut own = None;
    for line in verilog.lines() {
        let mut words = line.split([' ', '(']).filter(|word| !word.is_empty());
        match (words.next(), own) {
            (Some("module"), _) => own = words.next(),
            (Some("endmodule"), _) => own = None,
            (Some(first), Some(name)) => {
                let module = modules.entry(name).or_default();
                match declared(line)? {
                    Some(bits) => module.bits += bits,
                    None => module.parts.push(first),
                }
            }
            _ => {}
        }
    }
    within(&modules, top).ok_or_else(|| format!("the Verilog has no module `{top}`"))
}

/// Bits of the block RAM that this line declares.
fn declared(line: &str) -> Result<Option<u64>, String> {
    if !line.contains("syn_ramstyle = \"block_ram\"") {
        return Ok(None);
    }
    // `[a:0] words[b:0]`: each range begins with its last number
    let mut lasts = line.split('[').skip(1).map(|range| range.split(':').next()?.trim().parse::<u64>().ok());
    match (lasts.next().flatten(), lasts.next().flatten()) {
        (Some(bit), Some(word)) => Ok(Some((bit + 1) * (word + 1))),
        _ => Err(format!("no memory of known size: {line}")),
    }
}

/// Bits of a module and all that stands in it; `None` of a word that names no module.
fn within(modules: &BTreeMap<&str, Module<'_>>, name: &str) -> Option<u64> {
    let module = modules.get(name)?;
    Some(module.bits + module.parts.iter().filter_map(|part| within(modules, part)).sum::<u64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_counts_as_often_as_it_stands_there() {
        let verilog = "module top(clock);\n    pair a(\n    pair b(\nendmodule\nmodule pair(clock);\n    \
            (* no_rw_check, syn_ramstyle = \"block_ram\" *) reg [7:0] words[15:0];\n    reg [6:0] words[127:0];\nendmodule\n";
        assert_eq!((block_ram(verilog, "top"), block_ram(verilog, "pair")), (Ok(256), Ok(128)));
        assert!(block_ram(verilog, "other").unwrap_err().contains("`other`"));
    }
}
