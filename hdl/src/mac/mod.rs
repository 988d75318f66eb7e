// SPDX-License-Identifier: MIT OR Apache-2.0
//! MAC for Ethernet of 1 Gb/s: octets at 125 MHz on one side, frames of 64 bits a beat on the
//! other.

mod fcs;
mod port;
mod rx;
mod stats;
mod tx;

pub use port::MacPort;
pub use rx::MacRx;
pub use stats::MacStats;
pub use tx::MacTx;

use crate::emit::{emit, Unit};

/// Octets of the longest frame that a board takes in, FCS and one tag included.
pub const LONGEST: usize = 1_522;

/// Blocks of this folder that can be synthesised alone.
pub fn catalog() -> Vec<Unit> {
    vec![Unit {
        name: "mac_port_w64",
        cell: "mac_port",
        stage: "mac",
        width: 64,
        emit: || emit("mac_port_w64", || MacPort::new(LONGEST)),
    }]
}
