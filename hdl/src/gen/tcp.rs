// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Header records of TCP and their wiring.
#![allow(missing_docs)] // the derives make undocumented methods
use rust_hdl::prelude::*;

/// The 20 octets that every TCP header has; options, if `data_offset` > 5, follow.
///
/// 20 octets, RFC 9293 section 3.1.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct TcpHdr {
    /// Sender's port.
    pub source_port: Bits<16>,
    /// Receiver's port.
    pub destination_port: Bits<16>,
    /// Of the first octet of data, or of SYN.
    pub sequence_number: Bits<32>,
    /// Next octet expected, if `ack`.
    pub acknowledgment_number: Bits<32>,
    /// Header length in units of 4 octets, at least 5.
    pub data_offset: Bits<4>,
    /// Congestion window reduced.
    pub cwr: Bit,
    /// ECN echo.
    pub ece: Bit,
    /// `urgent_pointer` counts.
    pub urg: Bit,
    /// `acknowledgment_number` counts.
    pub ack: Bit,
    /// Push.
    pub psh: Bit,
    /// Reset the connection.
    pub rst: Bit,
    /// Synchronise sequence numbers.
    pub syn: Bit,
    /// No more data from the sender.
    pub fin: Bit,
    /// Octets that may follow the acknowledged ones, before scaling.
    pub window: Bits<16>,
    /// Internet checksum of pseudo header, header and data.
    pub checksum: Bits<16>,
    /// End of urgent data, if `urg`.
    pub urgent_pointer: Bits<16>,
}

/// Fields of a [`TcpHdr`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackTcpHdr {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<160>>,
    /// Its fields.
    pub record: Signal<Out, TcpHdr>,
}

impl Logic for UnpackTcpHdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.source_port = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(0)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(8));
        self.record.next.destination_port = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(24));
        self.record.next.sequence_number = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(56));
        self.record.next.acknowledgment_number = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(64))
            << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(72)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(80)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(88));
        self.record.next.data_offset = self.octets.val().get_bits::<4>(100);
        self.record.next.cwr = self.octets.val().get_bit(111);
        self.record.next.ece = self.octets.val().get_bit(110);
        self.record.next.urg = self.octets.val().get_bit(109);
        self.record.next.ack = self.octets.val().get_bit(108);
        self.record.next.psh = self.octets.val().get_bit(107);
        self.record.next.rst = self.octets.val().get_bit(106);
        self.record.next.syn = self.octets.val().get_bit(105);
        self.record.next.fin = self.octets.val().get_bit(104);
        self.record.next.window = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(112)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(120));
        self.record.next.checksum = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(128)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(136));
        self.record.next.urgent_pointer = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(144)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(152));
    }
}

/// Octets of a [`TcpHdr`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackTcpHdr {
    /// Fields.
    pub record: Signal<In, TcpHdr>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<160>>,
    word_0: Signal<Local, Bits<16>>,
    lane_0: Signal<Local, Bits<16>>,
    word_2: Signal<Local, Bits<16>>,
    lane_2: Signal<Local, Bits<16>>,
    word_4: Signal<Local, Bits<32>>,
    lane_4: Signal<Local, Bits<32>>,
    word_8: Signal<Local, Bits<32>>,
    lane_8: Signal<Local, Bits<32>>,
    word_12: Signal<Local, Bits<8>>,
    word_13: Signal<Local, Bits<8>>,
    word_14: Signal<Local, Bits<16>>,
    lane_14: Signal<Local, Bits<16>>,
    word_16: Signal<Local, Bits<16>>,
    lane_16: Signal<Local, Bits<16>>,
    word_18: Signal<Local, Bits<16>>,
    lane_18: Signal<Local, Bits<16>>,
}

impl Logic for PackTcpHdr {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().source_port;
        self.lane_0.next = bit_cast::<16, 8>(self.word_0.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_0.val().get_bits::<8>(0)) << 8);
        self.word_2.next = self.record.val().destination_port;
        self.lane_2.next = bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(0)) << 8);
        self.word_4.next = self.record.val().sequence_number;
        self.lane_4.next = bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(0)) << 24);
        self.word_8.next = self.record.val().acknowledgment_number;
        self.lane_8.next = bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_8.val().get_bits::<8>(0)) << 24);
        self.word_12.next = bit_cast::<8, 4>(self.record.val().data_offset) << 4;
        self.word_13.next = (bit_cast::<8, 1>(self.record.val().cwr.into()) << 7)
            | (bit_cast::<8, 1>(self.record.val().ece.into()) << 6)
            | (bit_cast::<8, 1>(self.record.val().urg.into()) << 5)
            | (bit_cast::<8, 1>(self.record.val().ack.into()) << 4)
            | (bit_cast::<8, 1>(self.record.val().psh.into()) << 3)
            | (bit_cast::<8, 1>(self.record.val().rst.into()) << 2)
            | (bit_cast::<8, 1>(self.record.val().syn.into()) << 1)
            | bit_cast::<8, 1>(self.record.val().fin.into());
        self.word_14.next = self.record.val().window;
        self.lane_14.next = bit_cast::<16, 8>(self.word_14.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_14.val().get_bits::<8>(0)) << 8);
        self.word_16.next = self.record.val().checksum;
        self.lane_16.next = bit_cast::<16, 8>(self.word_16.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_16.val().get_bits::<8>(0)) << 8);
        self.word_18.next = self.record.val().urgent_pointer;
        self.lane_18.next = bit_cast::<16, 8>(self.word_18.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_18.val().get_bits::<8>(0)) << 8);
        self.octets.next = bit_cast::<160, 16>(self.lane_0.val())
            | (bit_cast::<160, 16>(self.lane_2.val()) << 16)
            | (bit_cast::<160, 32>(self.lane_4.val()) << 32)
            | (bit_cast::<160, 32>(self.lane_8.val()) << 64)
            | (bit_cast::<160, 8>(self.word_12.val()) << 96)
            | (bit_cast::<160, 8>(self.word_13.val()) << 104)
            | (bit_cast::<160, 16>(self.lane_14.val()) << 112)
            | (bit_cast::<160, 16>(self.lane_16.val()) << 128)
            | (bit_cast::<160, 16>(self.lane_18.val()) << 144);
    }
}

