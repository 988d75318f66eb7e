// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Ethernet and IP said of one frame, brought together: TCP segment, raw frame, or rubbish.
use super::rx_record::RxSegment;
use crate::cell::Const;
use crate::eth::{kind, EthFrame};
use crate::gen::consts::{ip_protocol, raw_reason};
use crate::gen::{TcpHdr, UnpackTcpHdr};
use crate::ip::RxPacket;
use crate::stream::{Hold, ItemSink, ItemSource};
use rust_hdl::prelude::*;

/// Joins the items of `EthRx` and `IpRx`, in order, a frame a cycle, and reads the TCP header; one
/// cycle. Frames with `err` are swallowed here.
///
/// Judged in this order: nothing behind the Ethernet header (dropped); no IP (raw); malformed or a
/// wrong header checksum (dropped); a fragment, an extension header, another protocol (raw); an
/// impossible TCP header or a wrong TCP checksum (dropped).
#[derive(LogicBlock, Default)]
pub struct RxMeet {
    /// Clock, rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Of Ethernet, one item a frame.
    pub frame: ItemSink<EthFrame>,
    /// Of IP, one item a frame that has a packet.
    pub packet: ItemSink<RxPacket>,
    /// Frames with a good FCS.
    pub segment: ItemSource<RxSegment>,
    /// With `segment`: its key in the 4-tuple table.
    pub key: Signal<Out, Bits<289>>,
    /// Pulses: malformed, IPv4 header checksum, TCP checksum.
    pub faults: Signal<Out, Bits<3>>,
    unpack: UnpackTcpHdr,
    // Two slots in step carry segment and key.
    out: Hold<RxSegment>,
    out_key: Hold<Bits<289>>,
    keep: Signal<Local, Bit>,
    tcp: Signal<Local, TcpHdr>,
    eth: Signal<Local, EthFrame>,
    ip: Signal<Local, RxPacket>,
    all: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    is_v6: Signal<Local, Bit>,
    agrees: Signal<Local, Bit>,
    is_extended: Signal<Local, Bit>,
    tcp_header: Signal<Local, Bits<16>>,
    fault: Signal<Local, Bits<3>>,
    s: Signal<Local, RxSegment>,
    ipv4_kind: Const<Bits<2>>,
    ipv6_kind: Const<Bits<2>>,
    version_4: Const<Bits<4>>,
    version_6: Const<Bits<4>>,
    extension: Vec<Const<Bits<8>>>,
    protocol: Const<Bits<8>>,
    icmp: Const<Bits<8>>,
    icmpv6: Const<Bits<8>>,
    arp_kind: Const<Bits<2>>,
    plain: Const<Bits<16>>,
    tagged_header: Const<Bits<16>>,
    least_tcp: Const<Bits<16>>,
    not_ip: Const<Bits<8>>,
    not_tcp: Const<Bits<8>>,
    fragment: Const<Bits<8>>,
    ip_extension: Const<Bits<8>>,
    malformed: Const<Bits<3>>,
    bad_header: Const<Bits<3>>,
    bad_tcp: Const<Bits<3>>,
}

impl RxMeet {
    /// The join.
    pub fn new() -> Self {
        Self {
            ipv4_kind: Const::of(kind::IPV4),
            ipv6_kind: Const::of(kind::IPV6),
            version_4: Const::of(4),
            version_6: Const::of(6),
            // hop-by-hop, routing, fragment, authentication, destination options (RFC 8200
            // section 4)
            extension: [0, 43, 44, 51, 60].map(Const::of).into(),
            protocol: ip_protocol::tcp(),
            icmp: ip_protocol::icmp(),
            icmpv6: ip_protocol::icmpv6(),
            arp_kind: Const::of(kind::ARP),
            plain: Const::of(14),
            tagged_header: Const::of(18),
            least_tcp: Const::of(20),
            not_ip: raw_reason::not_ip(),
            not_tcp: raw_reason::not_tcp(),
            fragment: raw_reason::fragment(),
            ip_extension: raw_reason::ip_extension(),
            malformed: Const::of(1),
            bad_header: Const::of(2),
            bad_tcp: Const::of(4),
            ..Default::default()
        }
    }
}

