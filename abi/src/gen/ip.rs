// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Codecs of IP.
use crate::codec::{fit, head, put, EmitError, Truncated};
use crate::table::Layout;
use core::net::{Ipv4Addr, Ipv6Addr};

/// The 20 octets that every IPv4 header has; options, if `ihl` > 5, follow.
///
/// 20 octets, RFC 791 section 3.1, RFC 2474, RFC 3168.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ipv4Hdr {
    /// 4. 4 bits.
    pub version: u8,
    /// Header length in units of 4 octets, at least 5. 4 bits.
    pub ihl: u8,
    /// Differentiated services code point. 6 bits.
    pub dscp: u8,
    /// Explicit congestion notification. 2 bits.
    pub ecn: u8,
    /// Octets of header and payload.
    pub total_length: u16,
    /// Groups the fragments of a datagram.
    pub identification: u16,
    /// DF: routers drop rather than fragment.
    pub dont_fragment: bool,
    /// MF: not the last fragment.
    pub more_fragments: bool,
    /// Place of this fragment in units of 8 octets. 13 bits.
    pub fragment_offset: u16,
    /// Hops left.
    pub ttl: u8,
    /// What follows: a constant of `ip_protocol`.
    pub protocol: u8,
    /// Internet checksum of the header.
    pub checksum: u16,
    /// Sender.
    pub source: Ipv4Addr,
    /// Receiver.
    pub destination: Ipv4Addr,
}

impl Default for Ipv4Hdr {
    fn default() -> Self {
        Self {
            version: 4,
            ihl: 5,
            dscp: 0,
            ecn: 0,
            total_length: 0,
            identification: 0,
            dont_fragment: false,
            more_fragments: false,
            fragment_offset: 0,
            ttl: 64,
            protocol: 0,
            checksum: 0,
            source: Ipv4Addr::from_bits(0),
            destination: Ipv4Addr::from_bits(0),
        }
    }
}

impl Ipv4Hdr {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::ip::IPV4;

    /// Octets.
    pub const LEN: usize = 20;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<20>("Ipv4Hdr", octets)?;
        let w0 = o[0];
        let w1 = o[1];
        let w6 = u16::from_be_bytes([o[6], o[7]]);
        Ok(Self {
            version: w0 >> 4,
            ihl: w0 & 0xf,
            dscp: w1 >> 2,
            ecn: w1 & 0x3,
            total_length: u16::from_be_bytes([o[2], o[3]]),
            identification: u16::from_be_bytes([o[4], o[5]]),
            dont_fragment: w6 & 0x4000 != 0,
            more_fragments: w6 & 0x2000 != 0,
            fragment_offset: w6 & 0x1fff,
            ttl: o[8],
            protocol: o[9],
            checksum: u16::from_be_bytes([o[10], o[11]]),
            source: Ipv4Addr::from_bits(u32::from_be_bytes([o[12], o[13], o[14], o[15]])),
            destination: Ipv4Addr::from_bits(u32::from_be_bytes([o[16], o[17], o[18], o[19]])),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 20], EmitError> {
        let mut o = [0; 20];
        o[0] = (fit("Ipv4Hdr.version", self.version, 4)? << 4) | fit("Ipv4Hdr.ihl", self.ihl, 4)?;
        o[1] = (fit("Ipv4Hdr.dscp", self.dscp, 6)? << 2) | fit("Ipv4Hdr.ecn", self.ecn, 2)?;
        let w2: u16 = self.total_length;
        o[2..4].copy_from_slice(&w2.to_be_bytes());
        let w4: u16 = self.identification;
        o[4..6].copy_from_slice(&w4.to_be_bytes());
        let w6: u16 = (u16::from(self.dont_fragment) << 14)
            | (u16::from(self.more_fragments) << 13)
            | fit("Ipv4Hdr.fragment_offset", self.fragment_offset, 13)?;
        o[6..8].copy_from_slice(&w6.to_be_bytes());
        o[8] = self.ttl;
        o[9] = self.protocol;
        let w10: u16 = self.checksum;
        o[10..12].copy_from_slice(&w10.to_be_bytes());
        let w12: u32 = self.source.to_bits();
        o[12..16].copy_from_slice(&w12.to_be_bytes());
        let w16: u32 = self.destination.to_bits();
        o[16..20].copy_from_slice(&w16.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 14] {
        [
            ("version", u128::from(self.version)),
            ("ihl", u128::from(self.ihl)),
            ("dscp", u128::from(self.dscp)),
            ("ecn", u128::from(self.ecn)),
            ("total_length", u128::from(self.total_length)),
            ("identification", u128::from(self.identification)),
            ("dont_fragment", u128::from(self.dont_fragment)),
            ("more_fragments", u128::from(self.more_fragments)),
            ("fragment_offset", u128::from(self.fragment_offset)),
            ("ttl", u128::from(self.ttl)),
            ("protocol", u128::from(self.protocol)),
            ("checksum", u128::from(self.checksum)),
            ("source", u128::from(self.source.to_bits())),
            ("destination", u128::from(self.destination.to_bits())),
        ]
    }
}

/// The fixed header; extension headers, if `next_header` names one, follow.
///
/// 40 octets, RFC 8200 section 3.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ipv6Hdr {
    /// 6. 4 bits.
    pub version: u8,
    /// Differentiated services code point. 6 bits.
    pub dscp: u8,
    /// Explicit congestion notification. 2 bits.
    pub ecn: u8,
    /// Flow label. 20 bits.
    pub flow_label: u32,
    /// Octets after this header.
    pub payload_length: u16,
    /// What follows: a constant of `ip_protocol`.
    pub next_header: u8,
    /// Hops left.
    pub hop_limit: u8,
    /// Sender.
    pub source: Ipv6Addr,
    /// Receiver.
    pub destination: Ipv6Addr,
}

impl Default for Ipv6Hdr {
    fn default() -> Self {
        Self {
            version: 6,
            dscp: 0,
            ecn: 0,
            flow_label: 0,
            payload_length: 0,
            next_header: 0,
            hop_limit: 64,
            source: Ipv6Addr::from_bits(0),
            destination: Ipv6Addr::from_bits(0),
        }
    }
}

impl Ipv6Hdr {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::ip::IPV6;

