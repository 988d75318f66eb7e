// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the device wrote, and no entry is.

/// An entry that the device cannot have meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {index} of the {ring} ring: {why}; the device or what reaches its memory is faulty")]
pub struct BadEntry {
    /// Which ring.
    pub ring: &'static str,
    /// Absolute index of the slot.
    pub index: u32,
    /// What is wrong with it, with the value.
    pub why: String,
}
