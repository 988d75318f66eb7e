// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Header records of Carrier and their wiring.
#![allow(missing_docs)] // the derives make undocumented methods
use rust_hdl::prelude::*;

/// Head of every frame of the carrier: the Ethernet header and ten octets. `records` records
/// follow, then padding to 60 octets.
///
/// 24 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct CarrierHdr {
    /// MAC address of the receiver; never a group.
    pub destination: Bits<48>,
    /// MAC address of the sender.
    pub source: Bits<48>,
    /// `carrier_frame::ETHER_TYPE`.
    pub ether_type: Bits<16>,
    /// `carrier_frame::VERSION`.
    pub version: Bits<4>,
    /// An ack that wants an answer (host): the device answers by an ack.
    pub ask: Bit,
    /// The device runs in this epoch (device): always in its frames.
    pub ready: Bit,
    /// The device takes non-posted requests (device).
    pub np_ok: Bit,
    /// `acknowledged` is missing, later frames came: send again from there.
    pub nak: Bit,
    /// What the frame is, one of `carrier_kind`.
    pub kind: Bits<8>,
    /// Epoch, drawn by the host for each hello.
    pub epoch: Bits<16>,
    /// Data: number of the frame, from 0 in each epoch. Else 0.
    pub sequence_number: Bits<16>,
    /// Number of the next data frame that the sender of this one expects.
    pub acknowledged: Bits<16>,
    /// Data: records that follow, 1 or more. Else 0.
    pub records: Bits<16>,
}

/// Fields of a [`CarrierHdr`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackCarrierHdr {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<192>>,
    /// Its fields.
    pub record: Signal<Out, CarrierHdr>,
}

impl Logic for UnpackCarrierHdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.destination = (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(0)) << 40)
            | (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(8)) << 32)
            | (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(16)) << 24)
            | (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(24)) << 16)
            | (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(32)) << 8)
            | bit_cast::<48, 8>(self.octets.val().get_bits::<8>(40));
        self.record.next.source = (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(48)) << 40)
            | (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(56)) << 32)
            | (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(64)) << 24)
            | (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(72)) << 16)
            | (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(80)) << 8)
            | bit_cast::<48, 8>(self.octets.val().get_bits::<8>(88));
        self.record.next.ether_type = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(96)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(104));
        self.record.next.version = self.octets.val().get_bits::<4>(116);
        self.record.next.ask = self.octets.val().get_bit(115);
        self.record.next.ready = self.octets.val().get_bit(114);
        self.record.next.np_ok = self.octets.val().get_bit(113);
        self.record.next.nak = self.octets.val().get_bit(112);
        self.record.next.kind = self.octets.val().get_bits::<8>(120);
        self.record.next.epoch = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(128)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(136));
        self.record.next.sequence_number = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(144)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(152));
        self.record.next.acknowledged = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(160)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(168));
        self.record.next.records = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(176)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(184));
    }
}

/// Octets of a [`CarrierHdr`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackCarrierHdr {
    /// Fields.
    pub record: Signal<In, CarrierHdr>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<192>>,
    word_0: Signal<Local, Bits<48>>,
    lane_0: Signal<Local, Bits<48>>,
    word_6: Signal<Local, Bits<48>>,
    lane_6: Signal<Local, Bits<48>>,
    word_12: Signal<Local, Bits<16>>,
    lane_12: Signal<Local, Bits<16>>,
    word_14: Signal<Local, Bits<8>>,
    word_15: Signal<Local, Bits<8>>,
    word_16: Signal<Local, Bits<16>>,
    lane_16: Signal<Local, Bits<16>>,
    word_18: Signal<Local, Bits<16>>,
    lane_18: Signal<Local, Bits<16>>,
    word_20: Signal<Local, Bits<16>>,
    lane_20: Signal<Local, Bits<16>>,
    word_22: Signal<Local, Bits<16>>,
    lane_22: Signal<Local, Bits<16>>,
}

impl Logic for PackCarrierHdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().destination;
        self.lane_0.next = bit_cast::<48, 8>(self.word_0.val().get_bits::<8>(40))
            | (bit_cast::<48, 8>(self.word_0.val().get_bits::<8>(32)) << 8)
            | (bit_cast::<48, 8>(self.word_0.val().get_bits::<8>(24)) << 16)
            | (bit_cast::<48, 8>(self.word_0.val().get_bits::<8>(16)) << 24)
            | (bit_cast::<48, 8>(self.word_0.val().get_bits::<8>(8)) << 32)
            | (bit_cast::<48, 8>(self.word_0.val().get_bits::<8>(0)) << 40);
        self.word_6.next = self.record.val().source;
        self.lane_6.next = bit_cast::<48, 8>(self.word_6.val().get_bits::<8>(40))
            | (bit_cast::<48, 8>(self.word_6.val().get_bits::<8>(32)) << 8)
            | (bit_cast::<48, 8>(self.word_6.val().get_bits::<8>(24)) << 16)
            | (bit_cast::<48, 8>(self.word_6.val().get_bits::<8>(16)) << 24)
            | (bit_cast::<48, 8>(self.word_6.val().get_bits::<8>(8)) << 32)
            | (bit_cast::<48, 8>(self.word_6.val().get_bits::<8>(0)) << 40);
        self.word_12.next = self.record.val().ether_type;
        self.lane_12.next = bit_cast::<16, 8>(self.word_12.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_12.val().get_bits::<8>(0)) << 8);
        self.word_14.next = (bit_cast::<8, 4>(self.record.val().version) << 4)
            | (bit_cast::<8, 1>(self.record.val().ask.into()) << 3)
            | (bit_cast::<8, 1>(self.record.val().ready.into()) << 2)
            | (bit_cast::<8, 1>(self.record.val().np_ok.into()) << 1)
            | bit_cast::<8, 1>(self.record.val().nak.into());
        self.word_15.next = self.record.val().kind;
        self.word_16.next = self.record.val().epoch;
        self.lane_16.next = bit_cast::<16, 8>(self.word_16.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_16.val().get_bits::<8>(0)) << 8);
        self.word_18.next = self.record.val().sequence_number;
        self.lane_18.next = bit_cast::<16, 8>(self.word_18.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_18.val().get_bits::<8>(0)) << 8);
        self.word_20.next = self.record.val().acknowledged;
        self.lane_20.next = bit_cast::<16, 8>(self.word_20.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_20.val().get_bits::<8>(0)) << 8);
        self.word_22.next = self.record.val().records;
        self.lane_22.next = bit_cast::<16, 8>(self.word_22.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_22.val().get_bits::<8>(0)) << 8);
        self.octets.next = bit_cast::<192, 48>(self.lane_0.val())
            | (bit_cast::<192, 48>(self.lane_6.val()) << 48)
            | (bit_cast::<192, 16>(self.lane_12.val()) << 96)
            | (bit_cast::<192, 8>(self.word_14.val()) << 112)
            | (bit_cast::<192, 8>(self.word_15.val()) << 120)
            | (bit_cast::<192, 16>(self.lane_16.val()) << 128)
            | (bit_cast::<192, 16>(self.lane_18.val()) << 144)
            | (bit_cast::<192, 16>(self.lane_20.val()) << 160)
            | (bit_cast::<192, 16>(self.lane_22.val()) << 176);
    }
}