impl Logic for RxMeet {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, out, out_key);
        self.out.reset.next = self.reset.val();
        self.out_key.reset.next = self.reset.val();
        self.eth.next = self.frame.item.val();
        self.ip.next = self.packet.item.val();
        // from the port itself: by way of `ip` Verilator would see a loop through the record
        self.unpack.octets.next = self.packet.item.val().tcp;
        self.tcp.next = self.unpack.record.val();
        self.all.next = self.frame.valid.val() && (self.packet.valid.val() || !self.eth.val().has_packet);
        self.done.next = self.all.val() && (self.out.rx.ready.val() || self.eth.val().err);
        self.keep.next = self.all.val() && self.out.rx.ready.val() && !self.eth.val().err;
        self.frame.ready.next = self.done.val();
        self.packet.ready.next = self.done.val() && self.eth.val().has_packet;

        self.is_v6.next = self.eth.val().kind == self.ipv6_kind.val();
        self.agrees.next = (self.is_v6.val() && (self.ip.val().version == self.version_6.val()))
            || ((self.eth.val().kind == self.ipv4_kind.val())
                && (self.ip.val().version == self.version_4.val()));
        self.is_extended.next = false;
        for i in 0..5 {
            if self.is_v6.val() && (self.ip.val().protocol == self.extension[i].val()) {
                self.is_extended.next = true;
            }
        }
        self.tcp_header.next = bit_cast::<16, 4>(self.tcp.val().data_offset) << 2;
        self.s.next.frame = self.eth.val().octets;
        self.s.next.raw = 0.into();
        self.s.next.octets = self.ip.val().octets - self.tcp_header.val();
        self.s.next.head = (self.ip.val().header + self.tcp_header.val()) + self.plain.val();
        if self.eth.val().has_vlan {
            self.s.next.head = (self.ip.val().header + self.tcp_header.val()) + self.tagged_header.val();
        }
        self.s.next.seq = self.tcp.val().sequence_number;
        self.s.next.ack = self.tcp.val().acknowledgment_number;
        self.s.next.window = self.tcp.val().window;
        self.s.next.has_fin = self.tcp.val().fin;
        self.s.next.has_syn = self.tcp.val().syn;
        self.s.next.has_rst = self.tcp.val().rst;
        self.s.next.has_ack = self.tcp.val().ack;
        self.s.next.has_urg = self.tcp.val().urg;
        self.s.next.vid = self.eth.val().vid;
        self.s.next.to_group = self.eth.val().to_group;

        self.s.next.is_low = false;
        self.fault.next = 0.into();
        if !self.eth.val().has_packet {
            self.fault.next = self.malformed.val();
        } else if !self.is_v6.val() && (self.eth.val().kind != self.ipv4_kind.val()) {
            self.s.next.raw = self.not_ip.val();
            self.s.next.is_low = self.eth.val().kind != self.arp_kind.val();
        } else if self.ip.val().malformed || !self.agrees.val() {
            self.fault.next = self.malformed.val();
        } else if !self.ip.val().header_good {
            self.fault.next = self.bad_header.val();
        } else if self.ip.val().is_fragment {
            self.s.next.raw = self.fragment.val();
            self.s.next.is_low = true;
        } else if self.is_extended.val() {
            self.s.next.raw = self.ip_extension.val();
            self.s.next.is_low = true;
        } else if self.ip.val().protocol != self.protocol.val() {
            self.s.next.raw = self.not_tcp.val();
            self.s.next.is_low =
                (self.ip.val().protocol != self.icmp.val()) && (self.ip.val().protocol != self.icmpv6.val());
        } else if (self.ip.val().octets < self.least_tcp.val())
            || (self.tcp_header.val() < self.least_tcp.val())
            || (self.tcp_header.val() > self.ip.val().octets)
        {
            self.fault.next = self.malformed.val();
        } else if !self.ip.val().tcp_good {
            self.fault.next = self.bad_tcp.val();
        }
        self.s.next.bad = self.fault.val().any();
        self.faults.next = 0.into();
        if self.keep.val() {
            self.faults.next = self.fault.val();
        }
        self.out.rx.item.next = self.s.val();
        self.out.rx.valid.next = self.keep.val();
        self.out_key.rx.item.next = bit_cast::<289, 128>(self.ip.val().remote)
            | (bit_cast::<289, 128>(self.ip.val().local) << 128)
            | (bit_cast::<289, 16>(self.tcp.val().source_port) << 256)
            | (bit_cast::<289, 16>(self.tcp.val().destination_port) << 272)
            | (bit_cast::<289, 1>(self.is_v6.val().into()) << 288);
        self.out_key.rx.valid.next = self.keep.val();
        ItemSource::<RxSegment>::link(&mut self.segment, &mut self.out.tx);
        self.key.next = self.out_key.tx.item.val();
        self.out_key.tx.ready.next = self.segment.ready.val();
    }
}
