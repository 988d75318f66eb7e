// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Header records of Ethernet and their wiring.
#![allow(missing_docs)] // the derives make undocumented methods
use rust_hdl::prelude::*;

/// First 14 octets of every frame.
///
/// 14 octets, IEEE 802.3 section 3.1.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct EthernetHdr {
    /// Station the frame is for.
    pub destination: Bits<48>,
    /// Station that sent it.
    pub source: Bits<48>,
    /// What follows: a constant of `ether_type`.
    pub ethertype: Bits<16>,
}

/// Fields of a [`EthernetHdr`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackEthernetHdr {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<112>>,
    /// Its fields.
    pub record: Signal<Out, EthernetHdr>,
}

impl Logic for UnpackEthernetHdr {
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
        self.record.next.ethertype = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(96)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(104));
    }
}

/// Octets of a [`EthernetHdr`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackEthernetHdr {
    /// Fields.
    pub record: Signal<In, EthernetHdr>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<112>>,
    word_0: Signal<Local, Bits<48>>,
    lane_0: Signal<Local, Bits<48>>,
    word_6: Signal<Local, Bits<48>>,
    lane_6: Signal<Local, Bits<48>>,
    word_12: Signal<Local, Bits<16>>,
    lane_12: Signal<Local, Bits<16>>,
}

impl Logic for PackEthernetHdr {
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
        self.word_12.next = self.record.val().ethertype;
        self.lane_12.next = bit_cast::<16, 8>(self.word_12.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_12.val().get_bits::<8>(0)) << 8);
        self.octets.next = bit_cast::<112, 48>(self.lane_0.val())
            | (bit_cast::<112, 48>(self.lane_6.val()) << 48)
            | (bit_cast::<112, 16>(self.lane_12.val()) << 96);
    }
}

/// Tag control information and the EtherType of what follows; stands after an Ethernet header whose
/// EtherType is `ether_type::VLAN`.
///
/// 4 octets, IEEE 802.1Q section 9.6.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct VlanTag {
    /// Priority code point.
    pub pcp: Bits<3>,
    /// Drop eligible indicator.
    pub dei: Bit,
    /// VLAN identifier; 0 means a priority tag only.
    pub vid: Bits<12>,
    /// What follows: a constant of `ether_type`.
    pub ethertype: Bits<16>,
}

/// Fields of a [`VlanTag`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackVlanTag {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<32>>,
    /// Its fields.
    pub record: Signal<Out, VlanTag>,
}

impl Logic for UnpackVlanTag {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.pcp = self.octets.val().get_bits::<3>(5);
        self.record.next.dei = self.octets.val().get_bit(4);
        self.record.next.vid = (bit_cast::<12, 4>(self.octets.val().get_bits::<4>(0)) << 8)
            | bit_cast::<12, 8>(self.octets.val().get_bits::<8>(8));
        self.record.next.ethertype = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(24));
    }
}

/// Octets of a [`VlanTag`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackVlanTag {
    /// Fields.
    pub record: Signal<In, VlanTag>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<32>>,
    word_0: Signal<Local, Bits<16>>,
    lane_0: Signal<Local, Bits<16>>,
    word_2: Signal<Local, Bits<16>>,
    lane_2: Signal<Local, Bits<16>>,
}

impl Logic for PackVlanTag {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = (bit_cast::<16, 3>(self.record.val().pcp) << 13)
            | (bit_cast::<16, 1>(self.record.val().dei.into()) << 12)
            | bit_cast::<16, 12>(self.record.val().vid);
        self.lane_0.next = bit_cast::<16, 8>(self.word_0.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_0.val().get_bits::<8>(0)) << 8);
        self.word_2.next = self.record.val().ethertype;
        self.lane_2.next = bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(0)) << 8);
        self.octets.next =
            bit_cast::<32, 16>(self.lane_0.val()) | (bit_cast::<32, 16>(self.lane_2.val()) << 16);
    }
}
