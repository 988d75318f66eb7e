// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Header records of MPA and their wiring.
#![allow(missing_docs)] // the derives make undocumented methods
use rust_hdl::prelude::*;

/// Request or Reply frame, told apart by `key`; `private_data_length` octets of private data
/// follow. No pad, no CRC, no markers.
///
/// 20 octets, RFC 5044 section 7.1.1, RFC 6581 section 6.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct MpaStartupHdr {
    /// `mpa::KEY_REQUEST` or `mpa::KEY_REPLY`, as a number.
    pub key: Bits<128>,
    /// M: the sender wants markers in what it receives.
    pub markers: Bit,
    /// C: the sender wants CRCs, both ways.
    pub crc: Bit,
    /// R: the Reply refuses the connection; nothing in a Request.
    pub reject: Bit,
    /// S: private data begins with the RFC 6581 words (`MpaDepths`).
    pub enhanced: Bit,
    /// 1, or 2 and above for the enhanced setup.
    pub revision: Bits<8>,
    /// Octets of private data, 0 to 512.
    pub private_data_length: Bits<16>,
}

/// Fields of a [`MpaStartupHdr`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackMpaStartupHdr {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<160>>,
    /// Its fields.
    pub record: Signal<Out, MpaStartupHdr>,
    key_0: Signal<Local, Bits<64>>,
    key_1: Signal<Local, Bits<64>>,
}

impl Logic for UnpackMpaStartupHdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.key_0.next = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(0)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(56));
        self.key_1.next = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(64)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(72)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(80)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(88)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(96)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(104)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(112)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(120));
        self.record.next.key =
            (bit_cast::<128, 64>(self.key_0.val()) << 64) | bit_cast::<128, 64>(self.key_1.val());
        self.record.next.markers = self.octets.val().get_bit(135);
        self.record.next.crc = self.octets.val().get_bit(134);
        self.record.next.reject = self.octets.val().get_bit(133);
        self.record.next.enhanced = self.octets.val().get_bit(132);
        self.record.next.revision = self.octets.val().get_bits::<8>(136);
        self.record.next.private_data_length = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(144)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(152));
    }
}

/// Octets of a [`MpaStartupHdr`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackMpaStartupHdr {
    /// Fields.
    pub record: Signal<In, MpaStartupHdr>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<160>>,
    word_0: Signal<Local, Bits<128>>,
    lane_0: Signal<Local, Bits<64>>,
    lane_8: Signal<Local, Bits<64>>,
    word_16: Signal<Local, Bits<8>>,
    word_17: Signal<Local, Bits<8>>,
    word_18: Signal<Local, Bits<16>>,
    lane_18: Signal<Local, Bits<16>>,
}

impl Logic for PackMpaStartupHdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().key;
        self.lane_0.next = bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(120))
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(112)) << 8)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(104)) << 16)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(96)) << 24)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(88)) << 32)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(80)) << 40)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(72)) << 48)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(64)) << 56);
        self.lane_8.next = bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_0.val().get_bits::<8>(0)) << 56);
        self.word_16.next = (bit_cast::<8, 1>(self.record.val().markers.into()) << 7)
            | (bit_cast::<8, 1>(self.record.val().crc.into()) << 6)
            | (bit_cast::<8, 1>(self.record.val().reject.into()) << 5)
            | (bit_cast::<8, 1>(self.record.val().enhanced.into()) << 4);
        self.word_17.next = self.record.val().revision;
        self.word_18.next = self.record.val().private_data_length;
        self.lane_18.next = bit_cast::<16, 8>(self.word_18.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_18.val().get_bits::<8>(0)) << 8);
        self.octets.next = bit_cast::<160, 64>(self.lane_0.val())
            | (bit_cast::<160, 64>(self.lane_8.val()) << 64)
            | (bit_cast::<160, 8>(self.word_16.val()) << 128)
            | (bit_cast::<160, 8>(self.word_17.val()) << 136)
            | (bit_cast::<160, 16>(self.lane_18.val()) << 144);
    }
}

/// Read depths and ready-to-receive options: the first four octets of private data if `enhanced`.
///
/// 4 octets, RFC 6581 section 9.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct MpaDepths {
    /// A: the initiator sends a ready-to-receive indication first.
    pub peer_to_peer: Bit,
    /// B: that may be a zero-length Send.
    pub rtr_send: Bit,
    /// Inbound Read depth; `mpa::DEPTH_NOT_NEGOTIATED` leaves it alone.
    pub ird: Bits<14>,
    /// C: that may be a zero-length RDMA Write.
    pub rtr_write: Bit,
    /// D: that may be a zero-length RDMA Read.
    pub rtr_read: Bit,
    /// Outbound Read depth; `mpa::DEPTH_NOT_NEGOTIATED` leaves it alone.
    pub ord: Bits<14>,
}