    /// Octets.
    pub const LEN: usize = 40;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<40>("Ipv6Hdr", octets)?;
        let w0 = u32::from_be_bytes([o[0], o[1], o[2], o[3]]);
        Ok(Self {
            version: (w0 >> 28) as u8,
            dscp: ((w0 >> 22) & 0x3f) as u8,
            ecn: ((w0 >> 20) & 0x3) as u8,
            flow_label: w0 & 0xfffff,
            payload_length: u16::from_be_bytes([o[4], o[5]]),
            next_header: o[6],
            hop_limit: o[7],
            source: Ipv6Addr::from_bits(u128::from_be_bytes([
                o[8], o[9], o[10], o[11], o[12], o[13], o[14], o[15], o[16], o[17], o[18], o[19], o[20],
                o[21], o[22], o[23],
            ])),
            destination: Ipv6Addr::from_bits(u128::from_be_bytes([
                o[24], o[25], o[26], o[27], o[28], o[29], o[30], o[31], o[32], o[33], o[34], o[35], o[36],
                o[37], o[38], o[39],
            ])),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 40], EmitError> {
        let mut o = [0; 40];
        let w0: u32 = (u32::from(fit("Ipv6Hdr.version", self.version, 4)?) << 28)
            | (u32::from(fit("Ipv6Hdr.dscp", self.dscp, 6)?) << 22)
            | (u32::from(fit("Ipv6Hdr.ecn", self.ecn, 2)?) << 20)
            | fit("Ipv6Hdr.flow_label", self.flow_label, 20)?;
        o[0..4].copy_from_slice(&w0.to_be_bytes());
        let w4: u16 = self.payload_length;
        o[4..6].copy_from_slice(&w4.to_be_bytes());
        o[6] = self.next_header;
        o[7] = self.hop_limit;
        let w8: u128 = self.source.to_bits();
        o[8..24].copy_from_slice(&w8.to_be_bytes());
        let w24: u128 = self.destination.to_bits();
        o[24..40].copy_from_slice(&w24.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 9] {
        [
            ("version", u128::from(self.version)),
            ("dscp", u128::from(self.dscp)),
            ("ecn", u128::from(self.ecn)),
            ("flow_label", u128::from(self.flow_label)),
            ("payload_length", u128::from(self.payload_length)),
            ("next_header", u128::from(self.next_header)),
            ("hop_limit", u128::from(self.hop_limit)),
            ("source", self.source.to_bits()),
            ("destination", self.destination.to_bits()),
        ]
    }
}
