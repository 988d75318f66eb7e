// SPDX-License-Identifier: MIT OR Apache-2.0
//! Headers of a connection, word by word.
use super::tx_fields::TxFields;
use super::tx_own::own_word;
use super::tx_row::{HeadRow, HeadWord};
use crate::gen::consts::{ip_protocol, tcp_option};
use crate::gen::{
    ConnRow, PackEthernetHdr, PackIpv4Hdr, PackIpv6Hdr, PackTcpHdr, PackTcpOptTimestamps, PackVlanTag,
};
use crate::prelude::*;

/// Gives Ethernet's header with two octets in front, 802.1Q tag, IPv4 or IPv6, TCP and its
/// timestamps option in words of 4 octets, a word a cycle while `step` is set, and sums up what is
/// constant in them.
///
/// Each of these is whole words, so one word more in front makes any sum of them even: the first
/// one then has place 1.
#[block(clock)]
pub struct TxWords {
    /// The connection; it stays while `step` is set.
    pub row: Signal<In, ConnRow>,
    /// Go on; without it the first word is next.
    pub step: Signal<In, Bit>,
    /// The word at this place.
    pub word: Signal<Out, HeadWord>,
    /// Its place, 0 or 1 that of the first.
    pub place: Signal<Out, Bits<5>>,
    /// There is one.
    pub valid: Signal<Out, Bit>,
    /// All were given; the sums are there one cycle later.
    pub over: Signal<Out, Bit>,
    /// What is known of them, sums included.
    pub head: Signal<Out, HeadRow>,
    fields: TxFields,
    ethernet: PackEthernetHdr,
    tag: PackVlanTag,
    ipv4: PackIpv4Hdr,
    ipv6: PackIpv6Hdr,
    tcp: PackTcpHdr,
    stamps: PackTcpOptTimestamps,
    /// Number of the word in `all`.
    at: Flop<Bits<5>>,
    place_q: Flop<Bits<5>>,
    over_q: Flop<Bit>,
    /// Sum of the halves of the word before, and which sums it belongs to.
    pair: Flop<Bits<17>>,
    in_ip: Flop<Bit>,
    in_tcp: Flop<Bit>,
    ip_sum: Flop<Bits<20>>,
    tcp_sum: Flop<Bits<21>>,
    r: Signal<Local, ConnRow>,
    up: Signal<Local, Bits<5>>,
    odd: Signal<Local, Bit>,
    made: Signal<Local, HeadWord>,
    known: Signal<Local, HeadRow>,
}

