// SPDX-License-Identifier: MIT OR Apache-2.0
//! Channels of the transmit stage: commands in, answers out.
use rust_hdl::prelude::*;

/// Commands on their way to the stage, one a ULPDU; sending side.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "TxCommandSink"]
pub struct TxCommandSource {
    /// ULPDU_Length in octets, 1 to 64768.
    pub length: Signal<Out, Bits<16>>,
    /// Stream offset of the FPDU's first octet (that of its leading marker, if it has one)
    /// modulo 512.
    pub phase: Signal<Out, Bits<9>>,
    /// Insert markers.
    pub markers: Signal<Out, Bit>,
    /// Fill the CRC field; without, it is zero.
    pub crc: Signal<Out, Bit>,
    /// First octet of the FPDU to emit, leading marker counted.
    pub from: Signal<Out, Bits<16>>,
    /// Octets to emit: 1 to what the FPDU has from there on.
    pub octets: Signal<Out, Bits<16>>,
    /// A command is offered.
    pub valid: Signal<Out, Bit>,
    /// It is taken.
    pub ready: Signal<In, Bit>,
}

/// Commands on their way to the stage; receiving side.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "TxCommandSource"]
pub struct TxCommandSink {
    /// ULPDU_Length in octets, 1 to 64768.
    pub length: Signal<In, Bits<16>>,
    /// Stream offset of the FPDU's first octet (that of its leading marker, if it has one)
    /// modulo 512.
    pub phase: Signal<In, Bits<9>>,
    /// Insert markers.
    pub markers: Signal<In, Bit>,
    /// Fill the CRC field; without, it is zero.
    pub crc: Signal<In, Bit>,
    /// First octet of the FPDU to emit, leading marker counted.
    pub from: Signal<In, Bits<16>>,
    /// Octets to emit: 1 to what the FPDU has from there on.
    pub octets: Signal<In, Bits<16>>,
    /// A command is offered.
    pub valid: Signal<In, Bit>,
    /// It is taken.
    pub ready: Signal<Out, Bit>,
}

/// Answers of the stage, one a command; sending side.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "TxAnswerSink"]
pub struct TxAnswerSource {
    /// Octets that the whole FPDU takes in the stream, markers counted; 0 if refused.
    pub total: Signal<Out, Bits<17>>,
    /// The command was impossible: nothing leaves.
    pub refused: Signal<Out, Bit>,
    /// An answer is offered.
    pub valid: Signal<Out, Bit>,
    /// It is taken.
    pub ready: Signal<In, Bit>,
}

/// Answers of the stage, one a command; receiving side.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "TxAnswerSource"]
pub struct TxAnswerSink {
    /// Octets that the whole FPDU takes in the stream, markers counted; 0 if refused.
    pub total: Signal<In, Bits<17>>,
    /// The command was impossible: nothing leaves.
    pub refused: Signal<In, Bit>,
    /// An answer is offered.
    pub valid: Signal<In, Bit>,
    /// It is taken.
    pub ready: Signal<Out, Bit>,
}
