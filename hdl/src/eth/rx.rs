// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ethernet and 802.1Q headers off, what they say beside.
use super::rx_record::{kind, EthFrame, EthNote};
use crate::gen::consts::ether_type;
use crate::prelude::*;
use crate::stream::{Beat, Queue, Realign, StreamSink, StreamSource};

const LAST_BEAT: usize = 3;
const PLAIN: usize = 14;
const TAGGED_HEADER: usize = 18;

/// Drops the 14 octets of an Ethernet header, 18 with an 802.1Q tag, and says what the frame
/// carries.
///
/// **Contract.** Each frame gives one item on `frame`. If it says `has_packet`, the octets after
/// the header are the next frame on `tx`, padding included. A second tag is not looked at: such a
/// frame is `OTHER`.
///
/// **Timing.** A beat a cycle, also if every frame has one beat only for as long as 16 items may
/// wait. The item comes after the frame's last beat.
#[block]
pub struct EthRx<const W: usize, const K: usize> {
    /// Frames, good and bad.
    pub rx: StreamSink<W, K>,
    /// Their packets.
    pub tx: StreamSource<W, K>,
    /// One item a frame.
    pub frame: Signal<Out, EthFrame>,
    /// It is there.
    pub frame_valid: Signal<Out, Bit>,
    /// It is taken.
    pub frame_take: Signal<In, Bit>,
    /// A frame's first beats wait here until its offset is known.
    front: Queue<Beat<W, K>, 2>,
    realign: Realign<W, K>,
    notes: Queue<EthNote, 4>,
    packets: Queue<Bit, 4>,
    /// Beats of this frame before the present one; stops at the last that matters.
    beat: Reg<Bits<2>>,
    octets: Reg<Bits<16>>,
    has_vlan: Flop<Bit>,
    vid: Flop<Bits<12>>,
    to_group: Flop<Bit>,
    carries: Flop<Bits<2>>,
    type_beat: Const<Bits<2>>,
    type_at: Const<Bits<16>>,
    tag_beat: Const<Bits<2>>,
    tag_at: Const<Bits<16>>,
    inner_beat: Const<Bits<2>>,
    inner_at: Const<Bits<16>>,
    field: Signal<Local, Bits<16>>,
    vid_now: Signal<Local, Bits<12>>,
    group_now: Signal<Local, Bit>,
    vlan_now: Signal<Local, Bit>,
    kind_now: Signal<Local, Bits<2>>,
    beat_in: Signal<Local, Beat<W, K>>,
    note: Signal<Local, EthNote>,
    said: Signal<Local, EthNote>,
    packet: Signal<Local, EthFrame>,
}

