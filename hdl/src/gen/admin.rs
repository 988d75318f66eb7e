// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Header records of Admin port and their wiring.
#![allow(missing_docs)] // the derives make undocumented methods
use rust_hdl::prelude::*;

/// First 8 octets of a command; the row follows where the opcode writes one.
///
/// 8 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct AdminCommand {
    /// One of `admin_opcode`.
    pub opcode: Bits<8>,
    /// Of `read_row`: which, one of `admin_row`.
    pub row: Bits<8>,
    /// Queue pair, completion queue or memory region.
    pub index: Bits<16>,
}

/// Fields of a [`AdminCommand`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackAdminCommand {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<64>>,
    /// Its fields.
    pub record: Signal<Out, AdminCommand>,
}

impl Logic for UnpackAdminCommand {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.opcode = self.octets.val().get_bits::<8>(0);
        self.record.next.row = self.octets.val().get_bits::<8>(8);
        self.record.next.index = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(24));
    }
}

/// Octets of a [`AdminCommand`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackAdminCommand {
    /// Fields.
    pub record: Signal<In, AdminCommand>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<64>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<16>>,
    lane_2: Signal<Local, Bits<16>>,
}

impl Logic for PackAdminCommand {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().opcode;
        self.word_1.next = self.record.val().row;
        self.word_2.next = self.record.val().index;
        self.lane_2.next = bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(0)) << 8);
        self.octets.next = bit_cast::<64, 8>(self.word_0.val())
            | (bit_cast::<64, 8>(self.word_1.val()) << 8)
            | (bit_cast::<64, 16>(self.lane_2.val()) << 16);
    }
}

/// The newest acknowledgement that firmware saw before the connection was visible; it counts as if
/// its segment came now: an older one changes nothing.
///
/// 16 octets, Ferrowarp, RFC 9293 section 3.10.7.4, design decision D4.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct ConnAck {
    /// SEG.ACK: SND.UNA, and SND.WL2 with the window.
    pub ack: Bits<32>,
    /// Its window in octets, scale applied.
    pub wnd: Bits<32>,
    /// SEG.SEQ: SND.WL1 with the window.
    pub wl1: Bits<32>,
    /// An ACK is due at once.
    pub ack_now: Bit,
}

/// Fields of a [`ConnAck`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackConnAck {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<128>>,
    /// Its fields.
    pub record: Signal<Out, ConnAck>,
}

impl Logic for UnpackConnAck {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.ack = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(0)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(24));
        self.record.next.wnd = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(56));
        self.record.next.wl1 = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(64)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(72)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(80)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(88));
        self.record.next.ack_now = self.octets.val().get_bit(103);
    }
}

/// Octets of a [`ConnAck`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackConnAck {
    /// Fields.
    pub record: Signal<In, ConnAck>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<128>>,
    word_0: Signal<Local, Bits<32>>,
    lane_0: Signal<Local, Bits<32>>,
    word_4: Signal<Local, Bits<32>>,
    lane_4: Signal<Local, Bits<32>>,
    word_8: Signal<Local, Bits<32>>,
    lane_8: Signal<Local, Bits<32>>,
    word_12: Signal<Local, Bits<32>>,
    lane_12: Signal<Local, Bits<32>>,
}

impl Logic for PackConnAck {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().ack;
        self.lane_0.next = bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(0)) << 24);
        self.word_4.next = self.record.val().wnd;
        self.lane_4.next = bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(0)) << 24);
        self.word_8.next = self.record.val().wl1;
        self.lane_8.next = bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(0)) << 24);
        self.word_12.next = bit_cast::<32, 1>(self.record.val().ack_now.into()) << 31;
        self.lane_12.next = bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(0)) << 24);
        self.octets.next = bit_cast::<128, 32>(self.lane_0.val())
            | (bit_cast::<128, 32>(self.lane_4.val()) << 32)
            | (bit_cast::<128, 32>(self.lane_8.val()) << 64)
            | (bit_cast::<128, 32>(self.lane_12.val()) << 96);
    }
}

/// First 8 octets of an answer, one a command in their order; the row follows for `read_row`.
///
/// 8 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct AdminAnswer {
    /// One of `admin_status`.
    pub status: Bits<8>,
    /// Of the command.
    pub opcode: Bits<8>,
    /// Of the command.
    pub index: Bits<16>,
    /// Of `conn_insert`: producer index of the raw receive ring when the entry became visible. Of
    /// `read_row` of `raw_tx`: consumer index of the raw transmit ring.
    pub value: Bits<32>,
}

/// Fields of a [`AdminAnswer`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackAdminAnswer {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<64>>,
    /// Its fields.
    pub record: Signal<Out, AdminAnswer>,
}

