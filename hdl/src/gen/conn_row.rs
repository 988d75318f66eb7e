// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Header records of Connection row and their wiring.
#![allow(missing_docs)] // the derives make undocumented methods
use rust_hdl::prelude::*;

/// A connection as `conn_insert` hands it over; its index is its queue pair's. `conn_update` writes
/// the fields that say so and ignores all others. `read_row` gives `gate_open`, RCV.NXT, SND.UNA,
/// SND.NXT, SND.WND, SND.WL1 and SND.WL2 as they are now, and zero if there is no connection.
/// Timestamps, SACK and ECN have places. Hardware does not keep them yet, so `conn_insert` refuses
/// a row with one of their flags or with a SACK block.
///
/// 144 octets, Ferrowarp, RFC 9293 section 3.3.1.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct ConnRow {
    /// Next hop; `conn_update` writes it.
    pub destination_mac: Bits<48>,
    /// Ours; `conn_update` writes it.
    pub source_mac: Bits<48>,
    /// Tag control information, with `has_vlan`; `conn_update` writes it.
    pub vlan_tci: Bits<16>,
    /// Frames carry an 802.1Q tag; `conn_update` writes it.
    pub has_vlan: Bit,
    /// IPv6, else IPv4.
    pub is_ipv6: Bit,
    /// FPDUs may leave; else they wait for the first good one received. `conn_update` opens it, and
    /// never closes it.
    pub gate_open: Bit,
    /// An ACK is due at once.
    pub ack_now: Bit,
    /// We insert markers.
    pub tx_markers: Bit,
    /// The peer inserts markers.
    pub rx_markers: Bit,
    /// We send CRCs.
    pub tx_crc: Bit,
    /// We check CRCs.
    pub rx_crc: Bit,
    /// RFC 7323 timestamps are in use.
    pub timestamps: Bit,
    /// RFC 2018 selective acknowledgements are in use.
    pub sack: Bit,
    /// RFC 3168 congestion notification is in use.
    pub ecn: Bit,
    /// Ours; IPv4 in the last 32 bits, the rest zero.
    pub local_ip: Bits<128>,
    /// The peer's, in the same form.
    pub remote_ip: Bits<128>,
    /// Ours.
    pub local_port: Bits<16>,
    /// The peer's.
    pub remote_port: Bits<16>,
    /// TTL or hop limit of what we send; `conn_update` writes it.
    pub ttl: Bits<8>,
    /// DSCP and ECN bits of what we send; `conn_update` writes it.
    pub traffic_class: Bits<8>,
    /// Shift of the windows that the peer advertises, 0 to 14.
    pub snd_scale: Bits<4>,
    /// Shift of the window that we advertise, 0 to 14. A window beyond 32 KiB begins with 16 KiB.
    pub rcv_scale: Bits<4>,
    /// Waits in a row after which the connection is lost; 0: as many as register `retry_limit`
    /// says.
    pub retry_limit: Bits<8>,
    /// Largest IP packet in octets.
    pub mtu: Bits<16>,
    /// Effective maximum segment size in octets; `conn_update` writes it.
    pub emss: Bits<16>,
    /// Largest ULPDU in octets, at least 128, its FPDU within EMSS; `conn_update` writes it, and it
    /// counts from the next message on.
    pub mulpdu: Bits<16>,
    /// Round trip that the handshake has shown, in units of 10 us; 0: not known.
    pub rtt: Bits<16>,
    /// RCV.NXT, and RCV.ACK too.
    pub rcv_nxt: Bits<32>,
    /// SND.UNA: stream offset 0 of the transmit side.
    pub snd_una: Bits<32>,
    /// SND.NXT.
    pub snd_nxt: Bits<32>,
    /// SND.WND in octets.
    pub snd_wnd: Bits<32>,
    /// SeqStart of the peer's octets.
    pub rx_seq_start: Bits<32>,
    /// SeqStart of our octets.
    pub tx_seq_start: Bits<32>,
    /// SND.WL1.
    pub snd_wl1: Bits<32>,
    /// SND.WL2.
    pub snd_wl2: Bits<32>,
    /// TS.Recent.
    pub ts_recent: Bits<32>,
    /// What is added to the clock in our timestamps.
    pub ts_offset: Bits<32>,
    /// IPv6 flow label of what we send; `conn_update` writes it.
    pub flow_label: Bits<20>,
    /// Units of 163.84 ms without a segment, after which the peer is asked for a sign of life; 0:
    /// it is never asked.
    pub keepalive: Bits<16>,
    /// Block 0 of what came beyond a gap: its first octet.
    pub sack_left_0: Bits<32>,
    /// Its end.
    pub sack_right_0: Bits<32>,
    /// Block 1 of what came beyond a gap: its first octet.
    pub sack_left_1: Bits<32>,
    /// Its end.
    pub sack_right_1: Bits<32>,
    /// Block 2 of what came beyond a gap: its first octet.
    pub sack_left_2: Bits<32>,
    /// Its end.
    pub sack_right_2: Bits<32>,
    /// Block 3 of what came beyond a gap: its first octet.
    pub sack_left_3: Bits<32>,
    /// Its end.
    pub sack_right_3: Bits<32>,
}

