// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilog around the device, against the ports of device and MAC.
use super::built::{read, Built};
use super::check::Netlist;
use super::parts;
use crate::{child, repo};
use anyhow::{bail, Context, Result};
use std::path::PathBuf;
use std::process::Command;

/// What the lint is not asked: outputs that nothing reads are named and left open; two designs have
/// a module `core`.
const ALLOWED: [&str; 2] = ["-Wno-PINCONNECTEMPTY", "-Wno-DECLFILENAME"];
/// Cells of an ECP5 with their ports, from the repository's root.
const CELLS: &str = "sim/models/ecp5_io.v";

/// Judges lint, pins and clocks.
///
/// # Errors
/// A port that is not connected or has another width; a port without pin, a clock without
/// frequency; a frequency of the Verilog that is another one than that of `board.toml`.
pub fn judge(built: &Built) -> Result<()> {
    let stubs = parts::stubs(&built.parts, &built.folder)?;
    let mut lint = Command::new("verilator");
    lint.args(["--lint-only", "-Wall", "--timescale", "1ns/1ps", "--top-module", "board"]).args(ALLOWED);
    child::capture(lint.args(&built.whole).args(&stubs).arg(repo::root().join(CELLS)))?;
    same_clock(&built.whole, built.board.clock_khz)?;
    let boxes = stubs.each_ref().map(|path| format!("\"{}\"", path.display())).join(" ");
    let script = format!("read_verilog -lib {boxes}; {}", read(&built.whole));
    Netlist::read(&built.folder, &script)?.judge(&built.board)
}

/// Refuses a parameter `CORE_KHZ` that is not `khz`: the carrier's times are made of it.
fn same_clock(files: &[PathBuf], khz: u64) -> Result<()> {
    let wanted = format!(".CORE_KHZ({khz})");
    for file in files {
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", repo::shown(file)))?;
        if text.contains(&wanted) {
            return Ok(());
        }
    }
    bail!("`clock_khz` of board.toml is {khz}, and no Verilog of the board has `{wanted}`: make them equal")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::slice::from_ref;

    #[test]
    fn a_clock_of_the_verilog_that_board_toml_does_not_have_is_refused() {
        let file = repo::target("xtask-tests").join(format!("khz-{}.v", std::process::id()));
        repo::write(&file, "core #(.CORE_KHZ(31250)) inner();").unwrap();
        same_clock(from_ref(&file), 31_250).unwrap();
        let refused = same_clock(from_ref(&file), 30_000).unwrap_err().to_string();
        std::fs::remove_file(file).unwrap();
        assert!(refused.contains("`clock_khz` of board.toml is 30000"), "{refused}");
    }
}
