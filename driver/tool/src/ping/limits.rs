// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers of rping's protocol.

/// Sizes of the text that both ends can have: rping's own bounds.
pub const SIZES: std::ops::RangeInclusive<usize> = 27..=65_535;
/// rping's port.
pub const PORT: u16 = 7174;
/// Octets of every message.
pub const ADVERT_OCTETS: usize = 16;
