// SPDX-License-Identifier: MIT OR Apache-2.0
//! The side channel: one record of any kind at a time, beside a stream.
//!
//! `ItemSource::<T>::join` wires the source of one child to the sink of another.
//! `ItemSink::<T>::link` and `ItemSource::<T>::link` hand a block's own channel to a child.
use rust_hdl::prelude::*;

/// Sending end of a channel of records.
///
/// A transfer is a cycle with `valid` and `ready`. While `valid` waits for `ready`, `item` stays.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "ItemSink"]
pub struct ItemSource<T: Synth> {
    /// The record; only with `valid`.
    pub item: Signal<Out, T>,
    /// A record is offered.
    pub valid: Signal<Out, Bit>,
    /// The receiver takes the record in this cycle.
    pub ready: Signal<In, Bit>,
}

/// Receiving end of a channel of records.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "ItemSource"]
pub struct ItemSink<T: Synth> {
    /// The record; only with `valid`.
    pub item: Signal<In, T>,
    /// A record is offered.
    pub valid: Signal<In, Bit>,
    /// This block takes the record in this cycle.
    pub ready: Signal<Out, Bit>,
}
