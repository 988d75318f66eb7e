// SPDX-License-Identifier: MIT OR Apache-2.0
//! Typed codecs of every layout, written by `cargo xtask gen` from the tables of [`crate::wire`]
//! and [`crate::host`].
//!
//! `parse` reads the first `LEN` octets and never looks at the rest; it is total: any octets of
//! sufficient number give a value, and nothing is judged (a version, a length, a checksum is the
//! caller's to check). `emit` writes `LEN` octets; it refuses a number that its field cannot hold
//! instead of cutting it.
use core::fmt;

pub use crate::gen::codecs::*;

/// Fewer octets than the layout has.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Truncated {
    /// Layout that was to be read.
    pub layout: &'static str,
    /// Octets it needs.
    pub need: usize,
    /// Octets there are.
    pub have: usize,
}

impl fmt::Display for Truncated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { layout, need, have } = self;
        write!(f, "{layout} needs {need} octets, only {have} are there: wait for more or drop the frame")
    }
}

impl core::error::Error for Truncated {}

/// Why nothing was written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EmitError {
    /// The output is too short.
    NoRoom {
        /// Octets to be written.
        need: usize,
        /// Octets of room.
        have: usize,
    },
    /// A member holds more than its field can.
    TooWide {
        /// Layout and field, `Layout.field`.
        field: &'static str,
        /// Value refused.
        value: u128,
        /// Width of the field in bits.
        bits: usize,
    },
}

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EmitError::NoRoom { need, have } => {
                write!(f, "no room: {need} octets are to be written into {have}; give a longer buffer")
            }
            EmitError::TooWide { field, value, bits } => {
                write!(f, "{field} = {value} does not fit its {bits} bits; the largest value is ")?;
                write!(f, "{}", u128::MAX >> (128 - bits))
            }
        }
    }
}

impl core::error::Error for EmitError {}

/// The first `N` octets.
pub(crate) fn head<'a, const N: usize>(
    layout: &'static str,
    octets: &'a [u8],
) -> Result<&'a [u8; N], Truncated> {
    octets.first_chunk().ok_or(Truncated { layout, need: N, have: octets.len() })
}

/// Writes `octets` at the start of `out`; returns their number.
pub(crate) fn put<const N: usize>(out: &mut [u8], octets: [u8; N]) -> Result<usize, EmitError> {
    let have = out.len();
    *out.first_chunk_mut().ok_or(EmitError::NoRoom { need: N, have })? = octets;
    Ok(N)
}

/// Passes `value` on if it has at most `bits` bits; `bits` is below 128.
pub(crate) fn fit<T: Copy + Into<u128>>(field: &'static str, value: T, bits: usize) -> Result<T, EmitError> {
    match value.into() >> bits {
        0 => Ok(value),
        _ => Err(EmitError::TooWide { field, value: value.into(), bits }),
    }
}

#[cfg(test)]
mod tests;
