// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of the headers: what a connection's have in common out of a RAM, what a segment has of its
//! own beside it.
use super::tx_row::{HeadItem, HeadWord};
use crate::gen::{Ipv4Hdr, Ipv6Hdr, PackIpv4Hdr, PackIpv6Hdr, PackTcpHdr, TcpHdr};
use crate::prelude::*;

/// Words in which a segment has something of its own, as numbers in the emitted Verilog.
pub mod own_word {
    /// None of these.
    pub const NONE: usize = 0;
    /// First of IPv4: total length.
    pub const IPV4_LENGTH: usize = 1;
    /// Third of IPv4: checksum.
    pub const IPV4_CHECK: usize = 2;
    /// Second of IPv6: payload length.
    pub const IPV6_LENGTH: usize = 3;
    /// Second of TCP: sequence number.
    pub const SEQ: usize = 4;
    /// Third of TCP: acknowledgment number.
    pub const ACK: usize = 5;
    /// Fourth of TCP: flags and window.
    pub const FLAGS: usize = 6;
    /// Fifth of TCP: checksum.
    pub const TCP_CHECK: usize = 7;
}

/// Beats of headers. A header stands in a place of 16 beats, so that its first word, or a word of
/// pad before it, is the lower half of the place's first beat; the word with `last` is always an
/// upper half.
///
/// `step` loads a beat, which is there in the next cycle, and `load` the segment's own words for
/// this and the beats after. A place that was never written ends with its last beat. `H` = `C + 4`.
#[block(clock)]
pub struct TxOwn<const C: usize, const H: usize> {
    /// Connection whose header is written.
    pub set_qp: Signal<In, Bits<C>>,
    /// Word of it.
    pub set_word: Signal<In, HeadWord>,
    /// Its place.
    pub set_place: Signal<In, Bits<5>>,
    /// Write it in this cycle, in which no beat of that header is read.
    pub set_write: Signal<In, Bit>,
    /// What the segment has of its own.
    pub item: Signal<In, HeadItem>,
    /// Take it.
    pub load: Signal<In, Bit>,
    /// Connection of the segment.
    pub qp: Signal<In, Bits<C>>,
    /// Beat of its header.
    pub beat: Signal<In, Bits<4>>,
    /// Loads it.
    pub step: Signal<In, Bit>,
    /// The beat loaded last, octet 0 in bits 7:0.
    pub octets: Signal<Out, Bits<64>>,
    /// It is the header's last one.
    pub last: Signal<Out, Bit>,
    lower: Sdp<HeadWord, H>,
    upper: Sdp<HeadWord, H>,
    held: Flop<HeadItem>,
    at: Flop<Bits<4>>,
    pack_ipv4: PackIpv4Hdr,
    pack_ipv6: PackIpv6Hdr,
    pack_tcp: PackTcpHdr,
    i: Signal<Local, HeadItem>,
    ipv4: Signal<Local, Ipv4Hdr>,
    ipv6: Signal<Local, Ipv6Hdr>,
    tcp: Signal<Local, TcpHdr>,
    low: Signal<Local, HeadWord>,
    high: Signal<Local, HeadWord>,
}

impl<const C: usize, const H: usize> TxOwn<C, H> {
    /// Headers that mean nothing; panics at elaboration if `H` is not `C + 4`.
    pub fn new() -> Self {
        assert!(H == C + 4, "16 beats of 2^{C} headers have no address of {H} bits");
        Self::default()
    }
}

