// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two ends of a link, and its rate and length.

/// Octets of preamble and start frame delimiter.
pub const PREAMBLE: u64 = 8;
/// Octets of the frame check sequence.
pub const FCS: u64 = 4;
/// Octets of the gap between frames.
pub const GAP: u64 = 12;
/// Fewest octets of a frame without FCS.
pub const MIN_FRAME: u64 = 60;
/// Picoseconds in a second.
const SECOND_PS: u64 = 1_000_000_000_000;

/// The two ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The first device.
    A,
    /// The second device.
    B,
}

impl Side {
    /// Both, in order.
    pub const BOTH: [Side; 2] = [Side::A, Side::B];

    /// The other end.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }
}

/// Rate and length of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkConfig {
    /// Bits a second on the wire, preamble and gap included.
    pub rate_bps: u64,
    /// Period of the devices' clock in picoseconds.
    pub clock_ps: u64,
    /// Nanoseconds that every frame is under way.
    pub delay_ns: u64,
}

impl LinkConfig {
    /// Picoseconds that `octets` take on the wire.
    pub fn wire_ps(&self, octets: u64) -> u64 {
        let rate = self.rate_bps.max(1);
        match octets.checked_mul(8 * SECOND_PS) {
            Some(bits) => bits / rate,
            // two million octets at once: no frame is so long
            None => (u128::from(octets) * u128::from(8 * SECOND_PS) / u128::from(rate)) as u64,
        }
    }
}
