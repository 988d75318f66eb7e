// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of the receive side: segments, rows, what is decided.
use rust_hdl::prelude::*;

/// What becomes of a stored frame, as numbers in the emitted Verilog.
pub mod job {
    /// It is forgotten.
    pub const DROP: usize = 0;
    /// It goes whole to the raw stream.
    pub const RAW: usize = 1;
    /// Octets of it go on in order.
    pub const OCTETS: usize = 2;
}

/// A frame with a good FCS, its headers read. Without `raw` and `bad` it is a TCP segment.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxSegment {
    /// Octets of the whole frame.
    pub frame: Bits<16>,
    /// If not 0: no TCP segment, and a `raw_reason`.
    pub raw: Bits<8>,
    /// To be dropped: malformed, or a wrong checksum.
    pub bad: Bit,
    /// Octets before the first of data.
    pub head: Bits<16>,
    /// Octets of data.
    pub octets: Bits<16>,
    /// SEG.SEQ.
    pub seq: Bits<32>,
    /// SEG.ACK.
    pub ack: Bits<32>,
    /// SEG.WND, not scaled.
    pub window: Bits<16>,
    /// FIN.
    pub has_fin: Bit,
    /// SYN.
    pub has_syn: Bit,
    /// RST.
    pub has_rst: Bit,
    /// ACK.
    pub has_ack: Bit,
    /// URG.
    pub has_urg: Bit,
    /// VLAN of its tag; 0 without one, and with one that has a priority alone.
    pub vid: Bits<12>,
    /// Its frame is to a group of stations.
    pub to_group: Bit,
    /// With `raw`: neither ARP nor ICMP.
    pub is_low: Bit,
}

/// What the 4-tuple table says of a connection.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxOwner {
    /// Queue pair, which is the connection.
    pub qp: Bits<8>,
    /// Counts insertions: a segment that was looked up before its connection was replaced does not
    /// fit the row.
    pub age: Bits<4>,
}

/// Row of a connection: the columns that receive writes. All zero: no connection.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxRow {
    /// There is a connection.
    pub is_valid: Bit,
    /// As in [`RxOwner`].
    pub age: Bits<4>,
    /// FIN was taken: nothing follows.
    pub is_closed: Bit,
    /// Shift of the peer's windows.
    pub scale: Bits<4>,
    /// RCV.NXT.
    pub rcv_nxt: Bits<32>,
    /// Highest ACK: SND.UNA as receive sees it.
    pub una: Bits<32>,
    /// SND.WL1.
    pub wl1: Bits<32>,
    /// SND.WL2.
    pub wl2: Bits<32>,
    /// SND.WND in octets.
    pub window: Bits<32>,
    /// MAX.SND.WND in octets.
    pub most: Bits<32>,
    /// Octets behind the FIN have come.
    pub is_late: Bit,
    /// Counts cuts, as [`RxUndo`] tells them.
    pub side: Bit,
}

/// Distances between a segment and its connection's row, modulo 2^32.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxDistance {
    /// SEG.SEQ - RCV.NXT.
    pub seq: Bits<32>,
    /// SEG.ACK - SND.UNA.
    pub ack: Bits<32>,
    /// SND.NXT - SND.UNA.
    pub flight: Bits<32>,
    /// SEG.SEQ - SND.WL1.
    pub wl1: Bits<32>,
    /// SEG.ACK - SND.WL2.
    pub wl2: Bits<32>,
    /// Window of the segment in octets.
    pub window: Bits<32>,
    /// SEG.LEN: octets of data, SYN and FIN one each.
    pub length: Bits<32>,
}

/// What is decided on a segment of a connection.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxVerdict {
    /// Octets to cut on the left.
    pub trim: Bits<16>,
    /// Octets that go on.
    pub octets: Bits<16>,
    /// In order: octets or FIN are taken.
    pub in_order: Bit,
    /// FIN is taken.
    pub fin: Bit,
    /// RST with SEQ = RCV.NXT.
    pub reset: Bit,
    /// A challenge ACK is due, unless one was sent just before.
    pub challenge: Bit,
    /// One ACK is owed at once.
    pub ack_now: Bit,
    /// ACK advances.
    pub has_ack: Bit,
    /// Window differs from SND.WND and is newer.
    pub has_window: Bit,
    /// Duplicate ACK by RFC 5681.
    pub is_dup: Bit,
    /// The segment was not acceptable.
    pub outside: Bit,
    /// It had no ACK bit, or its ACK is impossible.
    pub bad_ack: Bit,
    /// It lies beyond a gap.
    pub gap: Bit,
    /// It brings the first octets behind the FIN that was taken.
    pub late: Bit,
}

/// What is to be done with the oldest frame stored.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxJob {
    /// One of [`job`].
    pub kind: Bits<2>,
    /// For the raw stream: octets of the frame in bits 15:0, reason in bits 23:16, `is_low` in
    /// bit 24.
    pub note: Bits<25>,
    /// Octets to drop from the front.
    pub skip: Bits<16>,
    /// Octets that go on.
    pub octets: Bits<17>,
}

/// Octets in order, announced to MPA.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxAnnounce {
    /// Queue pair, which is the connection.
    pub qp: Bits<8>,
    /// Sequence number of the first octet.
    pub seq: Bits<32>,
    /// There are none.
    pub is_empty: Bit,
    /// The stream ends after them.
    pub ends: Bit,
    /// Cuts that were heard of.
    pub side: Bit,
    /// Octets came behind the end, which was announced before.
    pub late: Bit,
}

/// MPA has cut a segment: it takes nothing that was announced from there on.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxUndo {
    /// Queue pair, which is the connection.
    pub qp: Bits<8>,
    /// Sequence number that is due again.
    pub due: Bits<32>,
}
