// SPDX-License-Identifier: MIT OR Apache-2.0
//! Side channels of the cells that cut frames: one item a frame, `valid`/`ready` like a stream.
use rust_hdl::prelude::*;

/// Header record on its way out of a block: the first `HB/8` octets of a frame, octet 0 in bits
/// 7:0.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "HeaderSink"]
pub struct HeaderSource<const HB: usize> {
    /// The octets as they came; the swap of multi-octet fields is the reader's.
    pub data: Signal<Out, Bits<HB>>,
    /// The frame ended before its header did; octets beyond its end are undefined.
    pub short: Signal<Out, Bit>,
    /// No payload follows.
    pub empty: Signal<Out, Bit>,
    /// With `empty`: the frame is bad. A frame with payload says so on its last beat.
    pub err: Signal<Out, Bit>,
    /// A header is offered.
    pub valid: Signal<Out, Bit>,
    /// The header is taken.
    pub ready: Signal<In, Bit>,
}

/// Header record on its way into a block.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "HeaderSource"]
pub struct HeaderSink<const HB: usize> {
    /// The octets of the header, octet 0 in bits 7:0.
    pub data: Signal<In, Bits<HB>>,
    /// The frame ended before its header did; octets beyond its end are undefined.
    pub short: Signal<In, Bit>,
    /// No payload follows.
    pub empty: Signal<In, Bit>,
    /// With `empty`: the frame is bad. A frame with payload says so on its last beat.
    pub err: Signal<In, Bit>,
    /// A header is offered.
    pub valid: Signal<In, Bit>,
    /// The header is taken.
    pub ready: Signal<Out, Bit>,
}

/// A place in a frame, counted in octets from its first one; sending side.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "OffsetSink"]
pub struct OffsetSource {
    /// Octets before the place.
    pub octets: Signal<Out, Bits<16>>,
    /// An offset is offered.
    pub valid: Signal<Out, Bit>,
    /// The offset is taken.
    pub ready: Signal<In, Bit>,
}

/// A place in a frame, counted in octets from its first one; receiving side.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "OffsetSource"]
pub struct OffsetSink {
    /// Octets before the place.
    pub octets: Signal<In, Bits<16>>,
    /// An offset is offered.
    pub valid: Signal<In, Bit>,
    /// The offset is taken.
    pub ready: Signal<Out, Bit>,
}

/// Which of the two sides of an [`OffsetSource`] place hold octets; sending side.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "PartsSink"]
pub struct PartsSource {
    /// There are octets before the place.
    pub first: Signal<Out, Bit>,
    /// There are octets from the place on.
    pub second: Signal<Out, Bit>,
    /// The frame is bad; only where the block's contract says that no later beat brings the
    /// verdict.
    pub err: Signal<Out, Bit>,
    /// An item is offered.
    pub valid: Signal<Out, Bit>,
    /// The item is taken.
    pub ready: Signal<In, Bit>,
}

/// Which of the two sides of an [`OffsetSource`] place hold octets; receiving side.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "PartsSource"]
pub struct PartsSink {
    /// There are octets before the place.
    pub first: Signal<In, Bit>,
    /// There are octets from the place on.
    pub second: Signal<In, Bit>,
    /// The frame is bad; only where the block's contract says that no later beat brings the
    /// verdict.
    pub err: Signal<In, Bit>,
    /// An item is offered.
    pub valid: Signal<In, Bit>,
    /// The item is taken.
    pub ready: Signal<Out, Bit>,
}
