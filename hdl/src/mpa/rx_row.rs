// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of the receive side: the context row of a connection, pieces of FPDUs, verdicts.
use rust_hdl::prelude::*;

/// Verdicts on an FPDU, as numbers in the emitted Verilog.
pub mod verdict {
    /// CRC good (or not asked for), markers agree.
    pub const GOOD: usize = 0;
    /// CRC32c mismatch: Terminate 2/0/02.
    pub const CRC: usize = 1;
    /// CRC good, a marker disagrees with ULPDU_Length: 2/0/03.
    pub const MARKER: usize = 2;
    /// ULPDU_Length below 14 or above 64768: 0/2/FF.
    pub const LENGTH: usize = 3;
    /// Longer than the connection's reassembly buffer: 2/0/05.
    pub const BUFFER: usize = 4;
    /// The stream ended inside an FPDU: 2/0/01.
    pub const ENDED: usize = 5;
}

/// Framing state of one connection between two of its segments. All zero but `due`: nothing of an
/// FPDU seen.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxRow {
    /// Sequence number of the octet that is due next; SeqStart after set-up.
    pub due: Bits<32>,
    /// Octets of a word not yet complete, the first in bits 7:0; their count is the stream offset
    /// modulo 4.
    pub carry: Bits<24>,
    /// ULPDU_Length of the open FPDU was seen.
    pub header: Bit,
    /// An FPDU is open (its leading marker or its ULPDU_Length was seen).
    pub open: Bit,
    /// A marker of the open FPDU disagreed.
    pub bad_marker: Bit,
    /// Framing is lost: octets are dropped until the connection is set up again.
    pub lost: Bit,
    /// Words of the open FPDU still to come, CRC counted, markers not.
    pub left: Bits<16>,
    /// Words since ULPDU_Length, markers counted.
    pub since: Bits<16>,
    /// Words of the open FPDU in the reassembly buffer.
    pub fill: Bits<16>,
    /// ULPDU_Length in octets.
    pub length: Bits<16>,
    /// A Send is under way: one of its segments was the last FPDU of queue 0.
    pub sending: Bit,
    /// Counts cuts: a segment that was announced with the other value is a stray.
    pub side: Bit,
    /// The FPDU that is due was cut once.
    pub was_cut: Bit,
}

/// What connection set-up fixes for the receive side.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxSetup {
    /// TCP sequence number of the first octet of full operation (SeqStart).
    pub seq_start: Bits<32>,
    /// The peer inserts markers.
    pub markers: Bit,
    /// CRC32c is checked.
    pub crc: Bit,
}

/// The next segment with the context row of its connection.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxComing {
    /// Connection.
    pub conn: Bits<8>,
    /// Sequence number of its first octet.
    pub seq: Bits<32>,
    /// Stream offset of its first octet, modulo 2^32.
    pub offset: Bits<32>,
    /// It has no octets.
    pub empty: Bit,
    /// The stream ends after it.
    pub ends: Bit,
    /// Octets came behind the end of the stream.
    pub late: Bit,
    /// Cuts of its connection that its announcement knows of.
    pub side: Bit,
    /// Set-up column.
    pub setup: RxSetup,
    /// Framing column.
    pub row: RxRow,
    /// Buffer start column: row of the buffer where the open FPDU begins.
    pub start: Bits<12>,
    /// First unread row of the buffer.
    pub unread: Bits<12>,
}

/// What one cycle takes out of the framer's window, up to the end of the window or of the FPDU,
/// beside the words; or a verdict without words.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxPiece {
    /// Connection.
    pub conn: Bits<8>,
    /// How many words; 0 for a verdict without words.
    pub words: Bits<5>,
    /// One of them is a marker.
    pub has_marker: Bit,
    /// Which one, if there is a marker.
    pub marker: Bits<4>,
    /// First piece of an FPDU.
    pub first: Bit,
    /// First piece of a segment.
    pub seg_first: Bit,
    /// Last piece of an FPDU, or a verdict.
    pub ends: Bit,
    /// Verdict as far as framing knows it.
    pub verdict: Bits<3>,
    /// CRC is to be checked.
    pub crc: Bit,
    /// Words of this FPDU already in the buffer.
    pub fill: Bits<16>,
    /// First row of the FPDU.
    pub start: Bits<12>,
    /// With `ends`: row after its last one.
    pub after: Bits<12>,
    /// ULPDU_Length in octets.
    pub length: Bits<16>,
    /// Sequence number of the octet after the piece.
    pub end_seq: Bits<32>,
}

/// One whole FPDU, or the reason why there is none, on its way to the output.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxDone {
    /// Connection.
    pub conn: Bits<8>,
    /// First row of the connection's buffer that holds it.
    pub start: Bits<12>,
    /// Row after its last one.
    pub after: Bits<12>,
    /// ULPDU_Length in octets.
    pub length: Bits<16>,
    /// Sequence number of the octet after it.
    pub end_seq: Bits<32>,
    /// One of [`verdict`].
    pub verdict: Bits<3>,
    /// The connection had stopped before: free the rows, say nothing.
    pub silent: Bit,
}

/// The end of a segment, behind its pieces.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxPast {
    /// Connection.
    pub conn: Bits<8>,
    /// Sequence number after the segment's last octet, its FIN counted.
    pub seq: Bits<32>,
    /// The stream ends with it.
    pub ends: Bit,
    /// It tells of octets behind the end.
    pub late: Bit,
}
