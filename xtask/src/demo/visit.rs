// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an application saw on its tour, and the table of that.
use serde::Deserialize;

/// Gb/s of the wire of simulated devices.
pub const WIRE: f64 = 10.0;
/// What a wire carries at most: 1,440 octets of payload in 1,538 (see the bench `first`).
const LIMIT: f64 = 1_440.0 / 1_538.0;
/// Octets of an operation from which on its goodput says something.
const LEAST: usize = 1_000;
/// Heads of the table's columns.
pub const HEADS: [&str; 6] = ["operation", "octets", "simulated us", "Gb/s", "of the wire", "wall s"];

/// What `ferrowarp tour --client --json` prints.
#[derive(Deserialize)]
pub struct Told {
    pub visit: Visit,
}

/// What an application saw.
#[derive(Debug, Clone, Deserialize)]
pub struct Visit {
    pub shown: Vec<Shown>,
    pub compared: usize,
    pub terminate: String,
}

/// An operation.
#[derive(Debug, Clone, Deserialize)]
pub struct Shown {
    pub what: String,
    pub octets: usize,
    pub wall_us: f64,
    pub device_ns: Option<f64>,
}

impl Shown {
    /// Cells of its row: times and goodput by the device's clock, on a wire of so many Gb/s.
    pub fn cells(&self, wire: f64) -> [String; 6] {
        let Self { what, octets, wall_us, device_ns } = self;
        let none = || "-".to_string();
        let us = device_ns.map_or_else(none, |ns| format!("{:.2}", ns / 1e3));
        let rate = device_ns.filter(|&ns| ns > 0.0 && *octets >= LEAST).map(|ns| *octets as f64 * 8.0 / ns);
        let share = rate.map_or_else(none, |rate| format!("{:.0} %", 100.0 * rate / (wire * LIMIT)));
        let rate = rate.map_or_else(none, |rate| format!("{rate:.2}"));
        let octets = if *octets > 0 { octets.to_string() } else { none() };
        [what.clone(), octets, us, rate, share, format!("{:.2}", wall_us / 1e6)]
    }
}

/// Prints a line for each operation on a wire of so many Gb/s.
pub fn print(visit: &Visit, wire: f64) {
    let width = visit.shown.iter().map(|s| s.what.len()).max().unwrap_or(0);
    let line = |[what, octets, us, rate, share, wall]: [&str; 6]| {
        say!("{what:<width$} {octets:>9} {us:>12} {rate:>6} {share:>11} {wall:>7}");
    };
    say!("");
    line(HEADS);
    visit.shown.iter().for_each(|shown| line(shown.cells(wire).each_ref().map(String::as_str)));
    say!("\n{}", memory(visit));
    say!("Terminate: {}", visit.terminate);
}

/// What both ends compared.
pub fn memory(visit: &Visit) -> String {
    format!("memory: {} octets compared, all as they must be", visit.compared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_goodput_only_where_it_says_something() {
        let shown = |octets, device_ns| Shown { what: "a Write".into(), octets, wall_us: 2e6, device_ns };
        assert_eq!(
            shown(1 << 20, Some(904_620.0)).cells(WIRE),
            ["a Write", "1048576", "904.62", "9.27", "99 %", "2.00"]
        );
        assert_eq!(shown(5, Some(8_130.0)).cells(WIRE), ["a Write", "5", "8.13", "-", "-", "2.00"]);
        assert_eq!(shown(0, None).cells(WIRE), ["a Write", "-", "-", "-", "-", "2.00"]);
    }
}
