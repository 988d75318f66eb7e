// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Codecs of DDP.
use crate::codec::{fit, head, put, EmitError, Truncated};
use crate::table::Layout;
use crate::types::{MessageOffset, Msn, QueueNumber, STag, TaggedOffset};

/// First octet of every segment; its `is_tagged` says which header it begins.
///
/// 1 octets, RFC 5041 section 4.1.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct DdpControl {
    /// T: tagged (14 octets) or untagged (18 octets) header.
    pub is_tagged: bool,
    /// L: last segment of its message.
    pub is_last: bool,
    /// Sent as zero, not examined, kept for quoting in a Terminate. Reserved by the source. 4 bits.
    pub reserved: u8,
    /// DV: 1. 2 bits.
    pub ddp_version: u8,
}

impl Default for DdpControl {
    fn default() -> Self {
        Self { is_tagged: false, is_last: false, reserved: 0, ddp_version: 1 }
    }
}

impl DdpControl {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::ddp::CONTROL;

    /// Octets.
    pub const LEN: usize = 1;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<1>("DdpControl", octets)?;
        let w0 = o[0];
        Ok(Self {
            is_tagged: w0 & 0x80 != 0,
            is_last: w0 & 0x40 != 0,
            reserved: (w0 >> 2) & 0xf,
            ddp_version: w0 & 0x3,
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 1], EmitError> {
        let mut o = [0; 1];
        o[0] = (u8::from(self.is_tagged) << 7)
            | (u8::from(self.is_last) << 6)
            | (fit("DdpControl.reserved", self.reserved, 4)? << 2)
            | fit("DdpControl.ddp_version", self.ddp_version, 2)?;
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 4] {
        [
            ("is_tagged", u128::from(self.is_tagged)),
            ("is_last", u128::from(self.is_last)),
            ("reserved", u128::from(self.reserved)),
            ("ddp_version", u128::from(self.ddp_version)),
        ]
    }
}

/// Header of a tagged segment (RDMA Write, RDMA Read Response); payload follows.
///
/// 14 octets, RFC 5041 section 4.2.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct DdpTaggedHdr {
    /// T: 1.
    pub is_tagged: bool,
    /// L: last segment of its message.
    pub is_last: bool,
    /// Sent as zero, not examined, kept for quoting in a Terminate. Reserved by the source. 4 bits.
    pub reserved: u8,
    /// DV: 1. 2 bits.
    pub ddp_version: u8,
    /// RsvdULP: RDMAP's control octet (`RdmapControl`).
    pub rsvd_ulp: u8,
    /// Buffer of the receiver of this segment.
    pub stag: STag,
    /// TO: where the payload goes.
    pub tagged_offset: TaggedOffset,
}

impl Default for DdpTaggedHdr {
    fn default() -> Self {
        Self {
            is_tagged: true,
            is_last: false,
            reserved: 0,
            ddp_version: 1,
            rsvd_ulp: 0,
            stag: STag::from_bits(0),
            tagged_offset: TaggedOffset::from_bits(0),
        }
    }
}

impl DdpTaggedHdr {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::ddp::TAGGED;

