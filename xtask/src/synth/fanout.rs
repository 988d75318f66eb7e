// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many sinks the nets of a longest path have: a net of hundreds may be slow for them alone.
use super::netlist::{Bit, Netlist};
use std::collections::HashMap;
use std::fmt;

/// A net between two cells of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Leg {
    /// Its name, as the netlist has it.
    pub net: String,
    /// ns.
    pub delay: f64,
}

/// The net with most sinks of a path.
#[derive(Debug, PartialEq)]
pub struct Widest {
    sinks: usize,
    delay: f64,
}

impl fmt::Display for Widest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "widest net: {} sinks, {:.1} ns", self.sinks, self.delay)
    }
}

/// The widest net of a path; nets that nextpnr made itself are not in the netlist.
pub fn widest(netlist: &Netlist, path: &[Leg]) -> Option<Widest> {
    let module = &netlist.0;
    let mut sinks: HashMap<u64, usize> = HashMap::new();
    for cell in module.cells.values() {
        let is_input = |port: &str| cell.port_directions.get(port).is_some_and(|way| way == "input");
        for bit in cell.connections.iter().filter(|(port, _)| is_input(port)).flat_map(|(_, bits)| bits) {
            if let Bit::Net(number) = bit {
                *sinks.entry(*number).or_default() += 1;
            }
        }
    }
    // a bit of a vector is `name[3]`
    let count = |net: &str| {
        let whole = module.netnames.get(net).filter(|name| name.bits.len() == 1).map(|name| &name.bits[0]);
        let bit = || {
            let (name, place) = net.strip_suffix(']')?.rsplit_once('[')?;
            module.netnames.get(name)?.bits.get(place.parse::<usize>().ok()?)
        };
        match whole.or_else(bit)? {
            Bit::Net(number) => sinks.get(number).copied(),
            Bit::Constant(_) => None,
        }
    };
    let wide = path.iter().filter_map(|leg| Some(Widest { sinks: count(&leg.net)?, delay: leg.delay }));
    wide.max_by_key(|wide| wide.sinks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_net_of_a_path_is_told() {
        let text = r#"{"modules": {"t": {
            "cells": {
                "a": {"type": "TRELLIS_FF", "port_directions": {"Q": "output"}, "connections": {"Q": [2]}},
                "b": {"type": "LUT4", "port_directions": {"A": "input", "B": "input", "Z": "output"},
                      "connections": {"A": [2], "B": [2], "Z": [3]}},
                "c": {"type": "TRELLIS_FF", "port_directions": {"DI": "input"}, "connections": {"DI": [3]}}},
            "netnames": {"n": {"bits": [2]}, "v": {"bits": ["0", 3]}}}}}"#;
        let netlist = Netlist::parse(text, "t").unwrap();
        let leg = |net: &str, delay| Leg { net: net.into(), delay };
        let path = [leg("v[1]", 1.5), leg("n", 0.25), leg("v[0]", 9.0), leg("made by nextpnr", 9.0)];
        assert_eq!(widest(&netlist, &path).unwrap().to_string(), "widest net: 2 sinks, 0.2 ns");
        assert_eq!(widest(&netlist, &path[..1]), Some(Widest { sinks: 1, delay: 1.5 }));
        assert_eq!(widest(&netlist, &path[2..]), None);
    }
}
