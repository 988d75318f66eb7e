// SPDX-License-Identifier: MIT OR Apache-2.0
//! A board with the files of its designs.
use super::file::Board;
use super::parts::Parts;
use std::path::PathBuf;

/// The designs with their files, in the board's folder below `target`.
pub struct Built {
    /// What its `board.toml` says.
    pub board: Board,
    /// The folder.
    pub folder: PathBuf,
    /// Verilog of the loopback design, `mac_port.v` included.
    pub loopback: Vec<PathBuf>,
    /// Verilog around the device; that of the MAC and the device are among the parts.
    pub whole: Vec<PathBuf>,
    /// The emitted parts.
    pub parts: Parts,
}

/// Yosys's command that reads the files.
pub fn read(sources: &[PathBuf]) -> String {
    let files: Vec<_> = sources.iter().map(|path| format!("\"{}\"", path.display())).collect();
    format!("read_verilog {}", files.join(" "))
}