/// Fields of a [`ConnRow`] from its octets; reserved bits are ignored.
#[derive(LogicBlock, Default)]
pub struct UnpackConnRow {
    /// Header as it came: octet 0 is bits 7:0.
    pub octets: Signal<In, Bits<1152>>,
    /// Its fields.
    pub record: Signal<Out, ConnRow>,
    local_ip_0: Signal<Local, Bits<64>>,
    local_ip_1: Signal<Local, Bits<64>>,
    remote_ip_0: Signal<Local, Bits<64>>,
    remote_ip_1: Signal<Local, Bits<64>>,
}

impl Logic for UnpackConnRow {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next.destination_mac = (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(0)) << 40)
            | (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(8)) << 32)
            | (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(16)) << 24)
            | (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(24)) << 16)
            | (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(32)) << 8)
            | bit_cast::<48, 8>(self.octets.val().get_bits::<8>(40));
        self.record.next.source_mac = (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(48)) << 40)
            | (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(56)) << 32)
            | (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(64)) << 24)
            | (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(72)) << 16)
            | (bit_cast::<48, 8>(self.octets.val().get_bits::<8>(80)) << 8)
            | bit_cast::<48, 8>(self.octets.val().get_bits::<8>(88));
        self.record.next.vlan_tci = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(96)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(104));
        self.record.next.has_vlan = self.octets.val().get_bit(119);
        self.record.next.is_ipv6 = self.octets.val().get_bit(118);
        self.record.next.gate_open = self.octets.val().get_bit(117);
        self.record.next.ack_now = self.octets.val().get_bit(116);
        self.record.next.tx_markers = self.octets.val().get_bit(115);
        self.record.next.rx_markers = self.octets.val().get_bit(114);
        self.record.next.tx_crc = self.octets.val().get_bit(113);
        self.record.next.rx_crc = self.octets.val().get_bit(112);
        self.record.next.timestamps = self.octets.val().get_bit(127);
        self.record.next.sack = self.octets.val().get_bit(126);
        self.record.next.ecn = self.octets.val().get_bit(125);
        self.local_ip_0.next = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(128)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(136)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(144)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(152)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(160)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(168)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(176)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(184));
        self.local_ip_1.next = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(192)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(200)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(208)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(216)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(224)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(232)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(240)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(248));
        self.record.next.local_ip =
            (bit_cast::<128, 64>(self.local_ip_0.val()) << 64) | bit_cast::<128, 64>(self.local_ip_1.val());
        self.remote_ip_0.next = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(256)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(264)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(272)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(280)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(288)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(296)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(304)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(312));
        self.remote_ip_1.next = (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(320)) << 56)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(328)) << 48)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(336)) << 40)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(344)) << 32)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(352)) << 24)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(360)) << 16)
            | (bit_cast::<64, 8>(self.octets.val().get_bits::<8>(368)) << 8)
            | bit_cast::<64, 8>(self.octets.val().get_bits::<8>(376));
        self.record.next.remote_ip =
            (bit_cast::<128, 64>(self.remote_ip_0.val()) << 64) | bit_cast::<128, 64>(self.remote_ip_1.val());
        self.record.next.local_port = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(384)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(392));
        self.record.next.remote_port = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(400)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(408));
        self.record.next.ttl = self.octets.val().get_bits::<8>(416);
        self.record.next.traffic_class = self.octets.val().get_bits::<8>(424);
        self.record.next.snd_scale = self.octets.val().get_bits::<4>(436);
        self.record.next.rcv_scale = self.octets.val().get_bits::<4>(432);
        self.record.next.retry_limit = self.octets.val().get_bits::<8>(440);
        self.record.next.mtu = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(448)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(456));
        self.record.next.emss = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(464)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(472));
        self.record.next.mulpdu = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(480)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(488));
        self.record.next.rtt = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(496)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(504));
        self.record.next.rcv_nxt = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(512)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(520)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(528)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(536));
        self.record.next.snd_una = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(544)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(552)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(560)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(568));
        self.record.next.snd_nxt = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(576)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(584)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(592)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(600));
        self.record.next.snd_wnd = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(608)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(616)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(624)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(632));
        self.record.next.rx_seq_start = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(640)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(648)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(656)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(664));
        self.record.next.tx_seq_start = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(672)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(680)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(688)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(696));
        self.record.next.snd_wl1 = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(704)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(712)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(720)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(728));
        self.record.next.snd_wl2 = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(736)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(744)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(752)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(760));
        self.record.next.ts_recent = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(768)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(776)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(784)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(792));
        self.record.next.ts_offset = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(800)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(808)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(816)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(824));
        self.record.next.flow_label = (bit_cast::<20, 8>(self.octets.val().get_bits::<8>(832)) << 12)
            | (bit_cast::<20, 8>(self.octets.val().get_bits::<8>(840)) << 4)
            | bit_cast::<20, 4>(self.octets.val().get_bits::<4>(852));
        self.record.next.keepalive = (bit_cast::<16, 8>(self.octets.val().get_bits::<8>(864)) << 8)
            | bit_cast::<16, 8>(self.octets.val().get_bits::<8>(872));
        self.record.next.sack_left_0 = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(896)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(904)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(912)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(920));
        self.record.next.sack_right_0 = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(928)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(936)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(944)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(952));
        self.record.next.sack_left_1 = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(960)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(968)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(976)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(984));
        self.record.next.sack_right_1 = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(992)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1000)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1008)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1016));
        self.record.next.sack_left_2 = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1024)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1032)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1040)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1048));
        self.record.next.sack_right_2 = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1056)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1064)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1072)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1080));
        self.record.next.sack_left_3 = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1088)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1096)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1104)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1112));
        self.record.next.sack_right_3 = (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1120)) << 24)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1128)) << 16)
            | (bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1136)) << 8)
            | bit_cast::<32, 8>(self.octets.val().get_bits::<8>(1144));
    }
}

