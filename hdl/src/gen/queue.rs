// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Header records of Queues and their wiring.
#![allow(missing_docs)] // the derives make undocumented methods
use rust_hdl::prelude::*;

/// First 32 octets of a slot of the send queue; up to four `Sge` or 96 octets of inline data follow.
///
/// 32 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct SendWqe {
    /// RDMAP opcode of the message: 0, 1, 3, 4, 5 or 6.
    pub opcode: Bits<8>,
    /// A CQE is written when it completes without error.
    pub is_signaled: Bit,
    /// The payload stands in the slot; there are no SGEs.
    pub is_inline: Bit,
    /// SGEs that follow, 0 to 4.
    pub num_sge: Bits<8>,
    /// Octets of payload: the sum of the SGEs, or of inline data, 0 to 96.
    pub length: Bits<32>,
    /// Comes back in the CQE.
    pub wr_id: Bits<64>,
    /// Buffer of the peer (RDMA Write), or what a Send invalidates.
    pub remote_stag: Bits<32>,
    /// Where in the peer's buffer.
    pub remote_to: Bits<64>,
}

/// Fields of a [`SendWqe`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackSendWqe {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<256>>,
    /// Its fields.
    pub record: Signal<Out, SendWqe>,
}

impl Logic for UnpackSendWqe {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.opcode = self.octets.val().get_bits::<8>(0);
        self.record.next.is_signaled = self.octets.val().get_bit(15);
        self.record.next.is_inline = self.octets.val().get_bit(14);
        self.record.next.num_sge = self.octets.val().get_bits::<8>(16);
        self.record.next.length = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(56));
        self.record.next.wr_id = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(64)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(72)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(80)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(88)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(96)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(104)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(112)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(120));
        self.record.next.remote_stag = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(128)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(136)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(144)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(152));
        self.record.next.remote_to = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(192)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(200)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(208)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(216)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(224)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(232)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(240)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(248));
    }
}

/// Octets of a [`SendWqe`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackSendWqe {
    /// Fields.
    pub record: Signal<In, SendWqe>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<256>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<8>>,
    word_4: Signal<Local, Bits<32>>,
    lane_4: Signal<Local, Bits<32>>,
    word_8: Signal<Local, Bits<64>>,
    lane_8: Signal<Local, Bits<64>>,
    word_16: Signal<Local, Bits<32>>,
    lane_16: Signal<Local, Bits<32>>,
    word_24: Signal<Local, Bits<64>>,
    lane_24: Signal<Local, Bits<64>>,
}

impl Logic for PackSendWqe {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().opcode;
        self.word_1.next = (bit_cast::<8, 1>(self.record.val().is_signaled.into()) << 7)
            | (bit_cast::<8, 1>(self.record.val().is_inline.into()) << 6);
        self.word_2.next = self.record.val().num_sge;
        self.word_4.next = self.record.val().length;
        self.lane_4.next = bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(0)) << 24);
        self.word_8.next = self.record.val().wr_id;
        self.lane_8.next = bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(0)) << 56);
        self.word_16.next = self.record.val().remote_stag;
        self.lane_16.next = bit_cast::<32, 8>(self.word_16.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_16.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_16.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_16.val().get_bits::<8>(0)) << 24);
        self.word_24.next = self.record.val().remote_to;
        self.lane_24.next = bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(0)) << 56);
        self.octets.next = bit_cast::<256, 8>(self.word_0.val())
            | (bit_cast::<256, 8>(self.word_1.val()) << 8)
            | (bit_cast::<256, 8>(self.word_2.val()) << 16)
            | (bit_cast::<256, 32>(self.lane_4.val()) << 32)
            | (bit_cast::<256, 64>(self.lane_8.val()) << 64)
            | (bit_cast::<256, 32>(self.lane_16.val()) << 128)
            | (bit_cast::<256, 64>(self.lane_24.val()) << 192);
    }
}

/// First 16 octets of a slot of the receive queue; three places for an `Sge` follow.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct RecvWqe {
    /// Comes back in the CQE.
    pub wr_id: Bits<64>,
    /// SGEs that count, 0 to 3.
    pub num_sge: Bits<8>,
}

/// Fields of a [`RecvWqe`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackRecvWqe {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<128>>,
    /// Its fields.
    pub record: Signal<Out, RecvWqe>,
}

impl Logic for UnpackRecvWqe {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.wr_id = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(0)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(56));
        self.record.next.num_sge = self.octets.val().get_bits::<8>(64);
    }
}

/// Octets of a [`RecvWqe`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackRecvWqe {
    /// Fields.
    pub record: Signal<In, RecvWqe>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<128>>,
    word_0: Signal<Local, Bits<64>>,
    lane_0: Signal<Local, Bits<64>>,
    word_8: Signal<Local, Bits<8>>,
}

impl Logic for PackRecvWqe {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().wr_id;
        self.lane_0.next = bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(0)) << 56);
        self.word_8.next = self.record.val().num_sge;
        self.octets.next =
            bit_cast::<128, 64>(self.lane_0.val()) | (bit_cast::<128, 8>(self.word_8.val()) << 64);
    }
}

/// A piece of local memory; follows a `SendWqe` or `RecvWqe`.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Sge {
    /// First octet, as the device addresses it.
    pub iova: Bits<64>,
    /// Octets, 0 or more.
    pub length: Bits<32>,
    /// STag of the memory region it lies in.
    pub key: Bits<32>,
}