impl Logic for UnpackAdminAnswer {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.status = self.octets.val().get_bits::<8>(0);
        self.record.next.opcode = self.octets.val().get_bits::<8>(8);
        self.record.next.index = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(24));
        self.record.next.value = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(56));
    }
}

/// Octets of a [`AdminAnswer`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackAdminAnswer {
    /// Fields.
    pub record: Signal<In, AdminAnswer>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<64>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<16>>,
    lane_2: Signal<Local, Bits<16>>,
    word_4: Signal<Local, Bits<32>>,
    lane_4: Signal<Local, Bits<32>>,
}

impl Logic for PackAdminAnswer {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().status;
        self.word_1.next = self.record.val().opcode;
        self.word_2.next = self.record.val().index;
        self.lane_2.next = bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(0)) << 8);
        self.word_4.next = self.record.val().value;
        self.lane_4.next = bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(0)) << 24);
        self.octets.next = bit_cast::<64, 8>(self.word_0.val())
            | (bit_cast::<64, 8>(self.word_1.val()) << 8)
            | (bit_cast::<64, 16>(self.lane_2.val()) << 16)
            | (bit_cast::<64, 32>(self.lane_4.val()) << 32);
    }
}

/// The first error of a queue pair. 72 octets follow. With `has_segment` they begin with octets of
/// the ULPDU that caused the error. A Read Request or Terminate is there as a whole, another ULPDU
/// with its first 24 octets. Later octets are undefined.
///
/// 24 octets, Ferrowarp, RFC 5040 section 7.1.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct CapturedError {
    /// There was one.
    pub is_captured: Bit,
    /// One of our own work requests caused it.
    pub is_local: Bit,
    /// `index` counts.
    pub has_wr: Bit,
    /// A DDP segment that came whole caused it; `length` counts.
    pub has_segment: Bit,
    /// That segment is the peer's Terminate.
    pub is_terminate: Bit,
    /// One of `wc_status`.
    pub status: Bits<8>,
    /// Layer, type and code as in a Terminate.
    pub error: Bits<16>,
    /// Errors of the same queue pair that came after it.
    pub later: Bits<32>,
    /// The work request's, as in its CQE.
    pub index: Bits<32>,
    /// ULPDU_Length of the segment in octets.
    pub length: Bits<16>,
}

/// Fields of a [`CapturedError`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackCapturedError {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<192>>,
    /// Its fields.
    pub record: Signal<Out, CapturedError>,
}

impl Logic for UnpackCapturedError {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.is_captured = self.octets.val().get_bit(7);
        self.record.next.is_local = self.octets.val().get_bit(6);
        self.record.next.has_wr = self.octets.val().get_bit(5);
        self.record.next.has_segment = self.octets.val().get_bit(4);
        self.record.next.is_terminate = self.octets.val().get_bit(3);
        self.record.next.status = self.octets.val().get_bits::<8>(8);
        self.record.next.error = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(24));
        self.record.next.later = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(56));
        self.record.next.index = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(64)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(72)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(80)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(88));
        self.record.next.length = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(128)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(136));
    }
}

/// Octets of a [`CapturedError`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackCapturedError {
    /// Fields.
    pub record: Signal<In, CapturedError>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<192>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<16>>,
    lane_2: Signal<Local, Bits<16>>,
    word_4: Signal<Local, Bits<32>>,
    lane_4: Signal<Local, Bits<32>>,
    word_8: Signal<Local, Bits<32>>,
    lane_8: Signal<Local, Bits<32>>,
    word_16: Signal<Local, Bits<16>>,
    lane_16: Signal<Local, Bits<16>>,
}

impl Logic for PackCapturedError {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = (bit_cast::<8, 1>(self.record.val().is_captured.into()) << 7)
            | (bit_cast::<8, 1>(self.record.val().is_local.into()) << 6)
            | (bit_cast::<8, 1>(self.record.val().has_wr.into()) << 5)
            | (bit_cast::<8, 1>(self.record.val().has_segment.into()) << 4)
            | (bit_cast::<8, 1>(self.record.val().is_terminate.into()) << 3);
        self.word_1.next = self.record.val().status;
        self.word_2.next = self.record.val().error;
        self.lane_2.next = bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(0)) << 8);
        self.word_4.next = self.record.val().later;
        self.lane_4.next = bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(0)) << 24);
        self.word_8.next = self.record.val().index;
        self.lane_8.next = bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(0)) << 24);
        self.word_16.next = self.record.val().length;
        self.lane_16.next = bit_cast::<16, 8>(self.word_16.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_16.val().get_bits::<8>(0)) << 8);
        self.octets.next = bit_cast::<192, 8>(self.word_0.val())
            | (bit_cast::<192, 8>(self.word_1.val()) << 8)
            | (bit_cast::<192, 16>(self.lane_2.val()) << 16)
            | (bit_cast::<192, 32>(self.lane_4.val()) << 32)
            | (bit_cast::<192, 32>(self.lane_8.val()) << 64)
            | (bit_cast::<192, 16>(self.lane_16.val()) << 128);
    }
}

