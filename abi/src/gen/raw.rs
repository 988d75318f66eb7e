// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Codecs of Raw rings.
use crate::codec::{head, put, EmitError, Truncated};
use crate::table::Layout;

/// First 16 octets of a slot of the raw receive ring, written after the frame that follows it.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RawHead {
    /// Octets of the frame, without FCS.
    pub length: u16,
    /// Why it came here, one of `raw_reason`.
    pub reason: u8,
    /// Absolute index of the slot.
    pub index: u32,
    /// Changes each time the ring wraps; 1 the first time round.
    pub phase: bool,
}

impl RawHead {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::raw::RAW_HEAD;

    /// Octets.
    pub const LEN: usize = 16;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<16>("RawHead", octets)?;
        let w8 = u64::from_be_bytes([o[8], o[9], o[10], o[11], o[12], o[13], o[14], o[15]]);
        Ok(Self {
            length: u16::from_be_bytes([o[0], o[1]]),
            reason: o[2],
            index: u32::from_be_bytes([o[4], o[5], o[6], o[7]]),
            phase: w8 & 0x1 != 0,
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 16], EmitError> {
        let mut o = [0; 16];
        let w0: u16 = self.length;
        o[0..2].copy_from_slice(&w0.to_be_bytes());
        o[2] = self.reason;
        let w4: u32 = self.index;
        o[4..8].copy_from_slice(&w4.to_be_bytes());
        let w8: u64 = u64::from(self.phase);
        o[8..16].copy_from_slice(&w8.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 4] {
        [
            ("length", u128::from(self.length)),
            ("reason", u128::from(self.reason)),
            ("index", u128::from(self.index)),
            ("phase", u128::from(self.phase)),
        ]
    }
}

/// A slot of the raw transmit ring: a frame in host memory, from destination address to the last
/// octet before FCS. The ring begins at a multiple of 16.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RawDescriptor {
    /// First octet of the frame; a multiple of 8.
    pub iova: u64,
    /// Octets, 14 or more; the device pads to 60.
    pub length: u16,
}

impl RawDescriptor {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::raw::RAW_DESCRIPTOR;

    /// Octets.
    pub const LEN: usize = 16;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<16>("RawDescriptor", octets)?;
        Ok(Self {
            iova: u64::from_be_bytes([o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7]]),
            length: u16::from_be_bytes([o[8], o[9]]),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 16], EmitError> {
        let mut o = [0; 16];
        let w0: u64 = self.iova;
        o[0..8].copy_from_slice(&w0.to_be_bytes());
        let w8: u16 = self.length;
        o[8..10].copy_from_slice(&w8.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 2] {
        [("iova", u128::from(self.iova)), ("length", u128::from(self.length))]
    }
}
