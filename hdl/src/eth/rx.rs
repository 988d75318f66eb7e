// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ethernet and 802.1Q headers off, what they say beside.
use super::rx_record::{kind, EthFrame, EthNote};
use crate::cell::{Const, Flop, Reg};
use crate::gen::consts::ether_type;
use crate::stream::{Beat, Queue, Realign, StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// Drops the 14 octets of an Ethernet header, 18 with an 802.1Q tag, and says what the frame
/// carries.
///
/// **Contract.** Each frame gives one item on `frame`. If it says `has_packet`, the octets after
/// the header are the next frame on `tx`, padding included. A second tag is not looked at: such a
/// frame is `OTHER`.
///
/// **Timing.** A beat a cycle, also if every frame has one beat only for as long as 16 items may
/// wait. The item comes after the frame's last beat.
#[derive(LogicBlock, Default)]
pub struct EthRx<const W: usize, const K: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
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
    last_beat: Const<Bits<2>>,
    vlan: Const<Bits<16>>,
    ipv4: Const<Bits<16>>,
    ipv6: Const<Bits<16>>,
    arp: Const<Bits<16>>,
    other_kind: Const<Bits<2>>,
    ipv4_kind: Const<Bits<2>>,
    ipv6_kind: Const<Bits<2>>,
    arp_kind: Const<Bits<2>>,
    plain: Const<Bits<16>>,
    tagged_header: Const<Bits<16>>,
    go: Signal<Local, Bit>,
    fire: Signal<Local, Bit>,
    octets_up: Signal<Local, Bits<16>>,
    field: Signal<Local, Bits<16>>,
    outer: Signal<Local, Bits<16>>,
    tag: Signal<Local, Bits<16>>,
    inner: Signal<Local, Bits<16>>,
    vid_now: Signal<Local, Bits<12>>,
    group_now: Signal<Local, Bit>,
    vlan_now: Signal<Local, Bit>,
    kind_now: Signal<Local, Bits<2>>,
    decides: Signal<Local, Bit>,
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
            last_beat: Const::of(3),
            vlan: ether_type::vlan(),
            ipv4: ether_type::ipv4(),
            ipv6: ether_type::ipv6(),
            arp: ether_type::arp(),
            other_kind: Const::of(kind::OTHER),
            ipv4_kind: Const::of(kind::IPV4),
            ipv6_kind: Const::of(kind::IPV6),
            arp_kind: Const::of(kind::ARP),
            plain: Const::of(14),
            tagged_header: Const::of(18),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize> Logic for EthRx<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, beat, octets, has_vlan, vid, to_group, carries);
        clock!(self, clock, front, realign, notes, packets);
        self.beat.reset.next = self.reset.val();
        self.octets.reset.next = self.reset.val();
        self.front.reset.next = self.reset.val();
        self.realign.reset.next = self.reset.val();
        self.notes.reset.next = self.reset.val();
        self.packets.reset.next = self.reset.val();

        self.rx.ready.next =
            self.front.rx.ready.val() && self.realign.skip.ready.val() && self.notes.rx.ready.val();
        self.go.next =
            self.front.rx.ready.val() && self.realign.skip.ready.val() && self.notes.rx.ready.val();
        self.fire.next = self.go.val() && self.rx.valid.val();

        self.field.next = self.rx.data.val().get_bits::<16>(self.type_at.val().index());
        self.outer.next = (self.field.val() << 8) | (self.field.val() >> 8);
        self.field.next = self.rx.data.val().get_bits::<16>(self.tag_at.val().index());
        self.tag.next = (self.field.val() << 8) | (self.field.val() >> 8);
        self.field.next = self.rx.data.val().get_bits::<16>(self.inner_at.val().index());
        self.inner.next = (self.field.val() << 8) | (self.field.val() >> 8);
        self.vlan_now.next = self.has_vlan.q.val();
        self.vid_now.next = self.vid.q.val();
        self.group_now.next = self.to_group.q.val();
        self.kind_now.next = self.carries.q.val();
        if !self.beat.q.val().any() {
            self.vlan_now.next = false;
            self.vid_now.next = 0.into();
            self.group_now.next = self.rx.data.val().get_bit(0);
            self.kind_now.next = self.other_kind.val();
        }
        if self.beat.q.val() == self.type_beat.val() {
            self.vlan_now.next = self.outer.val() == self.vlan.val();
            if self.outer.val() == self.ipv4.val() {
                self.kind_now.next = self.ipv4_kind.val();
            }
            if self.outer.val() == self.ipv6.val() {
                self.kind_now.next = self.ipv6_kind.val();
            }
            if self.outer.val() == self.arp.val() {
                self.kind_now.next = self.arp_kind.val();
            }
        }
        if (self.beat.q.val() == self.tag_beat.val()) && self.vlan_now.val() {
            self.vid_now.next = self.tag.val().get_bits::<12>(0);
        }
        if (self.beat.q.val() == self.inner_beat.val()) && self.vlan_now.val() {
            if self.inner.val() == self.ipv4.val() {
                self.kind_now.next = self.ipv4_kind.val();
            }
            if self.inner.val() == self.ipv6.val() {
                self.kind_now.next = self.ipv6_kind.val();
            }
            if self.inner.val() == self.arp.val() {
                self.kind_now.next = self.arp_kind.val();
            }
        }
        self.decides.next = (self.beat.q.val() == self.type_beat.val())
            || (self.rx.last.val() && (self.beat.q.val() < self.type_beat.val()));
        self.octets_up.next = self.octets.q.val() + bit_cast::<16, K>(self.rx.bytes.val());
        if self.fire.val() {
            self.has_vlan.d.next = self.vlan_now.val();
            self.vid.d.next = self.vid_now.val();
            self.to_group.d.next = self.group_now.val();
            self.carries.d.next = self.kind_now.val();
            self.octets.d.next = self.octets_up.val();
            if self.beat.q.val() != self.last_beat.val() {
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
        self.front.rx.valid.next = self.fire.val();
        self.realign.rx.data.next = self.front.tx.item.val().data;
        self.realign.rx.bytes.next = self.front.tx.item.val().bytes;
        self.realign.rx.last.next = self.front.tx.item.val().last;
        self.realign.rx.err.next = self.front.tx.item.val().err;
        self.realign.rx.valid.next = self.front.tx.valid.val();
        self.front.tx.ready.next = self.realign.rx.ready.val();
        self.realign.skip.octets.next = self.plain.val();
        if self.vlan_now.val() {
            self.realign.skip.octets.next = self.tagged_header.val();
        }
        self.realign.skip.valid.next = self.fire.val() && self.decides.val();
        StreamSource::<W, K>::link(&mut self.tx, &mut self.realign.tx);
        self.note.next.octets = self.octets_up.val();
        self.note.next.kind = self.kind_now.val();
        self.note.next.has_vlan = self.vlan_now.val();
        self.note.next.vid = self.vid_now.val();
        self.note.next.to_group = self.group_now.val();
        self.note.next.err = self.rx.err.val();
        self.notes.rx.item.next = self.note.val();
        self.notes.rx.valid.next = self.fire.val() && self.rx.last.val();
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