/// Fields of a [`MpaDepths`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackMpaDepths {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<32>>,
    /// Its fields.
    pub record: Signal<Out, MpaDepths>,
}

impl Logic for UnpackMpaDepths {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.peer_to_peer = self.octets.val().get_bit(7);
        self.record.next.rtr_send = self.octets.val().get_bit(6);
        self.record.next.ird = (bit_cast::<14, 6>(self.octets.val().get_bits::<6>(0)) << 8)
            | bit_cast::<14, 8>(self.octets.val().get_bits::<8>(8));
        self.record.next.rtr_write = self.octets.val().get_bit(23);
        self.record.next.rtr_read = self.octets.val().get_bit(22);
        self.record.next.ord = (bit_cast::<14, 6>(self.octets.val().get_bits::<6>(16)) << 8)
            | bit_cast::<14, 8>(self.octets.val().get_bits::<8>(24));
    }
}

/// Octets of a [`MpaDepths`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackMpaDepths {
    /// Fields.
    pub record: Signal<In, MpaDepths>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<32>>,
    word_0: Signal<Local, Bits<16>>,
    lane_0: Signal<Local, Bits<16>>,
    word_2: Signal<Local, Bits<16>>,
    lane_2: Signal<Local, Bits<16>>,
}

impl Logic for PackMpaDepths {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = (bit_cast::<16, 1>(self.record.val().peer_to_peer.into()) << 15)
            | (bit_cast::<16, 1>(self.record.val().rtr_send.into()) << 14)
            | bit_cast::<16, 14>(self.record.val().ird);
        self.lane_0.next = bit_cast::<16, 8>(self.word_0.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_0.val().get_bits::<8>(0)) << 8);
        self.word_2.next = (bit_cast::<16, 1>(self.record.val().rtr_write.into()) << 15)
            | (bit_cast::<16, 1>(self.record.val().rtr_read.into()) << 14)
            | bit_cast::<16, 14>(self.record.val().ord);
        self.lane_2.next = bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(0)) << 8);
        self.octets.next =
            bit_cast::<32, 16>(self.lane_0.val()) | (bit_cast::<32, 16>(self.lane_2.val()) << 16);
    }
}

/// Head of an FPDU; ULPDU, pad to a multiple of 4 and CRC32c follow.
///
/// 2 octets, RFC 5044 section 4.1.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct FpduHdr {
    /// Octets of the ULPDU: no marker, pad or CRC in it.
    pub ulpdu_length: Bits<16>,
}

/// Fields of a [`FpduHdr`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackFpduHdr {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<16>>,
    /// Its fields.
    pub record: Signal<Out, FpduHdr>,
}

impl Logic for UnpackFpduHdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.ulpdu_length = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(0)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(8));
    }
}

/// Octets of a [`FpduHdr`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackFpduHdr {
    /// Fields.
    pub record: Signal<In, FpduHdr>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<16>>,
    word_0: Signal<Local, Bits<16>>,
    lane_0: Signal<Local, Bits<16>>,
}

impl Logic for PackFpduHdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().ulpdu_length;
        self.lane_0.next = bit_cast::<16, 8>(self.word_0.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_0.val().get_bits::<8>(0)) << 8);
        self.octets.next = self.lane_0.val();
    }
}

/// Stands at every stream offset that is a multiple of `mpa::MARKER_INTERVAL`; covered by the CRC.
///
/// 4 octets, RFC 5044 section 4.2.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Marker {
    /// Sent as zero, not examined, kept for the CRC. Reserved by the source.
    pub reserved: Bits<16>,
    /// Octets back from the marker to the FPDU's `ulpdu_length`, 0 if it follows; mask with
    /// `mpa::FPDU_POINTER_MASK` before arithmetic, keep whole for the CRC.
    pub fpdu_pointer: Bits<16>,
}

/// Fields of a [`Marker`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackMarker {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<32>>,
    /// Its fields.
    pub record: Signal<Out, Marker>,
}

impl Logic for UnpackMarker {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.reserved = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(0)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(8));
        self.record.next.fpdu_pointer = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(24));
    }
}

/// Octets of a [`Marker`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackMarker {
    /// Fields.
    pub record: Signal<In, Marker>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<32>>,
    word_0: Signal<Local, Bits<16>>,
    lane_0: Signal<Local, Bits<16>>,
    word_2: Signal<Local, Bits<16>>,
    lane_2: Signal<Local, Bits<16>>,
}

impl Logic for PackMarker {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().reserved;
        self.lane_0.next = bit_cast::<16, 8>(self.word_0.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_0.val().get_bits::<8>(0)) << 8);
        self.word_2.next = self.record.val().fpdu_pointer;
        self.lane_2.next = bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(0)) << 8);
        self.octets.next =
            bit_cast::<32, 16>(self.lane_0.val()) | (bit_cast::<32, 16>(self.lane_2.val()) << 16);
    }
}
