// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records that TCP exchanges with the stages around it, and its receive with its transmit side.
use rust_hdl::prelude::*;

/// What a segment that was received means for the transmit side; one item a segment that has
/// anything to say, in the order of the segments (D12).
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxFact {
    /// Queue pair, which is the connection.
    pub qp: Bits<8>,
    /// `ack` is new: SND.UNA < ACK <= SND.NXT.
    pub has_ack: Bit,
    /// Acknowledgment number.
    pub ack: Bits<32>,
    /// `window` replaces SND.WND.
    pub has_window: Bit,
    /// Window in octets, the peer's scale applied.
    pub window: Bits<32>,
    /// One ACK is owed for this segment alone, at once.
    pub ack_now: Bit,
    /// Duplicate ACK as RFC 5681 defines it.
    pub is_dup: Bit,
}

/// What the owner of a connection is told of: by TCP a RST, by MPA the others. Segments that call
/// for a challenge ACK are counted and answered, no more: a stranger can send them at will.
pub mod ctl_kind {
    /// RST with SEQ = RCV.NXT: the peer has reset the connection.
    pub const RST: usize = 1;
    /// FIN in order: the peer has closed its side.
    pub const FIN: usize = 2;
    /// Octets behind that FIN, once a connection.
    pub const LATE: usize = 3;
}

/// An event of a connection.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxCtl {
    /// Queue pair, which is the connection.
    pub qp: Bits<8>,
    /// One of [`ctl_kind`].
    pub kind: Bits<3>,
}

/// What firmware saw of a connection before receive knew it: judged as a segment of that number
/// without octets that comes now.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxTold {
    /// Queue pair, which is the connection.
    pub qp: Bits<8>,
    /// SEG.SEQ.
    pub seq: Bits<32>,
    /// SEG.ACK.
    pub ack: Bits<32>,
    /// SEG.WND in octets, the peer's scale applied.
    pub window: Bits<32>,
    /// One ACK is owed at once.
    pub ack_now: Bit,
}

/// What goes with a frame of the raw stream.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RawNote {
    /// Octets of the frame, without FCS.
    pub length: Bits<16>,
    /// One of `raw_reason`.
    pub reason: Bits<8>,
    /// No frame of ARP, ICMP or TCP: it leaves half of all room to those.
    pub is_low: Bit,
}

/// What receive tells of a connection when it is asked. All zero: there is none.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxSeen {
    /// There is a connection.
    pub is_valid: Bit,
    /// RCV.NXT.
    pub rcv_nxt: Bits<32>,
    /// SND.WL1.
    pub wl1: Bits<32>,
    /// SND.WL2.
    pub wl2: Bits<32>,
    /// SND.NXT as transmit published it last.
    pub snd_nxt: Bits<32>,
}

/// What transmit tells of a connection when it is asked.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxSeen {
    /// SND.UNA.
    pub una: Bits<32>,
    /// SND.WND in octets.
    pub wnd: Bits<32>,
    /// FPDUs may leave.
    pub gate: Bit,
    /// Congestion window in octets.
    pub cwnd: Bits<23>,
    /// SRTT in units of 10 us.
    pub srtt: Bits<18>,
    /// SRTT has a meaning: a round trip was measured.
    pub is_known: Bit,
    /// What the timer waits, in these units.
    pub rto: Bits<23>,
}

/// What a segment carries.
pub mod seg_kind {
    /// One FPDU; `length` is ULPDU_Length.
    pub const FPDU: usize = 0;
    /// Octets as they are, without DDP and MPA; `length` counts them.
    pub const RAW: usize = 1;
    /// FIN, which takes one sequence number, and no payload.
    pub const FIN: usize = 2;
}

/// Reservation of stream octets for one segment.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Reserve {
    /// Queue pair, which is the connection.
    pub qp: Bits<8>,
    /// Octets, as [`seg_kind`] counts them.
    pub length: Bits<16>,
    /// One of [`seg_kind`].
    pub kind: Bits<2>,
    /// The segment was granted once and leaves again: no new room, its place in the stream is
    /// `offset`.
    pub replay: Bit,
    /// It may leave although the queue pair is in error.
    pub control: Bit,
    /// With `replay`: stream offset of its first octet, in octets since the insert's SND.NXT.
    pub offset: Bits<40>,
    /// Octets of the FPDU that are in segments before this one.
    pub from: Bits<16>,
    /// The segment has no more than `most` octets, since no more have left.
    pub bounded: Bit,
    /// See `bounded`.
    pub most: Bits<16>,
}

/// Answer to a reservation of stream octets for one segment.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Grant {
    /// Room was there and is reserved; otherwise the rest but for `skip` has no meaning.
    pub ok: Bit,
    /// Answer to a replay that is not `ok`: all of it is acknowledged, nothing has to leave.
    pub skip: Bit,
    /// Sequence number of the segment's first octet.
    pub seq: Bits<32>,
    /// Stream offset of the FPDU's first octet from SeqStart, modulo 512.
    pub phase: Bits<9>,
    /// Octets of the segment in the stream, markers counted.
    pub octets: Bits<16>,
    /// Markers are inserted.
    pub markers: Bit,
    /// The CRC field is filled.
    pub crc: Bit,
    /// The segment stands in the place of one whose payload could not be read, and all behind that
    /// one never leaves.
    pub moved: Bit,
    /// If so: stream offset of its first octet, in octets since the insert's SND.NXT.
    pub at: Bits<40>,
    /// Nothing of the FPDU is left behind the segment.
    pub ends: Bit,
    /// Room was given back before: the segment is none of those that never leave.
    pub sure: Bit,
}

/// Room of a segment that never leaves, since its payload could not be read, or that of one before
/// it.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxBack {
    /// Queue pair, which is the connection.
    pub qp: Bits<8>,
    /// Of the [`Grant`]: its place, which is free if nothing before it came back.
    pub seq: Bits<32>,
    /// It would have left again: it has no room of its own.
    pub replay: Bit,
}

/// What goes with the frame of one segment: to MPA, that makes a ULPDU an FPDU, and to TCP, that
/// makes its segment. A FIN has no frame.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxFpdu {
    /// Queue pair, which is the connection.
    pub qp: Bits<8>,
    /// Octets, as [`seg_kind`] counts them.
    pub length: Bits<16>,
    /// One of [`seg_kind`].
    pub kind: Bits<2>,
    /// The segment leaves again: SND.NXT stays.
    pub replay: Bit,
    /// Of the [`Grant`]: sequence number of the segment's first octet.
    pub seq: Bits<32>,
    /// Of the grant: stream offset of the FPDU's first octet from SeqStart, modulo 512.
    pub phase: Bits<9>,
    /// Of the grant: octets of the segment in the stream, markers counted.
    pub octets: Bits<16>,
    /// Of the grant: markers are inserted.
    pub markers: Bit,
    /// Of the grant: the CRC field is filled.
    pub crc: Bit,
    /// Octets of the FPDU that are in segments before this one.
    pub from: Bits<16>,
}
