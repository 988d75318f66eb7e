// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Header records of Completions and events and their wiring.
#![allow(missing_docs)] // the derives make undocumented methods
use rust_hdl::prelude::*;

/// A slot of a completion queue. The device writes it in one write; its phase bit becomes visible
/// last.
///
/// 32 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Cqe {
    /// Of the work request: how many were posted to its queue before, modulo 2^32; 0 if there is
    /// none.
    pub index: Bits<32>,
    /// Octets received; 0 for a send queue's entry.
    pub byte_len: Bits<32>,
    /// Queue pair.
    pub qp: Bits<16>,
    /// One of `wc_status`.
    pub status: Bits<8>,
    /// RDMAP opcode of the message.
    pub opcode: Bits<8>,
    /// STag that the message invalidated, with `has_invalidate`.
    pub invalidated_stag: Bits<32>,
    /// Layer, type and code as in a Terminate; with a bad `status` only.
    pub error: Bits<16>,
    /// Of a receive queue.
    pub is_recv: Bit,
    /// The sender asked that the receiver be woken.
    pub is_solicited: Bit,
    /// `invalidated_stag` counts.
    pub has_invalidate: Bit,
    /// `index` counts.
    pub has_wr: Bit,
    /// Changes each time the ring wraps; 1 the first time round.
    pub phase: Bit,
}

/// Fields of a [`Cqe`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackCqe {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<256>>,
    /// Its fields.
    pub record: Signal<Out, Cqe>,
}

impl Logic for UnpackCqe {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.index = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(0)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(24));
        self.record.next.byte_len = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(64)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(72)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(80)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(88));
        self.record.next.qp = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(96)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(104));
        self.record.next.status = self.octets.val().get_bits::<8>(112);
        self.record.next.opcode = self.octets.val().get_bits::<8>(120);
        self.record.next.invalidated_stag = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(128)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(136)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(144)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(152));
        self.record.next.error = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(160)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(168));
        self.record.next.is_recv = self.octets.val().get_bit(183);
        self.record.next.is_solicited = self.octets.val().get_bit(182);
        self.record.next.has_invalidate = self.octets.val().get_bit(181);
        self.record.next.has_wr = self.octets.val().get_bit(180);
        self.record.next.phase = self.octets.val().get_bit(248);
    }
}

/// Octets of a [`Cqe`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackCqe {
    /// Fields.
    pub record: Signal<In, Cqe>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<256>>,
    word_0: Signal<Local, Bits<32>>,
    lane_0: Signal<Local, Bits<32>>,
    word_8: Signal<Local, Bits<32>>,
    lane_8: Signal<Local, Bits<32>>,
    word_12: Signal<Local, Bits<16>>,
    lane_12: Signal<Local, Bits<16>>,
    word_14: Signal<Local, Bits<8>>,
    word_15: Signal<Local, Bits<8>>,
    word_16: Signal<Local, Bits<32>>,
    lane_16: Signal<Local, Bits<32>>,
    word_20: Signal<Local, Bits<16>>,
    lane_20: Signal<Local, Bits<16>>,
    word_22: Signal<Local, Bits<16>>,
    lane_22: Signal<Local, Bits<16>>,
    word_24: Signal<Local, Bits<64>>,
    lane_24: Signal<Local, Bits<64>>,
}

