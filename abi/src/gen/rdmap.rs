// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Codecs of RDMAP.
use crate::codec::{fit, head, put, EmitError, Truncated};
use crate::table::Layout;
use crate::types::{ByteCount, STag, TaggedOffset};

/// RDMAP's octet in the DDP header: its field `rsvd_ulp`.
///
/// 1 octets, RFC 5040 section 4.1.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct RdmapControl {
    /// RV: `rdmap::VERSION`. 2 bits.
    pub rdmap_version: u8,
    /// A number of `crate::opcode::Opcode`; 8 to 15 are reserved. 4 bits.
    pub opcode: u8,
}

impl Default for RdmapControl {
    fn default() -> Self {
        Self { rdmap_version: 1, opcode: 0 }
    }
}

impl RdmapControl {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::rdmap::CONTROL;

    /// Octets.
    pub const LEN: usize = 1;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<1>("RdmapControl", octets)?;
        let w0 = o[0];
        Ok(Self { rdmap_version: w0 >> 6, opcode: w0 & 0xf })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 1], EmitError> {
        let mut o = [0; 1];
        o[0] = (fit("RdmapControl.rdmap_version", self.rdmap_version, 2)? << 6)
            | fit("RdmapControl.opcode", self.opcode, 4)?;
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 2] {
        [("rdmap_version", u128::from(self.rdmap_version)), ("opcode", u128::from(self.opcode))]
    }
}

/// Stands after the untagged header of a Read Request; nothing follows.
///
/// 28 octets, RFC 5040 section 4.4.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ReadRequestHdr {
    /// Requester's buffer, echoed in the response.
    pub sink_stag: STag,
    /// TO in it, echoed.
    pub sink_offset: TaggedOffset,
    /// Octets to read; 0 asks for an empty response.
    pub size: ByteCount,
    /// Responder's buffer.
    pub source_stag: STag,
    /// TO in it.
    pub source_offset: TaggedOffset,
}

impl ReadRequestHdr {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::rdmap::READ_REQUEST;

    /// Octets.
    pub const LEN: usize = 28;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<28>("ReadRequestHdr", octets)?;
        Ok(Self {
            sink_stag: STag::from_bits(u32::from_be_bytes([o[0], o[1], o[2], o[3]])),
            sink_offset: TaggedOffset::from_bits(u64::from_be_bytes([
                o[4], o[5], o[6], o[7], o[8], o[9], o[10], o[11],
            ])),
            size: ByteCount::from_bits(u32::from_be_bytes([o[12], o[13], o[14], o[15]])),
            source_stag: STag::from_bits(u32::from_be_bytes([o[16], o[17], o[18], o[19]])),
            source_offset: TaggedOffset::from_bits(u64::from_be_bytes([
                o[20], o[21], o[22], o[23], o[24], o[25], o[26], o[27],
            ])),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 28], EmitError> {
        let mut o = [0; 28];
        let w0: u32 = self.sink_stag.to_bits();
        o[0..4].copy_from_slice(&w0.to_be_bytes());
        let w4: u64 = self.sink_offset.to_bits();
        o[4..12].copy_from_slice(&w4.to_be_bytes());
        let w12: u32 = self.size.to_bits();
        o[12..16].copy_from_slice(&w12.to_be_bytes());
        let w16: u32 = self.source_stag.to_bits();
        o[16..20].copy_from_slice(&w16.to_be_bytes());
        let w20: u64 = self.source_offset.to_bits();
        o[20..28].copy_from_slice(&w20.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 5] {
        [
            ("sink_stag", u128::from(self.sink_stag.to_bits())),
            ("sink_offset", u128::from(self.sink_offset.to_bits())),
            ("size", u128::from(self.size.to_bits())),
            ("source_stag", u128::from(self.source_stag.to_bits())),
            ("source_offset", u128::from(self.source_offset.to_bits())),
        ]
    }
}

/// First word of the Terminate header, after the untagged header; what its flags announce follows.
///
/// 4 octets, RFC 5040 section 4.8.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TerminateControl {
    /// Layer that found the error: 0 RDMAP, 1 DDP, 2 MPA. 4 bits.
    pub layer: u8,
    /// Error type of that layer. 4 bits.
    pub etype: u8,
    /// Error code of that type.
    pub code: u8,
    /// M: `TerminateLength` is valid.
    pub has_length: bool,
    /// D: the offending segment's DDP header is quoted.
    pub has_ddp: bool,
    /// R: the offending Read Request's RDMAP header is quoted.
    pub has_rdmap: bool,
}

impl TerminateControl {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::rdmap::TERMINATE_CONTROL;

    /// Octets.
    pub const LEN: usize = 4;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<4>("TerminateControl", octets)?;
        let w0 = o[0];
        let w2 = u16::from_be_bytes([o[2], o[3]]);
        Ok(Self {
            layer: w0 >> 4,
            etype: w0 & 0xf,
            code: o[1],
            has_length: w2 & 0x8000 != 0,
            has_ddp: w2 & 0x4000 != 0,
            has_rdmap: w2 & 0x2000 != 0,
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 4], EmitError> {
        let mut o = [0; 4];
        o[0] = (fit("TerminateControl.layer", self.layer, 4)? << 4)
            | fit("TerminateControl.etype", self.etype, 4)?;
        o[1] = self.code;
        let w2: u16 = (u16::from(self.has_length) << 15)
            | (u16::from(self.has_ddp) << 14)
            | (u16::from(self.has_rdmap) << 13);
        o[2..4].copy_from_slice(&w2.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 6] {
        [
            ("layer", u128::from(self.layer)),
            ("etype", u128::from(self.etype)),
            ("code", u128::from(self.code)),
            ("has_length", u128::from(self.has_length)),
            ("has_ddp", u128::from(self.has_ddp)),
            ("has_rdmap", u128::from(self.has_rdmap)),
        ]
    }
}

/// Second part of the Terminate header, if M or D. The quoted DDP header follows (14 or 18 octets
/// by its own T), then the quoted Read Request header.
///
/// 2 octets, RFC 5040 section 4.8.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TerminateLength {
    /// Octets of the offending DDP segment.
    pub segment_length: u16,
}

impl TerminateLength {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::rdmap::TERMINATE_LENGTH;

    /// Octets.
    pub const LEN: usize = 2;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<2>("TerminateLength", octets)?;
        Ok(Self { segment_length: u16::from_be_bytes([o[0], o[1]]) })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 2], EmitError> {
        let mut o = [0; 2];
        let w0: u16 = self.segment_length;
        o[0..2].copy_from_slice(&w0.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 1] {
        [("segment_length", u128::from(self.segment_length))]
    }
}
