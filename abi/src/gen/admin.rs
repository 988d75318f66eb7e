// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Codecs of Admin port.
use crate::codec::{head, put, EmitError, Truncated};
use crate::table::Layout;
use crate::types::{ByteCount, SeqNum};

/// First 8 octets of a command; the row follows where the opcode writes one.
///
/// 8 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AdminCommand {
    /// One of `admin_opcode`.
    pub opcode: u8,
    /// Of `read_row`: which, one of `admin_row`.
    pub row: u8,
    /// Queue pair, completion queue or memory region.
    pub index: u16,
}

impl AdminCommand {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::admin::COMMAND;

    /// Octets.
    pub const LEN: usize = 8;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<8>("AdminCommand", octets)?;
        Ok(Self { opcode: o[0], row: o[1], index: u16::from_be_bytes([o[2], o[3]]) })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 8], EmitError> {
        let mut o = [0; 8];
        o[0] = self.opcode;
        o[1] = self.row;
        let w2: u16 = self.index;
        o[2..4].copy_from_slice(&w2.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 3] {
        [
            ("opcode", u128::from(self.opcode)),
            ("row", u128::from(self.row)),
            ("index", u128::from(self.index)),
        ]
    }
}

/// The newest acknowledgement that firmware saw before the connection was visible; it counts as if
/// its segment came now: an older one changes nothing.
///
/// 16 octets, Ferrowarp, RFC 9293 section 3.10.7.4, design decision D4.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ConnAck {
    /// SEG.ACK: SND.UNA, and SND.WL2 with the window.
    pub ack: SeqNum,
    /// Its window in octets, scale applied.
    pub wnd: ByteCount,
    /// SEG.SEQ: SND.WL1 with the window.
    pub wl1: SeqNum,
    /// An ACK is due at once.
    pub ack_now: bool,
}

impl ConnAck {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::admin::CONN_ACK;

    /// Octets.
    pub const LEN: usize = 16;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<16>("ConnAck", octets)?;
        let w12 = u32::from_be_bytes([o[12], o[13], o[14], o[15]]);
        Ok(Self {
            ack: SeqNum::from_bits(u32::from_be_bytes([o[0], o[1], o[2], o[3]])),
            wnd: ByteCount::from_bits(u32::from_be_bytes([o[4], o[5], o[6], o[7]])),
            wl1: SeqNum::from_bits(u32::from_be_bytes([o[8], o[9], o[10], o[11]])),
            ack_now: w12 & 0x80000000 != 0,
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 16], EmitError> {
        let mut o = [0; 16];
        let w0: u32 = self.ack.to_bits();
        o[0..4].copy_from_slice(&w0.to_be_bytes());
        let w4: u32 = self.wnd.to_bits();
        o[4..8].copy_from_slice(&w4.to_be_bytes());
        let w8: u32 = self.wl1.to_bits();
        o[8..12].copy_from_slice(&w8.to_be_bytes());
        let w12: u32 = u32::from(self.ack_now) << 31;
        o[12..16].copy_from_slice(&w12.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 4] {
        [
            ("ack", u128::from(self.ack.to_bits())),
            ("wnd", u128::from(self.wnd.to_bits())),
            ("wl1", u128::from(self.wl1.to_bits())),
            ("ack_now", u128::from(self.ack_now)),
        ]
    }
}

/// First 8 octets of an answer, one a command in their order; the row follows for `read_row`.
///
/// 8 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AdminAnswer {
    /// One of `admin_status`.
    pub status: u8,
    /// Of the command.
    pub opcode: u8,
    /// Of the command.
    pub index: u16,
    /// Of `conn_insert`: producer index of the raw receive ring when the entry became visible. Of
    /// `read_row` of `raw_tx`: consumer index of the raw transmit ring.
    pub value: u32,
}

impl AdminAnswer {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::admin::ANSWER;

    /// Octets.
    pub const LEN: usize = 8;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<8>("AdminAnswer", octets)?;
        Ok(Self {
            status: o[0],
            opcode: o[1],
            index: u16::from_be_bytes([o[2], o[3]]),
            value: u32::from_be_bytes([o[4], o[5], o[6], o[7]]),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 8], EmitError> {
        let mut o = [0; 8];
        o[0] = self.status;
        o[1] = self.opcode;
        let w2: u16 = self.index;
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
            ("status", u128::from(self.status)),
            ("opcode", u128::from(self.opcode)),
            ("index", u128::from(self.index)),
            ("value", u128::from(self.value)),
        ]
    }
}

/// The first error of a queue pair. 72 octets follow. With `has_segment` they begin with octets of
/// the ULPDU that caused the error. A Read Request or Terminate is there as a whole, another ULPDU
/// with its first 24 octets. Later octets are undefined.
///
/// 24 octets, Ferrowarp, RFC 5040 section 7.1.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CapturedError {
    /// There was one.
    pub is_captured: bool,
    /// One of our own work requests caused it.
    pub is_local: bool,
    /// `index` counts.
    pub has_wr: bool,
    /// A DDP segment that came whole caused it; `length` counts.
    pub has_segment: bool,
    /// That segment is the peer's Terminate.
    pub is_terminate: bool,
    /// One of `wc_status`.
    pub status: u8,
    /// Layer, type and code as in a Terminate.
    pub error: u16,
    /// Errors of the same queue pair that came after it.
    pub later: u32,
    /// The work request's, as in its CQE.
    pub index: u32,
    /// ULPDU_Length of the segment in octets.
    pub length: u16,
}

