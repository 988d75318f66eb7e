// SPDX-License-Identifier: MIT OR Apache-2.0
//! An elaborated part before the passes over the text.
use super::ports::Port;
use super::shape::Shape;
use std::collections::BTreeMap;

/// What is wanted of a part.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum With {
    /// Ports and Verilog.
    Text,
    /// Ports alone, which take a hundredth of the time.
    Ports,
}

/// An elaborated part: a module `top`.
pub(super) struct Raw {
    /// Verilog with Rust-HDL's names; empty without [`With::Text`].
    pub(super) text: String,
    /// Ports with Rust-HDL's names.
    pub(super) ports: Vec<Port>,
    /// Types of the ports by plain name.
    pub(super) shapes: BTreeMap<String, Shape>,
}
