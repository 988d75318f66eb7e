// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of the transmit stage: columns of the connection row, and what its blocks hand to each
//! other.
use rust_hdl::prelude::*;

/// What a connection begins with, for the blocks that own a column. All fields zero when it is
/// removed.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxSetup {
    /// SND.UNA.
    pub una: Bits<32>,
    /// SND.NXT.
    pub nxt: Bits<32>,
    /// SND.WND in octets.
    pub wnd: Bits<32>,
    /// SeqStart of our octets modulo 512.
    pub start: Bits<9>,
    /// Largest segment in octets.
    pub emss: Bits<16>,
    /// We insert markers.
    pub markers: Bit,
    /// We fill the CRC field.
    pub crc: Bit,
    /// FPDUs may leave.
    pub gate: Bit,
    /// Only EMSS and the gate count, of a connection that lives.
    pub update: Bit,
    /// RCV.NXT, which is RCV.ACK too.
    pub rcv_nxt: Bits<32>,
    /// An ACK is due at once.
    pub ack_now: Bit,
    /// Round trip of the handshake in units of 10 us, 0 if it is not known.
    pub rtt: Bits<16>,
    /// Waits in a row after which the connection is lost; 0: as the register says.
    pub limit: Bits<8>,
    /// Units of 163.84 ms after which an idle peer is asked for a sign of life; 0: never.
    pub keepalive: Bits<16>,
    /// Shift of our window fields.
    pub scale: Bits<4>,
}

/// Header column beside the words of [`super::tx_own::TxOwn`], written by
/// [`super::tx_insert::TxInsert`].
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct HeadRow {
    /// Segments carry the timestamps option.
    pub timestamps: Bit,
    /// The headers have an odd number of words of 4 octets, with two octets in front of Ethernet's.
    pub odd: Bit,
    /// Sum of the constant words of the IPv4 header, not folded.
    pub ip_sum: Bits<20>,
    /// Sum of the constant words of pseudo-header and TCP header with its option, not folded.
    pub tcp_sum: Bits<21>,
}

/// Four octets of the headers of a connection.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct HeadWord {
    /// Octet 0 in bits 7:0; zero where a segment has its own.
    pub octets: Bits<32>,
    /// Which of a segment's own words belongs here, see [`super::tx_own::own_word`].
    pub own: Bits<3>,
    /// The header's last word.
    pub last: Bit,
}

/// Sequence column, owned by [`super::tx_seq::TxSeq`].
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct SeqRow {
    /// SND.UNA.
    pub una: Bits<32>,
    /// Sequence number after the last octet that is reserved: what SND.NXT becomes when all of it
    /// has left.
    pub reserved: Bits<32>,
    /// SND.WND in octets.
    pub wnd: Bits<32>,
    /// Octets acknowledged since the insert.
    pub offset: Bits<40>,
    /// SeqStart modulo 512.
    pub start: Bits<9>,
    /// Largest segment in octets.
    pub emss: Bits<16>,
    /// We insert markers.
    pub markers: Bit,
    /// We fill the CRC field.
    pub crc: Bit,
    /// FPDUs may leave.
    pub gate: Bit,
    /// A reservation was refused and has not been woken since.
    pub refused: Bit,
    /// Room was given back: nothing new but Terminate and FIN is granted.
    pub cut: Bit,
    /// One of these was.
    pub mended: Bit,
    /// The last reservation ended beyond the congestion window.
    pub bounded: Bit,
    /// The persist timer has expired since octets were granted last.
    pub forced: Bit,
    /// Duplicate ACKs since SND.UNA moved; 3 stands for any number from there on.
    pub dups: Bits<2>,
}

/// ACK column, owned by [`super::tx_ack::TxAck`].
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct AckRow {
    /// RCV.ACK.
    pub rcv_ack: Bits<32>,
    /// One data segment is not acknowledged yet; its ACK may wait until `deadline`.
    pub owed: Bit,
    /// Unit of 10 us at which that wait ends.
    pub deadline: Bits<16>,
    /// One ACK is due at once; a data segment that leaves carries it as well.
    pub due: Bit,
    /// ACKs due at once of which each needs a segment of its own; 3 stands for any number from
    /// there on.
    pub now: Bits<2>,
    /// The connection is in the list of those with `due`, `now` or `probe`.
    pub listed: Bit,
    /// A probe of the peer's window is due.
    pub probe: Bit,
    /// Data segments to come of which each has its ACK at once.
    pub quick: Bits<4>,
    /// Last octet before the right edge of the window that was told last, see
    /// [`super::tx_right::TxRight`].
    pub right: Bits<24>,
    /// Shift of our window fields.
    pub scale: Bits<4>,
}

