// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Header records of Raw rings and their wiring.
#![allow(missing_docs)] // the derives make undocumented methods
use rust_hdl::prelude::*;

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

/// A slot of the raw transmit ring: a frame in host memory, from destination address to the last
/// octet before FCS. The ring begins at a multiple of 16.
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
