// SPDX-License-Identifier: MIT OR Apache-2.0
//! Header join: a header record in front of a payload stream.
use super::{Beat, Header, HeaderSink, Skid, Slot, StreamSink, StreamSource};
use crate::cell::{Const, Flop, Reg};
use rust_hdl::prelude::*;

/// Puts `H = HB/8` octets in front of each payload frame. `NB` = beats that the header touches,
/// `ceil(H / (W/8))`. The inverse of [`super::HeaderSplit`]: their ports fit each other.
///
/// **Contract.** Each item on `hdr` gives one frame on `tx`. With `hdr.empty` the frame is the
/// header alone and no payload frame is taken; its `err` is set by `hdr.err` and by `hdr.short`,
/// since the octets of a short header are not all real. Else the next frame on `rx` follows the
/// header and brings its `err`.
///
/// **Order.** Headers and payload frames pair in order. Two headers and two payload beats are taken
/// ahead of their frame; a producer must offer the header no later than the third beat of its
/// payload.
///
/// **Timing.** Two cycles from a header on `hdr` to its first octet on `tx`, two from a payload
/// beat to the frame beat that it completes. One beat a cycle on `tx` whatever the lengths (no
/// bubble even between frames of one beat). Each payload beat is taken in a cycle of its own; while
/// whole header beats or octets left over at the end leave, `rx` waits.
#[derive(LogicBlock, Default)]
pub struct HeaderJoin<const W: usize, const K: usize, const HB: usize, const NB: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Headers in, one a frame.
    pub hdr: HeaderSink<HB>,
    /// Payload in; no frame where `hdr.empty` is set.
    pub rx: StreamSink<W, K>,
    /// Frames out.
    pub tx: StreamSource<W, K>,
    front: Skid<W, K>,
    slot: Slot<Header<HB>>,
    /// Beats of the frame formed so far, at most `NB`.
    beat: Reg<Bits<4>>,
    /// Octets of the payload beat before that have not left, from octet 0.
    rest: Flop<Bits<W>>,
    /// The payload has ended and `rest` is the frame's last beat.
    flush: Reg<Bit>,
    flush_bytes: Flop<Bits<K>>,
    flush_err: Flop<Bit>,
    o: Flop<Beat<W, K>>,
    o_valid: Reg<Bit>,
    item: Signal<Local, Header<HB>>,
    head: Signal<Local, Header<HB>>,
    advance: Signal<Local, Bit>,
    in_header: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    alone: Signal<Local, Bit>,
    merges: Signal<Local, Bit>,
    fire: Signal<Local, Bit>,
    here: Signal<Local, Bits<HB>>,
    low: Signal<Local, Bits<W>>,
    ob: Signal<Local, Beat<W, K>>,
    header_beats: Const<Bits<4>>,
    last_header_beat: Const<Bits<4>>,
    full: Const<Bits<K>>,
    tail: Const<Bits<K>>,
    room: Const<Bits<K>>,
    up: Const<Bits<16>>,
    down: Const<Bits<16>>,
    offset: Vec<Const<Bits<16>>>,
}

