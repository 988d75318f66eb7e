// SPDX-License-Identifier: MIT OR Apache-2.0
//! Channels of the DMA ports.
use rust_hdl::prelude::*;

/// Read requests on their way out of a block; `T` bits of tag: 8 for a client, 5 on the bus.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "ReadSink"]
pub struct ReadSource<const T: usize> {
    /// Bus address of the first octet.
    pub addr: Signal<Out, Bits<64>>,
    /// Octets, 1 to 4096.
    pub length: Signal<Out, Bits<13>>,
    /// Comes back beside each frame of the answer.
    pub tag: Signal<Out, Bits<T>>,
    /// A request is offered.
    pub valid: Signal<Out, Bit>,
    /// It is taken.
    pub ready: Signal<In, Bit>,
}

/// Read requests on their way into a block.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "ReadSource"]
pub struct ReadSink<const T: usize> {
    /// Bus address of the first octet.
    pub addr: Signal<In, Bits<64>>,
    /// Octets, 1 to 4096.
    pub length: Signal<In, Bits<13>>,
    /// Comes back beside each frame of the answer.
    pub tag: Signal<In, Bits<T>>,
    /// A request is offered.
    pub valid: Signal<In, Bit>,
    /// It is taken.
    pub ready: Signal<Out, Bit>,
}

/// Commands of posted writes on their way out of a block; the frame has a stream of its own.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "WriteSink"]
pub struct WriteSource {
    /// Bus address of the frame's octet 0.
    pub addr: Signal<Out, Bits<64>>,
    /// Octets of the frame, 1 to 4096.
    pub length: Signal<Out, Bits<13>>,
    /// A command is offered.
    pub valid: Signal<Out, Bit>,
    /// It is taken.
    pub ready: Signal<In, Bit>,
}

/// Commands of posted writes on their way into a block.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "WriteSource"]
pub struct WriteSink {
    /// Bus address of the frame's octet 0.
    pub addr: Signal<In, Bits<64>>,
    /// Octets of the frame, 1 to 4096.
    pub length: Signal<In, Bits<13>>,
    /// A command is offered.
    pub valid: Signal<In, Bit>,
    /// It is taken.
    pub ready: Signal<Out, Bit>,
}

/// A read as it waits in a register.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Read {
    /// Bus address of the first octet.
    pub addr: Bits<64>,
    /// Octets.
    pub length: Bits<13>,
    /// The client's tag, or that of the bus.
    pub tag: Bits<8>,
}

/// A write's command as it waits in a queue.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Write {
    /// Bus address of the frame's octet 0.
    pub addr: Bits<64>,
    /// Octets.
    pub length: Bits<13>,
}

/// A beat of an answer with what stands beside it.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct AnswerBeat {
    /// Octet 0 is bits 7:0.
    pub data: Bits<64>,
    /// Octets valid.
    pub bytes: Bits<4>,
    /// Last beat of the frame.
    pub last: Bit,
    /// The read failed.
    pub err: Bit,
    /// The client's tag, or that of the bus.
    pub tag: Bits<8>,
    /// The last frame of the request.
    pub is_final: Bit,
}

/// Who waits for the answer under a tag of the bus.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Owner {
    /// Client.
    pub client: Bits<3>,
    /// Its own tag.
    pub tag: Bits<8>,
}
