// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Codecs of Doorbells.
use crate::codec::{head, put, EmitError, Truncated};
use crate::table::Layout;

/// What a write to a doorbell says. Indices are absolute: they count slots for ever, modulo 2^32.
///
/// 8 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Doorbell {
    /// One of `doorbell_kind`.
    pub kind: u8,
    /// Arming: only a solicited completion or an error makes the event.
    pub solicited_only: bool,
    /// Queue pair or completion queue; 0 where the device has one of the kind.
    pub number: u16,
    /// Producer or consumer index by `kind`.
    pub value: u32,
}

impl Doorbell {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::doorbell::DOORBELL;

    /// Octets.
    pub const LEN: usize = 8;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<8>("Doorbell", octets)?;
        let w1 = o[1];
        Ok(Self {
            kind: o[0],
            solicited_only: w1 & 0x80 != 0,
            number: u16::from_be_bytes([o[2], o[3]]),
            value: u32::from_be_bytes([o[4], o[5], o[6], o[7]]),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 8], EmitError> {
        let mut o = [0; 8];
        o[0] = self.kind;
        o[1] = u8::from(self.solicited_only) << 7;
        let w2: u16 = self.number;
        o[2..4].copy_from_slice(&w2.to_be_bytes());
        let w4: u32 = self.value;
        o[4..8].copy_from_slice(&w4.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 4] {
        [
            ("kind", u128::from(self.kind)),
            ("solicited_only", u128::from(self.solicited_only)),
            ("number", u128::from(self.number)),
            ("value", u128::from(self.value)),
        ]
    }
}