/// Octets of a [`ConnRow`] from its fields; reserved bits are zero.
#[derive(LogicBlock, Default)]
pub struct PackConnRow {
    /// Fields.
    pub record: Signal<In, ConnRow>,
    /// Header to be sent: octet 0 is bits 7:0.
    pub octets: Signal<Out, Bits<1152>>,
    word_0: Signal<Local, Bits<48>>,
    lane_0: Signal<Local, Bits<48>>,
    word_6: Signal<Local, Bits<48>>,
    lane_6: Signal<Local, Bits<48>>,
    word_12: Signal<Local, Bits<16>>,
    lane_12: Signal<Local, Bits<16>>,
    word_14: Signal<Local, Bits<8>>,
    word_15: Signal<Local, Bits<8>>,
    word_16: Signal<Local, Bits<128>>,
    lane_16: Signal<Local, Bits<64>>,
    lane_24: Signal<Local, Bits<64>>,
    word_32: Signal<Local, Bits<128>>,
    lane_32: Signal<Local, Bits<64>>,
    lane_40: Signal<Local, Bits<64>>,
    word_48: Signal<Local, Bits<16>>,
    lane_48: Signal<Local, Bits<16>>,
    word_50: Signal<Local, Bits<16>>,
    lane_50: Signal<Local, Bits<16>>,
    word_52: Signal<Local, Bits<8>>,
    word_53: Signal<Local, Bits<8>>,
    word_54: Signal<Local, Bits<8>>,
    word_55: Signal<Local, Bits<8>>,
    word_56: Signal<Local, Bits<16>>,
    lane_56: Signal<Local, Bits<16>>,
    word_58: Signal<Local, Bits<16>>,
    lane_58: Signal<Local, Bits<16>>,
    word_60: Signal<Local, Bits<16>>,
    lane_60: Signal<Local, Bits<16>>,
    word_62: Signal<Local, Bits<16>>,
    lane_62: Signal<Local, Bits<16>>,
    word_64: Signal<Local, Bits<32>>,
    lane_64: Signal<Local, Bits<32>>,
    word_68: Signal<Local, Bits<32>>,
    lane_68: Signal<Local, Bits<32>>,
    word_72: Signal<Local, Bits<32>>,
    lane_72: Signal<Local, Bits<32>>,
    word_76: Signal<Local, Bits<32>>,
    lane_76: Signal<Local, Bits<32>>,
    word_80: Signal<Local, Bits<32>>,
    lane_80: Signal<Local, Bits<32>>,
    word_84: Signal<Local, Bits<32>>,
    lane_84: Signal<Local, Bits<32>>,
    word_88: Signal<Local, Bits<32>>,
    lane_88: Signal<Local, Bits<32>>,
    word_92: Signal<Local, Bits<32>>,
    lane_92: Signal<Local, Bits<32>>,
    word_96: Signal<Local, Bits<32>>,
    lane_96: Signal<Local, Bits<32>>,
    word_100: Signal<Local, Bits<32>>,
    lane_100: Signal<Local, Bits<32>>,
    word_104: Signal<Local, Bits<32>>,
    lane_104: Signal<Local, Bits<32>>,
    word_108: Signal<Local, Bits<16>>,
    lane_108: Signal<Local, Bits<16>>,
    word_112: Signal<Local, Bits<32>>,
    lane_112: Signal<Local, Bits<32>>,
    word_116: Signal<Local, Bits<32>>,
    lane_116: Signal<Local, Bits<32>>,
    word_120: Signal<Local, Bits<32>>,
    lane_120: Signal<Local, Bits<32>>,
    word_124: Signal<Local, Bits<32>>,
    lane_124: Signal<Local, Bits<32>>,
    word_128: Signal<Local, Bits<32>>,
    lane_128: Signal<Local, Bits<32>>,
    word_132: Signal<Local, Bits<32>>,
    lane_132: Signal<Local, Bits<32>>,
    word_136: Signal<Local, Bits<32>>,
    lane_136: Signal<Local, Bits<32>>,
    word_140: Signal<Local, Bits<32>>,
    lane_140: Signal<Local, Bits<32>>,
}

