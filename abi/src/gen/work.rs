// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Codecs of Work requests.
use crate::codec::{fit, head, put, EmitError, Truncated};
use crate::table::Layout;
use crate::types::{ByteCount, STag, TaggedOffset};

/// First 32 octets of a request of the send queue; up to four `Sge` or 96 octets of inline data
/// follow. The request takes one block of 64 octets, or two that follow one another in the ring.
/// Flags and opcodes that are not built are refused. Places: immediate data, a key of ours that a
/// request invalidates or binds, a completion queue apart from the queue pair's. For atomics (RFC
/// 7306 section 5), the sink is the first SGE. The operands stand in octets 48 to 64, their masks
/// in the second block.
///
/// 32 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SendWqe {
    /// RDMAP opcode of the message (0, 1, 3, 4, 5 or 6), or one of `work_opcode`.
    pub opcode: u8,
    /// A CQE is written when it completes without error.
    pub is_signaled: bool,
    /// The payload stands in the request; there are no SGEs.
    pub is_inline: bool,
    /// It begins when all RDMA Reads posted before have completed.
    pub is_fenced: bool,
    /// Refused unless 0: places of flags for `immediate` and `cq`, which are not built. 5 bits.
    pub flags: u8,
    /// SGEs that follow, 0 to 4.
    pub num_sge: u8,
    /// Blocks that it takes: 1 or 2. Two SGEs, or 32 octets inline, fit into one.
    pub blocks: u8,
    /// Octets of payload: the sum of the SGEs, or of inline data, 0 to 96.
    pub length: ByteCount,
    /// Buffer of the peer (RDMA Write), or what a Send invalidates.
    pub remote_stag: STag,
    /// Where in the peer's buffer.
    pub remote_to: TaggedOffset,
}

impl SendWqe {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::work::SEND_WQE;

    /// Octets.
    pub const LEN: usize = 32;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<32>("SendWqe", octets)?;
        let w1 = o[1];
        Ok(Self {
            opcode: o[0],
            is_signaled: w1 & 0x80 != 0,
            is_inline: w1 & 0x40 != 0,
            is_fenced: w1 & 0x20 != 0,
            flags: w1 & 0x1f,
            num_sge: o[2],
            blocks: o[3],
            length: ByteCount::from_bits(u32::from_be_bytes([o[4], o[5], o[6], o[7]])),
            remote_stag: STag::from_bits(u32::from_be_bytes([o[16], o[17], o[18], o[19]])),
            remote_to: TaggedOffset::from_bits(u64::from_be_bytes([
                o[24], o[25], o[26], o[27], o[28], o[29], o[30], o[31],
            ])),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 32], EmitError> {
        let mut o = [0; 32];
        o[0] = self.opcode;
        o[1] = (u8::from(self.is_signaled) << 7)
            | (u8::from(self.is_inline) << 6)
            | (u8::from(self.is_fenced) << 5)
            | fit("SendWqe.flags", self.flags, 5)?;
        o[2] = self.num_sge;
        o[3] = self.blocks;
        let w4: u32 = self.length.to_bits();
        o[4..8].copy_from_slice(&w4.to_be_bytes());
        let w16: u32 = self.remote_stag.to_bits();
        o[16..20].copy_from_slice(&w16.to_be_bytes());
        let w24: u64 = self.remote_to.to_bits();
        o[24..32].copy_from_slice(&w24.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 10] {
        [
            ("opcode", u128::from(self.opcode)),
            ("is_signaled", u128::from(self.is_signaled)),
            ("is_inline", u128::from(self.is_inline)),
            ("is_fenced", u128::from(self.is_fenced)),
            ("flags", u128::from(self.flags)),
            ("num_sge", u128::from(self.num_sge)),
            ("blocks", u128::from(self.blocks)),
            ("length", u128::from(self.length.to_bits())),
            ("remote_stag", u128::from(self.remote_stag.to_bits())),
            ("remote_to", u128::from(self.remote_to.to_bits())),
        ]
    }
}

/// First 16 octets of a request of the receive queue; up to three `Sge` follow. The request takes
/// one block of 32 octets, or two that follow one another in the ring.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RecvWqe {
    /// SGEs that count, 0 to 3.
    pub num_sge: u8,
    /// Blocks that it takes: 1 or 2. One SGE fits into one.
    pub blocks: u8,
    /// Refused unless 0: place of a flag for `cq`, which is not built.
    pub flags: u16,
}

impl RecvWqe {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::work::RECV_WQE;

    /// Octets.
    pub const LEN: usize = 16;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<16>("RecvWqe", octets)?;
        Ok(Self { num_sge: o[0], blocks: o[1], flags: u16::from_be_bytes([o[2], o[3]]) })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 16], EmitError> {
        let mut o = [0; 16];
        o[0] = self.num_sge;
        o[1] = self.blocks;
        let w2: u16 = self.flags;
        o[2..4].copy_from_slice(&w2.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 3] {
        [
            ("num_sge", u128::from(self.num_sge)),
            ("blocks", u128::from(self.blocks)),
            ("flags", u128::from(self.flags)),
        ]
    }
}

/// A piece of local memory; follows a `SendWqe` or `RecvWqe`.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sge {
    /// Tagged offset of the first octet in the region.
    pub to: TaggedOffset,
    /// Octets, 0 or more.
    pub length: ByteCount,
    /// STag of the memory region it lies in.
    pub key: STag,
}

impl Sge {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::work::SGE;

    /// Octets.
    pub const LEN: usize = 16;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<16>("Sge", octets)?;
        Ok(Self {
            to: TaggedOffset::from_bits(u64::from_be_bytes([o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7]])),
            length: ByteCount::from_bits(u32::from_be_bytes([o[8], o[9], o[10], o[11]])),
            key: STag::from_bits(u32::from_be_bytes([o[12], o[13], o[14], o[15]])),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 16], EmitError> {
        let mut o = [0; 16];
        let w0: u64 = self.to.to_bits();
        o[0..8].copy_from_slice(&w0.to_be_bytes());
        let w8: u32 = self.length.to_bits();
        o[8..12].copy_from_slice(&w8.to_be_bytes());
        let w12: u32 = self.key.to_bits();
        o[12..16].copy_from_slice(&w12.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 3] {
        [
            ("to", u128::from(self.to.to_bits())),
            ("length", u128::from(self.length.to_bits())),
            ("key", u128::from(self.key.to_bits())),
        ]
    }
}
