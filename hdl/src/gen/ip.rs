// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Header records of IP and their wiring.
#![allow(missing_docs)] // the derives make undocumented methods
use rust_hdl::prelude::*;

/// The 20 octets that every IPv4 header has; options, if `ihl` > 5, follow.
///
/// 20 octets, RFC 791 section 3.1, RFC 2474, RFC 3168.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Ipv4Hdr {
    /// 4.
    pub version: Bits<4>,
    /// Header length in units of 4 octets, at least 5.
    pub ihl: Bits<4>,
    /// Differentiated services code point.
    pub dscp: Bits<6>,
    /// Explicit congestion notification.
    pub ecn: Bits<2>,
    /// Octets of header and payload.
    pub total_length: Bits<16>,
    /// Groups the fragments of a datagram.
    pub identification: Bits<16>,
    /// DF: routers drop rather than fragment.
    pub dont_fragment: Bit,
    /// MF: not the last fragment.
    pub more_fragments: Bit,
    /// Place of this fragment in units of 8 octets.
    pub fragment_offset: Bits<13>,
    /// Hops left.
    pub ttl: Bits<8>,
    /// What follows: a constant of `ip_protocol`.
    pub protocol: Bits<8>,
    /// Internet checksum of the header.
    pub checksum: Bits<16>,
    /// Sender.
    pub source: Bits<32>,
    /// Receiver.
    pub destination: Bits<32>,
}

/// Fields of a [`Ipv4Hdr`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackIpv4Hdr {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<160>>,
    /// Its fields.
    pub record: Signal<Out, Ipv4Hdr>,
}

impl Logic for UnpackIpv4Hdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.version = self.octets.val().get_bits::<4>(4);
        self.record.next.ihl = self.octets.val().get_bits::<4>(0);
        self.record.next.dscp = self.octets.val().get_bits::<6>(10);
        self.record.next.ecn = self.octets.val().get_bits::<2>(8);
        self.record.next.total_length = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(24));
        self.record.next.identification = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(32)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(40));
        self.record.next.dont_fragment = self.octets.val().get_bit(54);
        self.record.next.more_fragments = self.octets.val().get_bit(53);
        self.record.next.fragment_offset = (bit_cast::<13, 5>(self.octets.val().get_bits::<5>(48)) << 8)
            | bit_cast::<13, 8>(self.octets.val().get_bits::<8>(56));
        self.record.next.ttl = self.octets.val().get_bits::<8>(64);
        self.record.next.protocol = self.octets.val().get_bits::<8>(72);
        self.record.next.checksum = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(80)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(88));
        self.record.next.source = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(96)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(104)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(112)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(120));
        self.record.next.destination = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(128)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(136)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(144)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(152));
    }
}

/// Octets of a [`Ipv4Hdr`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackIpv4Hdr {
    /// Fields.
    pub record: Signal<In, Ipv4Hdr>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<160>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<16>>,
    lane_2: Signal<Local, Bits<16>>,
    word_4: Signal<Local, Bits<16>>,
    lane_4: Signal<Local, Bits<16>>,
    word_6: Signal<Local, Bits<16>>,
    lane_6: Signal<Local, Bits<16>>,
    word_8: Signal<Local, Bits<8>>,
    word_9: Signal<Local, Bits<8>>,
    word_10: Signal<Local, Bits<16>>,
    lane_10: Signal<Local, Bits<16>>,
    word_12: Signal<Local, Bits<32>>,
    lane_12: Signal<Local, Bits<32>>,
    word_16: Signal<Local, Bits<32>>,
    lane_16: Signal<Local, Bits<32>>,
}

impl Logic for PackIpv4Hdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next =
            (bit_cast::<8, 4>(self.record.val().version) << 4) | bit_cast::<8, 4>(self.record.val().ihl);
        self.word_1.next =
            (bit_cast::<8, 6>(self.record.val().dscp) << 2) | bit_cast::<8, 2>(self.record.val().ecn);
        self.word_2.next = self.record.val().total_length;
        self.lane_2.next = bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(0)) << 8);
        self.word_4.next = self.record.val().identification;
        self.lane_4.next = bit_cast::<16, 8>(self.word_4.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_4.val().get_bits::<8>(0)) << 8);
        self.word_6.next = (bit_cast::<16, 1>(self.record.val().dont_fragment.into()) << 14)
            | (bit_cast::<16, 1>(self.record.val().more_fragments.into()) << 13)
            | bit_cast::<16, 13>(self.record.val().fragment_offset);
        self.lane_6.next = bit_cast::<16, 8>(self.word_6.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_6.val().get_bits::<8>(0)) << 8);
        self.word_8.next = self.record.val().ttl;
        self.word_9.next = self.record.val().protocol;
        self.word_10.next = self.record.val().checksum;
        self.lane_10.next = bit_cast::<16, 8>(self.word_10.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_10.val().get_bits::<8>(0)) << 8);
        self.word_12.next = self.record.val().source;
        self.lane_12.next = bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_12.val().get_bits::<8>(0)) << 24);
        self.word_16.next = self.record.val().destination;
        self.lane_16.next = bit_cast::<32, 8>(self.word_16.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_16.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_16.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_16.val().get_bits::<8>(0)) << 24);
        self.octets.next = bit_cast::<160, 8>(self.word_0.val())
            | (bit_cast::<160, 8>(self.word_1.val()) << 8)
            | (bit_cast::<160, 16>(self.lane_2.val()) << 16)
            | (bit_cast::<160, 16>(self.lane_4.val()) << 32)
            | (bit_cast::<160, 16>(self.lane_6.val()) << 48)
            | (bit_cast::<160, 8>(self.word_8.val()) << 64)
            | (bit_cast::<160, 8>(self.word_9.val()) << 72)
            | (bit_cast::<160, 16>(self.lane_10.val()) << 80)
            | (bit_cast::<160, 32>(self.lane_12.val()) << 96)
            | (bit_cast::<160, 32>(self.lane_16.val()) << 128);
    }
}

