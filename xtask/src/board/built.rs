// SPDX-License-Identifier: MIT OR Apache-2.0
//! A board with the files of its design.
use super::file::Board;
use std::path::PathBuf;

/// The design with its files, in the board's folder below `target`.
pub struct Built {
    /// What its `board.toml` says.
    pub board: Board,
    /// The folder.
    pub folder: PathBuf,
    /// Verilog of the loopback design, `mac_port.v` included.
    pub sources: Vec<PathBuf>,
}

/// Yosys's command that reads the files.
pub fn read(sources: &[PathBuf]) -> String {
    let files: Vec<_> = sources.iter().map(|path| format!("\"{}\"", path.display())).collect();
    format!("read_verilog {}", files.join(" "))
}
