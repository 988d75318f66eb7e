// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Codecs of TCP.
use crate::codec::{fit, head, put, EmitError, Truncated};
use crate::table::Layout;
use crate::types::SeqNum;

/// The 20 octets that every TCP header has; options, if `data_offset` > 5, follow.
///
/// 20 octets, RFC 9293 section 3.1.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct TcpHdr {
    /// Sender's port.
    pub source_port: u16,
    /// Receiver's port.
    pub destination_port: u16,
    /// Of the first octet of data, or of SYN.
    pub sequence_number: SeqNum,
    /// Next octet expected, if `ack`.
    pub acknowledgment_number: SeqNum,
    /// Header length in units of 4 octets, at least 5. 4 bits.
    pub data_offset: u8,
    /// Congestion window reduced.
    pub cwr: bool,
    /// ECN echo.
    pub ece: bool,
    /// `urgent_pointer` counts.
    pub urg: bool,
    /// `acknowledgment_number` counts.
    pub ack: bool,
    /// Push.
    pub psh: bool,
    /// Reset the connection.
    pub rst: bool,
    /// Synchronise sequence numbers.
    pub syn: bool,
    /// No more data from the sender.
    pub fin: bool,
    /// Octets that may follow the acknowledged ones, before scaling.
    pub window: u16,
    /// Internet checksum of pseudo header, header and data.
    pub checksum: u16,
    /// End of urgent data, if `urg`.
    pub urgent_pointer: u16,
}

impl Default for TcpHdr {
    fn default() -> Self {
        Self {
            source_port: 0,
            destination_port: 0,
            sequence_number: SeqNum::from_bits(0),
            acknowledgment_number: SeqNum::from_bits(0),
            data_offset: 5,
            cwr: false,
            ece: false,
            urg: false,
            ack: false,
            psh: false,
            rst: false,
            syn: false,
            fin: false,
            window: 0,
            checksum: 0,
            urgent_pointer: 0,
        }
    }
}

impl TcpHdr {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::tcp::TCP;

    /// Octets.
    pub const LEN: usize = 20;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<20>("TcpHdr", octets)?;
        let w12 = o[12];
        let w13 = o[13];
        Ok(Self {
            source_port: u16::from_be_bytes([o[0], o[1]]),
            destination_port: u16::from_be_bytes([o[2], o[3]]),
            sequence_number: SeqNum::from_bits(u32::from_be_bytes([o[4], o[5], o[6], o[7]])),
            acknowledgment_number: SeqNum::from_bits(u32::from_be_bytes([o[8], o[9], o[10], o[11]])),
            data_offset: w12 >> 4,
            cwr: w13 & 0x80 != 0,
            ece: w13 & 0x40 != 0,
            urg: w13 & 0x20 != 0,
            ack: w13 & 0x10 != 0,
            psh: w13 & 0x8 != 0,
            rst: w13 & 0x4 != 0,
            syn: w13 & 0x2 != 0,
            fin: w13 & 0x1 != 0,
            window: u16::from_be_bytes([o[14], o[15]]),
            checksum: u16::from_be_bytes([o[16], o[17]]),
            urgent_pointer: u16::from_be_bytes([o[18], o[19]]),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 20], EmitError> {
        let mut o = [0; 20];
        let w0: u16 = self.source_port;
        o[0..2].copy_from_slice(&w0.to_be_bytes());
        let w2: u16 = self.destination_port;
        o[2..4].copy_from_slice(&w2.to_be_bytes());
        let w4: u32 = self.sequence_number.to_bits();
        o[4..8].copy_from_slice(&w4.to_be_bytes());
        let w8: u32 = self.acknowledgment_number.to_bits();
        o[8..12].copy_from_slice(&w8.to_be_bytes());
        o[12] = fit("TcpHdr.data_offset", self.data_offset, 4)? << 4;
        o[13] = (u8::from(self.cwr) << 7)
            | (u8::from(self.ece) << 6)
            | (u8::from(self.urg) << 5)
            | (u8::from(self.ack) << 4)
            | (u8::from(self.psh) << 3)
            | (u8::from(self.rst) << 2)
            | (u8::from(self.syn) << 1)
            | u8::from(self.fin);
        let w14: u16 = self.window;
        o[14..16].copy_from_slice(&w14.to_be_bytes());
        let w16: u16 = self.checksum;
        o[16..18].copy_from_slice(&w16.to_be_bytes());
        let w18: u16 = self.urgent_pointer;
        o[18..20].copy_from_slice(&w18.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 16] {
        [
            ("source_port", u128::from(self.source_port)),
            ("destination_port", u128::from(self.destination_port)),
            ("sequence_number", u128::from(self.sequence_number.to_bits())),
            ("acknowledgment_number", u128::from(self.acknowledgment_number.to_bits())),
            ("data_offset", u128::from(self.data_offset)),
            ("cwr", u128::from(self.cwr)),
            ("ece", u128::from(self.ece)),
            ("urg", u128::from(self.urg)),
            ("ack", u128::from(self.ack)),
            ("psh", u128::from(self.psh)),
            ("rst", u128::from(self.rst)),
            ("syn", u128::from(self.syn)),
            ("fin", u128::from(self.fin)),
            ("window", u128::from(self.window)),
            ("checksum", u128::from(self.checksum)),
            ("urgent_pointer", u128::from(self.urgent_pointer)),
        ]
    }
}

/// First two octets of every option but end-of-list and no-operation; SACK blocks follow it.
///
/// 2 octets, RFC 9293 section 3.1.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct TcpOptHead {
    /// A constant of `tcp_option`.
    pub kind: u8,
    /// Octets of the whole option, these two included.
    pub length: u8,
}

impl Default for TcpOptHead {
    fn default() -> Self {
        Self { kind: 0, length: 2 }
    }
}

impl TcpOptHead {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::tcp::OPTION_HEAD;

