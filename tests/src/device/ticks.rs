// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times of the devices' pins.
use super::units;

/// Cycles between two ticks of the devices' pins.
pub(super) const TICK: u64 = 1_000;
/// Units of the least RTO while a connection is set up.
pub(super) const FIRST_RTO_MIN: u64 = units(10);
