// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tops of the harness's own tests, in Verilog.
use ferrowarp_hdl::emit::{Direction, Emitted, Port};

/// A top in Verilog with `clock`, `reset` and the given ports.
pub fn top(name: &str, ports: Vec<(String, usize, Direction)>, body: &str) -> Emitted {
    let common = ["clock", "reset"].map(|name| (name.to_string(), 1, Direction::Input));
    let all = common.into_iter().chain(ports);
    let ports: Vec<_> = all.map(|(name, width, direction)| Port { name, width, direction }).collect();
    let declare = |p: &Port| {
        let way = if p.direction == Direction::Input { "input wire" } else { "output wire" };
        format!("    {way} [{}:0] {}", p.width - 1, p.name)
    };
    let list = ports.iter().map(declare).collect::<Vec<_>>().join(",\n");
    let verilog = format!("module {name}(\n{list}\n);\n{body}\nendmodule\n");
    Emitted { top: name.into(), verilog, ports, modules: 1, modules_before: 1 }
}
