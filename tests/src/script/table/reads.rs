// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kinds of words and values.

/// How a word or a value of a field is read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reads {
    /// A sum; in a check also `*`.
    Number,
    /// Octets.
    Octets,
    /// A name or a text.
    Text,
    /// Milliseconds as `200ms`.
    Time,
}
