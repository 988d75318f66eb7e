// SPDX-License-Identifier: MIT OR Apache-2.0
//! IPv4 and IPv6 headers, and both checksums, of packets that pass by.
use super::rx_head::IpHead;
use super::rx_record::RxPacket;
use crate::cell::{Const, Flop, Reg};
use crate::gen::consts::ip_protocol;
use crate::gen::{Ipv4Hdr, Ipv6Hdr};
use crate::stream::{Checksum, Queue, StreamSink, Trail};
use rust_hdl::prelude::*;

/// Reads each packet on `rx` and says what its IP header holds, where its segment lies, the first
/// octets of that, and whether the checksums are right. `LN` = `W/32`, `NB` = beats that the first
/// 40 octets touch.
///
/// Both sums run over the packet's own beats, the words that do not belong to them masked: to the
/// header's sum the words before IHL, to that of TCP the addresses and all from IHL on, up to the
/// length that the header says. Only protocol and length of the pseudo header are added from
/// beside.
///
/// **Timing.** A beat a cycle, from packet to packet too; the item eight cycles after the last
/// beat. If items are not taken, `rx` waits.
#[derive(LogicBlock, Default)]
pub struct IpRx<const W: usize, const K: usize, const LN: usize, const NB: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Packets, perhaps with padding behind.
    pub rx: StreamSink<W, K>,
    /// One item a packet.
    pub packet: Signal<Out, RxPacket>,
    /// It is there.
    pub packet_valid: Signal<Out, Bit>,
    /// It is taken.
    pub packet_take: Signal<In, Bit>,
    header_sum: Checksum<W, K>,
    tcp_sum: Checksum<W, K>,
    head: IpHead<W, NB>,
    notes: Trail<RxPacket>,
    /// What the sums said: that of the header right, that of TCP right.
    goods: Queue<Bits<2>, 3>,
    /// Words of this packet before the present beat.
    word: Reg<Bits<16>>,
    /// Octets that the header promises from the present beat on.
    left: Flop<Bits<17>>,
    tcp: Flop<Bits<160>>,
    // constants
    lane_no: Vec<Const<Bits<16>>>,
    lane_mask: Vec<Const<Bits<W>>>,
    tcp_no: Vec<Const<Bits<16>>>,
    tcp_at: Vec<Const<Bits<16>>>,
    words: Const<Bits<16>>,
    version_4: Const<Bits<4>>,
    version_6: Const<Bits<4>>,
    least_ihl: Const<Bits<4>>,
    v6_words: Const<Bits<16>>,
    v6_octets: Const<Bits<17>>,
    v6_addresses: Const<Bits<16>>,
    v4_source: Const<Bits<16>>,
    v4_destination: Const<Bits<16>>,
    protocol: Const<Bits<8>>,
    // this cycle
    fire: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    v4: Signal<Local, Ipv4Hdr>,
    v6: Signal<Local, Ipv6Hdr>,
    is_v6: Signal<Local, Bit>,
    start: Signal<Local, Bits<16>>,
    header: Signal<Local, Bits<16>>,
    total: Signal<Local, Bits<17>>,
    left_now: Signal<Local, Bits<17>>,
    bytes: Signal<Local, Bits<17>>,
    keep: Signal<Local, Bits<K>>,
    segment: Signal<Local, Bits<17>>,
    place: Signal<Local, Bits<16>>,
    rel: Signal<Local, Bits<16>>,
    lane: Signal<Local, Bits<32>>,
    tcp_now: Signal<Local, Bits<160>>,
    header_mask: Signal<Local, Bits<W>>,
    tcp_mask: Signal<Local, Bits<W>>,
    version_bad: Signal<Local, Bit>,
    note: Signal<Local, RxPacket>,
    judged: Signal<Local, RxPacket>,
}

