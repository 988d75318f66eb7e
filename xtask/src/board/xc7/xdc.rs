// SPDX-License-Identifier: MIT OR Apache-2.0
//! Vivado's constraints of pins and clocks, from `board.toml`.
use super::file::{Board, TRANSCEIVER};
use anyhow::{bail, Result};
use std::fmt::Write;

/// Commands that a file of constraints may have: Vivado reads no loop and no variable there.
const COMMANDS: [&str; 7] = [
    "create_clock",
    "create_generated_clock",
    "set_property",
    "set_input_delay",
    "set_output_delay",
    "set_max_delay",
    "set_false_path",
];

/// A pin and an IO standard for each bit of a port, and a period for each clock that comes in.
pub fn pins(board: &Board) -> String {
    let mut text = format!("# {}: written by cargo xtask board\n", board.name);
    for port in &board.ports {
        let standard = (port.io != TRANSCEIVER).then(|| format!("IOSTANDARD={}", port.io));
        for (bit, pin) in port.pins.iter().enumerate() {
            let name = if port.pins.len() == 1 { port.name.clone() } else { format!("{}[{bit}]", port.name) };
            for option in [format!("PACKAGE_PIN={pin}")].iter().chain(&standard).chain(&port.options) {
                // writing to a string does not fail
                let _ =
                    writeln!(text, "set_property {} [get_ports {{{name}}}]", option.replacen('=', " ", 1));
            }
        }
    }
    for (clock, khz) in &board.clocks {
        let period = 1e6 / *khz as f64;
        let _ = writeln!(text, "create_clock -name {clock} -period {period:.3} [get_ports {{{clock}}}]");
    }
    text
}

/// Refuses a line that begins with anything but a command of constraints.
pub fn plain(text: &str) -> Result<()> {
    for (at, line) in text.lines().enumerate() {
        let first = line.split_whitespace().next().unwrap_or("#");
        if !first.starts_with('#') && !COMMANDS.contains(&first) {
            bail!(
                "line {}: `{first}` is no command of constraints; there are {}",
                at + 1,
                COMMANDS.join(", ")
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::file::tests::{parsed, TEXT};
    use super::*;

    #[test]
    fn pins_standards_and_clocks_become_constraints() {
        let text = pins(&parsed(TEXT).unwrap());
        for line in [
            "set_property PACKAGE_PIN A1 [get_ports {clk}]\nset_property IOSTANDARD LVCMOS25 [get_ports {clk}]\n",
            "set_property PACKAGE_PIN B2 [get_ports {led[1]}]\n",
            "set_property SLEW FAST [get_ports {led[1]}]\n",
            "set_property PACKAGE_PIN C1 [get_ports {lane}]\ncreate_clock",
            "create_clock -name clk -period 8.000 [get_ports {clk}]\n",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
        plain(&text).unwrap();
    }

    #[test]
    fn a_loop_among_the_constraints_is_refused() {
        let refused = plain("# a\n\nforeach a {b} {}").unwrap_err().to_string();
        assert!(refused.starts_with("line 3: `foreach` is no command of constraints"), "{refused}");
    }
}
