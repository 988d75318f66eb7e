// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers of measurements.

/// Port of the server.
pub const PORT: u16 = 18_515;
/// Longest message that is measured.
pub const MOST_OCTETS: u32 = 1 << 26;
/// Most requests at once.
pub(super) const MOST_DEPTH: u16 = 64;
