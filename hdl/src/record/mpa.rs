// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of MPA transmit: the command for an FPDU, and what its size makes of the command.
use rust_hdl::prelude::*;

/// What is wanted of the FPDU of one ULPDU.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxCommand {
    /// ULPDU_Length in octets, 1 to 64768.
    pub length: Bits<16>,
    /// Stream offset of the FPDU's first octet (that of its leading marker, if it has one)
    /// modulo 512.
    pub phase: Bits<9>,
    /// Insert markers.
    pub markers: Bit,
    /// Fill the CRC field; else it is zero.
    pub crc: Bit,
    /// First octet of the FPDU to emit, leading marker counted.
    pub from: Bits<16>,
    /// Octets to emit: 1 to what the FPDU has from there on.
    pub octets: Bits<16>,
}

/// A command of which the FPDU's size is known.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxSized {
    /// As in the command.
    pub length: Bits<16>,
    /// 32-bit words from the FPDU's first octet to the first marker that is due, modulo 128.
    pub gap: Bits<7>,
    /// As in the command.
    pub markers: Bit,
    /// As in the command.
    pub crc: Bit,
    /// As in the command.
    pub from: Bits<16>,
    /// As in the command.
    pub octets: Bits<16>,
    /// Octets of the whole FPDU in the stream, markers counted; 0 if refused.
    pub total: Bits<17>,
    /// The command is impossible: its ULPDU is dropped, nothing leaves.
    pub refused: Bit,
}

/// Answer to a command.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxAnswer {
    /// Octets of the whole FPDU in the stream, markers counted; 0 if refused.
    pub total: Bits<17>,
    /// The command was impossible: nothing leaves.
    pub refused: Bit,
}
