// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Header records of Rows of queues and memory and their wiring.
#![allow(missing_docs)] // the derives make undocumented methods
use rust_hdl::prelude::*;

/// A queue pair. Writing it empties its queues: producer and consumer indices become 0. `read_row`
/// gives state error after a fault.
///
/// 32 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct QpRow {
    /// One of `qp_state`.
    pub state: Bits<8>,
    /// Receives come from `srq`.
    pub use_srq: Bit,
    /// Protection domain.
    pub pd: Bits<16>,
    /// Completion queue of sends, written before unless the state is *reset*.
    pub send_cq: Bits<16>,
    /// Completion queue of receives, written before unless the state is *reset*.
    pub recv_cq: Bits<16>,
    /// Shared receive queue, with `use_srq`.
    pub srq: Bits<16>,
    /// First octet of block 0 of the send queue, a multiple of 64.
    pub sq_base: Bits<64>,
    /// First octet of block 0 of the receive queue, a multiple of 32.
    pub rq_base: Bits<64>,
    /// log2 of the send queue's blocks of 64 octets, 0 to 15.
    pub sq_log2: Bits<8>,
    /// log2 of the receive queue's blocks of 32 octets, 0 to 15.
    pub rq_log2: Bits<8>,
    /// Read Requests of the peer under way at once.
    pub ird: Bits<8>,
    /// Our Read Requests under way at once.
    pub ord: Bits<8>,
}

/// Fields of a [`QpRow`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackQpRow {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<256>>,
    /// Its fields.
    pub record: Signal<Out, QpRow>,
}

impl Logic for UnpackQpRow {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.state = self.octets.val().get_bits::<8>(0);
        self.record.next.use_srq = self.octets.val().get_bit(15);
        self.record.next.pd = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(24));
        self.record.next.send_cq = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(32)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(40));
        self.record.next.recv_cq = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(56));
        self.record.next.srq = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(64)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(72));
        self.record.next.sq_base = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(96)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(104)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(112)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(120)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(128)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(136)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(144)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(152));
        self.record.next.rq_base = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(160)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(168)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(176)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(184)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(192)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(200)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(208)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(216));
        self.record.next.sq_log2 = self.octets.val().get_bits::<8>(224);
        self.record.next.rq_log2 = self.octets.val().get_bits::<8>(232);
        self.record.next.ird = self.octets.val().get_bits::<8>(240);
        self.record.next.ord = self.octets.val().get_bits::<8>(248);
    }
}

/// Octets of a [`QpRow`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackQpRow {
    /// Fields.
    pub record: Signal<In, QpRow>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<256>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<16>>,
    lane_2: Signal<Local, Bits<16>>,
    word_4: Signal<Local, Bits<16>>,
    lane_4: Signal<Local, Bits<16>>,
    word_6: Signal<Local, Bits<16>>,
    lane_6: Signal<Local, Bits<16>>,
    word_8: Signal<Local, Bits<16>>,
    lane_8: Signal<Local, Bits<16>>,
    word_12: Signal<Local, Bits<64>>,
    lane_12: Signal<Local, Bits<64>>,
    word_20: Signal<Local, Bits<64>>,
    lane_20: Signal<Local, Bits<64>>,
    word_28: Signal<Local, Bits<8>>,
    word_29: Signal<Local, Bits<8>>,
    word_30: Signal<Local, Bits<8>>,
    word_31: Signal<Local, Bits<8>>,
}

impl Logic for PackQpRow {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().state;
        self.word_1.next = bit_cast::<8, 1>(self.record.val().use_srq.into()) << 7;
        self.word_2.next = self.record.val().pd;
        self.lane_2.next = bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(0)) << 8);
        self.word_4.next = self.record.val().send_cq;
        self.lane_4.next = bit_cast::<16, 8>(self.word_4.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_4.val().get_bits::<8>(0)) << 8);
        self.word_6.next = self.record.val().recv_cq;
        self.lane_6.next = bit_cast::<16, 8>(self.word_6.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_6.val().get_bits::<8>(0)) << 8);
        self.word_8.next = self.record.val().srq;
        self.lane_8.next = bit_cast::<16, 8>(self.word_8.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_8.val().get_bits::<8>(0)) << 8);
        self.word_12.next = self.record.val().sq_base;
        self.lane_12.next = bit_cast::<64, 8>(self.word_12.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_12.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_12.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_12.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_12.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_12.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_12.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_12.val().get_bits::<8>(0)) << 56);
        self.word_20.next = self.record.val().rq_base;
        self.lane_20.next = bit_cast::<64, 8>(self.word_20.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_20.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_20.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_20.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_20.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_20.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_20.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_20.val().get_bits::<8>(0)) << 56);
        self.word_28.next = self.record.val().sq_log2;
        self.word_29.next = self.record.val().rq_log2;
        self.word_30.next = self.record.val().ird;
        self.word_31.next = self.record.val().ord;
        self.octets.next = bit_cast::<256, 8>(self.word_0.val())
            | (bit_cast::<256, 8>(self.word_1.val()) << 8)
            | (bit_cast::<256, 16>(self.lane_2.val()) << 16)
            | (bit_cast::<256, 16>(self.lane_4.val()) << 32)
            | (bit_cast::<256, 16>(self.lane_6.val()) << 48)
            | (bit_cast::<256, 16>(self.lane_8.val()) << 64)
            | (bit_cast::<256, 64>(self.lane_12.val()) << 96)
            | (bit_cast::<256, 64>(self.lane_20.val()) << 160)
            | (bit_cast::<256, 8>(self.word_28.val()) << 224)
            | (bit_cast::<256, 8>(self.word_29.val()) << 232)
            | (bit_cast::<256, 8>(self.word_30.val()) << 240)
            | (bit_cast::<256, 8>(self.word_31.val()) << 248);
    }
}