/// The fixed header; extension headers, if `next_header` names one, follow.
///
/// 40 octets, RFC 8200 section 3.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Ipv6Hdr {
    /// 6.
    pub version: Bits<4>,
    /// Differentiated services code point.
    pub dscp: Bits<6>,
    /// Explicit congestion notification.
    pub ecn: Bits<2>,
    /// Flow label.
    pub flow_label: Bits<20>,
    /// Octets after this header.
    pub payload_length: Bits<16>,
    /// What follows: a constant of `ip_protocol`.
    pub next_header: Bits<8>,
    /// Hops left.
    pub hop_limit: Bits<8>,
    /// Sender.
    pub source: Bits<128>,
    /// Receiver.
    pub destination: Bits<128>,
}

/// Fields of a [`Ipv6Hdr`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackIpv6Hdr {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<320>>,
    /// Its fields.
    pub record: Signal<Out, Ipv6Hdr>,
    source_0: Signal<Local, Bits<64>>,
    source_1: Signal<Local, Bits<64>>,
    destination_0: Signal<Local, Bits<64>>,
    destination_1: Signal<Local, Bits<64>>,
}

impl Logic for UnpackIpv6Hdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.version = self.octets.val().get_bits::<4>(4);
        self.record.next.dscp = (bit_cast::<6, 4>(self.octets.val().get_bits::<4>(0)) << 2)
            | bit_cast::<6, 2>(self.octets.val().get_bits::<2>(14));
        self.record.next.ecn = self.octets.val().get_bits::<2>(12);
        self.record.next.flow_label = (bit_cast::<20, 4>(self.octets.val().get_bits::<4>(8)) << 16)
            | (bit_cast::<20, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<20, 8>(self.octets.val().get_bits::<8>(24));
        self.record.next.payload_length = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(32)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(40));
        self.record.next.next_header = self.octets.val().get_bits::<8>(48);
        self.record.next.hop_limit = self.octets.val().get_bits::<8>(56);
        self.source_0.next = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(64)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(72)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(80)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(88)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(96)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(104)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(112)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(120));
        self.source_1.next = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(128)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(136)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(144)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(152)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(160)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(168)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(176)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(184));
        self.record.next.source =
            (bit_cast::<128, 64>(self.source_0.val()) << 64) | bit_cast::<128, 64>(self.source_1.val());
        self.destination_0.next = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(192)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(200)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(208)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(216)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(224)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(232)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(240)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(248));
        self.destination_1.next = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(256)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(264)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(272)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(280)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(288)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(296)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(304)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(312));
        self.record.next.destination = (bit_cast::<128, 64>(self.destination_0.val()) << 64)
            | bit_cast::<128, 64>(self.destination_1.val());
    }
}

/// Octets of a [`Ipv6Hdr`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackIpv6Hdr {
    /// Fields.
    pub record: Signal<In, Ipv6Hdr>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<320>>,
    word_0: Signal<Local, Bits<32>>,
    lane_0: Signal<Local, Bits<32>>,
    word_4: Signal<Local, Bits<16>>,
    lane_4: Signal<Local, Bits<16>>,
    word_6: Signal<Local, Bits<8>>,
    word_7: Signal<Local, Bits<8>>,
    word_8: Signal<Local, Bits<128>>,
    lane_8: Signal<Local, Bits<64>>,
    lane_16: Signal<Local, Bits<64>>,
    word_24: Signal<Local, Bits<128>>,
    lane_24: Signal<Local, Bits<64>>,
    lane_32: Signal<Local, Bits<64>>,
}

impl Logic for PackIpv6Hdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = (bit_cast::<32, 4>(self.record.val().version) << 28)
            | (bit_cast::<32, 6>(self.record.val().dscp) << 22)
            | (bit_cast::<32, 2>(self.record.val().ecn) << 20)
            | bit_cast::<32, 20>(self.record.val().flow_label);
        self.lane_0.next = bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(0)) << 24);
        self.word_4.next = self.record.val().payload_length;
        self.lane_4.next = bit_cast::<16, 8>(self.word_4.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_4.val().get_bits::<8>(0)) << 8);
        self.word_6.next = self.record.val().next_header;
        self.word_7.next = self.record.val().hop_limit;
        self.word_8.next = self.record.val().source;
        self.lane_8.next = bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(120))
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(112)) << 8)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(104)) << 16)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(96)) << 24)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(88)) << 32)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(80)) << 40)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(72)) << 48)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(64)) << 56);
        self.lane_16.next = bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_8.val().get_bits::<8>(0)) << 56);
        self.word_24.next = self.record.val().destination;
        self.lane_24.next = bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(120))
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(112)) << 8)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(104)) << 16)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(96)) << 24)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(88)) << 32)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(80)) << 40)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(72)) << 48)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(64)) << 56);
        self.lane_32.next = bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_24.val().get_bits::<8>(0)) << 56);
        self.octets.next = bit_cast::<320, 32>(self.lane_0.val())
            | (bit_cast::<320, 16>(self.lane_4.val()) << 32)
            | (bit_cast::<320, 8>(self.word_6.val()) << 48)
            | (bit_cast::<320, 8>(self.word_7.val()) << 56)
            | (bit_cast::<320, 64>(self.lane_8.val()) << 64)
            | (bit_cast::<320, 64>(self.lane_16.val()) << 128)
            | (bit_cast::<320, 64>(self.lane_24.val()) << 192)
            | (bit_cast::<320, 64>(self.lane_32.val()) << 256);
    }
}