impl CapturedError {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::admin::CAPTURED;

    /// Octets.
    pub const LEN: usize = 24;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<24>("CapturedError", octets)?;
        let w0 = o[0];
        Ok(Self {
            is_captured: w0 & 0x80 != 0,
            is_local: w0 & 0x40 != 0,
            has_wr: w0 & 0x20 != 0,
            has_segment: w0 & 0x10 != 0,
            is_terminate: w0 & 0x8 != 0,
            status: o[1],
            error: u16::from_be_bytes([o[2], o[3]]),
            later: u32::from_be_bytes([o[4], o[5], o[6], o[7]]),
            index: u32::from_be_bytes([o[8], o[9], o[10], o[11]]),
            length: u16::from_be_bytes([o[16], o[17]]),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 24], EmitError> {
        let mut o = [0; 24];
        o[0] = (u8::from(self.is_captured) << 7)
            | (u8::from(self.is_local) << 6)
            | (u8::from(self.has_wr) << 5)
            | (u8::from(self.has_segment) << 4)
            | (u8::from(self.is_terminate) << 3);
        o[1] = self.status;
        let w2: u16 = self.error;
        o[2..4].copy_from_slice(&w2.to_be_bytes());
        let w4: u32 = self.later;
        o[4..8].copy_from_slice(&w4.to_be_bytes());
        let w8: u32 = self.index;
        o[8..12].copy_from_slice(&w8.to_be_bytes());
        let w16: u16 = self.length;
        o[16..18].copy_from_slice(&w16.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 10] {
        [
            ("is_captured", u128::from(self.is_captured)),
            ("is_local", u128::from(self.is_local)),
            ("has_wr", u128::from(self.has_wr)),
            ("has_segment", u128::from(self.has_segment)),
            ("is_terminate", u128::from(self.is_terminate)),
            ("status", u128::from(self.status)),
            ("error", u128::from(self.error)),
            ("later", u128::from(self.later)),
            ("index", u128::from(self.index)),
            ("length", u128::from(self.length)),
        ]
    }
}

/// Timer and congestion window of a connection as they are now; all zero if there is no connection.
///
/// 16 octets, RFC 6298 section 2, RFC 5681 section 3.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PathRow {
    /// SRTT in units of 10 us; 0: no round trip is known, or less than a unit.
    pub srtt: u32,
    /// What the timer waits in units of 10 us, doubled by each expiry.
    pub rto: u32,
    /// Congestion window in octets.
    pub cwnd: ByteCount,
}

impl PathRow {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::admin::PATH;

    /// Octets.
    pub const LEN: usize = 16;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<16>("PathRow", octets)?;
        Ok(Self {
            srtt: u32::from_be_bytes([o[0], o[1], o[2], o[3]]),
            rto: u32::from_be_bytes([o[4], o[5], o[6], o[7]]),
            cwnd: ByteCount::from_bits(u32::from_be_bytes([o[8], o[9], o[10], o[11]])),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 16], EmitError> {
        let mut o = [0; 16];
        let w0: u32 = self.srtt;
        o[0..4].copy_from_slice(&w0.to_be_bytes());
        let w4: u32 = self.rto;
        o[4..8].copy_from_slice(&w4.to_be_bytes());
        let w8: u32 = self.cwnd.to_bits();
        o[8..12].copy_from_slice(&w8.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 3] {
        [
            ("srtt", u128::from(self.srtt)),
            ("rto", u128::from(self.rto)),
            ("cwnd", u128::from(self.cwnd.to_bits())),
        ]
    }
}

/// Place and size of the event ring or of a raw ring.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ring {
    /// First octet of slot 0.
    pub base: u64,
    /// log2 of its slots, 0 to 16.
    pub log2: u8,
    /// The ring is used.
    pub is_valid: bool,
}

impl Ring {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::admin::RING;

    /// Octets.
    pub const LEN: usize = 16;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<16>("Ring", octets)?;
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