/// Head of a record of a data frame. Behind the head of a TLP its dwords follow, least significant
/// octet first, padded with zeros to a multiple of 8 octets.
///
/// 8 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct CarrierRecord {
    /// What the record is, one of `carrier_record`.
    pub kind: Bits<8>,
    /// TLP to the device: bit 0 BAR0, bit 1 BAR2, bit 2 BAR4. Else 0.
    pub bar_hit: Bits<8>,
    /// TLP: its dwords, 3 to 370. Else 0.
    pub dwords: Bits<16>,
    /// Config: bits of `CarrierConfig`. Else 0.
    pub value: Bits<32>,
}

/// Fields of a [`CarrierRecord`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackCarrierRecord {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<64>>,
    /// Its fields.
    pub record: Signal<Out, CarrierRecord>,
}

impl Logic for UnpackCarrierRecord {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.kind = self.octets.val().get_bits::<8>(0);
        self.record.next.bar_hit = self.octets.val().get_bits::<8>(8);
        self.record.next.dwords = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(24));
        self.record.next.value = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(56));
    }
}

/// Octets of a [`CarrierRecord`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackCarrierRecord {
    /// Fields.
    pub record: Signal<In, CarrierRecord>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<64>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<16>>,
    lane_2: Signal<Local, Bits<16>>,
    word_4: Signal<Local, Bits<32>>,
    lane_4: Signal<Local, Bits<32>>,
}

impl Logic for PackCarrierRecord {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().kind;
        self.word_1.next = self.record.val().bar_hit;
        self.word_2.next = self.record.val().dwords;
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

/// Value of a config record: what the PCI Express block would tell of the function's configuration
/// space. The bits are those of the port `pcie_cfg` of the device.
///
/// 4 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct CarrierConfig {
    /// Completion Timeout Disable.
    pub endless: Bit,
    /// MSI-X Function Mask.
    pub masked: Bit,
    /// MSI-X Enable.
    pub msix: Bit,
    /// Bus Master Enable.
    pub master: Bit,
    /// Max_Read_Request_Size: 128 octets times two to this.
    pub mrrs: Bits<3>,
    /// Max_Payload_Size: 128 octets times two to this, at most 3.
    pub mps: Bits<3>,
    /// Requester ID: bus, device, function.
    pub id: Bits<16>,
}

/// Fields of a [`CarrierConfig`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackCarrierConfig {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<32>>,
    /// Its fields.
    pub record: Signal<Out, CarrierConfig>,
}

impl Logic for UnpackCarrierConfig {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.endless = self.octets.val().get_bit(1);
        self.record.next.masked = self.octets.val().get_bit(0);
        self.record.next.msix = self.octets.val().get_bit(15);
        self.record.next.master = self.octets.val().get_bit(14);
        self.record.next.mrrs = self.octets.val().get_bits::<3>(11);
        self.record.next.mps = self.octets.val().get_bits::<3>(8);
        self.record.next.id = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(24));
    }
}

/// Octets of a [`CarrierConfig`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackCarrierConfig {
    /// Fields.
    pub record: Signal<In, CarrierConfig>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<32>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<16>>,
    lane_2: Signal<Local, Bits<16>>,
}

impl Logic for PackCarrierConfig {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = (bit_cast::<8, 1>(self.record.val().endless.into()) << 1)
            | bit_cast::<8, 1>(self.record.val().masked.into());
        self.word_1.next = (bit_cast::<8, 1>(self.record.val().msix.into()) << 7)
            | (bit_cast::<8, 1>(self.record.val().master.into()) << 6)
            | (bit_cast::<8, 3>(self.record.val().mrrs) << 3)
            | bit_cast::<8, 3>(self.record.val().mps);
        self.word_2.next = self.record.val().id;
        self.lane_2.next = bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(0)) << 8);
        self.octets.next = bit_cast::<32, 8>(self.word_0.val())
            | (bit_cast::<32, 8>(self.word_1.val()) << 8)
            | (bit_cast::<32, 16>(self.lane_2.val()) << 16);
    }
}