impl<const W: usize, const K: usize, const LN: usize, const NB: usize> IpRx<W, K, LN, NB> {
    /// Between packets; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        assert!(LN == W / 32, "LN = {LN} does not belong to W = {W}");
        let mask = |i: usize| Const::new(Bits::<W>::from(0xFFFF_FFFF_u64) << (32 * i as u64));
        Self {
            header_sum: Checksum::new(),
            tcp_sum: Checksum::new(),
            head: IpHead::new(),
            lane_no: (0..LN).map(Const::of).collect(),
            lane_mask: (0..LN).map(mask).collect(),
            tcp_no: (0..5).map(Const::of).collect(),
            tcp_at: (0..5).map(|j| Const::of(32 * j)).collect(),
            words: Const::of(LN),
            version_4: Const::of(4),
            version_6: Const::of(6),
            least_ihl: Const::of(5),
            v6_words: Const::of(10),
            v6_octets: Const::of(40),
            v6_addresses: Const::of(2),
            v4_source: Const::of(3),
            v4_destination: Const::of(4),
            protocol: ip_protocol::tcp(),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const LN: usize, const NB: usize> Logic for IpRx<W, K, LN, NB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, word, left, tcp);
        clock!(self, clock, head, header_sum, tcp_sum, notes, goods);
        self.head.reset.next = self.reset.val();
        self.word.reset.next = self.reset.val();
        self.header_sum.reset.next = self.reset.val();
        self.tcp_sum.reset.next = self.reset.val();
        self.notes.reset.next = self.reset.val();
        self.goods.reset.next = self.reset.val();
        // both sums run freely: what they say has room as long as a note has
        self.rx.ready.next = self.notes.rx.ready.val();
        self.fire.next = self.notes.rx.ready.val() && self.rx.valid.val();

        // the first eight octets of the header, which say where things lie, are always there
        self.head.data.next = self.rx.data.val();
        self.head.last.next = self.rx.last.val();
        // said twice: by way of `fire` Verilator would see a loop through the records
        self.head.fire.next = self.notes.rx.ready.val() && self.rx.valid.val();
        self.first.next = self.head.first.val();
        self.v4.next = self.head.v4.val();
        self.v6.next = self.head.v6.val();
        self.is_v6.next = self.v4.val().version == self.version_6.val();
        self.start.next = bit_cast::<16, 4>(self.v4.val().ihl);
        self.total.next = bit_cast::<17, 16>(self.v4.val().total_length);
        if self.is_v6.val() {
            self.start.next = self.v6_words.val();
            self.total.next = bit_cast::<17, 16>(self.v6.val().payload_length) + self.v6_octets.val();
        }
        self.header.next = self.start.val() << 2;
        self.segment.next = self.total.val() - bit_cast::<17, 16>(self.header.val());
        self.left_now.next = self.left.q.val();
        if self.first.val() {
            self.left_now.next = self.total.val();
        }
        self.bytes.next = bit_cast::<17, K>(self.rx.bytes.val());
        self.keep.next = self.rx.bytes.val();
        if self.left_now.val() < self.bytes.val() {
            self.keep.next = self.left_now.val().get_bits::<K>(0);
        }

