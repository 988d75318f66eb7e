// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lattice's preference file of a board, from its `board.toml`.
use super::file::Board;
use std::fmt::Write;

/// Pins, IO standards and clocks. Clocks that are no port are nets.
pub fn lpf(board: &Board) -> String {
    let mut text = format!("# {}: written by cargo xtask board\n", board.name);
    for port in &board.ports {
        let options: String = port.options.iter().map(|option| format!(" {option}")).collect();
        for (bit, pin) in port.pins.iter().enumerate() {
            let name = if port.pins.len() == 1 { port.name.clone() } else { format!("{}[{bit}]", port.name) };
            // writing to a string does not fail
            let _ = writeln!(text, "LOCATE COMP \"{name}\" SITE \"{pin}\";");
            let _ = writeln!(text, "IOBUF PORT \"{name}\" IO_TYPE={}{options};", port.io);
        }
    }
    for (clock, khz) in &board.clocks {
        let kind = if board.ports.iter().any(|port| port.name == *clock) { "PORT" } else { "NET" };
        let _ = writeln!(text, "FREQUENCY {kind} \"{clock}\" {:.3} MHZ;", *khz as f64 / 1e3);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::file::tests::{parsed, TEXT};

    #[test]
    fn pins_and_clocks_become_preferences() {
        let text = super::lpf(&parsed(TEXT).unwrap());
        for line in [
            "LOCATE COMP \"clk\" SITE \"A1\";\nIOBUF PORT \"clk\" IO_TYPE=LVCMOS33;\n",
            "LOCATE COMP \"led[1]\" SITE \"B2\";\nIOBUF PORT \"led[1]\" IO_TYPE=LVCMOS33 PULLMODE=UP;\n",
            "FREQUENCY PORT \"clk\" 100.000 MHZ;\nFREQUENCY NET \"core_clock\" 31.250 MHZ;\n",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
    }
}
