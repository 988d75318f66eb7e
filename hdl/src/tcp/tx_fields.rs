// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fields that all headers of a connection have in common.
use crate::gen::consts::{ether_type, ip_protocol, tcp_option};
use crate::gen::{ConnRow, EthernetHdr, Ipv4Hdr, Ipv6Hdr, TcpHdr, TcpOptTimestamps, VlanTag};
use crate::prelude::*;

/// Combinational: a connection's row to the records of all headers, whichever of them its frames
/// have. What differs from segment to segment is zero.
///
/// IPv4 packets are atomic (DF set, never a fragment): RFC 6864 section 4.1 then gives their
/// Identification no meaning, and it is zero. Timestamps are zero until hardware keeps them.
#[block(comb)]
pub struct TxFields {
    /// The connection.
    pub row: Signal<In, ConnRow>,
    /// Header of Ethernet.
    pub ethernet: Signal<Out, EthernetHdr>,
    /// 802.1Q tag.
    pub tag: Signal<Out, VlanTag>,
    /// Header of IPv4.
    pub ipv4: Signal<Out, Ipv4Hdr>,
    /// Header of IPv6.
    pub ipv6: Signal<Out, Ipv6Hdr>,
    /// Header of TCP.
    pub tcp: Signal<Out, TcpHdr>,
    /// Timestamps option.
    pub stamps: Signal<Out, TcpOptTimestamps>,
    r: Signal<Local, ConnRow>,
    protocol_type: Signal<Local, Bits<16>>,
    ethernet_rec: Signal<Local, EthernetHdr>,
    tag_rec: Signal<Local, VlanTag>,
    ipv4_rec: Signal<Local, Ipv4Hdr>,
    ipv6_rec: Signal<Local, Ipv6Hdr>,
    tcp_rec: Signal<Local, TcpHdr>,
    stamp_rec: Signal<Local, TcpOptTimestamps>,
}

#[kernel]
impl Logic for TxFields {
    fn update(&mut self) {
        self.r.next = self.row.val();

        self.protocol_type.next = ether_type::ipv4().val();
        if self.r.val().is_ipv6 {
            self.protocol_type.next = ether_type::ipv6().val();
        }
        self.ethernet_rec.next.destination = self.r.val().destination_mac;
        self.ethernet_rec.next.source = self.r.val().source_mac;
        self.ethernet_rec.next.ethertype = self.protocol_type.val();
        if self.r.val().has_vlan {
            self.ethernet_rec.next.ethertype = ether_type::vlan().val();
        }
        self.ethernet.next = self.ethernet_rec.val();
        let tci: Bits<16> = self.r.val().vlan_tci;
        self.tag_rec.next.pcp = tci.get_bits::<3>(13);
        self.tag_rec.next.dei = tci.get_bit(12);
        self.tag_rec.next.vid = tci.get_bits::<12>(0);
        self.tag_rec.next.ethertype = self.protocol_type.val();
        self.tag.next = self.tag_rec.val();

        let service: Bits<8> = self.r.val().traffic_class;
        self.ipv4_rec.next.version = 4.into();
        self.ipv4_rec.next.ihl = 5.into();
        self.ipv4_rec.next.dscp = service.get_bits::<6>(2);
        self.ipv4_rec.next.ecn = service.get_bits::<2>(0);
        self.ipv4_rec.next.total_length = 0.into();
        self.ipv4_rec.next.identification = 0.into();
        self.ipv4_rec.next.dont_fragment = true;
        self.ipv4_rec.next.more_fragments = false;
        self.ipv4_rec.next.fragment_offset = 0.into();
        self.ipv4_rec.next.ttl = self.r.val().ttl;
        self.ipv4_rec.next.protocol = ip_protocol::tcp().val();
        self.ipv4_rec.next.checksum = 0.into();
        self.ipv4_rec.next.source = bit_cast::<32, 128>(self.r.val().local_ip);
        self.ipv4_rec.next.destination = bit_cast::<32, 128>(self.r.val().remote_ip);
        self.ipv4.next = self.ipv4_rec.val();
        self.ipv6_rec.next.version = 6.into();
        self.ipv6_rec.next.dscp = service.get_bits::<6>(2);
        self.ipv6_rec.next.ecn = service.get_bits::<2>(0);
        self.ipv6_rec.next.flow_label = self.r.val().flow_label;
        self.ipv6_rec.next.payload_length = 0.into();
        self.ipv6_rec.next.next_header = ip_protocol::tcp().val();
        self.ipv6_rec.next.hop_limit = self.r.val().ttl;
        self.ipv6_rec.next.source = self.r.val().local_ip;
        self.ipv6_rec.next.destination = self.r.val().remote_ip;
        self.ipv6.next = self.ipv6_rec.val();

        self.tcp_rec.next.source_port = self.r.val().local_port;
        self.tcp_rec.next.destination_port = self.r.val().remote_port;
        self.tcp_rec.next.sequence_number = 0.into();
        self.tcp_rec.next.acknowledgment_number = 0.into();
        self.tcp_rec.next.data_offset = 5.into();
        if self.r.val().timestamps {
            self.tcp_rec.next.data_offset = 8.into();
        }
        self.tcp_rec.next.cwr = false;
        self.tcp_rec.next.ece = false;
        self.tcp_rec.next.urg = false;
        self.tcp_rec.next.ack = true;
        self.tcp_rec.next.psh = false;
        self.tcp_rec.next.rst = false;
        self.tcp_rec.next.syn = false;
        self.tcp_rec.next.fin = false;
        self.tcp_rec.next.window = 0.into();
        self.tcp_rec.next.checksum = 0.into();
        self.tcp_rec.next.urgent_pointer = 0.into();
        self.tcp.next = self.tcp_rec.val();
        self.stamp_rec.next.kind = tcp_option::timestamps().val();
        self.stamp_rec.next.length = 10.into();
        self.stamp_rec.next.ts_value = 0.into();
        self.stamp_rec.next.ts_echo = 0.into();
        self.stamps.next = self.stamp_rec.val();
    }
}
