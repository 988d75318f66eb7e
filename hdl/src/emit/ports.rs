// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ports of the top module, read from the emitted text itself.
use serde::{Deserialize, Serialize};

/// Direction of a port seen from the module.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Driven from outside.
    Input,
    /// Driven by the module.
    Output,
}

/// One port of the top module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// Plain name.
    pub name: String,
    /// Bits.
    pub width: usize,
    /// Direction.
    pub direction: Direction,
}

/// Ports of module `top`, in the order of their declarations.
pub fn ports_of(verilog: &str, top: &str) -> Vec<Port> {
    let head = format!("module {top}(");
    let body =
        verilog.lines().skip_while(|l| !l.starts_with(&head)).take_while(|l| !l.starts_with("endmodule"));
    body.filter_map(|line| {
        let mut words = line.trim().trim_end_matches(';').split_whitespace();
        let direction = match words.next()? {
            "input" => Direction::Input,
            "output" => Direction::Output,
            _ => return None,
        };
        let name = line.trim().trim_end_matches(';').split_whitespace().last()?.to_string();
        let width = match words.find_map(|w| w.strip_prefix('[')) {
            Some(range) => range.split(':').next()?.parse::<usize>().ok()? + 1,
            None => 1,
        };
        Some(Port { name, width, direction })
    })
    .collect()
}
