// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Header records of DDP and their wiring.
#![allow(missing_docs)] // the derives make undocumented methods
use rust_hdl::prelude::*;

/// First octet of every segment; its `is_tagged` says which header it begins.
///
/// 1 octets, RFC 5041 section 4.1.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct DdpControl {
    /// T: tagged (14 octets) or untagged (18 octets) header.
    pub is_tagged: Bit,
    /// L: last segment of its message.
    pub is_last: Bit,
    /// Sent as zero, not examined, kept for quoting in a Terminate. Reserved by the source.
    pub reserved: Bits<4>,
    /// DV: 1.
    pub ddp_version: Bits<2>,
}

/// Fields of a [`DdpControl`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackDdpControl {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<8>>,
    /// Its fields.
    pub record: Signal<Out, DdpControl>,
}

impl Logic for UnpackDdpControl {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.is_tagged = self.octets.val().get_bit(7);
        self.record.next.is_last = self.octets.val().get_bit(6);
        self.record.next.reserved = self.octets.val().get_bits::<4>(2);
        self.record.next.ddp_version = self.octets.val().get_bits::<2>(0);
    }
}

/// Octets of a [`DdpControl`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackDdpControl {
    /// Fields.
    pub record: Signal<In, DdpControl>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<8>>,
    word_0: Signal<Local, Bits<8>>,
}

impl Logic for PackDdpControl {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = (bit_cast::<8, 1>(self.record.val().is_tagged.into()) << 7)
            | (bit_cast::<8, 1>(self.record.val().is_last.into()) << 6)
            | (bit_cast::<8, 4>(self.record.val().reserved) << 2)
            | bit_cast::<8, 2>(self.record.val().ddp_version);
        self.octets.next = self.word_0.val();
    }
}

/// Header of a tagged segment (RDMA Write, RDMA Read Response); payload follows.
///
/// 14 octets, RFC 5041 section 4.2.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct DdpTaggedHdr {
    /// T: 1.
    pub is_tagged: Bit,
    /// L: last segment of its message.
    pub is_last: Bit,
    /// Sent as zero, not examined, kept for quoting in a Terminate. Reserved by the source.
    pub reserved: Bits<4>,
    /// DV: 1.
    pub ddp_version: Bits<2>,
    /// RsvdULP: RDMAP's control octet (`RdmapControl`).
    pub rsvd_ulp: Bits<8>,
    /// Buffer of the receiver of this segment.
    pub stag: Bits<32>,
    /// TO: where the payload goes.
    pub tagged_offset: Bits<64>,
}

/// Fields of a [`DdpTaggedHdr`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackDdpTaggedHdr {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<112>>,
    /// Its fields.
    pub record: Signal<Out, DdpTaggedHdr>,
}

impl Logic for UnpackDdpTaggedHdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.is_tagged = self.octets.val().get_bit(7);
        self.record.next.is_last = self.octets.val().get_bit(6);
        self.record.next.reserved = self.octets.val().get_bits::<4>(2);
        self.record.next.ddp_version = self.octets.val().get_bits::<2>(0);
        self.record.next.rsvd_ulp = self.octets.val().get_bits::<8>(8);
        self.record.next.stag = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(16)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(24)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(32)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(40));
        self.record.next.tagged_offset = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(48)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(56)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(64)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(72)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(80)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(88)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(96)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(104));
    }
}

/// Octets of a [`DdpTaggedHdr`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackDdpTaggedHdr {
    /// Fields.
    pub record: Signal<In, DdpTaggedHdr>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<112>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<32>>,
    lane_2: Signal<Local, Bits<32>>,
    word_6: Signal<Local, Bits<64>>,
    lane_6: Signal<Local, Bits<64>>,
}

impl Logic for PackDdpTaggedHdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = (bit_cast::<8, 1>(self.record.val().is_tagged.into()) << 7)
            | (bit_cast::<8, 1>(self.record.val().is_last.into()) << 6)
            | (bit_cast::<8, 4>(self.record.val().reserved) << 2)
            | bit_cast::<8, 2>(self.record.val().ddp_version);
        self.word_1.next = self.record.val().rsvd_ulp;
        self.word_2.next = self.record.val().stag;
        self.lane_2.next = bit_cast::<32, 8>(self.word_2.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_2.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_2.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_2.val().get_bits::<8>(0)) << 24);
        self.word_6.next = self.record.val().tagged_offset;
        self.lane_6.next = bit_cast::<64, 8>(self.word_6.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_6.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_6.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_6.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_6.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_6.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_6.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_6.val().get_bits::<8>(0)) << 56);
        self.octets.next = bit_cast::<112, 8>(self.word_0.val())
            | (bit_cast::<112, 8>(self.word_1.val()) << 8)
            | (bit_cast::<112, 32>(self.lane_2.val()) << 16)
            | (bit_cast::<112, 64>(self.lane_6.val()) << 48);
    }
}