impl<const W: usize, const K: usize> EthRx<W, K> {
    /// Between frames; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        let octets = W / 8;
        Self {
            realign: Realign::new(),
            type_beat: Const::of(12 / octets),
            type_at: Const::of(8 * (12 % octets)),
            tag_beat: Const::of(14 / octets),
            tag_at: Const::of(8 * (14 % octets)),
            inner_beat: Const::of(16 / octets),
            inner_at: Const::of(8 * (16 % octets)),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const K: usize> Logic for EthRx<W, K> {
    fn update(&mut self) {
        regs!(beat, octets);
        flops!(has_vlan, vid, to_group, carries);
        parts!(front, realign, notes, packets);

        self.rx.ready.next =
            self.front.rx.ready.val() && self.realign.skip.ready.val() && self.notes.rx.ready.val();
        let go: Bit = self.front.rx.ready.val() && self.realign.skip.ready.val() && self.notes.rx.ready.val();
        let fire: Bit = go && self.rx.valid.val();

        self.field.next = self.rx.data.val().get_bits::<16>(self.type_at.val().index());
        let outer: Bits<16> = (self.field.val() << 8) | (self.field.val() >> 8);
        self.field.next = self.rx.data.val().get_bits::<16>(self.tag_at.val().index());
        let tag: Bits<16> = (self.field.val() << 8) | (self.field.val() >> 8);
        self.field.next = self.rx.data.val().get_bits::<16>(self.inner_at.val().index());
        let inner: Bits<16> = (self.field.val() << 8) | (self.field.val() >> 8);
        self.vlan_now.next = self.has_vlan.q.val();
        self.vid_now.next = self.vid.q.val();
        self.group_now.next = self.to_group.q.val();
        self.kind_now.next = self.carries.q.val();
        if !self.beat.q.val().any() {
            self.vlan_now.next = false;
            self.vid_now.next = 0.into();
            self.group_now.next = self.rx.data.val().get_bit(0);
            self.kind_now.next = lit::<2>(kind::OTHER);
        }
        if self.beat.q.val() == self.type_beat.val() {
            self.vlan_now.next = outer == ether_type::vlan().val();
            if outer == ether_type::ipv4().val() {
                self.kind_now.next = lit::<2>(kind::IPV4);
            }
            if outer == ether_type::ipv6().val() {
                self.kind_now.next = lit::<2>(kind::IPV6);
            }
            if outer == ether_type::arp().val() {
                self.kind_now.next = lit::<2>(kind::ARP);
            }
        }
        if (self.beat.q.val() == self.tag_beat.val()) && self.vlan_now.val() {
            self.vid_now.next = tag.get_bits::<12>(0);
        }
        if (self.beat.q.val() == self.inner_beat.val()) && self.vlan_now.val() {
            if inner == ether_type::ipv4().val() {
                self.kind_now.next = lit::<2>(kind::IPV4);
            }
            if inner == ether_type::ipv6().val() {
                self.kind_now.next = lit::<2>(kind::IPV6);
            }
            if inner == ether_type::arp().val() {
                self.kind_now.next = lit::<2>(kind::ARP);
            }
        }
        let decides: Bit = (self.beat.q.val() == self.type_beat.val())
            || (self.rx.last.val() && (self.beat.q.val() < self.type_beat.val()));
        let octets_up: Bits<16> = self.octets.q.val() + bit_cast::<16, K>(self.rx.bytes.val());
        if fire {
            self.has_vlan.d.next = self.vlan_now.val();
            self.vid.d.next = self.vid_now.val();
            self.to_group.d.next = self.group_now.val();
            self.carries.d.next = self.kind_now.val();
            self.octets.d.next = octets_up;
            if self.beat.q.val() != lit::<2>(LAST_BEAT) {
                self.beat.d.next = self.beat.q.val() + 1;
            }
            if self.rx.last.val() {
                self.beat.d.next = 0.into();
                self.octets.d.next = 0.into();
            }
        }

        self.beat_in.next.data = self.rx.data.val();
        self.beat_in.next.bytes = self.rx.bytes.val();
        self.beat_in.next.last = self.rx.last.val();
        self.beat_in.next.err = self.rx.err.val();
        self.front.rx.item.next = self.beat_in.val();
        self.front.rx.valid.next = fire;
        self.realign.rx.data.next = self.front.tx.item.val().data;
        self.realign.rx.bytes.next = self.front.tx.item.val().bytes;
        self.realign.rx.last.next = self.front.tx.item.val().last;
        self.realign.rx.err.next = self.front.tx.item.val().err;
        self.realign.rx.valid.next = self.front.tx.valid.val();
        self.front.tx.ready.next = self.realign.rx.ready.val();
        self.realign.skip.octets.next = lit::<16>(PLAIN);
        if self.vlan_now.val() {
            self.realign.skip.octets.next = lit::<16>(TAGGED_HEADER);
        }
        self.realign.skip.valid.next = fire && decides;
        StreamSource::<W, K>::link(&mut self.tx, &mut self.realign.tx);
        self.note.next.octets = octets_up;
        self.note.next.kind = self.kind_now.val();
        self.note.next.has_vlan = self.vlan_now.val();
        self.note.next.vid = self.vid_now.val();
        self.note.next.to_group = self.group_now.val();
        self.note.next.err = self.rx.err.val();
        self.notes.rx.item.next = self.note.val();
        self.notes.rx.valid.next = fire && self.rx.last.val();
        self.packets.rx.item.next = self.realign.parts.second.val();
        self.packets.rx.valid.next = self.realign.parts.valid.val();
        self.realign.parts.ready.next = self.packets.rx.ready.val();

        // the shifter's word on a frame comes after or before its last beat
        self.said.next = self.notes.tx.item.val();
        self.packet.next.octets = self.said.val().octets;
        self.packet.next.kind = self.said.val().kind;
        self.packet.next.has_vlan = self.said.val().has_vlan;
        self.packet.next.vid = self.said.val().vid;
        self.packet.next.to_group = self.said.val().to_group;
        self.packet.next.has_packet = self.packets.tx.item.val();
        self.packet.next.err = self.said.val().err;
        self.frame.next = self.packet.val();
        self.frame_valid.next = self.notes.tx.valid.val() && self.packets.tx.valid.val();
        self.notes.tx.ready.next = self.frame_take.val();
        self.packets.tx.ready.next = self.frame_take.val();
    }
}
