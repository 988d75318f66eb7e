// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a client asks the memory region table, and what it answers.
use crate::gen::MrRow;
use rust_hdl::prelude::*;

/// Answers of a check, as numbers in the emitted Verilog. The first one that holds, in this order,
/// is the answer.
pub mod mr_error {
    /// The access is allowed.
    pub const NONE: usize = 0;
    /// STag index 0 or beyond the table, region not valid, or another key.
    pub const STAG: usize = 1;
    /// Another protection domain, or bound to another queue pair than the one that asks.
    pub const STREAM: usize = 2;
    /// The region does not grant a needed right.
    pub const ACCESS: usize = 3;
    /// Address + length reaches or passes 2^64.
    pub const WRAP: usize = 4;
    /// The octets are not wholly inside the region.
    pub const BOUNDS: usize = 5;
}

/// A row of a region on its way to the table.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct MrWrite {
    /// Region.
    pub index: Bits<16>,
    /// Its row.
    pub row: MrRow,
}

/// What the peer of a queue pair invalidates.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct MrInv {
    /// Region and key.
    pub stag: Bits<32>,
    /// Queue pair of that peer.
    pub qp: Bits<8>,
}

/// A check. Without a set need the check asks for a local read, and every region grants a local
/// read.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct MrAsk {
    /// Region and key.
    pub stag: Bits<32>,
    /// Tagged offset of the first octet.
    pub addr: Bits<64>,
    /// Octets. With 0 neither wrap nor bounds are checked.
    pub length: Bits<32>,
    /// Queue pair that asks.
    pub qp: Bits<8>,
    /// Protection domain of the queue pair.
    pub pd: Bits<16>,
    /// Needs: the peer writes.
    pub remote_write: Bit,
    /// Needs: the peer reads.
    pub remote_read: Bit,
    /// Needs: a receive of this device writes.
    pub local_write: Bit,
}

/// Answer to a check.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct MrSay {
    /// The access is allowed: `error` is 0.
    pub ok: Bit,
    /// One of [`mr_error`].
    pub error: Bits<3>,
    /// IOVA of the first octet, if `ok` and the length is not 0.
    pub iova: Bits<64>,
}
