// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a switch stops.
use crate::eth::EthError;

/// What is wrong with a switch, or with what is asked of it. Ports are counted from 0, times are
/// picoseconds.
#[derive(Debug, thiserror::Error)]
pub enum SwitchError {
    /// The cable has no delay.
    #[error(
        "port {port} of the switch has a cable without delay; give LinkConfig::delay_ns the time of a block at least"
    )]
    NoDelay {
        /// Which port.
        port: usize,
    },
    /// Time went back.
    #[error("the switch was asked for {until_ps} ps and has been at {reached_ps} ps; times may only grow")]
    Backwards {
        /// What was asked.
        until_ps: u64,
        /// What was asked before.
        reached_ps: u64,
    },
    /// The far end has passed the time at which a frame begins to arrive.
    #[error(
        "a frame to port {port} of the switch begins to arrive at {at_ps} ps, and the devices stand at {until_ps} ps; \
         exchange after {least_ps} ps at most"
    )]
    Late {
        /// Which port.
        port: usize,
        /// When the preamble would begin to arrive.
        at_ps: u64,
        /// Where the devices stand.
        until_ps: u64,
        /// The longest block: [`Switch::lookahead_ps`](super::Switch::lookahead_ps).
        least_ps: u64,
    },
    /// A program outside cannot be reached any more.
    #[error("port {port} of the switch: {why}")]
    Port {
        /// Which port.
        port: usize,
        /// Why.
        why: EthError,
    },
}
