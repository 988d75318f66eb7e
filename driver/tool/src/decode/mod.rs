// SPDX-License-Identifier: MIT OR Apache-2.0
//! FPDUs explained, from hexadecimal or from a capture.
//!
//! Layouts come from the tables of `abi`; nothing here knows a bit. The verdict on a CRC is the
//! crate `crc`'s.
mod capture;
pub(crate) mod error;
mod fpdu;
mod hex;
mod stream;
#[cfg(test)]
mod tests;

pub(crate) use capture::steps;
pub use error::DecodeError;
pub use fpdu::{decode_fpdu, Explained, Part, Verdict};
pub use hex::from_hex;
pub use stream::Step;