impl Logic for PackCqe {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().index;
        self.lane_0.next = bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(0)) << 24);
        self.word_8.next = self.record.val().byte_len;
        self.lane_8.next = bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(0)) << 24);
        self.word_12.next = self.record.val().qp;
        self.lane_12.next = bit_cast::<16, 8>(self.word_12.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_12.val().get_bits::<8>(0)) << 8);
        self.word_14.next = self.record.val().status;
        self.word_15.next = self.record.val().opcode;
        self.word_16.next = self.record.val().invalidated_stag;
        self.lane_16.next = bit_cast::<32, 8>(self.word_16.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_16.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_16.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_16.val().get_bits::<8>(0)) << 24);
        self.word_20.next = self.record.val().error;
        self.lane_20.next = bit_cast::<16, 8>(self.word_20.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_20.val().get_bits::<8>(0)) << 8);
        self.word_22.next = (bit_cast::<16, 1>(self.record.val().is_recv.into()) << 15)
            | (bit_cast::<16, 1>(self.record.val().is_solicited.into()) << 14)
            | (bit_cast::<16, 1>(self.record.val().has_invalidate.into()) << 13)
            | (bit_cast::<16, 1>(self.record.val().has_wr.into()) << 12);
        self.lane_22.next = bit_cast::<16, 8>(self.word_22.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_22.val().get_bits::<8>(0)) << 8);
        self.word_24.next = bit_cast::<64, 1>(self.record.val().phase.into());
        self.lane_24.next = bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(0)) << 56);
        self.octets.next = bit_cast::<256, 32>(self.lane_0.val())
            | (bit_cast::<256, 32>(self.lane_8.val()) << 64)
            | (bit_cast::<256, 16>(self.lane_12.val()) << 96)
            | (bit_cast::<256, 8>(self.word_14.val()) << 112)
            | (bit_cast::<256, 8>(self.word_15.val()) << 120)
            | (bit_cast::<256, 32>(self.lane_16.val()) << 128)
            | (bit_cast::<256, 16>(self.lane_20.val()) << 160)
            | (bit_cast::<256, 16>(self.lane_22.val()) << 176)
            | (bit_cast::<256, 64>(self.lane_24.val()) << 192);
    }
}

/// A slot of the event ring; its phase bit becomes visible last.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Event {
    /// One of `event_kind`.
    pub kind: Bits<8>,
    /// Queue pair or completion queue, by `kind`.
    pub number: Bits<16>,
    /// Layer, type and code as in a Terminate; 0 if there is none.
    pub error: Bits<16>,
    /// By `kind`: the producer index of a completion queue.
    pub info: Bits<32>,
    /// Changes each time the ring wraps; 1 the first time round.
    pub phase: Bit,
}

/// Fields of a [`Event`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackEvent {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<128>>,
    /// Its fields.
    pub record: Signal<Out, Event>,
}

impl Logic for UnpackEvent {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.kind = self.octets.val().get_bits::<8>(0);
        self.record.next.number = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(24));
        self.record.next.error = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(32)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(40));
        self.record.next.info = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(64)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(72)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(80)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(88));
        self.record.next.phase = self.octets.val().get_bit(120);
    }
}

/// Octets of a [`Event`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackEvent {
    /// Fields.
    pub record: Signal<In, Event>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<128>>,
    word_0: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<16>>,
    lane_2: Signal<Local, Bits<16>>,
    word_4: Signal<Local, Bits<16>>,
    lane_4: Signal<Local, Bits<16>>,
    word_8: Signal<Local, Bits<32>>,
    lane_8: Signal<Local, Bits<32>>,
    word_12: Signal<Local, Bits<32>>,
    lane_12: Signal<Local, Bits<32>>,
}

impl Logic for PackEvent {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().kind;
        self.word_2.next = self.record.val().number;
        self.lane_2.next = bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(0)) << 8);
        self.word_4.next = self.record.val().error;
        self.lane_4.next = bit_cast::<16, 8>(self.word_4.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_4.val().get_bits::<8>(0)) << 8);
        self.word_8.next = self.record.val().info;
        self.lane_8.next = bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(0)) << 24);
        self.word_12.next = bit_cast::<32, 1>(self.record.val().phase.into());
        self.lane_12.next = bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(0)) << 24);
        self.octets.next = bit_cast::<128, 8>(self.word_0.val())
            | (bit_cast::<128, 16>(self.lane_2.val()) << 16)
            | (bit_cast::<128, 16>(self.lane_4.val()) << 32)
            | (bit_cast::<128, 32>(self.lane_8.val()) << 64)
            | (bit_cast::<128, 32>(self.lane_12.val()) << 96);
    }
}