#[kernel]
impl Logic for TxWords {
    fn update(&mut self) {
        flops!(at, place_q, over_q, pair, in_ip, in_tcp, ip_sum, tcp_sum);
        self.r.next = self.row.val();
        self.fields.row.next = self.row.val();
        self.ethernet.record.next = self.fields.ethernet.val();
        self.tag.record.next = self.fields.tag.val();
        self.ipv4.record.next = self.fields.ipv4.val();
        self.ipv6.record.next = self.fields.ipv6.val();
        self.tcp.record.next = self.fields.tcp.val();
        self.stamps.record.next = self.fields.stamps.val();
        let option: Bits<96> = bit_cast::<96, 8>(tcp_option::no_operation().val())
            | (bit_cast::<96, 8>(tcp_option::no_operation().val()) << 8)
            | (bit_cast::<96, 80>(self.stamps.octets.val()) << 16);
        // Ethernet at word 0, tag at 4, the first three of IPv4 at 5, IPv6 at 10 and so the last
        // words of both addresses, which are IPv4's, at 15 and 19, TCP at 20, its option at 25.
        let all: Bits<1024> = (bit_cast::<1024, 112>(self.ethernet.octets.val()) << 16)
            | (bit_cast::<1024, 32>(self.tag.octets.val()) << 128)
            | (bit_cast::<1024, 96>(self.ipv4.octets.val().get_bits::<96>(0)) << 160)
            | (bit_cast::<1024, 320>(self.ipv6.octets.val()) << 320)
            | (bit_cast::<1024, 160>(self.tcp.octets.val()) << 640)
            | (bit_cast::<1024, 96>(option) << 800);
        let offset: Bits<10> = bit_cast::<10, 5>(self.at.q.val()) << 5;
        let octets: Bits<32> = all.get_bits::<32>(offset.index());

        // Which word follows.
        self.up.next = self.at.q.val() + 1;
        if ((self.at.q.val() == 3) && !self.r.val().has_vlan) || (self.at.q.val() == 4) {
            self.up.next = 5.into();
            if self.r.val().is_ipv6 {
                self.up.next = 10.into();
            }
        }
        if self.at.q.val() == 7 {
            self.up.next = 15.into();
        }
        if (self.at.q.val() == 15) && !self.r.val().is_ipv6 {
            self.up.next = 19.into();
        }
        let ends: Bit = ((self.at.q.val() == 24) && !self.r.val().timestamps) || (self.at.q.val() == 27);
        self.odd.next = self.r.val().has_vlan ^ self.r.val().is_ipv6 ^ self.r.val().timestamps;

        self.made.next.octets = octets;
        self.made.next.last = ends;
        self.made.next.own = lit::<3>(own_word::NONE);
        if self.at.q.val() == 5 {
            self.made.next.own = lit::<3>(own_word::IPV4_LENGTH);
        }
        if self.at.q.val() == 7 {
            self.made.next.own = lit::<3>(own_word::IPV4_CHECK);
        }
        if self.at.q.val() == 11 {
            self.made.next.own = lit::<3>(own_word::IPV6_LENGTH);
        }
        if self.at.q.val() == 21 {
            self.made.next.own = lit::<3>(own_word::SEQ);
        }
        if self.at.q.val() == 22 {
            self.made.next.own = lit::<3>(own_word::ACK);
        }
        if self.at.q.val() == 23 {
            self.made.next.own = lit::<3>(own_word::FLAGS);
        }
        if self.at.q.val() == 24 {
            self.made.next.own = lit::<3>(own_word::TCP_CHECK);
        }
        self.word.next = self.made.val();
        self.place.next = self.place_q.q.val();
        let gives: Bit = self.step.val() && !self.over_q.q.val();
        self.valid.next = gives;
        self.over.next = self.over_q.q.val();

        // The sums, of numbers in network order.
        let first: Bits<16> =
            (bit_cast::<16, 8>(octets.get_bits::<8>(0)) << 8) | bit_cast::<16, 8>(octets.get_bits::<8>(8));
        let second: Bits<16> =
            (bit_cast::<16, 8>(octets.get_bits::<8>(16)) << 8) | bit_cast::<16, 8>(octets.get_bits::<8>(24));
        self.pair.d.next = bit_cast::<17, 16>(first) + bit_cast::<17, 16>(second);
        self.in_ip.d.next = gives && (self.at.q.val() > 4) && (self.at.q.val() < 20);
        self.in_tcp.d.next = gives && (self.at.q.val() > 11);
        if self.in_ip.q.val() {
            self.ip_sum.d.next = self.ip_sum.q.val() + bit_cast::<20, 17>(self.pair.q.val());
        }
        if self.in_tcp.q.val() {
            self.tcp_sum.d.next = self.tcp_sum.q.val() + bit_cast::<21, 17>(self.pair.q.val());
        }
        if gives {
            self.at.d.next = self.up.val();
            self.place_q.d.next = self.place_q.q.val() + 1;
            self.over_q.d.next = ends;
        }
        if !self.step.val() {
            self.at.d.next = 0.into();
            self.place_q.d.next = bit_cast::<5, 1>(self.odd.val().into());
            self.over_q.d.next = false;
            self.ip_sum.d.next = 0.into();
            self.tcp_sum.d.next = bit_cast::<21, 8>(ip_protocol::tcp().val());
        }
        self.known.next.timestamps = self.r.val().timestamps;
        self.known.next.odd = self.odd.val();
        self.known.next.ip_sum = self.ip_sum.q.val();
        self.known.next.tcp_sum = self.tcp_sum.q.val();
        self.head.next = self.known.val();
    }
}
