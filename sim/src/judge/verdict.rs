// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the judge says, and why it says nothing.
use crate::file_error::FileError;
use crate::model::PortError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What the judge says of a top: no difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Name of the top module.
    pub top: String,
    /// Cycles that were compared.
    pub cycles: usize,
    /// Bits that were equal.
    pub equal: u64,
    /// Bits of payload and levels that Icarus does not know, by port.
    pub unknown: BTreeMap<String, u64>,
    /// Transfers at each boundary.
    pub moved: Vec<Moved>,
}

/// Transfers at a boundary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// What the names of its ports begin with.
    pub prefix: String,
    /// Whether the top takes what moves.
    pub is_input: bool,
    /// Cycles with `valid` and `ready`.
    pub transfers: usize,
}

/// An output that is not the same.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{top}`, cycle {cycle} after reset, port `{port}`: Verilator says {verilator}, Icarus {icarus}")]
pub struct Difference {
    /// Name of the top module.
    pub top: String,
    /// Cycle after reset, from 0.
    pub cycle: usize,
    /// The output.
    pub port: String,
    /// Binary digits, the highest first.
    pub verilator: String,
    /// Binary digits, the highest first; `x` where Icarus does not know the bit.
    pub icarus: String,
}

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The two simulators do not agree.
    #[error("{difference}; the testbench is in {folder}", folder = .folder.display())]
    Differs {
        /// Where.
        difference: Box<Difference>,
        /// What remains to look at.
        folder: PathBuf,
    },
    /// A stimulus that moves nothing judges nothing.
    #[error("`{top}`: the stimulus of {cycles} cycles moved nothing {way} it: {silent}")]
    Silent {
        /// Name of the top module.
        top: String,
        /// Cycles of the stimulus.
        cycles: usize,
        /// `into` or `out of`.
        way: &'static str,
        /// The boundaries.
        silent: String,
    },
    /// Icarus is not there.
    #[error("Icarus does not start: {source}; install the package iverilog (`cargo xtask setup` does)")]
    NoIcarus {
        /// The system's answer.
        source: std::io::Error,
    },
    /// Icarus refuses the text.
    #[error("Icarus refuses `{top}`: {why}")]
    Refused {
        /// Name of the top module.
        top: String,
        /// Its words.
        why: String,
    },
    /// The model has no such port.
    #[error(transparent)]
    Port(#[from] PortError),
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
}
