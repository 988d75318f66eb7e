// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Codecs of Rows of queues and memory.
use crate::codec::{head, put, EmitError, Truncated};
use crate::table::Layout;
use crate::types::TaggedOffset;

/// A queue pair. Writing it empties its queues: producer and consumer indices become 0. `read_row`
/// gives state error after a fault.
///
/// 32 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct QpRow {
    /// One of `qp_state`.
    pub state: u8,
    /// Receives come from `srq`.
    pub use_srq: bool,
    /// Protection domain.
    pub pd: u16,
    /// Completion queue of sends, written before unless the state is *reset*.
    pub send_cq: u16,
    /// Completion queue of receives, written before unless the state is *reset*.
    pub recv_cq: u16,
    /// Shared receive queue, with `use_srq`.
    pub srq: u16,
    /// First octet of block 0 of the send queue, a multiple of 64.
    pub sq_base: u64,
    /// First octet of block 0 of the receive queue, a multiple of 32.
    pub rq_base: u64,
    /// log2 of the send queue's blocks of 64 octets, 0 to 15.
    pub sq_log2: u8,
    /// log2 of the receive queue's blocks of 32 octets, 0 to 15.
    pub rq_log2: u8,
    /// Read Requests of the peer under way at once.
    pub ird: u8,
    /// Our Read Requests under way at once.
    pub ord: u8,
}

impl QpRow {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::row::QP;

    /// Octets.
    pub const LEN: usize = 32;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<32>("QpRow", octets)?;
        let w1 = o[1];
        Ok(Self {
            state: o[0],
            use_srq: w1 & 0x80 != 0,
            pd: u16::from_be_bytes([o[2], o[3]]),
            send_cq: u16::from_be_bytes([o[4], o[5]]),
            recv_cq: u16::from_be_bytes([o[6], o[7]]),
            srq: u16::from_be_bytes([o[8], o[9]]),
            sq_base: u64::from_be_bytes([o[12], o[13], o[14], o[15], o[16], o[17], o[18], o[19]]),
            rq_base: u64::from_be_bytes([o[20], o[21], o[22], o[23], o[24], o[25], o[26], o[27]]),
            sq_log2: o[28],
            rq_log2: o[29],
            ird: o[30],
            ord: o[31],
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 32], EmitError> {
        let mut o = [0; 32];
        o[0] = self.state;
        o[1] = u8::from(self.use_srq) << 7;
        let w2: u16 = self.pd;
        o[2..4].copy_from_slice(&w2.to_be_bytes());
        let w4: u16 = self.send_cq;
        o[4..6].copy_from_slice(&w4.to_be_bytes());
        let w6: u16 = self.recv_cq;
        o[6..8].copy_from_slice(&w6.to_be_bytes());
        let w8: u16 = self.srq;
        o[8..10].copy_from_slice(&w8.to_be_bytes());
        let w12: u64 = self.sq_base;
        o[12..20].copy_from_slice(&w12.to_be_bytes());
        let w20: u64 = self.rq_base;
        o[20..28].copy_from_slice(&w20.to_be_bytes());
        o[28] = self.sq_log2;
        o[29] = self.rq_log2;
        o[30] = self.ird;
        o[31] = self.ord;
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 12] {
        [
            ("state", u128::from(self.state)),
            ("use_srq", u128::from(self.use_srq)),
            ("pd", u128::from(self.pd)),
            ("send_cq", u128::from(self.send_cq)),
            ("recv_cq", u128::from(self.recv_cq)),
            ("srq", u128::from(self.srq)),
            ("sq_base", u128::from(self.sq_base)),
            ("rq_base", u128::from(self.rq_base)),
            ("sq_log2", u128::from(self.sq_log2)),
            ("rq_log2", u128::from(self.rq_log2)),
            ("ird", u128::from(self.ird)),
            ("ord", u128::from(self.ord)),
        ]
    }
}

/// A completion queue. Writing it empties it: both indices become 0, it is not armed. `read_row`
/// gives it as not valid after an overrun.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CqRow {
    /// First octet of slot 0.
    pub base: u64,
    /// log2 of its slots, 0 to 16.
    pub log2: u8,
    /// The queue exists.
    pub is_valid: bool,
}

impl CqRow {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::row::CQ;

