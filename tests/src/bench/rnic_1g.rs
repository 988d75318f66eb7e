// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device of a board: profile `tiny` at 31.25 MHz on a wire of 1 Gb/s, a window of 32 KiB, one
//! connection, IPv4, MTU 1,500, CRCs, no markers ([`crate::rnic_1g`]). Both devices post 16 Writes
//! of 64 KiB at once.
//!
//! - `rnic_1g.goodput_ratio`: payload octets, over the time from the first octet of preamble to the
//!   last octet in the peer's memory, over the wire's limit. The lesser figure of the two devices.
use super::key::{Bar, Bench, Key, Record};
use crate::rnic_1g::{writes, Ways};

const RATIO: &str = "rnic_1g.goodput_ratio";

/// Writes of each device.
const WRITES: usize = 16;

/// Goodput of Writes at 1 Gb/s.
pub fn bench() -> Bench {
    let keys = vec![Key { name: RATIO.into(), bar: Bar::AtLeast(0.97) }];
    Bench { name: "rnic_1g", keys, run }
}

fn run(record: &mut Record) -> Result<(), String> {
    let figures = writes(WRITES, Ways::Both)?;
    record.put(RATIO, figures.goodput_ratios.into_iter().fold(f64::INFINITY, f64::min));
    Ok(())
}
