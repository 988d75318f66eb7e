// SPDX-License-Identifier: MIT OR Apache-2.0
//! IPv4 and IPv6 headers, and both checksums, of packets that pass by.
use super::rx_head::IpHead;
use super::rx_record::RxPacket;
use crate::gen::consts::ip_protocol;
use crate::gen::{Ipv4Hdr, Ipv6Hdr};
use crate::prelude::*;
use crate::stream::{Checksum, Queue, StreamSink, Trail};

const VERSION_4: usize = 4;
const VERSION_6: usize = 6;
const LEAST_IHL: usize = 5;
const V6_WORDS: usize = 10;
const V6_OCTETS: usize = 40;
const V6_ADDRESSES: usize = 2;
const V4_SOURCE: usize = 3;
const V4_DESTINATION: usize = 4;

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
#[block]
pub struct IpRx<const W: usize, const K: usize, const LN: usize, const NB: usize> {
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
    /// Words of the header, from its second beat on.
    kept_start: Flop<Bits<16>>,
    /// No beat has words of the header's begin and of TCP.
    narrow: Const<Bit>,
    // constants
    lane_no: Vec<Const<Bits<16>>>,
    lane_mask: Vec<Const<Bits<W>>>,
    tcp_at: Vec<Const<Bits<16>>>,
    // this cycle
    v4: Signal<Local, Ipv4Hdr>,
    v6: Signal<Local, Ipv6Hdr>,
    start: Signal<Local, Bits<16>>,
    behind: Signal<Local, Bits<16>>,
    total: Signal<Local, Bits<17>>,
    left_now: Signal<Local, Bits<17>>,
    keep: Signal<Local, Bits<K>>,
    place: Signal<Local, Bits<16>>,
    rel: Signal<Local, Bits<16>>,
    lane: Signal<Local, Bits<32>>,
    tcp_now: Signal<Local, Bits<160>>,
    header_mask: Signal<Local, Bits<W>>,
    tcp_mask: Signal<Local, Bits<W>>,
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
            narrow: Const::new(LN <= LEAST_IHL),
            lane_no: (0..LN).map(Const::of).collect(),
            lane_mask: (0..LN).map(mask).collect(),
            tcp_at: (0..5).map(|j| Const::of(32 * j)).collect(),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const K: usize, const LN: usize, const NB: usize> Logic for IpRx<W, K, LN, NB> {
    fn update(&mut self) {
        regs!(word);
        flops!(left, tcp, kept_start);
        parts!(head, header_sum, tcp_sum, notes, goods);
        // both sums run freely: what they say has room as long as a note has
        self.rx.ready.next = self.notes.rx.ready.val();
        let fire: Bit = self.notes.rx.ready.val() && self.rx.valid.val();

        // the first eight octets of the header, which say where things lie, are always there
        self.head.data.next = self.rx.data.val();
        self.head.last.next = self.rx.last.val();
        // said twice: by way of `fire` Verilator would see a loop through the records
        self.head.fire.next = self.notes.rx.ready.val() && self.rx.valid.val();
        let first: Bit = self.head.first.val();
        self.v4.next = self.head.v4.val();
        self.v6.next = self.head.v6.val();
        let is_v6: Bit = self.v4.val().version == lit::<4>(VERSION_6);
        self.start.next = bit_cast::<16, 4>(self.v4.val().ihl);
        self.total.next = bit_cast::<17, 16>(self.v4.val().total_length);
        if is_v6 {
            self.start.next = lit::<16>(V6_WORDS);
            self.total.next = bit_cast::<17, 16>(self.v6.val().payload_length) + lit::<17>(V6_OCTETS);
        }
        let header: Bits<16> = self.start.val() << 2;
        let segment: Bits<17> = self.total.val() - bit_cast::<17, 16>(header);
        self.left_now.next = self.left.q.val();
        if first {
            self.left_now.next = self.total.val();
        }
        let bytes: Bits<17> = bit_cast::<17, K>(self.rx.bytes.val());
        self.keep.next = self.rx.bytes.val();
        if self.left_now.val() < bytes {
            self.keep.next = self.left_now.val().get_bits::<K>(0);
        }

        // word by word: to which sum it belongs, and whether it is one of the first five behind the
        // header
        self.header_mask.next = 0.into();
        self.tcp_mask.next = 0.into();
        self.tcp_now.next = self.tcp.q.val();
        if first {
            self.tcp_now.next = 0.into();
        }
        self.behind.next = self.start.val();
        if self.narrow.val() {
            self.behind.next = self.kept_start.q.val();
            if first {
                self.behind.next = lit::<16>(V6_WORDS);
            }
        }
        for i in 0..LN {
            self.place.next = self.word.q.val() + self.lane_no[i].val();
            self.rel.next = self.place.val() - self.behind.val();
            self.lane.next = self.rx.data.val().get_bits::<32>(32 * i);
            if self.place.val() < self.start.val() {
                self.header_mask.next = self.header_mask.val() | self.lane_mask[i].val();
            }
            if (self.place.val() >= self.start.val())
                || (is_v6 && (self.place.val() >= lit::<16>(V6_ADDRESSES)))
                || (!is_v6
                    && ((self.place.val() == lit::<16>(V4_SOURCE))
                        || (self.place.val() == lit::<16>(V4_DESTINATION))))
            {
                self.tcp_mask.next = self.tcp_mask.val() | self.lane_mask[i].val();
            }
            for j in 0..5 {
                if self.rel.val() == j.to_bits() {
                    self.tcp_now.next =
                        self.tcp_now.val() | (bit_cast::<160, 32>(self.lane.val()) << self.tcp_at[j].val());
                }
            }
        }
        self.header_sum.rx.data.next = self.rx.data.val() & self.header_mask.val();
        self.header_sum.rx.bytes.next = self.rx.bytes.val();
        self.header_sum.rx.last.next = self.rx.last.val();
        self.header_sum.rx.err.next = false;
        self.header_sum.rx.valid.next = fire;
        self.header_sum.start_sum.next = 0.into();
        self.tcp_sum.rx.data.next = self.rx.data.val() & self.tcp_mask.val();
        self.tcp_sum.rx.bytes.next = self.keep.val();
        self.tcp_sum.rx.last.next = self.rx.last.val();
        self.tcp_sum.rx.err.next = false;
        self.tcp_sum.rx.valid.next = fire;
        self.tcp_sum.start_sum.next = segment.get_bits::<16>(0) + bit_cast::<16, 8>(ip_protocol::tcp().val());
        if fire {
            self.tcp.d.next = self.tcp_now.val();
            self.kept_start.d.next = self.start.val();
            self.left.d.next = self.left_now.val() - bytes;
            if self.left_now.val() < bytes {
                self.left.d.next = 0.into();
            }
            self.word.d.next = self.word.q.val() + lit::<16>(LN);
            if self.rx.last.val() {
                self.word.d.next = 0.into();
            }
        }

        // what is known with the last beat waits for the sums
        let version_bad: Bit = !is_v6
            && ((self.v4.val().version != lit::<4>(VERSION_4)) || (self.v4.val().ihl < lit::<4>(LEAST_IHL)));
        self.note.next.version = self.v4.val().version;
        self.note.next.remote = bit_cast::<128, 32>(self.v4.val().source);
        self.note.next.local = bit_cast::<128, 32>(self.v4.val().destination);
        self.note.next.header = header;
        self.note.next.octets = segment.get_bits::<16>(0);
        self.note.next.protocol = self.v4.val().protocol;
        self.note.next.is_fragment = self.v4.val().more_fragments || self.v4.val().fragment_offset.any();
        if is_v6 {
            self.note.next.remote = self.v6.val().source;
            self.note.next.local = self.v6.val().destination;
            self.note.next.protocol = self.v6.val().next_header;
            self.note.next.is_fragment = false;
        }
        // a header longer than the packet leaves `segment` negative
        self.note.next.malformed =
            version_bad || (self.total.val() < bit_cast::<17, 16>(header)) || (self.left_now.val() > bytes);
        self.note.next.header_good = is_v6;
        self.note.next.tcp_good = false;
        self.note.next.tcp = self.tcp_now.val();
        self.notes.rx.item.next = self.note.val();
        self.notes.rx.valid.next = fire && self.rx.last.val();

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