    /// Octets.
    pub const LEN: usize = 16;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<16>("CqRow", octets)?;
        let w9 = u64::from_be_bytes([0, o[9], o[10], o[11], o[12], o[13], o[14], o[15]]);
        Ok(Self {
            base: u64::from_be_bytes([o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7]]),
            log2: o[8],
            is_valid: w9 & 0x80000000000000 != 0,
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 16], EmitError> {
        let mut o = [0; 16];
        let w0: u64 = self.base;
        o[0..8].copy_from_slice(&w0.to_be_bytes());
        o[8] = self.log2;
        let w9: u64 = u64::from(self.is_valid) << 55;
        o[9..16].copy_from_slice(&w9.to_be_bytes()[1..]);
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 3] {
        [
            ("base", u128::from(self.base)),
            ("log2", u128::from(self.log2)),
            ("is_valid", u128::from(self.is_valid)),
        ]
    }
}

/// A memory region: one range of addresses. Its STag is `index << 8 | key`; index 0 is never valid.
///
/// 32 octets, Ferrowarp, RFC 5040 section 2.1, design decision D5.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MrRow {
    /// IOVA of its first octet.
    pub base: u64,
    /// Octets, 0 or more.
    pub length: u64,
    /// Tagged offset of its first octet.
    pub to_base: TaggedOffset,
    /// Protection domain.
    pub pd: u16,
    /// Receives and Read Responses may write it.
    pub local_write: bool,
    /// The peer may read it.
    pub remote_read: bool,
    /// The peer may write it.
    pub remote_write: bool,
    /// Only the stream of `qp` may name it, and only within the protection domain.
    pub bound_to_qp: bool,
    /// The region exists.
    pub is_valid: bool,
    /// Low 8 bits of its STag.
    pub key: u8,
    /// With `bound_to_qp`; with a number that no queue pair has, no queue pair may use the region.
    pub qp: u16,
}

impl MrRow {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::row::MR;

    /// Octets.
    pub const LEN: usize = 32;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<32>("MrRow", octets)?;
        let w26 = o[26];
        Ok(Self {
            base: u64::from_be_bytes([o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7]]),
            length: u64::from_be_bytes([o[8], o[9], o[10], o[11], o[12], o[13], o[14], o[15]]),
            to_base: TaggedOffset::from_bits(u64::from_be_bytes([
                o[16], o[17], o[18], o[19], o[20], o[21], o[22], o[23],
            ])),
            pd: u16::from_be_bytes([o[24], o[25]]),
            local_write: w26 & 0x80 != 0,
            remote_read: w26 & 0x40 != 0,
            remote_write: w26 & 0x20 != 0,
            bound_to_qp: w26 & 0x10 != 0,
            is_valid: w26 & 0x8 != 0,
            key: o[27],
            qp: u16::from_be_bytes([o[28], o[29]]),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 32], EmitError> {
        let mut o = [0; 32];
        let w0: u64 = self.base;
        o[0..8].copy_from_slice(&w0.to_be_bytes());
        let w8: u64 = self.length;
        o[8..16].copy_from_slice(&w8.to_be_bytes());
        let w16: u64 = self.to_base.to_bits();
        o[16..24].copy_from_slice(&w16.to_be_bytes());
        let w24: u16 = self.pd;
        o[24..26].copy_from_slice(&w24.to_be_bytes());
        o[26] = (u8::from(self.local_write) << 7)
            | (u8::from(self.remote_read) << 6)
            | (u8::from(self.remote_write) << 5)
            | (u8::from(self.bound_to_qp) << 4)
            | (u8::from(self.is_valid) << 3);
        o[27] = self.key;
        let w28: u16 = self.qp;
        o[28..30].copy_from_slice(&w28.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 11] {
        [
            ("base", u128::from(self.base)),
            ("length", u128::from(self.length)),
            ("to_base", u128::from(self.to_base.to_bits())),
            ("pd", u128::from(self.pd)),
            ("local_write", u128::from(self.local_write)),
            ("remote_read", u128::from(self.remote_read)),
            ("remote_write", u128::from(self.remote_write)),
            ("bound_to_qp", u128::from(self.bound_to_qp)),
            ("is_valid", u128::from(self.is_valid)),
            ("key", u128::from(self.key)),
            ("qp", u128::from(self.qp)),
        ]
    }
}
