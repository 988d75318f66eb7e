// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of the transmit side: the command and what its check makes of it.
use rust_hdl::prelude::*;

/// A command as it came.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxCommand {
    /// ULPDU_Length in octets.
    pub length: Bits<16>,
    /// Stream offset of the FPDU's first octet modulo 512.
    pub phase: Bits<9>,
    /// The peer asked for markers.
    pub markers: Bit,
    /// Fill the CRC field; else it is zero.
    pub crc: Bit,
    /// First octet to emit, counted from the FPDU's first.
    pub from: Bits<16>,
    /// Octets to emit.
    pub octets: Bits<16>,
}

/// What the packer needs of a command.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxJob {
    /// ULPDU_Length in octets.
    pub length: Bits<16>,
    /// 32-bit words from the FPDU's first octet to the first marker that is due, modulo 128.
    pub gap: Bits<7>,
    /// Insert markers.
    pub markers: Bit,
    /// Fill the CRC field.
    pub crc: Bit,
    /// The command was refused: its payload frame is dropped.
    pub refused: Bit,
}

/// What the sender of a command is told.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxAnswer {
    /// Octets of the whole FPDU in the stream, markers counted; 0 if refused.
    pub total: Bits<17>,
    /// The command was impossible.
    pub refused: Bit,
}