/// Timer and congestion window of a connection as they are now; all zero if there is no connection.
///
/// 16 octets, RFC 6298 section 2, RFC 5681 section 3.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct PathRow {
    /// SRTT in units of 10 us; 0: no round trip is known, or less than a unit.
    pub srtt: Bits<32>,
    /// What the timer waits in units of 10 us, doubled by each expiry.
    pub rto: Bits<32>,
    /// Congestion window in octets.
    pub cwnd: Bits<32>,
}

/// Fields of a [`PathRow`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackPathRow {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<128>>,
    /// Its fields.
    pub record: Signal<Out, PathRow>,
}

impl Logic for UnpackPathRow {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.srtt = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(0)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(24));
        self.record.next.rto = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(56));
        self.record.next.cwnd = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(64)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(72)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(80)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(88));
    }
}

/// Octets of a [`PathRow`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackPathRow {
    /// Fields.
    pub record: Signal<In, PathRow>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<128>>,
    word_0: Signal<Local, Bits<32>>,
    lane_0: Signal<Local, Bits<32>>,
    word_4: Signal<Local, Bits<32>>,
    lane_4: Signal<Local, Bits<32>>,
    word_8: Signal<Local, Bits<32>>,
    lane_8: Signal<Local, Bits<32>>,
}

impl Logic for PackPathRow {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().srtt;
        self.lane_0.next = bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(0)) << 24);
        self.word_4.next = self.record.val().rto;
        self.lane_4.next = bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(0)) << 24);
        self.word_8.next = self.record.val().cwnd;
        self.lane_8.next = bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(0)) << 24);
        self.octets.next = bit_cast::<128, 32>(self.lane_0.val())
            | (bit_cast::<128, 32>(self.lane_4.val()) << 32)
            | (bit_cast::<128, 32>(self.lane_8.val()) << 64);
    }
}

/// Place and size of the event ring or of a raw ring.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Ring {
    /// First octet of slot 0.
    pub base: Bits<64>,
    /// log2 of its slots, 0 to 16.
    pub log2: Bits<8>,
    /// The ring is used.
    pub is_valid: Bit,
}

/// Fields of a [`Ring`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackRing {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<128>>,
    /// Its fields.
    pub record: Signal<Out, Ring>,
}

impl Logic for UnpackRing {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.base = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(0)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(56));
        self.record.next.log2 = self.octets.val().get_bits::<8>(64);
        self.record.next.is_valid = self.octets.val().get_bit(79);
    }
}

/// Octets of a [`Ring`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackRing {
    /// Fields.
    pub record: Signal<In, Ring>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<128>>,
    word_0: Signal<Local, Bits<64>>,
    lane_0: Signal<Local, Bits<64>>,
    word_8: Signal<Local, Bits<8>>,
    word_9: Signal<Local, Bits<56>>,
    lane_9: Signal<Local, Bits<56>>,
}

impl Logic for PackRing {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().base;
        self.lane_0.next = bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(0)) << 56);
        self.word_8.next = self.record.val().log2;
        self.word_9.next = bit_cast::<56, 1>(self.record.val().is_valid.into()) << 55;
        self.lane_9.next = bit_cast::<56, 8>(self.word_9.val().get_bits::<8>(48))
            | (bit_cast::<56, 8>(self.word_9.val().get_bits::<8>(40)) << 8)
            | (bit_cast::<56, 8>(self.word_9.val().get_bits::<8>(32)) << 16)
            | (bit_cast::<56, 8>(self.word_9.val().get_bits::<8>(24)) << 24)
            | (bit_cast::<56, 8>(self.word_9.val().get_bits::<8>(16)) << 32)
            | (bit_cast::<56, 8>(self.word_9.val().get_bits::<8>(8)) << 40)
            | (bit_cast::<56, 8>(self.word_9.val().get_bits::<8>(0)) << 48);
        self.octets.next = bit_cast::<128, 64>(self.lane_0.val())
            | (bit_cast::<128, 8>(self.word_8.val()) << 64)
            | (bit_cast::<128, 56>(self.lane_9.val()) << 72);
    }
}
