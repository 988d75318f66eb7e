// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Codecs of Ethernet.
use crate::codec::{fit, head, put, EmitError, Truncated};
use crate::table::Layout;
use crate::types::MacAddr;

/// First 14 octets of every frame.
///
/// 14 octets, IEEE 802.3 section 3.1.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct EthernetHdr {
    /// Station the frame is for.
    pub destination: MacAddr,
    /// Station that sent it.
    pub source: MacAddr,
    /// What follows: a constant of `ether_type`.
    pub ethertype: u16,
}

impl EthernetHdr {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::eth::ETHERNET;

    /// Octets.
    pub const LEN: usize = 14;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<14>("EthernetHdr", octets)?;
        Ok(Self {
            destination: MacAddr::from_bits(u64::from_be_bytes([0, 0, o[0], o[1], o[2], o[3], o[4], o[5]])),
            source: MacAddr::from_bits(u64::from_be_bytes([0, 0, o[6], o[7], o[8], o[9], o[10], o[11]])),
            ethertype: u16::from_be_bytes([o[12], o[13]]),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 14], EmitError> {
        let mut o = [0; 14];
        let w0: u64 = self.destination.to_bits();
        o[0..6].copy_from_slice(&w0.to_be_bytes()[2..]);
        let w6: u64 = self.source.to_bits();
        o[6..12].copy_from_slice(&w6.to_be_bytes()[2..]);
        let w12: u16 = self.ethertype;
        o[12..14].copy_from_slice(&w12.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 3] {
        [
            ("destination", u128::from(self.destination.to_bits())),
            ("source", u128::from(self.source.to_bits())),
            ("ethertype", u128::from(self.ethertype)),
        ]
    }
}

/// Tag control information and the EtherType of what follows; stands after an Ethernet header whose
/// EtherType is `ether_type::VLAN`.
///
/// 4 octets, IEEE 802.1Q section 9.6.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VlanTag {
    /// Priority code point. 3 bits.
    pub pcp: u8,
    /// Drop eligible indicator.
    pub dei: bool,
    /// VLAN identifier; 0 means a priority tag only. 12 bits.
    pub vid: u16,
    /// What follows: a constant of `ether_type`.
    pub ethertype: u16,
}

impl VlanTag {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::eth::VLAN_TAG;

    /// Octets.
    pub const LEN: usize = 4;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<4>("VlanTag", octets)?;
        let w0 = u16::from_be_bytes([o[0], o[1]]);
        Ok(Self {
            pcp: (w0 >> 13) as u8,
            dei: w0 & 0x1000 != 0,
            vid: w0 & 0xfff,
            ethertype: u16::from_be_bytes([o[2], o[3]]),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 4], EmitError> {
        let mut o = [0; 4];
        let w0: u16 = (u16::from(fit("VlanTag.pcp", self.pcp, 3)?) << 13)
            | (u16::from(self.dei) << 12)
            | fit("VlanTag.vid", self.vid, 12)?;
        o[0..2].copy_from_slice(&w0.to_be_bytes());
        let w2: u16 = self.ethertype;
        o[2..4].copy_from_slice(&w2.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 4] {
        [
            ("pcp", u128::from(self.pcp)),
            ("dei", u128::from(self.dei)),
            ("vid", u128::from(self.vid)),
            ("ethertype", u128::from(self.ethertype)),
        ]
    }
}
