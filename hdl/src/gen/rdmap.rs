// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Header records of RDMAP and their wiring.
#![allow(missing_docs)] // the derives make undocumented methods
use rust_hdl::prelude::*;

/// RDMAP's octet in the DDP header: its field `rsvd_ulp`.
///
/// 1 octets, RFC 5040 section 4.1.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct RdmapControl {
    /// RV: `rdmap::VERSION`.
    pub rdmap_version: Bits<2>,
    /// A number of `crate::opcode::Opcode`; 8 to 15 are reserved.
    pub opcode: Bits<4>,
}

/// Fields of a [`RdmapControl`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackRdmapControl {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<8>>,
    /// Its fields.
    pub record: Signal<Out, RdmapControl>,
}

impl Logic for UnpackRdmapControl {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.rdmap_version = self.octets.val().get_bits::<2>(6);
        self.record.next.opcode = self.octets.val().get_bits::<4>(0);
    }
}

/// Octets of a [`RdmapControl`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackRdmapControl {
    /// Fields.
    pub record: Signal<In, RdmapControl>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<8>>,
    word_0: Signal<Local, Bits<8>>,
}

impl Logic for PackRdmapControl {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = (bit_cast::<8, 2>(self.record.val().rdmap_version) << 6)
            | bit_cast::<8, 4>(self.record.val().opcode);
        self.octets.next = self.word_0.val();
    }
}

/// Stands after the untagged header of a Read Request; nothing follows.
///
/// 28 octets, RFC 5040 section 4.4.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct ReadRequestHdr {
    /// Requester's buffer, echoed in the response.
    pub sink_stag: Bits<32>,
    /// TO in it, echoed.
    pub sink_offset: Bits<64>,
    /// Octets to read; 0 asks for an empty response.
    pub size: Bits<32>,
    /// Responder's buffer.
    pub source_stag: Bits<32>,
    /// TO in it.
    pub source_offset: Bits<64>,
}

/// Fields of a [`ReadRequestHdr`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackReadRequestHdr {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<224>>,
    /// Its fields.
    pub record: Signal<Out, ReadRequestHdr>,
}

impl Logic for UnpackReadRequestHdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.sink_stag = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(0)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(24));
        self.record.next.sink_offset = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(32)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(40)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(48)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(56)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(64)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(72)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(80)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(88));
        self.record.next.size = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(96)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(104)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(112)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(120));
        self.record.next.source_stag = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(128)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(136)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(144)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(152));
        self.record.next.source_offset = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(160)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(168)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(176)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(184)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(192)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(200)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(208)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(216));
    }
}

/// Octets of a [`ReadRequestHdr`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackReadRequestHdr {
    /// Fields.
    pub record: Signal<In, ReadRequestHdr>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<224>>,
    word_0: Signal<Local, Bits<32>>,
    lane_0: Signal<Local, Bits<32>>,
    word_4: Signal<Local, Bits<64>>,
    lane_4: Signal<Local, Bits<64>>,
    word_12: Signal<Local, Bits<32>>,
    lane_12: Signal<Local, Bits<32>>,
    word_16: Signal<Local, Bits<32>>,
    lane_16: Signal<Local, Bits<32>>,
    word_20: Signal<Local, Bits<64>>,
    lane_20: Signal<Local, Bits<64>>,
}

impl Logic for PackReadRequestHdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().sink_stag;
        self.lane_0.next = bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(0)) << 24);
        self.word_4.next = self.record.val().sink_offset;
        self.lane_4.next = bit_cast::<64, 8>(self.word_4.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_4.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_4.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_4.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_4.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_4.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_4.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_4.val().get_bits::<8>(0)) << 56);
        self.word_12.next = self.record.val().size;
        self.lane_12.next = bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(0)) << 24);
        self.word_16.next = self.record.val().source_stag;
        self.lane_16.next = bit_cast::<32, 8>(self.word_16.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_16.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_16.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_16.val().get_bits::<8>(0)) << 24);
        self.word_20.next = self.record.val().source_offset;
        self.lane_20.next = bit_cast::<64, 8>(self.word_20.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_20.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_20.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_20.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_20.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_20.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_20.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_20.val().get_bits::<8>(0)) << 56);
        self.octets.next = bit_cast::<224, 32>(self.lane_0.val())
            | (bit_cast::<224, 64>(self.lane_4.val()) << 32)
            | (bit_cast::<224, 32>(self.lane_12.val()) << 96)
            | (bit_cast::<224, 32>(self.lane_16.val()) << 128)
            | (bit_cast::<224, 64>(self.lane_20.val()) << 160);
    }
}

