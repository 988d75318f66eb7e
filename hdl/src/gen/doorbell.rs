// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Header records of Doorbells and their wiring.
#![allow(missing_docs)] // the derives make undocumented methods
use rust_hdl::prelude::*;

/// What a write to a doorbell says. Indices are absolute: they count slots for ever, modulo 2^32.
///
/// 8 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Doorbell {
    /// One of `doorbell_kind`.
    pub kind: Bits<8>,
    /// Arming: only a solicited completion or an error makes the event.
    pub solicited_only: Bit,
    /// Queue pair or completion queue; 0 where the device has one of the kind.
    pub number: Bits<16>,
    /// Producer or consumer index by `kind`.
    pub value: Bits<32>,
}

/// Fields of a [`Doorbell`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackDoorbell {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<64>>,
    /// Its fields.
    pub record: Signal<Out, Doorbell>,
}

impl Logic for UnpackDoorbell {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.kind = self.octets.val().get_bits::<8>(0);
        self.record.next.solicited_only = self.octets.val().get_bit(15);
        self.record.next.number = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(24));
        self.record.next.value = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(56));
    }
}

/// Octets of a [`Doorbell`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackDoorbell {
    /// Fields.
    pub record: Signal<In, Doorbell>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<64>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<16>>,
    lane_2: Signal<Local, Bits<16>>,
    word_4: Signal<Local, Bits<32>>,
    lane_4: Signal<Local, Bits<32>>,
}

impl Logic for PackDoorbell {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().kind;
        self.word_1.next = bit_cast::<8, 1>(self.record.val().solicited_only.into()) << 7;
        self.word_2.next = self.record.val().number;
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