    /// Octets.
    pub const LEN: usize = 2;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<2>("TcpOptHead", octets)?;
        Ok(Self { kind: o[0], length: o[1] })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 2], EmitError> {
        let mut o = [0; 2];
        o[0] = self.kind;
        o[1] = self.length;
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 2] {
        [("kind", u128::from(self.kind)), ("length", u128::from(self.length))]
    }
}

/// Maximum segment size; only in a SYN.
///
/// 4 octets, RFC 9293 section 3.2.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct TcpOptMss {
    /// 2.
    pub kind: u8,
    /// 4.
    pub length: u8,
    /// Largest segment data, in octets, that the sender takes.
    pub mss: u16,
}

impl Default for TcpOptMss {
    fn default() -> Self {
        Self { kind: 2, length: 4, mss: 0 }
    }
}

impl TcpOptMss {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::tcp::OPTION_MSS;

    /// Octets.
    pub const LEN: usize = 4;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<4>("TcpOptMss", octets)?;
        Ok(Self { kind: o[0], length: o[1], mss: u16::from_be_bytes([o[2], o[3]]) })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 4], EmitError> {
        let mut o = [0; 4];
        o[0] = self.kind;
        o[1] = self.length;
        let w2: u16 = self.mss;
        o[2..4].copy_from_slice(&w2.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 3] {
        [("kind", u128::from(self.kind)), ("length", u128::from(self.length)), ("mss", u128::from(self.mss))]
    }
}

/// Window scale; only in a SYN.
///
/// 3 octets, RFC 7323 section 2.2.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct TcpOptWindowScale {
    /// 3.
    pub kind: u8,
    /// 3.
    pub length: u8,
    /// Left shift of the sender's later windows; above 14 counts as 14.
    pub shift: u8,
}

impl Default for TcpOptWindowScale {
    fn default() -> Self {
        Self { kind: 3, length: 3, shift: 0 }
    }
}

impl TcpOptWindowScale {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::tcp::OPTION_WINDOW_SCALE;