/// First word of the Terminate header, after the untagged header; what its flags announce follows.
///
/// 4 octets, RFC 5040 section 4.8.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct TerminateControl {
    /// Layer that found the error: 0 RDMAP, 1 DDP, 2 MPA.
    pub layer: Bits<4>,
    /// Error type of that layer.
    pub etype: Bits<4>,
    /// Error code of that type.
    pub code: Bits<8>,
    /// M: `TerminateLength` is valid.
    pub has_length: Bit,
    /// D: the offending segment's DDP header is quoted.
    pub has_ddp: Bit,
    /// R: the offending Read Request's RDMAP header is quoted.
    pub has_rdmap: Bit,
}

/// Fields of a [`TerminateControl`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackTerminateControl {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<32>>,
    /// Its fields.
    pub record: Signal<Out, TerminateControl>,
}

impl Logic for UnpackTerminateControl {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.layer = self.octets.val().get_bits::<4>(4);
        self.record.next.etype = self.octets.val().get_bits::<4>(0);
        self.record.next.code = self.octets.val().get_bits::<8>(8);
        self.record.next.has_length = self.octets.val().get_bit(23);
        self.record.next.has_ddp = self.octets.val().get_bit(22);
        self.record.next.has_rdmap = self.octets.val().get_bit(21);
    }
}

/// Octets of a [`TerminateControl`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackTerminateControl {
    /// Fields.
    pub record: Signal<In, TerminateControl>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<32>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<16>>,
    lane_2: Signal<Local, Bits<16>>,
}

impl Logic for PackTerminateControl {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next =
            (bit_cast::<8, 4>(self.record.val().layer) << 4) | bit_cast::<8, 4>(self.record.val().etype);
        self.word_1.next = self.record.val().code;
        self.word_2.next = (bit_cast::<16, 1>(self.record.val().has_length.into()) << 15)
            | (bit_cast::<16, 1>(self.record.val().has_ddp.into()) << 14)
            | (bit_cast::<16, 1>(self.record.val().has_rdmap.into()) << 13);
        self.lane_2.next = bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(0)) << 8);
        self.octets.next = bit_cast::<32, 8>(self.word_0.val())
            | (bit_cast::<32, 8>(self.word_1.val()) << 8)
            | (bit_cast::<32, 16>(self.lane_2.val()) << 16);
    }
}

/// Second part of the Terminate header, if M or D. The quoted DDP header follows (14 or 18 octets
/// by its own T), then the quoted Read Request header.
///
/// 2 octets, RFC 5040 section 4.8.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct TerminateLength {
    /// Octets of the offending DDP segment.
    pub segment_length: Bits<16>,
}

/// Fields of a [`TerminateLength`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackTerminateLength {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<16>>,
    /// Its fields.
    pub record: Signal<Out, TerminateLength>,
}

impl Logic for UnpackTerminateLength {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.segment_length = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(0)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(8));
    }
}

/// Octets of a [`TerminateLength`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackTerminateLength {
    /// Fields.
    pub record: Signal<In, TerminateLength>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<16>>,
    word_0: Signal<Local, Bits<16>>,
    lane_0: Signal<Local, Bits<16>>,
}

impl Logic for PackTerminateLength {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().segment_length;
        self.lane_0.next = bit_cast::<16, 8>(self.word_0.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_0.val().get_bits::<8>(0)) << 8);
        self.octets.next = self.lane_0.val();
    }
}