/// Fields of a [`Sge`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackSge {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<128>>,
    /// Its fields.
    pub record: Signal<Out, Sge>,
}

impl Logic for UnpackSge {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.iova = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(0)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(56));
        self.record.next.length = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(64)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(72)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(80)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(88));
        self.record.next.key = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(96)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(104)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(112)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(120));
    }
}

/// Octets of a [`Sge`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackSge {
    /// Fields.
    pub record: Signal<In, Sge>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<128>>,
    word_0: Signal<Local, Bits<64>>,
    lane_0: Signal<Local, Bits<64>>,
    word_8: Signal<Local, Bits<32>>,
    lane_8: Signal<Local, Bits<32>>,
    word_12: Signal<Local, Bits<32>>,
    lane_12: Signal<Local, Bits<32>>,
}

impl Logic for PackSge {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().iova;
        self.lane_0.next = bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(0)) << 56);
        self.word_8.next = self.record.val().length;
        self.lane_8.next = bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(0)) << 24);
        self.word_12.next = self.record.val().key;
        self.lane_12.next = bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(0)) << 24);
        self.octets.next = bit_cast::<128, 64>(self.lane_0.val())
            | (bit_cast::<128, 32>(self.lane_8.val()) << 64)
            | (bit_cast::<128, 32>(self.lane_12.val()) << 96);
    }
}

/// A slot of a completion queue. The device writes it in one write; its phase bit becomes visible last.
///
/// 32 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Cqe {
    /// Of the work request; 0 if there is none.
    pub wr_id: Bits<64>,
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
    /// `wr_id` counts.
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
        self.record.next.wr_id = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(0)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(56));
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
    word_0: Signal<Local, Bits<64>>,
    lane_0: Signal<Local, Bits<64>>,
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
        self.word_0.next = self.record.val().wr_id;
        self.lane_0.next = bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(0)) << 56);
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
        self.octets.next = bit_cast::<256, 64>(self.lane_0.val())
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

/// First 16 octets of a slot of the raw receive ring, written after the frame that follows it.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct RawHead {
    /// Octets of the frame, without FCS.
    pub length: Bits<16>,
    /// Why it came here, one of `raw_reason`.
    pub reason: Bits<8>,
    /// Absolute index of the slot.
    pub index: Bits<32>,
    /// Changes each time the ring wraps; 1 the first time round.
    pub phase: Bit,
}

/// Fields of a [`RawHead`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackRawHead {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<128>>,
    /// Its fields.
    pub record: Signal<Out, RawHead>,
}

impl Logic for UnpackRawHead {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.length = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(0)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(8));
        self.record.next.reason = self.octets.val().get_bits::<8>(16);
        self.record.next.index = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(56));
        self.record.next.phase = self.octets.val().get_bit(120);
    }
}

/// Octets of a [`RawHead`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackRawHead {
    /// Fields.
    pub record: Signal<In, RawHead>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<128>>,
    word_0: Signal<Local, Bits<16>>,
    lane_0: Signal<Local, Bits<16>>,
    word_2: Signal<Local, Bits<8>>,
    word_4: Signal<Local, Bits<32>>,
    lane_4: Signal<Local, Bits<32>>,
    word_8: Signal<Local, Bits<64>>,
    lane_8: Signal<Local, Bits<64>>,
}

impl Logic for PackRawHead {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().length;
        self.lane_0.next = bit_cast::<16, 8>(self.word_0.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_0.val().get_bits::<8>(0)) << 8);
        self.word_2.next = self.record.val().reason;
        self.word_4.next = self.record.val().index;
        self.lane_4.next = bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(0)) << 24);
        self.word_8.next = bit_cast::<64, 1>(self.record.val().phase.into());
        self.lane_8.next = bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(0)) << 56);
        self.octets.next = bit_cast::<128, 16>(self.lane_0.val())
            | (bit_cast::<128, 8>(self.word_2.val()) << 16)
            | (bit_cast::<128, 32>(self.lane_4.val()) << 32)
            | (bit_cast::<128, 64>(self.lane_8.val()) << 64);
    }
}

/// A slot of the raw transmit ring: a frame in host memory, from destination address to the last octet before
/// FCS. The ring begins at a multiple of 16.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct RawDescriptor {
    /// First octet of the frame; a multiple of 8.
    pub iova: Bits<64>,
    /// Octets, 14 or more; the device pads to 60.
    pub length: Bits<16>,
}

/// Fields of a [`RawDescriptor`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackRawDescriptor {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<128>>,
    /// Its fields.
    pub record: Signal<Out, RawDescriptor>,
}

impl Logic for UnpackRawDescriptor {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.iova = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(0)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(56));
        self.record.next.length = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(64)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(72));
    }
}

/// Octets of a [`RawDescriptor`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackRawDescriptor {
    /// Fields.
    pub record: Signal<In, RawDescriptor>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<128>>,
    word_0: Signal<Local, Bits<64>>,
    lane_0: Signal<Local, Bits<64>>,
    word_8: Signal<Local, Bits<16>>,
    lane_8: Signal<Local, Bits<16>>,
}

impl Logic for PackRawDescriptor {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().iova;
        self.lane_0.next = bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(0)) << 56);
        self.word_8.next = self.record.val().length;
        self.lane_8.next = bit_cast::<16, 8>(self.word_8.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_8.val().get_bits::<8>(0)) << 8);
        self.octets.next =
            bit_cast::<128, 64>(self.lane_0.val()) | (bit_cast::<128, 16>(self.lane_8.val()) << 64);
    }
}
