// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Ethernet and IP said of one frame, brought together: TCP segment, raw frame, or rubbish.
use super::rx_record::RxSegment;
use crate::eth::{kind, EthFrame};
use crate::gen::consts::{ip_protocol, raw_reason};
use crate::gen::{TcpHdr, UnpackTcpHdr};
use crate::ip::RxPacket;
use crate::prelude::*;
use crate::stream::{Hold, ItemSink, ItemSource};

const VERSION_4: usize = 4;
const VERSION_6: usize = 6;
const PLAIN: usize = 14;
const TAGGED_HEADER: usize = 18;
const LEAST_TCP: usize = 20;
const MALFORMED: usize = 1;
const BAD_HEADER: usize = 2;
const BAD_TCP: usize = 4;

/// Joins the items of `EthRx` and `IpRx`, in order, a frame a cycle, and reads the TCP header; one
/// cycle. Frames with `err` are swallowed here.
///
/// Judged in this order: nothing behind the Ethernet header (dropped); no IP (raw); malformed or a
/// wrong header checksum (dropped); a fragment, an extension header, another protocol (raw); an
/// impossible TCP header or a wrong TCP checksum (dropped).
#[block]
pub struct RxMeet {
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
    tcp: Signal<Local, TcpHdr>,
    eth: Signal<Local, EthFrame>,
    ip: Signal<Local, RxPacket>,
    is_v6: Signal<Local, Bit>,
    is_extended: Signal<Local, Bit>,
    fault: Signal<Local, Bits<3>>,
    s: Signal<Local, RxSegment>,
    extension: Vec<Const<Bits<8>>>,
}

impl RxMeet {
    /// The join.
    pub fn new() -> Self {
        Self {
            // hop-by-hop, routing, fragment, authentication, destination options (RFC 8200
            // section 4)
            extension: [0, 43, 44, 51, 60].map(Const::of).into(),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for RxMeet {
    fn update(&mut self) {
        parts!(out, out_key);
        self.eth.next = self.frame.item.val();
        self.ip.next = self.packet.item.val();
        // from the port itself: by way of `ip` Verilator would see a loop through the record
        self.unpack.octets.next = self.packet.item.val().tcp;
        self.tcp.next = self.unpack.record.val();
        let all: Bit = self.frame.valid.val() && (self.packet.valid.val() || !self.eth.val().has_packet);
        let done: Bit = all && (self.out.rx.ready.val() || self.eth.val().err);
        let keep: Bit = all && self.out.rx.ready.val() && !self.eth.val().err;
        self.frame.ready.next = done;
        self.packet.ready.next = done && self.eth.val().has_packet;

        self.is_v6.next = self.eth.val().kind == lit::<2>(kind::IPV6);
        let agrees: Bit = (self.is_v6.val() && (self.ip.val().version == lit::<4>(VERSION_6)))
            || ((self.eth.val().kind == lit::<2>(kind::IPV4))
                && (self.ip.val().version == lit::<4>(VERSION_4)));
        self.is_extended.next = false;
        for i in 0..5 {
            if self.is_v6.val() && (self.ip.val().protocol == self.extension[i].val()) {
                self.is_extended.next = true;
            }
        }
        let tcp_header: Bits<16> = bit_cast::<16, 4>(self.tcp.val().data_offset) << 2;
        self.s.next.frame = self.eth.val().octets;
        self.s.next.raw = 0.into();
        self.s.next.octets = self.ip.val().octets - tcp_header;
        self.s.next.head = (self.ip.val().header + tcp_header) + lit::<16>(PLAIN);
        if self.eth.val().has_vlan {
            self.s.next.head = (self.ip.val().header + tcp_header) + lit::<16>(TAGGED_HEADER);
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
            self.fault.next = lit::<3>(MALFORMED);
        } else if !self.is_v6.val() && (self.eth.val().kind != lit::<2>(kind::IPV4)) {
            self.s.next.raw = raw_reason::not_ip().val();
            self.s.next.is_low = self.eth.val().kind != lit::<2>(kind::ARP);
        } else if self.ip.val().malformed || !agrees {
            self.fault.next = lit::<3>(MALFORMED);
        } else if !self.ip.val().header_good {
            self.fault.next = lit::<3>(BAD_HEADER);
        } else if self.ip.val().is_fragment {
            self.s.next.raw = raw_reason::fragment().val();
            self.s.next.is_low = true;
        } else if self.is_extended.val() {
            self.s.next.raw = raw_reason::ip_extension().val();
            self.s.next.is_low = true;
        } else if self.ip.val().protocol != ip_protocol::tcp().val() {
            self.s.next.raw = raw_reason::not_tcp().val();
            self.s.next.is_low = (self.ip.val().protocol != ip_protocol::icmp().val())
                && (self.ip.val().protocol != ip_protocol::icmpv6().val());
        } else if (self.ip.val().octets < lit::<16>(LEAST_TCP))
            || (tcp_header < lit::<16>(LEAST_TCP))
            || (tcp_header > self.ip.val().octets)
        {
            self.fault.next = lit::<3>(MALFORMED);
        } else if !self.ip.val().tcp_good {
            self.fault.next = lit::<3>(BAD_TCP);
        }
        self.s.next.bad = self.fault.val().any();
        self.faults.next = 0.into();
        if keep {
            self.faults.next = self.fault.val();
        }
        self.out.rx.item.next = self.s.val();
        self.out.rx.valid.next = keep;
        self.out_key.rx.item.next = bit_cast::<289, 128>(self.ip.val().remote)
            | (bit_cast::<289, 128>(self.ip.val().local) << 128)
            | (bit_cast::<289, 16>(self.tcp.val().source_port) << 256)
            | (bit_cast::<289, 16>(self.tcp.val().destination_port) << 272)
            | (bit_cast::<289, 1>(self.is_v6.val().into()) << 288);
        self.out_key.rx.valid.next = keep;
        ItemSource::<RxSegment>::link(&mut self.segment, &mut self.out.tx);
        self.key.next = self.out_key.tx.item.val();
        self.out_key.tx.ready.next = self.segment.ready.val();
    }
}