    /// Octets.
    pub const LEN: usize = 3;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<3>("TcpOptWindowScale", octets)?;
        Ok(Self { kind: o[0], length: o[1], shift: o[2] })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 3], EmitError> {
        let mut o = [0; 3];
        o[0] = self.kind;
        o[1] = self.length;
        o[2] = self.shift;
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 3] {
        [
            ("kind", u128::from(self.kind)),
            ("length", u128::from(self.length)),
            ("shift", u128::from(self.shift)),
        ]
    }
}

/// The sender takes SACK options; only in a SYN.
///
/// 2 octets, RFC 2018 section 2.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct TcpOptSackPermitted {
    /// 4.
    pub kind: u8,
    /// 2.
    pub length: u8,
}

impl Default for TcpOptSackPermitted {
    fn default() -> Self {
        Self { kind: 4, length: 2 }
    }
}

impl TcpOptSackPermitted {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::tcp::OPTION_SACK_PERMITTED;

    /// Octets.
    pub const LEN: usize = 2;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<2>("TcpOptSackPermitted", octets)?;
        Ok(Self { kind: o[0], length: o[1] })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 2], EmitError> {
        let mut o = [0; 2];
        o[0] = self.kind;
        o[1] = self.length;
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 2] {
        [("kind", u128::from(self.kind)), ("length", u128::from(self.length))]
    }
}

/// One block of received octets; up to four follow the head of a SACK option.
///
/// 8 octets, RFC 2018 section 3.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TcpSackBlock {
    /// First octet of the block.
    pub left_edge: SeqNum,
    /// First octet after the block.
    pub right_edge: SeqNum,
}

impl TcpSackBlock {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::tcp::SACK_BLOCK;

    /// Octets.
    pub const LEN: usize = 8;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<8>("TcpSackBlock", octets)?;
        Ok(Self {
            left_edge: SeqNum::from_bits(u32::from_be_bytes([o[0], o[1], o[2], o[3]])),
            right_edge: SeqNum::from_bits(u32::from_be_bytes([o[4], o[5], o[6], o[7]])),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 8], EmitError> {
        let mut o = [0; 8];
        let w0: u32 = self.left_edge.to_bits();
        o[0..4].copy_from_slice(&w0.to_be_bytes());
        let w4: u32 = self.right_edge.to_bits();
        o[4..8].copy_from_slice(&w4.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 2] {
        [
            ("left_edge", u128::from(self.left_edge.to_bits())),
            ("right_edge", u128::from(self.right_edge.to_bits())),
        ]
    }
}

/// Timestamps.
///
/// 10 octets, RFC 7323 section 3.2.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct TcpOptTimestamps {
    /// 8.
    pub kind: u8,
    /// 10.
    pub length: u8,
    /// TSval: the sender's clock.
    pub ts_value: u32,
    /// TSecr: the receiver's clock as last seen, if ACK is set.
    pub ts_echo: u32,
}

impl Default for TcpOptTimestamps {
    fn default() -> Self {
        Self { kind: 8, length: 10, ts_value: 0, ts_echo: 0 }
    }
}

impl TcpOptTimestamps {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::wire::tcp::OPTION_TIMESTAMPS;

    /// Octets.
    pub const LEN: usize = 10;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<10>("TcpOptTimestamps", octets)?;
        Ok(Self {
            kind: o[0],
            length: o[1],
            ts_value: u32::from_be_bytes([o[2], o[3], o[4], o[5]]),
            ts_echo: u32::from_be_bytes([o[6], o[7], o[8], o[9]]),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 10], EmitError> {
        let mut o = [0; 10];
        o[0] = self.kind;
        o[1] = self.length;
        let w2: u32 = self.ts_value;
        o[2..6].copy_from_slice(&w2.to_be_bytes());
        let w6: u32 = self.ts_echo;
        o[6..10].copy_from_slice(&w6.to_be_bytes());
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
            ("length", u128::from(self.length)),
            ("ts_value", u128::from(self.ts_value)),
            ("ts_echo", u128::from(self.ts_echo)),
        ]
    }
}