/// A segment with octets of the stream whose payload is there, or FIN.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxJob {
    /// Queue pair, which is the connection.
    pub qp: Bits<8>,
    /// Sequence number of its first octet.
    pub seq: Bits<32>,
    /// Sequence number after it.
    pub after: Bits<32>,
    /// Sequence numbers that it takes: octets of payload, or 1 for FIN.
    pub octets: Bits<16>,
    /// Ones' complement sum of the payload; of no meaning for FIN.
    pub sum: Bits<16>,
    /// FIN, without payload.
    pub fin: Bit,
    /// It leaves again: SND.NXT stays.
    pub replay: Bit,
}

/// What differs from segment to segment in the header.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct HeadItem {
    /// Connection.
    pub qp: Bits<8>,
    /// Octets of pad in front.
    pub skip: Bits<16>,
    /// No header leaves; the next payload is dropped.
    pub gone: Bit,
    /// Sequence number.
    pub seq: Bits<32>,
    /// Acknowledgment number.
    pub ack: Bits<32>,
    /// Window field.
    pub window: Bits<16>,
    /// Octets of TCP header and payload.
    pub length: Bits<16>,
    /// IPv4 header checksum.
    pub ip_check: Bits<16>,
    /// TCP checksum.
    pub tcp_check: Bits<16>,
    /// Payload follows.
    pub has_payload: Bit,
    /// FIN is set.
    pub fin: Bit,
    /// RST is set.
    pub rst: Bit,
}

/// A connection that owes an ACK of its own.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct AckAsk {
    /// Connection.
    pub qp: Bits<8>,
    /// The ACK is a probe of the peer's window.
    pub probes: Bit,
}

/// What the ACK column says of a connection when a header is built.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct AckSaid {
    /// Connection.
    pub qp: Bits<8>,
    /// RCV.ACK.
    pub ack: Bits<32>,
    /// Octets of the window that goes with it, less one.
    pub span: Bits<24>,
    /// The window has none.
    pub shut: Bit,
    /// Shift of its field.
    pub scale: Bits<4>,
    /// A segment has to carry it: always, but for the list if a data segment was faster.
    pub owes: Bit,
    /// An ACK out of the list is a probe of the peer's window, one octet before SND.NXT, which the
    /// peer has to answer.
    pub probes: Bit,
}

/// Timer column, owned by [`super::tx_rto::TxRto`].
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RtoRow {
    /// SND.NXT.
    pub nxt: Bits<32>,
    /// The timer runs.
    pub armed: Bit,
    /// Probes of the peer: it runs for the window alone, or, with `rests`, for a sign of life.
    pub persist: Bit,
    /// Nothing is unacknowledged, and nothing waits for the window.
    pub rests: Bit,
    /// With `rests`: the timer's own wait is over, and parts of the keepalive time are counted.
    pub keeps: Bit,
    /// Octets have to leave again, and none of these has left so far.
    pub fired: Bit,
    /// Octets had to leave again, and SND.UNA has not come to SND.NXT of that time.
    pub repairs: Bit,
    /// First unit of 10 us, modulo 2^24, in which it has expired.
    pub deadline: Bits<24>,
    /// `deadline` is that of a probe, which comes before the timer's.
    pub early: Bit,
    /// A probe has left since the last measurement.
    pub probed: Bit,
    /// Units that a probe waits.
    pub soon: Bits<21>,
    /// Units that it waits next.
    pub wait: Bits<23>,
    /// The round trip of a segment is being measured.
    pub times: Bit,
    /// Expiries since the last acknowledgment; with `keeps` and no probe, parts of the keepalive
    /// time that are over.
    pub tries: Bits<8>,
    /// The connection was given up.
    pub lost: Bit,
    /// Duplicate ACKs at the present SND.UNA, see [`super::tx_dups::TxDups`].
    pub dups: Bits<2>,
}

/// What a connection wants of its timer, owned by [`super::tx_rto::TxRto`]; a set-up writes it.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RtoWish {
    /// Expiries in a row, of which the last one gives up; 0: as the register says.
    pub limit: Bits<8>,
    /// Units of 1.28 ms of a part of the keepalive time, which has 128; 0: none.
    pub part: Bits<16>,
}

/// What the estimator of the round trip is told.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RttNews {
    /// One of [`super::tx_rtt::rtt_news`].
    pub kind: Bits<2>,
    /// Connection.
    pub qp: Bits<8>,
    /// Of a start, the sequence number after the segment; of a check, SND.UNA; of a set-up, the
    /// round trip of the handshake.
    pub number: Bits<32>,
}

/// Estimator's column, owned by [`super::tx_rtt::TxRtt`]. Times in units of 10 us.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RttRow {
    /// SRTT and RTTVAR are known.
    pub known: Bit,
    /// Eight times SRTT.
    pub srtt: Bits<21>,
    /// Four times RTTVAR.
    pub var: Bits<20>,
}

/// The segment whose round trip is measured.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RttMark {
    /// Sequence number after it, modulo 2^24.
    pub timed: Bits<24>,
    /// When it left, in units of 10 us modulo 2^24.
    pub since: Bits<24>,
}
