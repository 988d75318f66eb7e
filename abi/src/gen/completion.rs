// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Codecs of Completions and events.
use crate::codec::{head, put, EmitError, Truncated};
use crate::table::Layout;
use crate::types::{ByteCount, STag};

/// A slot of a completion queue. The device writes it in one write; its phase bit becomes visible
/// last.
///
/// 32 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cqe {
    /// Of the work request: how many were posted to its queue before, modulo 2^32; 0 if there is
    /// none.
    pub index: u32,
    /// Octets received; 0 for a send queue's entry.
    pub byte_len: ByteCount,
    /// Queue pair.
    pub qp: u16,
    /// One of `wc_status`.
    pub status: u8,
    /// RDMAP opcode of the message.
    pub opcode: u8,
    /// STag that the message invalidated, with `has_invalidate`.
    pub invalidated_stag: STag,
    /// Layer, type and code as in a Terminate; with a bad `status` only.
    pub error: u16,
    /// Of a receive queue.
    pub is_recv: bool,
    /// The sender asked that the receiver be woken.
    pub is_solicited: bool,
    /// `invalidated_stag` counts.
    pub has_invalidate: bool,
    /// `index` counts.
    pub has_wr: bool,
    /// Changes each time the ring wraps; 1 the first time round.
    pub phase: bool,
}

impl Cqe {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::completion::CQE;

    /// Octets.
    pub const LEN: usize = 32;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<32>("Cqe", octets)?;
        let w22 = u16::from_be_bytes([o[22], o[23]]);
        let w24 = u64::from_be_bytes([o[24], o[25], o[26], o[27], o[28], o[29], o[30], o[31]]);
        Ok(Self {
            index: u32::from_be_bytes([o[0], o[1], o[2], o[3]]),
            byte_len: ByteCount::from_bits(u32::from_be_bytes([o[8], o[9], o[10], o[11]])),
            qp: u16::from_be_bytes([o[12], o[13]]),
            status: o[14],
            opcode: o[15],
            invalidated_stag: STag::from_bits(u32::from_be_bytes([o[16], o[17], o[18], o[19]])),
            error: u16::from_be_bytes([o[20], o[21]]),
            is_recv: w22 & 0x8000 != 0,
            is_solicited: w22 & 0x4000 != 0,
            has_invalidate: w22 & 0x2000 != 0,
            has_wr: w22 & 0x1000 != 0,
            phase: w24 & 0x1 != 0,
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 32], EmitError> {
        let mut o = [0; 32];
        let w0: u32 = self.index;
        o[0..4].copy_from_slice(&w0.to_be_bytes());
        let w8: u32 = self.byte_len.to_bits();
        o[8..12].copy_from_slice(&w8.to_be_bytes());
        let w12: u16 = self.qp;
        o[12..14].copy_from_slice(&w12.to_be_bytes());
        o[14] = self.status;
        o[15] = self.opcode;
        let w16: u32 = self.invalidated_stag.to_bits();
        o[16..20].copy_from_slice(&w16.to_be_bytes());
        let w20: u16 = self.error;
        o[20..22].copy_from_slice(&w20.to_be_bytes());
        let w22: u16 = (u16::from(self.is_recv) << 15)
            | (u16::from(self.is_solicited) << 14)
            | (u16::from(self.has_invalidate) << 13)
            | (u16::from(self.has_wr) << 12);
        o[22..24].copy_from_slice(&w22.to_be_bytes());
        let w24: u64 = u64::from(self.phase);
        o[24..32].copy_from_slice(&w24.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 12] {
        [
            ("index", u128::from(self.index)),
            ("byte_len", u128::from(self.byte_len.to_bits())),
            ("qp", u128::from(self.qp)),
            ("status", u128::from(self.status)),
            ("opcode", u128::from(self.opcode)),
            ("invalidated_stag", u128::from(self.invalidated_stag.to_bits())),
            ("error", u128::from(self.error)),
            ("is_recv", u128::from(self.is_recv)),
            ("is_solicited", u128::from(self.is_solicited)),
            ("has_invalidate", u128::from(self.has_invalidate)),
            ("has_wr", u128::from(self.has_wr)),
            ("phase", u128::from(self.phase)),
        ]
    }
}

/// A slot of the event ring; its phase bit becomes visible last.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Event {
    /// One of `event_kind`.
    pub kind: u8,
    /// Queue pair or completion queue, by `kind`.
    pub number: u16,
    /// Layer, type and code as in a Terminate; 0 if there is none.
    pub error: u16,
    /// By `kind`: the producer index of a completion queue.
    pub info: u32,
    /// Changes each time the ring wraps; 1 the first time round.
    pub phase: bool,
}

impl Event {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::completion::EVENT;

    /// Octets.
    pub const LEN: usize = 16;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<16>("Event", octets)?;
        let w12 = u32::from_be_bytes([o[12], o[13], o[14], o[15]]);
        Ok(Self {
            kind: o[0],
            number: u16::from_be_bytes([o[2], o[3]]),
            error: u16::from_be_bytes([o[4], o[5]]),
            info: u32::from_be_bytes([o[8], o[9], o[10], o[11]]),
            phase: w12 & 0x1 != 0,
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 16], EmitError> {
        let mut o = [0; 16];
        o[0] = self.kind;
        let w2: u16 = self.number;
        o[2..4].copy_from_slice(&w2.to_be_bytes());
        let w4: u16 = self.error;
        o[4..6].copy_from_slice(&w4.to_be_bytes());
        let w8: u32 = self.info;
        o[8..12].copy_from_slice(&w8.to_be_bytes());
        let w12: u32 = u32::from(self.phase);
        o[12..16].copy_from_slice(&w12.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 5] {
        [
            ("kind", u128::from(self.kind)),
            ("number", u128::from(self.number)),
            ("error", u128::from(self.error)),
            ("info", u128::from(self.info)),
            ("phase", u128::from(self.phase)),
        ]
    }
}