/// A completion queue. Writing it empties it: both indices become 0, it is not armed. `read_row`
/// gives it as not valid after an overrun.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct CqRow {
    /// First octet of slot 0.
    pub base: Bits<64>,
    /// log2 of its slots, 0 to 16.
    pub log2: Bits<8>,
    /// The queue exists.
    pub is_valid: Bit,
}

/// Fields of a [`CqRow`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackCqRow {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<128>>,
    /// Its fields.
    pub record: Signal<Out, CqRow>,
}

impl Logic for UnpackCqRow {
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

/// Octets of a [`CqRow`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackCqRow {
    /// Fields.
    pub record: Signal<In, CqRow>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<128>>,
    word_0: Signal<Local, Bits<64>>,
    lane_0: Signal<Local, Bits<64>>,
    word_8: Signal<Local, Bits<8>>,
    word_9: Signal<Local, Bits<56>>,
    lane_9: Signal<Local, Bits<56>>,
}

impl Logic for PackCqRow {
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

/// A memory region: one range of addresses. Its STag is `index << 8 | key`; index 0 is never valid.
///
/// 32 octets, Ferrowarp, RFC 5040 section 2.1, design decision D5.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct MrRow {
    /// IOVA of its first octet.
    pub base: Bits<64>,
    /// Octets, 0 or more.
    pub length: Bits<64>,
    /// Tagged offset of its first octet.
    pub to_base: Bits<64>,
    /// Protection domain.
    pub pd: Bits<16>,
    /// Receives and Read Responses may write it.
    pub local_write: Bit,
    /// The peer may read it.
    pub remote_read: Bit,
    /// The peer may write it.
    pub remote_write: Bit,
    /// Only the stream of `qp` may name it, and only within the protection domain.
    pub bound_to_qp: Bit,
    /// The region exists.
    pub is_valid: Bit,
    /// Low 8 bits of its STag.
    pub key: Bits<8>,
    /// With `bound_to_qp`; with a number that no queue pair has, no queue pair may use the region.
    pub qp: Bits<16>,
}

/// Fields of a [`MrRow`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackMrRow {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<256>>,
    /// Its fields.
    pub record: Signal<Out, MrRow>,
}

impl Logic for UnpackMrRow {
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
        self.record.next.length = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(64)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(72)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(80)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(88)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(96)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(104)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(112)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(120));
        self.record.next.to_base = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(128)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(136)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(144)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(152)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(160)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(168)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(176)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(184));
        self.record.next.pd = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(192)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(200));
        self.record.next.local_write = self.octets.val().get_bit(215);
        self.record.next.remote_read = self.octets.val().get_bit(214);
        self.record.next.remote_write = self.octets.val().get_bit(213);
        self.record.next.bound_to_qp = self.octets.val().get_bit(212);
        self.record.next.is_valid = self.octets.val().get_bit(211);
        self.record.next.key = self.octets.val().get_bits::<8>(216);
        self.record.next.qp = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(224)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(232));
    }
}

/// Octets of a [`MrRow`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackMrRow {
    /// Fields.
    pub record: Signal<In, MrRow>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<256>>,
    word_0: Signal<Local, Bits<64>>,
    lane_0: Signal<Local, Bits<64>>,
    word_8: Signal<Local, Bits<64>>,
    lane_8: Signal<Local, Bits<64>>,
    word_16: Signal<Local, Bits<64>>,
    lane_16: Signal<Local, Bits<64>>,
    word_24: Signal<Local, Bits<16>>,
    lane_24: Signal<Local, Bits<16>>,
    word_26: Signal<Local, Bits<8>>,
    word_27: Signal<Local, Bits<8>>,
    word_28: Signal<Local, Bits<16>>,
    lane_28: Signal<Local, Bits<16>>,
}

impl Logic for PackMrRow {
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
        self.word_8.next = self.record.val().length;
        self.lane_8.next = bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(0)) << 56);
        self.word_16.next = self.record.val().to_base;
        self.lane_16.next = bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(0)) << 56);
        self.word_24.next = self.record.val().pd;
        self.lane_24.next = bit_cast::<16, 8>(self.word_24.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_24.val().get_bits::<8>(0)) << 8);
        self.word_26.next = (bit_cast::<8, 1>(self.record.val().local_write.into()) << 7)
            | (bit_cast::<8, 1>(self.record.val().remote_read.into()) << 6)
            | (bit_cast::<8, 1>(self.record.val().remote_write.into()) << 5)
            | (bit_cast::<8, 1>(self.record.val().bound_to_qp.into()) << 4)
            | (bit_cast::<8, 1>(self.record.val().is_valid.into()) << 3);
        self.word_27.next = self.record.val().key;
        self.word_28.next = self.record.val().qp;
        self.lane_28.next = bit_cast::<16, 8>(self.word_28.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_28.val().get_bits::<8>(0)) << 8);
        self.octets.next = bit_cast::<256, 64>(self.lane_0.val())
            | (bit_cast::<256, 64>(self.lane_8.val()) << 64)
            | (bit_cast::<256, 64>(self.lane_16.val()) << 128)
            | (bit_cast::<256, 16>(self.lane_24.val()) << 192)
            | (bit_cast::<256, 8>(self.word_26.val()) << 208)
            | (bit_cast::<256, 8>(self.word_27.val()) << 216)
            | (bit_cast::<256, 16>(self.lane_28.val()) << 224);
    }
}