    /// Octets.
    pub const LEN: usize = 14;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<14>("DdpTaggedHdr", octets)?;
        let w0 = o[0];
        Ok(Self {
            is_tagged: w0 & 0x80 != 0,
            is_last: w0 & 0x40 != 0,
            reserved: (w0 >> 2) & 0xf,
            ddp_version: w0 & 0x3,
            rsvd_ulp: o[1],
            stag: STag::from_bits(u32::from_be_bytes([o[2], o[3], o[4], o[5]])),
            tagged_offset: TaggedOffset::from_bits(u64::from_be_bytes([
                o[6], o[7], o[8], o[9], o[10], o[11], o[12], o[13],
            ])),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 14], EmitError> {
        let mut o = [0; 14];
        o[0] = (u8::from(self.is_tagged) << 7)
            | (u8::from(self.is_last) << 6)
            | (fit("DdpTaggedHdr.reserved", self.reserved, 4)? << 2)
            | fit("DdpTaggedHdr.ddp_version", self.ddp_version, 2)?;
        o[1] = self.rsvd_ulp;
        let w2: u32 = self.stag.to_bits();
        o[2..6].copy_from_slice(&w2.to_be_bytes());
        let w6: u64 = self.tagged_offset.to_bits();
        o[6..14].copy_from_slice(&w6.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 7] {
        [
            ("is_tagged", u128::from(self.is_tagged)),
            ("is_last", u128::from(self.is_last)),
            ("reserved", u128::from(self.reserved)),
            ("ddp_version", u128::from(self.ddp_version)),
            ("rsvd_ulp", u128::from(self.rsvd_ulp)),
            ("stag", u128::from(self.stag.to_bits())),
            ("tagged_offset", u128::from(self.tagged_offset.to_bits())),
        ]
    }
}

/// Header of an untagged segment (Send, RDMA Read Request, Terminate); payload follows.
///
/// 18 octets, RFC 5041 section 4.3, RFC 5040 section 4.1.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct DdpUntaggedHdr {
    /// T: 0.
    pub is_tagged: bool,
    /// L: last segment of its message.
    pub is_last: bool,
    /// Sent as zero, not examined, kept for quoting in a Terminate. Reserved by the source. 4 bits.
    pub reserved: u8,
    /// DV: 1. 2 bits.
    pub ddp_version: u8,
    /// RsvdULP, first octet: RDMAP's control octet (`RdmapControl`).
    pub rsvd_ulp: u8,
    /// RsvdULP, the rest: RDMAP's Invalidate STag.
    pub invalidate_stag: STag,
    /// QN: queue of the receiver.
    pub queue_number: QueueNumber,
    /// MSN: number of the message in its queue.
    pub msn: Msn,
    /// MO: where in the message.
    pub message_offset: MessageOffset,
}

impl Default for DdpUntaggedHdr {
    fn default() -> Self {
        Self {
            is_tagged: false,
            is_last: false,
            reserved: 0,
            ddp_version: 1,
            rsvd_ulp: 0,
            invalidate_stag: STag::from_bits(0),
            queue_number: QueueNumber::from_bits(0),
            msn: Msn::from_bits(0),
            message_offset: MessageOffset::from_bits(0),
        }
    }
}

impl DdpUntaggedHdr {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::ddp::UNTAGGED;

    /// Octets.
    pub const LEN: usize = 18;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<18>("DdpUntaggedHdr", octets)?;
        let w0 = o[0];
        Ok(Self {
            is_tagged: w0 & 0x80 != 0,
            is_last: w0 & 0x40 != 0,
            reserved: (w0 >> 2) & 0xf,
            ddp_version: w0 & 0x3,
            rsvd_ulp: o[1],
            invalidate_stag: STag::from_bits(u32::from_be_bytes([o[2], o[3], o[4], o[5]])),
            queue_number: QueueNumber::from_bits(u32::from_be_bytes([o[6], o[7], o[8], o[9]])),
            msn: Msn::from_bits(u32::from_be_bytes([o[10], o[11], o[12], o[13]])),
            message_offset: MessageOffset::from_bits(u32::from_be_bytes([o[14], o[15], o[16], o[17]])),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 18], EmitError> {
        let mut o = [0; 18];
        o[0] = (u8::from(self.is_tagged) << 7)
            | (u8::from(self.is_last) << 6)
            | (fit("DdpUntaggedHdr.reserved", self.reserved, 4)? << 2)
            | fit("DdpUntaggedHdr.ddp_version", self.ddp_version, 2)?;
        o[1] = self.rsvd_ulp;
        let w2: u32 = self.invalidate_stag.to_bits();
        o[2..6].copy_from_slice(&w2.to_be_bytes());
        let w6: u32 = self.queue_number.to_bits();
        o[6..10].copy_from_slice(&w6.to_be_bytes());
        let w10: u32 = self.msn.to_bits();
        o[10..14].copy_from_slice(&w10.to_be_bytes());
        let w14: u32 = self.message_offset.to_bits();
        o[14..18].copy_from_slice(&w14.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 9] {
        [
            ("is_tagged", u128::from(self.is_tagged)),
            ("is_last", u128::from(self.is_last)),
            ("reserved", u128::from(self.reserved)),
            ("ddp_version", u128::from(self.ddp_version)),
            ("rsvd_ulp", u128::from(self.rsvd_ulp)),
            ("invalidate_stag", u128::from(self.invalidate_stag.to_bits())),
            ("queue_number", u128::from(self.queue_number.to_bits())),
            ("msn", u128::from(self.msn.to_bits())),
            ("message_offset", u128::from(self.message_offset.to_bits())),
        ]
    }
}