/// Header of an untagged segment (Send, RDMA Read Request, Terminate); payload follows.
///
/// 18 octets, RFC 5041 section 4.3, RFC 5040 section 4.1.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct DdpUntaggedHdr {
    /// T: 0.
    pub is_tagged: Bit,
    /// L: last segment of its message.
    pub is_last: Bit,
    /// Sent as zero, not examined, kept for quoting in a Terminate. Reserved by the source.
    pub reserved: Bits<4>,
    /// DV: 1.
    pub ddp_version: Bits<2>,
    /// RsvdULP, first octet: RDMAP's control octet (`RdmapControl`).
    pub rsvd_ulp: Bits<8>,
    /// RsvdULP, the rest: RDMAP's Invalidate STag.
    pub invalidate_stag: Bits<32>,
    /// QN: queue of the receiver.
    pub queue_number: Bits<32>,
    /// MSN: number of the message in its queue.
    pub msn: Bits<32>,
    /// MO: where in the message.
    pub message_offset: Bits<32>,
}

/// Fields of a [`DdpUntaggedHdr`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackDdpUntaggedHdr {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<144>>,
    /// Its fields.
    pub record: Signal<Out, DdpUntaggedHdr>,
}

impl Logic for UnpackDdpUntaggedHdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.is_tagged = self.octets.val().get_bit(7);
        self.record.next.is_last = self.octets.val().get_bit(6);
        self.record.next.reserved = self.octets.val().get_bits::<4>(2);
        self.record.next.ddp_version = self.octets.val().get_bits::<2>(0);
        self.record.next.rsvd_ulp = self.octets.val().get_bits::<8>(8);
        self.record.next.invalidate_stag = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(16)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(24)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(32)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(40));
        self.record.next.queue_number = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(48)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(56)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(64)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(72));
        self.record.next.msn = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(80)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(88)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(96)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(104));
        self.record.next.message_offset = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(112)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(120)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(128)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(136));
    }
}

/// Octets of a [`DdpUntaggedHdr`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackDdpUntaggedHdr {
    /// Fields.
    pub record: Signal<In, DdpUntaggedHdr>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<144>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<32>>,
    lane_2: Signal<Local, Bits<32>>,
    word_6: Signal<Local, Bits<32>>,
    lane_6: Signal<Local, Bits<32>>,
    word_10: Signal<Local, Bits<32>>,
    lane_10: Signal<Local, Bits<32>>,
    word_14: Signal<Local, Bits<32>>,
    lane_14: Signal<Local, Bits<32>>,
}

impl Logic for PackDdpUntaggedHdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = (bit_cast::<8, 1>(self.record.val().is_tagged.into()) << 7)
            | (bit_cast::<8, 1>(self.record.val().is_last.into()) << 6)
            | (bit_cast::<8, 4>(self.record.val().reserved) << 2)
            | bit_cast::<8, 2>(self.record.val().ddp_version);
        self.word_1.next = self.record.val().rsvd_ulp;
        self.word_2.next = self.record.val().invalidate_stag;
        self.lane_2.next = bit_cast::<32, 8>(self.word_2.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_2.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_2.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_2.val().get_bits::<8>(0)) << 24);
        self.word_6.next = self.record.val().queue_number;
        self.lane_6.next = bit_cast::<32, 8>(self.word_6.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_6.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_6.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_6.val().get_bits::<8>(0)) << 24);
        self.word_10.next = self.record.val().msn;
        self.lane_10.next = bit_cast::<32, 8>(self.word_10.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_10.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_10.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_10.val().get_bits::<8>(0)) << 24);
        self.word_14.next = self.record.val().message_offset;
        self.lane_14.next = bit_cast::<32, 8>(self.word_14.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_14.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_14.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_14.val().get_bits::<8>(0)) << 24);
        self.octets.next = bit_cast::<144, 8>(self.word_0.val())
            | (bit_cast::<144, 8>(self.word_1.val()) << 8)
            | (bit_cast::<144, 32>(self.lane_2.val()) << 16)
            | (bit_cast::<144, 32>(self.lane_6.val()) << 48)
            | (bit_cast::<144, 32>(self.lane_10.val()) << 80)
            | (bit_cast::<144, 32>(self.lane_14.val()) << 112);
    }
}
