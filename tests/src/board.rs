// SPDX-License-Identifier: MIT OR Apache-2.0
//! The handwritten Verilog of a board with an ECP5 and an RGMII PHY.
use ferrowarp_sim::rgmii::BoardText;
use std::io;
use std::path::Path;

/// Between the pins of a board and the emitted parts, from the folder of all boards.
const SHARED: [&str; 3] = ["ecp5/whole.v", "ecp5/eth_port.v", "ecp5/rgmii.v"];

/// The Verilog of the board whose folder below `constraints` is `name`, and whose oscillator is at
/// `clock_port`.
///
/// # Errors
/// A file that cannot be read.
pub fn text(name: &str, clock_port: &str) -> io::Result<BoardText> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../constraints");
    let mut verilog = std::fs::read_to_string(folder.join(name).join("board.v"))?;
    for file in SHARED {
        verilog += &std::fs::read_to_string(folder.join(file))?;
    }
    Ok(BoardText { clock_port: clock_port.into(), verilog })
}
