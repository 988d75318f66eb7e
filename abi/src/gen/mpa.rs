// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Codecs of MPA.
use crate::codec::{fit, head, put, EmitError, Truncated};
use crate::table::Layout;

/// Request or Reply frame, told apart by `key`; `private_data_length` octets of private data
/// follow. No pad, no CRC, no markers.
///
/// 20 octets, RFC 5044 section 7.1.1, RFC 6581 section 6.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct MpaStartupHdr {
    /// `mpa::KEY_REQUEST` or `mpa::KEY_REPLY`, as a number.
    pub key: u128,
    /// M: the sender wants markers in what it receives.
    pub markers: bool,
    /// C: the sender wants CRCs, both ways.
    pub crc: bool,
    /// R: the Reply refuses the connection; nothing in a Request.
    pub reject: bool,
    /// S: private data begins with the RFC 6581 words (`MpaDepths`).
    pub enhanced: bool,
    /// 1, or 2 and above for the enhanced setup.
    pub revision: u8,
    /// Octets of private data, 0 to 512.
    pub private_data_length: u16,
}

impl Default for MpaStartupHdr {
    fn default() -> Self {
        Self {
            key: 0,
            markers: false,
            crc: false,
            reject: false,
            enhanced: false,
            revision: 1,
            private_data_length: 0,
        }
    }
}

impl MpaStartupHdr {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::mpa::STARTUP;

    /// Octets.
    pub const LEN: usize = 20;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<20>("MpaStartupHdr", octets)?;
        let w16 = o[16];
        Ok(Self {
            key: u128::from_be_bytes([
                o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7], o[8], o[9], o[10], o[11], o[12], o[13],
                o[14], o[15],
            ]),
            markers: w16 & 0x80 != 0,
            crc: w16 & 0x40 != 0,
            reject: w16 & 0x20 != 0,
            enhanced: w16 & 0x10 != 0,
            revision: o[17],
            private_data_length: u16::from_be_bytes([o[18], o[19]]),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 20], EmitError> {
        let mut o = [0; 20];
        let w0: u128 = self.key;
        o[0..16].copy_from_slice(&w0.to_be_bytes());
        o[16] = (u8::from(self.markers) << 7)
            | (u8::from(self.crc) << 6)
            | (u8::from(self.reject) << 5)
            | (u8::from(self.enhanced) << 4);
        o[17] = self.revision;
        let w18: u16 = self.private_data_length;
        o[18..20].copy_from_slice(&w18.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 7] {
        [
            ("key", self.key),
            ("markers", u128::from(self.markers)),
            ("crc", u128::from(self.crc)),
            ("reject", u128::from(self.reject)),
            ("enhanced", u128::from(self.enhanced)),
            ("revision", u128::from(self.revision)),
            ("private_data_length", u128::from(self.private_data_length)),
        ]
    }
}

/// Read depths and ready-to-receive options: the first four octets of private data if `enhanced`.
///
/// 4 octets, RFC 6581 section 9.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MpaDepths {
    /// A: the initiator sends a ready-to-receive indication first.
    pub peer_to_peer: bool,
    /// B: that may be a zero-length Send.
    pub rtr_send: bool,
    /// Inbound Read depth; `mpa::DEPTH_NOT_NEGOTIATED` leaves it alone. 14 bits.
    pub ird: u16,
    /// C: that may be a zero-length RDMA Write.
    pub rtr_write: bool,
    /// D: that may be a zero-length RDMA Read.
    pub rtr_read: bool,
    /// Outbound Read depth; `mpa::DEPTH_NOT_NEGOTIATED` leaves it alone. 14 bits.
    pub ord: u16,
}

impl MpaDepths {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::mpa::DEPTHS;

    /// Octets.
    pub const LEN: usize = 4;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<4>("MpaDepths", octets)?;
        let w0 = u16::from_be_bytes([o[0], o[1]]);
        let w2 = u16::from_be_bytes([o[2], o[3]]);
        Ok(Self {
            peer_to_peer: w0 & 0x8000 != 0,
            rtr_send: w0 & 0x4000 != 0,
            ird: w0 & 0x3fff,
            rtr_write: w2 & 0x8000 != 0,
            rtr_read: w2 & 0x4000 != 0,
            ord: w2 & 0x3fff,
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 4], EmitError> {
        let mut o = [0; 4];
        let w0: u16 = (u16::from(self.peer_to_peer) << 15)
            | (u16::from(self.rtr_send) << 14)
            | fit("MpaDepths.ird", self.ird, 14)?;
        o[0..2].copy_from_slice(&w0.to_be_bytes());
        let w2: u16 = (u16::from(self.rtr_write) << 15)
            | (u16::from(self.rtr_read) << 14)
            | fit("MpaDepths.ord", self.ord, 14)?;
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
            ("peer_to_peer", u128::from(self.peer_to_peer)),
            ("rtr_send", u128::from(self.rtr_send)),
            ("ird", u128::from(self.ird)),
            ("rtr_write", u128::from(self.rtr_write)),
            ("rtr_read", u128::from(self.rtr_read)),
            ("ord", u128::from(self.ord)),
        ]
    }
}

/// Head of an FPDU; ULPDU, pad to a multiple of 4 and CRC32c follow.
///
/// 2 octets, RFC 5044 section 4.1.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FpduHdr {
    /// Octets of the ULPDU: no marker, pad or CRC in it.
    pub ulpdu_length: u16,
}

impl FpduHdr {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::mpa::FPDU;

    /// Octets.
    pub const LEN: usize = 2;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<2>("FpduHdr", octets)?;
        Ok(Self { ulpdu_length: u16::from_be_bytes([o[0], o[1]]) })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 2], EmitError> {
        let mut o = [0; 2];
        let w0: u16 = self.ulpdu_length;
        o[0..2].copy_from_slice(&w0.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 1] {
        [("ulpdu_length", u128::from(self.ulpdu_length))]
    }
}

/// Stands at every stream offset that is a multiple of `mpa::MARKER_INTERVAL`; covered by the CRC.
///
/// 4 octets, RFC 5044 section 4.2.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marker {
    /// Sent as zero, not examined, kept for the CRC. Reserved by the source.
    pub reserved: u16,
    /// Octets back from the marker to the FPDU's `ulpdu_length`, 0 if it follows; mask with
    /// `mpa::FPDU_POINTER_MASK` before arithmetic, keep whole for the CRC.
    pub fpdu_pointer: u16,
}

impl Marker {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::mpa::MARKER;

    /// Octets.
    pub const LEN: usize = 4;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<4>("Marker", octets)?;
        Ok(Self {
            reserved: u16::from_be_bytes([o[0], o[1]]),
            fpdu_pointer: u16::from_be_bytes([o[2], o[3]]),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 4], EmitError> {
        let mut o = [0; 4];
        let w0: u16 = self.reserved;
        o[0..2].copy_from_slice(&w0.to_be_bytes());
        let w2: u16 = self.fpdu_pointer;
        o[2..4].copy_from_slice(&w2.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 2] {
        [("reserved", u128::from(self.reserved)), ("fpdu_pointer", u128::from(self.fpdu_pointer))]
    }
}
