// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records that TCP exchanges with the stages around it, and its receive with its transmit side.
use rust_hdl::prelude::*;

/// Effect of a received segment on the transmit side: one item a segment with an effect, in the
/// order of the segments (D12).
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

/// Events of a connection for its owner: TCP reports a RST, MPA the other kinds. A segment that
/// calls for a challenge ACK is counted and answered, but makes no event: any station can send such
/// segments.
pub mod ctl_kind {
    /// RST with SEQ = RCV.NXT: the peer has reset the connection.
    pub const RST: usize = 1;
    /// FIN in order: the peer has closed its side.
    pub const FIN: usize = 2;
    /// Octets behind the peer's FIN, once a connection.
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

/// ACK and window that firmware received before the connection was visible to receive. Receive
/// judges the record as a segment without octets that arrives now, with the sequence number `seq`.
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

/// Description of a frame of the raw stream.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RawNote {
    /// Octets of the frame, without FCS.
    pub length: Bits<16>,
    /// One of `raw_reason`.
    pub reason: Bits<8>,
    /// The frame is neither ARP nor ICMP nor TCP. Such frames take at most half of a store.
    pub is_low: Bit,
}

/// Present state of a connection on the receive side. Without a connection all fields are zero.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxSeen {
    /// The connection exists.
    pub is_valid: Bit,
    /// RCV.NXT.
    pub rcv_nxt: Bits<32>,
    /// SND.WL1.
    pub wl1: Bits<32>,
    /// SND.WL2.
    pub wl2: Bits<32>,
    /// SND.NXT, as transmit published last.
    pub snd_nxt: Bits<32>,
}

/// Present state of a connection on the transmit side.
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
    /// A round trip was measured, so `srtt` is valid.
    pub is_known: Bit,
    /// Wait of the retransmission timer in units of 10 us.
    pub rto: Bits<23>,
}

/// Content of a segment.
pub mod seg_kind {
    /// One FPDU; `length` is ULPDU_Length.
    pub const FPDU: usize = 0;
    /// Raw octets, without DDP and MPA; `length` counts the octets.
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
    /// The segment was granted before and leaves again: the reservation takes no new room, and the
    /// place in the stream is `offset`.
    pub replay: Bit,
    /// The segment may leave while the queue pair is in error.
    pub control: Bit,
    /// With `replay`: stream offset of the segment's first octet, in octets since the insert's
    /// SND.NXT.
    pub offset: Bits<40>,
    /// Octets of the FPDU that are in segments before this one.
    pub from: Bits<16>,
    /// A replay gets at most `most` octets, since no more octets have left.
    pub bounded: Bit,
    /// With `bounded`: octets of the segment at most.
    pub most: Bits<16>,
}

/// Answer to a reservation of stream octets for one segment.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Grant {
    /// Room is reserved. If `ok` is low, all other fields but `skip` are undefined.
    pub ok: Bit,
    /// With `ok` low, answer to a replay: the whole segment is acknowledged or never left, so
    /// nothing has to leave.
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
    /// The segment takes the place of a segment whose payload could not be read. Later segments of
    /// that time never leave.
    pub moved: Bit,
    /// With `moved`: stream offset of the segment's first octet, in octets since the insert's
    /// SND.NXT.
    pub at: Bits<40>,
    /// The segment ends the FPDU.
    pub ends: Bit,
    /// Room was given back before the grant, so the segment leaves in any case.
    pub sure: Bit,
}

/// Room that a segment gives back. The segment never leaves, since its payload, or that of an
/// earlier segment, could not be read.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxBack {
    /// Queue pair, which is the connection.
    pub qp: Bits<8>,
    /// Of the [`Grant`]: sequence number of the segment. The place is free unless an earlier
    /// segment came back.
    pub seq: Bits<32>,
    /// The segment was to leave again, and so has no room of its own.
    pub replay: Bit,
}

/// Description of a segment beside its frame: for MPA, which makes a ULPDU an FPDU, and for TCP,
/// which makes the segment. A FIN has no frame.
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