        // word by word: to which sum it belongs, and whether it is one of the first five behind the
        // header
        self.header_mask.next = 0.into();
        self.tcp_mask.next = 0.into();
        self.tcp_now.next = self.tcp.q.val();
        if self.first.val() {
            self.tcp_now.next = 0.into();
        }
        for i in 0..LN {
            self.place.next = self.word.q.val() + self.lane_no[i].val();
            self.rel.next = self.place.val() - self.start.val();
            self.lane.next = self.rx.data.val().get_bits::<32>(32 * i);
            if self.place.val() < self.start.val() {
                self.header_mask.next = self.header_mask.val() | self.lane_mask[i].val();
            }
            if (self.place.val() >= self.start.val())
                || (self.is_v6.val() && (self.place.val() >= self.v6_addresses.val()))
                || (!self.is_v6.val()
                    && ((self.place.val() == self.v4_source.val())
                        || (self.place.val() == self.v4_destination.val())))
            {
                self.tcp_mask.next = self.tcp_mask.val() | self.lane_mask[i].val();
            }
            for j in 0..5 {
                if self.rel.val() == self.tcp_no[j].val() {
                    self.tcp_now.next =
                        self.tcp_now.val() | (bit_cast::<160, 32>(self.lane.val()) << self.tcp_at[j].val());
                }
            }
        }
        self.header_sum.rx.data.next = self.rx.data.val() & self.header_mask.val();
        self.header_sum.rx.bytes.next = self.rx.bytes.val();
        self.header_sum.rx.last.next = self.rx.last.val();
        self.header_sum.rx.err.next = false;
        self.header_sum.rx.valid.next = self.fire.val();
        self.header_sum.start_sum.next = 0.into();
        self.tcp_sum.rx.data.next = self.rx.data.val() & self.tcp_mask.val();
        self.tcp_sum.rx.bytes.next = self.keep.val();
        self.tcp_sum.rx.last.next = self.rx.last.val();
        self.tcp_sum.rx.err.next = false;
        self.tcp_sum.rx.valid.next = self.fire.val();
        self.tcp_sum.start_sum.next =
            self.segment.val().get_bits::<16>(0) + bit_cast::<16, 8>(self.protocol.val());
        if self.fire.val() {
            self.tcp.d.next = self.tcp_now.val();
            self.left.d.next = self.left_now.val() - self.bytes.val();
            if self.left_now.val() < self.bytes.val() {
                self.left.d.next = 0.into();
            }
            self.word.d.next = self.word.q.val() + self.words.val();
            if self.rx.last.val() {
                self.word.d.next = 0.into();
            }
        }

        // what is known with the last beat waits for the sums
        self.version_bad.next = !self.is_v6.val()
            && ((self.v4.val().version != self.version_4.val())
                || (self.v4.val().ihl < self.least_ihl.val()));
        self.note.next.version = self.v4.val().version;
        self.note.next.remote = bit_cast::<128, 32>(self.v4.val().source);
        self.note.next.local = bit_cast::<128, 32>(self.v4.val().destination);
        self.note.next.header = self.header.val();
        self.note.next.octets = self.segment.val().get_bits::<16>(0);
        self.note.next.protocol = self.v4.val().protocol;
        self.note.next.is_fragment = self.v4.val().more_fragments || self.v4.val().fragment_offset.any();
        if self.is_v6.val() {
            self.note.next.remote = self.v6.val().source;
            self.note.next.local = self.v6.val().destination;
            self.note.next.protocol = self.v6.val().next_header;
            self.note.next.is_fragment = false;
        }
        // a header longer than the packet leaves `segment` negative
        self.note.next.malformed = self.version_bad.val()
            || (self.total.val() < bit_cast::<17, 16>(self.header.val()))
            || (self.left_now.val() > self.bytes.val());
        self.note.next.header_good = self.is_v6.val();
        self.note.next.tcp_good = false;
        self.note.next.tcp = self.tcp_now.val();
        self.notes.rx.item.next = self.note.val();
        self.notes.rx.valid.next = self.fire.val() && self.rx.last.val();

        self.goods.rx.item.next = bit_cast::<2, 1>(self.header_sum.tx.item.val().get_bit(16).into())
            | (bit_cast::<2, 1>(self.tcp_sum.tx.item.val().get_bit(16).into()) << 1);
        self.goods.rx.valid.next = self.header_sum.tx.valid.val();
        self.header_sum.tx.ready.next = true;
        self.tcp_sum.tx.ready.next = true;
        self.judged.next = self.notes.tx.item.val();
        if self.goods.tx.item.val().get_bit(0) {
            self.judged.next.header_good = true;
        }
        self.judged.next.tcp_good = self.goods.tx.item.val().get_bit(1);
        self.packet.next = self.judged.val();
        self.packet_valid.next = self.goods.tx.valid.val() && self.notes.tx.valid.val();
        self.goods.tx.ready.next = self.packet_take.val();
        self.notes.tx.ready.next = self.packet_take.val();
    }
}