#[kernel]
impl<const C: usize, const H: usize> Logic for TxOwn<C, H> {
    fn update(&mut self) {
        flops!(held, at);
        clocked!(lower, upper);
        self.lower.write_enable.next = self.set_write.val() && !self.set_place.val().get_bit(0);
        self.lower.write_address.next = (bit_cast::<H, C>(self.set_qp.val()) << 4)
            | bit_cast::<H, 4>(self.set_place.val().get_bits::<4>(1));
        self.lower.write_data.next = self.set_word.val();
        self.upper.write_enable.next = self.set_write.val() && self.set_place.val().get_bit(0);
        self.upper.write_address.next = (bit_cast::<H, C>(self.set_qp.val()) << 4)
            | bit_cast::<H, 4>(self.set_place.val().get_bits::<4>(1));
        self.upper.write_data.next = self.set_word.val();
        self.lower.read_enable.next = self.step.val();
        self.lower.read_address.next =
            (bit_cast::<H, C>(self.qp.val()) << 4) | bit_cast::<H, 4>(self.beat.val());
        self.upper.read_enable.next = self.step.val();
        self.upper.read_address.next =
            (bit_cast::<H, C>(self.qp.val()) << 4) | bit_cast::<H, 4>(self.beat.val());
        if self.load.val() {
            self.held.d.next = self.item.val();
        }
        if self.step.val() {
            self.at.d.next = self.beat.val();
        }

        self.i.next = self.held.q.val();
        self.ipv4.next.version = 0.into();
        self.ipv4.next.ihl = 0.into();
        self.ipv4.next.dscp = 0.into();
        self.ipv4.next.ecn = 0.into();
        self.ipv4.next.total_length = self.i.val().length + 20;
        self.ipv4.next.identification = 0.into();
        self.ipv4.next.dont_fragment = false;
        self.ipv4.next.more_fragments = false;
        self.ipv4.next.fragment_offset = 0.into();
        self.ipv4.next.ttl = 0.into();
        self.ipv4.next.protocol = 0.into();
        self.ipv4.next.checksum = self.i.val().ip_check;
        self.ipv4.next.source = 0.into();
        self.ipv4.next.destination = 0.into();
        self.pack_ipv4.record.next = self.ipv4.val();
        self.ipv6.next.version = 0.into();
        self.ipv6.next.dscp = 0.into();
        self.ipv6.next.ecn = 0.into();
        self.ipv6.next.flow_label = 0.into();
        self.ipv6.next.payload_length = self.i.val().length;
        self.ipv6.next.next_header = 0.into();
        self.ipv6.next.hop_limit = 0.into();
        self.ipv6.next.source = 0.into();
        self.ipv6.next.destination = 0.into();
        self.pack_ipv6.record.next = self.ipv6.val();
        self.tcp.next.source_port = 0.into();
        self.tcp.next.destination_port = 0.into();
        self.tcp.next.sequence_number = self.i.val().seq;
        self.tcp.next.acknowledgment_number = self.i.val().ack;
        self.tcp.next.data_offset = 0.into();
        self.tcp.next.cwr = false;
        self.tcp.next.ece = false;
        self.tcp.next.urg = false;
        self.tcp.next.ack = false;
        self.tcp.next.psh = self.i.val().has_payload;
        self.tcp.next.rst = self.i.val().rst;
        self.tcp.next.syn = false;
        self.tcp.next.fin = self.i.val().fin;
        self.tcp.next.window = self.i.val().window;
        self.tcp.next.checksum = self.i.val().tcp_check;
        self.tcp.next.urgent_pointer = 0.into();
        self.pack_tcp.record.next = self.tcp.val();
        // The words of [`own_word`], each at 32 times its number.
        let words: Bits<256> = (bit_cast::<256, 32>(self.pack_ipv4.octets.val().get_bits::<32>(0)) << 32)
            | (bit_cast::<256, 32>(self.pack_ipv4.octets.val().get_bits::<32>(64)) << 64)
            | (bit_cast::<256, 32>(self.pack_ipv6.octets.val().get_bits::<32>(32)) << 96)
            | (bit_cast::<256, 128>(self.pack_tcp.octets.val().get_bits::<128>(32)) << 128);

        self.low.next = self.lower.read_data.val();
        self.high.next = self.upper.read_data.val();
        let low_offset: Bits<8> = bit_cast::<8, 3>(self.low.val().own) << 5;
        let high_offset: Bits<8> = bit_cast::<8, 3>(self.high.val().own) << 5;
        let low_own: Bits<32> = words.get_bits::<32>(low_offset.index());
        let high_own: Bits<32> = words.get_bits::<32>(high_offset.index());
        self.octets.next = bit_cast::<64, 32>(self.low.val().octets | low_own)
            | (bit_cast::<64, 32>(self.high.val().octets | high_own) << 32);
        self.last.next = self.high.val().last || self.at.q.val().all();
    }
}
