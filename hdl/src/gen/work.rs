// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Header records of Work requests and their wiring.
#![allow(missing_docs)] // the derives make undocumented methods
use rust_hdl::prelude::*;

/// First 32 octets of a request of the send queue; up to four `Sge` or 96 octets of inline data
/// follow. The request takes one block of 64 octets, or two that follow one another in the ring.
/// Flags and opcodes that are not built are refused. Places: immediate data, a key of ours that a
/// request invalidates or binds, a completion queue apart from the queue pair's. For atomics (RFC
/// 7306 section 5), the sink is the first SGE. The operands stand in octets 48 to 64, their masks
/// in the second block.
///
/// 32 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct SendWqe {
    /// RDMAP opcode of the message (0, 1, 3, 4, 5 or 6), or one of `work_opcode`.
    pub opcode: Bits<8>,
    /// A CQE is written when it completes without error.
    pub is_signaled: Bit,
    /// The payload stands in the request; there are no SGEs.
    pub is_inline: Bit,
    /// It begins when all RDMA Reads posted before have completed.
    pub is_fenced: Bit,
    /// Refused unless 0: places of flags for `immediate` and `cq`, which are not built.
    pub flags: Bits<5>,
    /// SGEs that follow, 0 to 4.
    pub num_sge: Bits<8>,
    /// Blocks that it takes: 1 or 2. Two SGEs, or 32 octets inline, fit into one.
    pub blocks: Bits<8>,
    /// Octets of payload: the sum of the SGEs, or of inline data, 0 to 96.
    pub length: Bits<32>,
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
        self.record.next.is_fenced = self.octets.val().get_bit(13);
        self.record.next.flags = self.octets.val().get_bits::<5>(8);
        self.record.next.num_sge = self.octets.val().get_bits::<8>(16);
        self.record.next.blocks = self.octets.val().get_bits::<8>(24);
        self.record.next.length = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(56));
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
    word_3: Signal<Local, Bits<8>>,
    word_4: Signal<Local, Bits<32>>,
    lane_4: Signal<Local, Bits<32>>,
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
            | (bit_cast::<8, 1>(self.record.val().is_inline.into()) << 6)
            | (bit_cast::<8, 1>(self.record.val().is_fenced.into()) << 5)
            | bit_cast::<8, 5>(self.record.val().flags);
        self.word_2.next = self.record.val().num_sge;
        self.word_3.next = self.record.val().blocks;
        self.word_4.next = self.record.val().length;
        self.lane_4.next = bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(0)) << 24);
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
            | (bit_cast::<256, 8>(self.word_3.val()) << 24)
            | (bit_cast::<256, 32>(self.lane_4.val()) << 32)
            | (bit_cast::<256, 32>(self.lane_16.val()) << 128)
            | (bit_cast::<256, 64>(self.lane_24.val()) << 192);
    }
}

/// First 16 octets of a request of the receive queue; up to three `Sge` follow. The request takes
/// one block of 32 octets, or two that follow one another in the ring.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct RecvWqe {
    /// SGEs that count, 0 to 3.
    pub num_sge: Bits<8>,
    /// Blocks that it takes: 1 or 2. One SGE fits into one.
    pub blocks: Bits<8>,
    /// Refused unless 0: place of a flag for `cq`, which is not built.
    pub flags: Bits<16>,
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
        self.record.next.num_sge = self.octets.val().get_bits::<8>(0);
        self.record.next.blocks = self.octets.val().get_bits::<8>(8);
        self.record.next.flags = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(24));
    }
}

/// Octets of a [`RecvWqe`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackRecvWqe {
    /// Fields.
    pub record: Signal<In, RecvWqe>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<128>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<16>>,
    lane_2: Signal<Local, Bits<16>>,
}

impl Logic for PackRecvWqe {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().num_sge;
        self.word_1.next = self.record.val().blocks;
        self.word_2.next = self.record.val().flags;
        self.lane_2.next = bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(0)) << 8);
        self.octets.next = bit_cast::<128, 8>(self.word_0.val())
            | (bit_cast::<128, 8>(self.word_1.val()) << 8)
            | (bit_cast::<128, 16>(self.lane_2.val()) << 16);
    }
}

/// A piece of local memory; follows a `SendWqe` or `RecvWqe`.
///
/// 16 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Sge {
    /// Tagged offset of the first octet in the region.
    pub to: Bits<64>,
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
        self.record.next.to = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(0)) << 56)
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
        self.word_0.next = self.record.val().to;
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
