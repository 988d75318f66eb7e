// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why nothing is measured.
use super::limits::{MOST_DEPTH, MOST_OCTETS};
use ferrowarp::{Status, WcOpcode};

/// Why nothing is measured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PerfError {
    /// Octets that are too many or none.
    #[error("messages of {0} octets are not measured; give 1 to {MOST_OCTETS}")]
    Size(u32),
    /// Too many or none.
    #[error("{0} requests at once are not possible; give 1 to {most}", most = MOST_DEPTH)]
    Depth(u16),
    /// Nothing to do.
    #[error("0 messages cannot be measured; give at least 1")]
    Iterations,
    /// rping's server asks for nothing, and no Send of rping's is long.
    #[error("rping is measured by `--server`, with `--operation read` or `write`, when it connects")]
    Rping,
    /// What the client told is no plan.
    #[error("the client sent {0} octets that are no plan; use `ferrowarp perf` of one version at both ends")]
    Plan(usize),
    /// What the server told is no buffer.
    #[error("the server sent {0} octets where 16 are due; use `ferrowarp perf` of one version at both ends")]
    Buffer(u32),
    /// A work request failed.
    #[error("{opcode:?} failed: {status} (error {error:#06x})")]
    Work {
        /// Which.
        opcode: WcOpcode,
        /// How.
        status: Status,
        /// Layer, type and code.
        error: u16,
    },
    /// Octets differ.
    #[error("octet {at} of {octets} is {got:#04x}, {wanted:#04x} was sent")]
    Differs {
        /// First octet that differs.
        at: usize,
        /// Octets of the message.
        octets: usize,
        /// What came.
        got: u8,
        /// What was sent.
        wanted: u8,
    },
}
