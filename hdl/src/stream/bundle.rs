// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stream pair. `StreamSource::join` wires a child's output to a sibling's input,
//! `StreamSink::link` / `StreamSource::link` wire a block's own port to a child's.
use rust_hdl::prelude::*;

/// Sending side of a frame stream of `W` data bits; `K` = [`super::bytes_width`]`(W)`.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "StreamSink"]
pub struct StreamSource<const W: usize, const K: usize> {
    /// Octet 0 of the beat is bits 7:0.
    pub data: Signal<Out, Bits<W>>,
    /// Octets valid in this beat: `W/8` except on `last`, never 0.
    pub bytes: Signal<Out, Bits<K>>,
    /// Last beat of the frame.
    pub last: Signal<Out, Bit>,
    /// The frame is bad; only with `last`.
    pub err: Signal<Out, Bit>,
    /// A beat is offered.
    pub valid: Signal<Out, Bit>,
    /// The beat is taken (transfer = `valid` and `ready`).
    pub ready: Signal<In, Bit>,
}

/// Receiving side of a frame stream.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "StreamSource"]
pub struct StreamSink<const W: usize, const K: usize> {
    /// Octet 0 of the beat is bits 7:0.
    pub data: Signal<In, Bits<W>>,
    /// Octets valid in this beat: `W/8` except on `last`, never 0.
    pub bytes: Signal<In, Bits<K>>,
    /// Last beat of the frame.
    pub last: Signal<In, Bit>,
    /// The frame is bad; only with `last`.
    pub err: Signal<In, Bit>,
    /// A beat is offered.
    pub valid: Signal<In, Bit>,
    /// The beat is taken (transfer = `valid` and `ready`).
    pub ready: Signal<Out, Bit>,
}
