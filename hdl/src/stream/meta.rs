// SPDX-License-Identifier: MIT OR Apache-2.0
//! The metadata pair: one item a frame, in a stream of its own beside the frames.
use rust_hdl::prelude::*;

/// Sending side of a metadata stream with items of `M` bits.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "MetaSink"]
pub struct MetaSource<const M: usize> {
    /// What is known about the frame.
    pub item: Signal<Out, Bits<M>>,
    /// The frame has no octets and therefore no beats: the item stands alone.
    pub empty: Signal<Out, Bit>,
    /// An item is offered.
    pub valid: Signal<Out, Bit>,
    /// The item is taken (transfer = `valid` and `ready`).
    pub ready: Signal<In, Bit>,
}

/// Receiving side of a metadata stream.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "MetaSource"]
pub struct MetaSink<const M: usize> {
    /// What is known about the frame.
    pub item: Signal<In, Bits<M>>,
    /// The frame has no octets and therefore no beats: the item stands alone.
    pub empty: Signal<In, Bit>,
    /// An item is offered.
    pub valid: Signal<In, Bit>,
    /// The item is taken (transfer = `valid` and `ready`).
    pub ready: Signal<Out, Bit>,
}