/// First two octets of every option but end-of-list and no-operation; SACK blocks follow it.
///
/// 2 octets, RFC 9293 section 3.1.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct TcpOptHead {
    /// A constant of `tcp_option`.
    pub kind: Bits<8>,
    /// Octets of the whole option, these two included.
    pub length: Bits<8>,
}

/// Fields of a [`TcpOptHead`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackTcpOptHead {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<16>>,
    /// Its fields.
    pub record: Signal<Out, TcpOptHead>,
}

impl Logic for UnpackTcpOptHead {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.kind = self.octets.val().get_bits::<8>(0);
        self.record.next.length = self.octets.val().get_bits::<8>(8);
    }
}

/// Octets of a [`TcpOptHead`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackTcpOptHead {
    /// Fields.
    pub record: Signal<In, TcpOptHead>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<16>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
}

impl Logic for PackTcpOptHead {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().kind;
        self.word_1.next = self.record.val().length;
        self.octets.next = bit_cast::<16, 8>(self.word_0.val()) | (bit_cast::<16, 8>(self.word_1.val()) << 8);
    }
}

/// Maximum segment size; only in a SYN.
///
/// 4 octets, RFC 9293 section 3.2.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct TcpOptMss {
    /// 2.
    pub kind: Bits<8>,
    /// 4.
    pub length: Bits<8>,
    /// Largest segment data, in octets, that the sender takes.
    pub mss: Bits<16>,
}

/// Fields of a [`TcpOptMss`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackTcpOptMss {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<32>>,
    /// Its fields.
    pub record: Signal<Out, TcpOptMss>,
}

impl Logic for UnpackTcpOptMss {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.kind = self.octets.val().get_bits::<8>(0);
        self.record.next.length = self.octets.val().get_bits::<8>(8);
        self.record.next.mss = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(24));
    }
}

/// Octets of a [`TcpOptMss`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackTcpOptMss {
    /// Fields.
    pub record: Signal<In, TcpOptMss>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<32>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<16>>,
    lane_2: Signal<Local, Bits<16>>,
}

impl Logic for PackTcpOptMss {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().kind;
        self.word_1.next = self.record.val().length;
        self.word_2.next = self.record.val().mss;
        self.lane_2.next = bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_2.val().get_bits::<8>(0)) << 8);
        self.octets.next = bit_cast::<32, 8>(self.word_0.val())
            | (bit_cast::<32, 8>(self.word_1.val()) << 8)
            | (bit_cast::<32, 16>(self.lane_2.val()) << 16);
    }
}

/// Window scale; only in a SYN.
///
/// 3 octets, RFC 7323 section 2.2.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct TcpOptWindowScale {
    /// 3.
    pub kind: Bits<8>,
    /// 3.
    pub length: Bits<8>,
    /// Left shift of the sender's later windows; above 14 counts as 14.
    pub shift: Bits<8>,
}

/// Fields of a [`TcpOptWindowScale`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackTcpOptWindowScale {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<24>>,
    /// Its fields.
    pub record: Signal<Out, TcpOptWindowScale>,
}

impl Logic for UnpackTcpOptWindowScale {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.kind = self.octets.val().get_bits::<8>(0);
        self.record.next.length = self.octets.val().get_bits::<8>(8);
        self.record.next.shift = self.octets.val().get_bits::<8>(16);
    }
}

/// Octets of a [`TcpOptWindowScale`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackTcpOptWindowScale {
    /// Fields.
    pub record: Signal<In, TcpOptWindowScale>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<24>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<8>>,
}

impl Logic for PackTcpOptWindowScale {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().kind;
        self.word_1.next = self.record.val().length;
        self.word_2.next = self.record.val().shift;
        self.octets.next = bit_cast::<24, 8>(self.word_0.val())
            | (bit_cast::<24, 8>(self.word_1.val()) << 8)
            | (bit_cast::<24, 8>(self.word_2.val()) << 16);
    }
}