impl Logic for PackConnRow {
    #[hdl_gen]
    fn update(&mut self) {
        self.word_0.next = self.record.val().destination_mac;
        self.lane_0.next = bit_cast::<48, 8>(self.word_0.val().get_bits::<8>(40))
            | (bit_cast::<48, 8>(self.word_0.val().get_bits::<8>(32)) << 8)
            | (bit_cast::<48, 8>(self.word_0.val().get_bits::<8>(24)) << 16)
            | (bit_cast::<48, 8>(self.word_0.val().get_bits::<8>(16)) << 24)
            | (bit_cast::<48, 8>(self.word_0.val().get_bits::<8>(8)) << 32)
            | (bit_cast::<48, 8>(self.word_0.val().get_bits::<8>(0)) << 40);
        self.word_6.next = self.record.val().source_mac;
        self.lane_6.next = bit_cast::<48, 8>(self.word_6.val().get_bits::<8>(40))
            | (bit_cast::<48, 8>(self.word_6.val().get_bits::<8>(32)) << 8)
            | (bit_cast::<48, 8>(self.word_6.val().get_bits::<8>(24)) << 16)
            | (bit_cast::<48, 8>(self.word_6.val().get_bits::<8>(16)) << 24)
            | (bit_cast::<48, 8>(self.word_6.val().get_bits::<8>(8)) << 32)
            | (bit_cast::<48, 8>(self.word_6.val().get_bits::<8>(0)) << 40);
        self.word_12.next = self.record.val().vlan_tci;
        self.lane_12.next = bit_cast::<16, 8>(self.word_12.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_12.val().get_bits::<8>(0)) << 8);
        self.word_14.next = (bit_cast::<8, 1>(self.record.val().has_vlan.into()) << 7)
            | (bit_cast::<8, 1>(self.record.val().is_ipv6.into()) << 6)
            | (bit_cast::<8, 1>(self.record.val().gate_open.into()) << 5)
            | (bit_cast::<8, 1>(self.record.val().ack_now.into()) << 4)
            | (bit_cast::<8, 1>(self.record.val().tx_markers.into()) << 3)
            | (bit_cast::<8, 1>(self.record.val().rx_markers.into()) << 2)
            | (bit_cast::<8, 1>(self.record.val().tx_crc.into()) << 1)
            | bit_cast::<8, 1>(self.record.val().rx_crc.into());
        self.word_15.next = (bit_cast::<8, 1>(self.record.val().timestamps.into()) << 7)
            | (bit_cast::<8, 1>(self.record.val().sack.into()) << 6)
            | (bit_cast::<8, 1>(self.record.val().ecn.into()) << 5);
        self.word_16.next = self.record.val().local_ip;
        self.lane_16.next = bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(120))
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(112)) << 8)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(104)) << 16)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(96)) << 24)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(88)) << 32)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(80)) << 40)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(72)) << 48)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(64)) << 56);
        self.lane_24.next = bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_16.val().get_bits::<8>(0)) << 56);
        self.word_32.next = self.record.val().remote_ip;
        self.lane_32.next = bit_cast::<64, 8>(self.word_32.val().get_bits::<8>(120))
            | (bit_cast::<64, 8>(self.word_32.val().get_bits::<8>(112)) << 8)
            | (bit_cast::<64, 8>(self.word_32.val().get_bits::<8>(104)) << 16)
            | (bit_cast::<64, 8>(self.word_32.val().get_bits::<8>(96)) << 24)
            | (bit_cast::<64, 8>(self.word_32.val().get_bits::<8>(88)) << 32)
            | (bit_cast::<64, 8>(self.word_32.val().get_bits::<8>(80)) << 40)
            | (bit_cast::<64, 8>(self.word_32.val().get_bits::<8>(72)) << 48)
            | (bit_cast::<64, 8>(self.word_32.val().get_bits::<8>(64)) << 56);
        self.lane_40.next = bit_cast::<64, 8>(self.word_32.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word_32.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word_32.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word_32.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word_32.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word_32.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word_32.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word_32.val().get_bits::<8>(0)) << 56);
        self.word_48.next = self.record.val().local_port;
        self.lane_48.next = bit_cast::<16, 8>(self.word_48.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_48.val().get_bits::<8>(0)) << 8);
        self.word_50.next = self.record.val().remote_port;
        self.lane_50.next = bit_cast::<16, 8>(self.word_50.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_50.val().get_bits::<8>(0)) << 8);
        self.word_52.next = self.record.val().ttl;
        self.word_53.next = self.record.val().traffic_class;
        self.word_54.next = (bit_cast::<8, 4>(self.record.val().snd_scale) << 4)
            | bit_cast::<8, 4>(self.record.val().rcv_scale);
        self.word_55.next = self.record.val().retry_limit;
        self.word_56.next = self.record.val().mtu;
        self.lane_56.next = bit_cast::<16, 8>(self.word_56.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_56.val().get_bits::<8>(0)) << 8);
        self.word_58.next = self.record.val().emss;
        self.lane_58.next = bit_cast::<16, 8>(self.word_58.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_58.val().get_bits::<8>(0)) << 8);
        self.word_60.next = self.record.val().mulpdu;
        self.lane_60.next = bit_cast::<16, 8>(self.word_60.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_60.val().get_bits::<8>(0)) << 8);
        self.word_62.next = self.record.val().rtt;
        self.lane_62.next = bit_cast::<16, 8>(self.word_62.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_62.val().get_bits::<8>(0)) << 8);
        self.word_64.next = self.record.val().rcv_nxt;
        self.lane_64.next = bit_cast::<32, 8>(self.word_64.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_64.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_64.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_64.val().get_bits::<8>(0)) << 24);
        self.word_68.next = self.record.val().snd_una;
        self.lane_68.next = bit_cast::<32, 8>(self.word_68.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_68.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_68.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_68.val().get_bits::<8>(0)) << 24);
        self.word_72.next = self.record.val().snd_nxt;
        self.lane_72.next = bit_cast::<32, 8>(self.word_72.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_72.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_72.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_72.val().get_bits::<8>(0)) << 24);
        self.word_76.next = self.record.val().snd_wnd;
        self.lane_76.next = bit_cast::<32, 8>(self.word_76.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_76.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_76.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_76.val().get_bits::<8>(0)) << 24);
        self.word_80.next = self.record.val().rx_seq_start;
        self.lane_80.next = bit_cast::<32, 8>(self.word_80.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_80.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_80.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_80.val().get_bits::<8>(0)) << 24);
        self.word_84.next = self.record.val().tx_seq_start;
        self.lane_84.next = bit_cast::<32, 8>(self.word_84.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_84.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_84.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_84.val().get_bits::<8>(0)) << 24);
        self.word_88.next = self.record.val().snd_wl1;
        self.lane_88.next = bit_cast::<32, 8>(self.word_88.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_88.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_88.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_88.val().get_bits::<8>(0)) << 24);
        self.word_92.next = self.record.val().snd_wl2;
        self.lane_92.next = bit_cast::<32, 8>(self.word_92.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_92.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_92.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_92.val().get_bits::<8>(0)) << 24);
        self.word_96.next = self.record.val().ts_recent;
        self.lane_96.next = bit_cast::<32, 8>(self.word_96.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_96.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_96.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_96.val().get_bits::<8>(0)) << 24);
        self.word_100.next = self.record.val().ts_offset;
        self.lane_100.next = bit_cast::<32, 8>(self.word_100.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_100.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_100.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_100.val().get_bits::<8>(0)) << 24);
        self.word_104.next = bit_cast::<32, 20>(self.record.val().flow_label) << 12;
        self.lane_104.next = bit_cast::<32, 8>(self.word_104.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_104.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_104.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_104.val().get_bits::<8>(0)) << 24);
        self.word_108.next = self.record.val().keepalive;
        self.lane_108.next = bit_cast::<16, 8>(self.word_108.val().get_bits::<8>(8))
            | (bit_cast::<16, 8>(self.word_108.val().get_bits::<8>(0)) << 8);
        self.word_112.next = self.record.val().sack_left_0;
        self.lane_112.next = bit_cast::<32, 8>(self.word_112.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_112.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_112.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_112.val().get_bits::<8>(0)) << 24);
        self.word_116.next = self.record.val().sack_right_0;
        self.lane_116.next = bit_cast::<32, 8>(self.word_116.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_116.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_116.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_116.val().get_bits::<8>(0)) << 24);
        self.word_120.next = self.record.val().sack_left_1;
        self.lane_120.next = bit_cast::<32, 8>(self.word_120.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_120.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_120.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_120.val().get_bits::<8>(0)) << 24);
        self.word_124.next = self.record.val().sack_right_1;
        self.lane_124.next = bit_cast::<32, 8>(self.word_124.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_124.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_124.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_124.val().get_bits::<8>(0)) << 24);
        self.word_128.next = self.record.val().sack_left_2;
        self.lane_128.next = bit_cast::<32, 8>(self.word_128.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_128.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_128.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_128.val().get_bits::<8>(0)) << 24);
        self.word_132.next = self.record.val().sack_right_2;
        self.lane_132.next = bit_cast::<32, 8>(self.word_132.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_132.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_132.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_132.val().get_bits::<8>(0)) << 24);
        self.word_136.next = self.record.val().sack_left_3;
        self.lane_136.next = bit_cast::<32, 8>(self.word_136.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_136.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_136.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_136.val().get_bits::<8>(0)) << 24);
        self.word_140.next = self.record.val().sack_right_3;
        self.lane_140.next = bit_cast::<32, 8>(self.word_140.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.word_140.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.word_140.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.word_140.val().get_bits::<8>(0)) << 24);
        self.octets.next = bit_cast::<1152, 48>(self.lane_0.val())
            | (bit_cast::<1152, 48>(self.lane_6.val()) << 48)
            | (bit_cast::<1152, 16>(self.lane_12.val()) << 96)
            | (bit_cast::<1152, 8>(self.word_14.val()) << 112)
            | (bit_cast::<1152, 8>(self.word_15.val()) << 120)
            | (bit_cast::<1152, 64>(self.lane_16.val()) << 128)
            | (bit_cast::<1152, 64>(self.lane_24.val()) << 192)
            | (bit_cast::<1152, 64>(self.lane_32.val()) << 256)
            | (bit_cast::<1152, 64>(self.lane_40.val()) << 320)
            | (bit_cast::<1152, 16>(self.lane_48.val()) << 384)
            | (bit_cast::<1152, 16>(self.lane_50.val()) << 400)
            | (bit_cast::<1152, 8>(self.word_52.val()) << 416)
            | (bit_cast::<1152, 8>(self.word_53.val()) << 424)
            | (bit_cast::<1152, 8>(self.word_54.val()) << 432)
            | (bit_cast::<1152, 8>(self.word_55.val()) << 440)
            | (bit_cast::<1152, 16>(self.lane_56.val()) << 448)
            | (bit_cast::<1152, 16>(self.lane_58.val()) << 464)
            | (bit_cast::<1152, 16>(self.lane_60.val()) << 480)
            | (bit_cast::<1152, 16>(self.lane_62.val()) << 496)
            | (bit_cast::<1152, 32>(self.lane_64.val()) << 512)
            | (bit_cast::<1152, 32>(self.lane_68.val()) << 544)
            | (bit_cast::<1152, 32>(self.lane_72.val()) << 576)
            | (bit_cast::<1152, 32>(self.lane_76.val()) << 608)
            | (bit_cast::<1152, 32>(self.lane_80.val()) << 640)
            | (bit_cast::<1152, 32>(self.lane_84.val()) << 672)
            | (bit_cast::<1152, 32>(self.lane_88.val()) << 704)
            | (bit_cast::<1152, 32>(self.lane_92.val()) << 736)
            | (bit_cast::<1152, 32>(self.lane_96.val()) << 768)
            | (bit_cast::<1152, 32>(self.lane_100.val()) << 800)
            | (bit_cast::<1152, 32>(self.lane_104.val()) << 832)
            | (bit_cast::<1152, 16>(self.lane_108.val()) << 864)
            | (bit_cast::<1152, 32>(self.lane_112.val()) << 896)
            | (bit_cast::<1152, 32>(self.lane_116.val()) << 928)
            | (bit_cast::<1152, 32>(self.lane_120.val()) << 960)
            | (bit_cast::<1152, 32>(self.lane_124.val()) << 992)
            | (bit_cast::<1152, 32>(self.lane_128.val()) << 1024)
            | (bit_cast::<1152, 32>(self.lane_132.val()) << 1056)
            | (bit_cast::<1152, 32>(self.lane_136.val()) << 1088)
            | (bit_cast::<1152, 32>(self.lane_140.val()) << 1120);
    }
}
