// SPDX-License-Identifier: MIT OR Apache-2.0
//! What cannot be decoded.

/// What cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// No hexadecimal digit.
    #[error("`{found}` at character {at} is no hexadecimal digit; write octets as 0012ab or 00:12:ab")]
    Digit {
        /// What stands there.
        found: char,
        /// Where, from 1 on.
        at: usize,
    },
    /// Half an octet.
    #[error("{0} hexadecimal digits are no whole octets; add the missing digit")]
    Odd(usize),
    /// Nothing.
    #[error("no octets to decode; give octets in hexadecimal, or --file CAPTURE")]
    Empty,
    /// A file that cannot be read.
    #[error("{file}: {why}")]
    File {
        /// Which.
        file: String,
        /// Why.
        why: String,
    },
}
