// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of the transmit side: what of local memory a ULPDU carries.
use rust_hdl::prelude::*;

/// Consecutive octets of local memory, or octets in the WQE.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxRange {
    /// IOVA of the first octet.
    pub addr: Bits<64>,
    /// Number of octets, 1 or more.
    pub octets: Bits<16>,
    /// The octets stand in the WQE, so no read is needed.
    pub in_slot: Bit,
    /// The range is the last one of its ULPDU.
    pub ends: Bit,
}

/// A range with the slot of its ULPDU.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxOwned {
    /// As in [`TxRange`].
    pub addr: Bits<64>,
    /// As in [`TxRange`].
    pub octets: Bits<16>,
    /// As in [`TxRange`].
    pub in_slot: Bit,
    /// As in [`TxRange`].
    pub ends: Bit,
    /// Slot of the range's ULPDU.
    pub slot: Bits<3>,
}

/// Owner of a piece.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxTaken {
    /// Slot of the ULPDU.
    pub slot: Bits<3>,
    /// The piece is the last one of the ULPDU.
    pub ends: Bit,
}

/// Last row of a piece.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxTop {
    /// The row.
    pub row: Bits<6>,
    /// The piece is the last one of its ULPDU.
    pub ends: Bit,
}

/// Fields of a ULPDU when its slot is taken.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxTicket {
    /// Number of the ULPDU among those of its queue pair, modulo 4.
    pub order: Bits<2>,
    /// The ULPDU has no payload.
    pub empty: Bit,
    /// The slot holds the end of a stream, which has no frame.
    pub fin: Bit,
    /// As in [`TxHead`].
    pub sure: Bit,
}

/// Head of a ULPDU: its header, and the work request that a fault names if payload cannot be read.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxHead {
    /// Queue pair.
    pub qp: Bits<8>,
    /// With `has_wr`: absolute index of the work request.
    pub index: Bits<32>,
    /// The ULPDU belongs to a work request of this device.
    pub has_wr: Bit,
    /// The ULPDU leaves again. If its payload cannot be read, the stream is lost.
    pub replay: Bit,
    /// TCP knew of all earlier payload that could not be read, so the ULPDU leaves in any case.
    pub sure: Bit,
    /// The ULPDU has no header, and payload follows.
    pub bare: Bit,
    /// The header has 14 octets, else 18.
    pub is_tagged: Bit,
    /// No payload follows.
    pub empty: Bit,
    /// Header: octet 0 in bits 7:0.
    pub octets: Bits<144>,
}

/// A ULPDU whose frame is made next.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxMade {
    /// Slot of the ULPDU.
    pub slot: Bits<3>,
    /// The ULPDU never leaves: its payload is discarded, and there is no frame.
    pub drops: Bit,
    /// The ULPDU makes a fault.
    pub blames: Bit,
}

/// One beat of payload, full or partial, at any place in its ULPDU.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxOctets {
    /// Octet 0 in bits 7:0; octets beyond `bytes` are zero.
    pub data: Bits<64>,
    /// Number of octets, 1 to 8.
    pub bytes: Bits<4>,
    /// The beat is the last one of its ULPDU.
    pub ends: Bit,
}

/// Header of a segment and its message.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxSegment {
    /// The message is tagged, else untagged.
    pub is_tagged: Bit,
    /// Queue of an untagged message.
    pub queue: Bits<2>,
    /// Invalidate STag of an untagged message.
    pub invalidate: Bits<32>,
    /// RDMAP's octet.
    pub control: Bits<8>,
    /// STag of a tagged message.
    pub stag: Bits<32>,
    /// TO of a tagged message's first octet.
    pub to: Bits<64>,
    /// MSN of an untagged message.
    pub msn: Bits<32>,
    /// Octets of the message.
    pub length: Bits<32>,
    /// Octets of the message before this segment.
    pub sent: Bits<32>,
    /// Largest ULPDU in octets, 18 or more.
    pub mulpdu: Bits<16>,
}
