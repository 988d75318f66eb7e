// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Codecs of Work requests.
use crate::codec::{head, put, EmitError, Truncated};
use crate::table::Layout;
use crate::types::{ByteCount, STag, TaggedOffset};

/// First 32 octets of a slot of the send queue; up to four `Sge` or 96 octets of inline data follow.
///
/// 32 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SendWqe {
    /// RDMAP opcode of the message: 0, 1, 3, 4, 5 or 6.
    pub opcode: u8,
    /// A CQE is written when it completes without error.
    pub is_signaled: bool,
    /// The payload stands in the slot; there are no SGEs.
    pub is_inline: bool,
    /// SGEs that follow, 0 to 4.
    pub num_sge: u8,
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
            num_sge: o[2],
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
        o[1] = (u8::from(self.is_signaled) << 7) | (u8::from(self.is_inline) << 6);
        o[2] = self.num_sge;
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
    pub fn values(&self) -> [(&'static str, u128); 7] {
        [
            ("opcode", u128::from(self.opcode)),
            ("is_signaled", u128::from(self.is_signaled)),
            ("is_inline", u128::from(self.is_inline)),
            ("num_sge", u128::from(self.num_sge)),
            ("length", u128::from(self.length.to_bits())),
            ("remote_stag", u128::from(self.remote_stag.to_bits())),
            ("remote_to", u128::from(self.remote_to.to_bits())),
        ]
    }
}

/// First 16 octets of a slot of the receive queue; three places for an `Sge` follow.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RecvWqe {
    /// SGEs that count, 0 to 3.
    pub num_sge: u8,
}

impl RecvWqe {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::work::RECV_WQE;

    /// Octets.
    pub const LEN: usize = 16;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<16>("RecvWqe", octets)?;
        Ok(Self { num_sge: o[8] })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 16], EmitError> {
        let mut o = [0; 16];
        o[8] = self.num_sge;
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 1] {
        [("num_sge", u128::from(self.num_sge))]
    }
}

/// A piece of local memory; follows a `SendWqe` or `RecvWqe`.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sge {
    /// First octet, as the device addresses it.
    pub iova: u64,
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
            iova: u64::from_be_bytes([o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7]]),
            length: ByteCount::from_bits(u32::from_be_bytes([o[8], o[9], o[10], o[11]])),
            key: STag::from_bits(u32::from_be_bytes([o[12], o[13], o[14], o[15]])),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 16], EmitError> {
        let mut o = [0; 16];
        let w0: u64 = self.iova;
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
            ("iova", u128::from(self.iova)),
            ("length", u128::from(self.length.to_bits())),
            ("key", u128::from(self.key.to_bits())),
        ]
    }
}