impl<const W: usize, const K: usize, const HB: usize, const NB: usize> HeaderJoin<W, K, HB, NB> {
    /// Panics at elaboration when the parameters do not belong together.
    pub fn new() -> Self {
        let (octets, tail) = super::header_layout::<W, K, HB, NB>();
        Self {
            header_beats: Const::of(NB),
            last_header_beat: Const::of(NB - 1),
            full: Const::of(octets),
            tail: Const::of(tail),
            room: Const::of(octets - tail),
            up: Const::of(8 * tail),
            down: Const::of(W - 8 * tail),
            offset: (0..NB).map(|i| Const::of(i * W)).collect(),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const HB: usize, const NB: usize> Logic for HeaderJoin<W, K, HB, NB> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, front, slot);
        dff_setup!(self, clock, beat, rest, flush, flush_bytes, flush_err, o, o_valid);
        self.front.reset.next = self.reset.val();
        self.slot.reset.next = self.reset.val();
        self.beat.reset.next = self.reset.val();
        self.flush.reset.next = self.reset.val();
        self.o_valid.reset.next = self.reset.val();
        StreamSink::<W, K>::link(&mut self.rx, &mut self.front.rx);
        self.item.next.data = self.hdr.data.val();
        self.item.next.empty = self.hdr.empty.val();
        self.item.next.err = self.hdr.err.val() || self.hdr.short.val();
        self.slot.rx.item.next = self.item.val();
        self.slot.rx.valid.next = self.hdr.valid.val();
        self.hdr.ready.next = self.slot.rx.ready.val();
        self.head.next = self.slot.tx.item.val();
        self.tx.data.next = self.o.q.val().data;
        self.tx.bytes.next = self.o.q.val().bytes;
        self.tx.last.next = self.o.q.val().last;
        self.tx.err.next = self.o.q.val().err;
        self.tx.valid.next = self.o_valid.q.val();

        self.advance.next = self.tx.ready.val() || !self.o_valid.q.val();
        self.in_header.next = self.beat.q.val() != self.header_beats.val();
        self.ends.next = self.beat.q.val() == self.last_header_beat.val();
        self.over.next = self.front.tx.bytes.val() > self.room.val();
        // the header's last octets leave alone, or the beat is filled up from the payload
        self.alone.next = self.ends.val() && self.head.val().empty;
        self.merges.next = !self.flush.q.val()
            && (!self.in_header.val()
                || (self.ends.val() && self.slot.tx.valid.val() && !self.head.val().empty));
        self.front.tx.ready.next = self.advance.val() && self.merges.val();
        self.fire.next = self.advance.val() && self.merges.val() && self.front.tx.valid.val();
        self.slot.tx.ready.next =
            self.ends.val() && self.advance.val() && (self.head.val().empty || self.front.tx.valid.val());

        self.low.next = self.rest.q.val();
        self.here.next = self.head.val().data;
        for i in 0..NB {
            if self.beat.q.val() == i.to_bits() {
                self.here.next = self.head.val().data >> self.offset[i].val();
                self.low.next = bit_cast::<W, HB>(self.here.val());
            }
        }

        self.ob.next.data = self.low.val();
        self.ob.next.bytes = self.full.val();
        self.ob.next.last = false;
        self.ob.next.err = false;
        if self.advance.val() {
            self.o_valid.d.next = self.flush.q.val();
            self.flush.d.next = false;
            if self.in_header.val() && (!self.ends.val() || self.alone.val()) {
                self.o_valid.d.next = self.slot.tx.valid.val();
                if self.slot.tx.valid.val() {
                    self.beat.d.next = self.beat.q.val() + 1;
                    if self.alone.val() {
                        self.beat.d.next = 0.into();
                    }
                }
            }
        }
        if self.alone.val() {
            self.ob.next.bytes = self.tail.val();
            self.ob.next.last = true;
            self.ob.next.err = self.head.val().err;
        }
        if self.flush.q.val() {
            self.ob.next.bytes = self.flush_bytes.q.val();
            self.ob.next.last = true;
            self.ob.next.err = self.flush_err.q.val();
        }
        if self.fire.val() {
            self.o_valid.d.next = true;
            self.rest.d.next = self.front.tx.data.val() >> self.down.val();
            self.flush_bytes.d.next = self.front.tx.bytes.val() - self.room.val();
            self.flush_err.d.next = self.front.tx.err.val();
            self.ob.next.data = self.low.val() | (self.front.tx.data.val() << self.up.val());
            self.beat.d.next = self.header_beats.val();
            if self.front.tx.last.val() {
                if self.over.val() {
                    self.flush.d.next = true;
                } else {
                    self.beat.d.next = 0.into();
                    self.ob.next.bytes = self.front.tx.bytes.val() + self.tail.val();
                    self.ob.next.last = true;
                    self.ob.next.err = self.front.tx.err.val();
                }
            }
        }
        if self.advance.val() {
            if self.flush.q.val() {
                self.beat.d.next = 0.into();
            }
            self.o.d.next = self.ob.val();
        }
    }
}
