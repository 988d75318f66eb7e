// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of the transmit side: what of local memory a ULPDU carries.
use rust_hdl::prelude::*;

/// Octets that follow each other in local memory, or stand in the WQE.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxRange {
    /// IOVA of the first one.
    pub addr: Bits<64>,
    /// How many, 1 or more.
    pub octets: Bits<16>,
    /// They stand in the WQE: no read.
    pub in_slot: Bit,
    /// The last of their ULPDU.
    pub ends: Bit,
}

/// A range, and whose it is.
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
    /// Slot of their ULPDU.
    pub slot: Bits<3>,
}

/// Whose piece it is.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxTaken {
    /// Slot of the ULPDU.
    pub slot: Bits<3>,
    /// It is the last of it.
    pub ends: Bit,
}

/// Last row of a piece.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxTop {
    /// The row.
    pub row: Bits<6>,
    /// It is the last one of its ULPDU.
    pub ends: Bit,
}

/// What is known of a ULPDU when its slot is taken.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxTicket {
    /// Its number among those of its queue pair, modulo 4.
    pub order: Bits<2>,
    /// It has no payload.
    pub empty: Bit,
    /// It is the end of a stream: there is no frame.
    pub fin: Bit,
    /// As in [`TxHead`].
    pub sure: Bit,
}

/// Head of a ULPDU: its header, and whom to blame if its payload cannot be read.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxHead {
    /// Queue pair.
    pub qp: Bits<8>,
    /// Absolute index of its work request, with `has_wr`.
    pub index: Bits<32>,
    /// It is of a work request of our own.
    pub has_wr: Bit,
    /// It leaves again: if it cannot be read the stream is lost.
    pub replay: Bit,
    /// TCP knew of all payload before it that could not be read: it leaves.
    pub sure: Bit,
    /// No header at all; some payload follows.
    pub bare: Bit,
    /// 14 octets of header, else 18.
    pub is_tagged: Bit,
    /// No payload follows.
    pub empty: Bit,
    /// Header: octet 0 in bits 7:0.
    pub octets: Bits<144>,
}

/// A ULPDU whose frame is made next.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxMade {
    /// Its slot.
    pub slot: Bits<3>,
    /// It never leaves: its payload is read away, and there is no frame.
    pub drops: Bit,
    /// A fault tells of it.
    pub blames: Bit,
}

/// One beat of payload as it came: full or not, anywhere in its ULPDU.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxOctets {
    /// Octet 0 in bits 7:0; those beyond `bytes` are zero.
    pub data: Bits<64>,
    /// How many, 1 to 8.
    pub bytes: Bits<4>,
    /// The last of its ULPDU.
    pub ends: Bit,
}

/// Header of a segment and its message.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxSegment {
    /// Tagged, else untagged.
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
    /// Octets of it before this segment.
    pub sent: Bits<32>,
    /// Largest ULPDU in octets, 18 or more.
    pub mulpdu: Bits<16>,
}