/// The sender takes SACK options; only in a SYN.
///
/// 2 octets, RFC 2018 section 2.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct TcpOptSackPermitted {
    /// 4.
    pub kind: Bits<8>,
    /// 2.
    pub length: Bits<8>,
}

/// Fields of a [`TcpOptSackPermitted`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackTcpOptSackPermitted {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<16>>,
    /// Its fields.
    pub record: Signal<Out, TcpOptSackPermitted>,
}

impl Logic for UnpackTcpOptSackPermitted {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.kind = self.octets.val().get_bits::<8>(0);
        self.record.next.length = self.octets.val().get_bits::<8>(8);
    }
}

/// Octets of a [`TcpOptSackPermitted`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackTcpOptSackPermitted {
    /// Fields.
    pub record: Signal<In, TcpOptSackPermitted>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<16>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
}

impl Logic for PackTcpOptSackPermitted {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().kind;
        self.word_1.next = self.record.val().length;
        self.octets.next = bit_cast::<16, 8>(self.word_0.val()) | (bit_cast::<16, 8>(self.word_1.val()) << 8);
    }
}

/// One block of received octets; up to four follow the head of a SACK option.
///
/// 8 octets, RFC 2018 section 3.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct TcpSackBlock {
    /// First octet of the block.
    pub left_edge: Bits<32>,
    /// First octet after the block.
    pub right_edge: Bits<32>,
}

/// Fields of a [`TcpSackBlock`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackTcpSackBlock {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<64>>,
    /// Its fields.
    pub record: Signal<Out, TcpSackBlock>,
}

impl Logic for UnpackTcpSackBlock {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.left_edge = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(0)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(16)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(24));
        self.record.next.right_edge = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(48)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(56));
    }
}

/// Octets of a [`TcpSackBlock`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackTcpSackBlock {
    /// Fields.
    pub record: Signal<In, TcpSackBlock>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<64>>,
    word_0: Signal<Local, Bits<32>>,
    lane_0: Signal<Local, Bits<32>>,
    word_4: Signal<Local, Bits<32>>,
    lane_4: Signal<Local, Bits<32>>,
}

impl Logic for PackTcpSackBlock {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().left_edge;
        self.lane_0.next = bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_0.val().get_bits::<8>(0)) << 24);
        self.word_4.next = self.record.val().right_edge;
        self.lane_4.next = bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_4.val().get_bits::<8>(0)) << 24);
        self.octets.next =
            bit_cast::<64, 32>(self.lane_0.val()) | (bit_cast::<64, 32>(self.lane_4.val()) << 32);
    }
}

/// Timestamps.
///
/// 10 octets, RFC 7323 section 3.2.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct TcpOptTimestamps {
    /// 8.
    pub kind: Bits<8>,
    /// 10.
    pub length: Bits<8>,
    /// TSval: the sender's clock.
    pub ts_value: Bits<32>,
    /// TSecr: the receiver's clock as last seen, if ACK is set.
    pub ts_echo: Bits<32>,
}

/// Fields of a [`TcpOptTimestamps`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackTcpOptTimestamps {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<80>>,
    /// Its fields.
    pub record: Signal<Out, TcpOptTimestamps>,
}

impl Logic for UnpackTcpOptTimestamps {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.kind = self.octets.val().get_bits::<8>(0);
        self.record.next.length = self.octets.val().get_bits::<8>(8);
        self.record.next.ts_value = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(16)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(24)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(32)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(40));
        self.record.next.ts_echo = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(48)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(56)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(64)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(72));
    }
}

/// Octets of a [`TcpOptTimestamps`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackTcpOptTimestamps {
    /// Fields.
    pub record: Signal<In, TcpOptTimestamps>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<80>>,
    word_0: Signal<Local, Bits<8>>,
    word_1: Signal<Local, Bits<8>>,
    word_2: Signal<Local, Bits<32>>,
    lane_2: Signal<Local, Bits<32>>,
    word_6: Signal<Local, Bits<32>>,
    lane_6: Signal<Local, Bits<32>>,
}

impl Logic for PackTcpOptTimestamps {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().kind;
        self.word_1.next = self.record.val().length;
        self.word_2.next = self.record.val().ts_value;
        self.lane_2.next = bit_cast::<32, 8>(self.word_2.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_2.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_2.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_2.val().get_bits::<8>(0)) << 24);
        self.word_6.next = self.record.val().ts_echo;
        self.lane_6.next = bit_cast::<32, 8>(self.word_6.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_6.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_6.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_6.val().get_bits::<8>(0)) << 24);
        self.octets.next = bit_cast::<80, 8>(self.word_0.val())
            | (bit_cast::<80, 8>(self.word_1.val()) << 8)
            | (bit_cast::<80, 32>(self.lane_2.val()) << 16)
            | (bit_cast::<80, 32>(self.lane_6.val()) << 48);
    }
}
