// SPDX-License-Identifier: MIT OR Apache-2.0
//! The octets of a write, moved to their places in the dwords of its address.
use crate::cell::{Const, Flop, KeepOctets, Reg};
use crate::stream::{Beat, ItemSink, Skid, Slot, StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// Puts 0 to 3 octets of zeros in front of each frame, as an item of `off` says that comes with it;
/// a beat's octets beyond its `bytes` are zero, too, so that octets of another frame never stand in
/// a byte lane that a TLP disables.
///
/// **Timing.** Two cycles; a beat a cycle on `tx`, `rx` waits where the frame becomes a beat
/// longer.
#[derive(LogicBlock, Default)]
pub struct WriteAlign<const W: usize, const K: usize> {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Octets to put in front, one item a frame.
    pub off: ItemSink<Bits<2>>,
    /// Frames in.
    pub rx: StreamSink<W, K>,
    /// Frames out.
    pub tx: StreamSource<W, K>,
    front: Skid<W, K>,
    places: Slot<Bits<2>>,
    keep: KeepOctets<W, K>,
    /// The last three octets of the beat before.
    tail: Reg<Bits<24>>,
    /// The frame has ended and `tail` has octets of it.
    flush: Reg<Bit>,
    flush_bytes: Flop<Bits<K>>,
    o: Flop<Beat<W, K>>,
    o_valid: Reg<Bit>,
    advance: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
    fire: Signal<Local, Bit>,
    shifted: Signal<Local, Bits<W>>,
    carry: Signal<Local, Bits<24>>,
    room: Signal<Local, Bits<K>>,
    over: Signal<Local, Bit>,
    beat: Signal<Local, Beat<W, K>>,
    full: Const<Bits<K>>,
    one: Const<Bits<8>>,
    two: Const<Bits<8>>,
    top: Const<Bits<16>>,
}

impl<const W: usize, const K: usize> WriteAlign<W, K> {
    /// Nothing under way.
    pub fn new() -> Self {
        Self {
            full: Const::of(W / 8),
            one: Const::of(8),
            two: Const::of(16),
            top: Const::of(W - 24),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize> Logic for WriteAlign<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, front, places);
        dff_setup!(self, clock, tail, flush, flush_bytes, o, o_valid);
        self.front.reset.next = self.reset.val();
        self.places.reset.next = self.reset.val();
        self.tail.reset.next = self.reset.val();
        self.flush.reset.next = self.reset.val();
        self.o_valid.reset.next = self.reset.val();
        StreamSink::<W, K>::link(&mut self.rx, &mut self.front.rx);
        ItemSink::<Bits<2>>::link(&mut self.off, &mut self.places.rx);
        self.keep.x.next = self.front.tx.data.val();
        self.keep.bytes.next = self.front.tx.bytes.val();

        self.room.next = self.full.val() - bit_cast::<K, 2>(self.places.tx.item.val());
        self.over.next = self.front.tx.bytes.val() > self.room.val();
        self.advance.next = self.tx.ready.val() || !self.o_valid.q.val();
        self.may.next = self.advance.val() && self.places.tx.valid.val() && !self.flush.q.val();
        self.front.tx.ready.next = self.may.val();
        self.fire.next = self.may.val() && self.front.tx.valid.val();
        self.places.tx.ready.next = self.advance.val()
            && (self.flush.q.val() || (self.fire.val() && self.front.tx.last.val() && !self.over.val()));

        self.shifted.next = self.keep.y.val();
        self.carry.next = self.tail.q.val();
        if self.places.tx.item.val().get_bit(0) {
            self.shifted.next = self.shifted.val() << self.one.val();
        } else {
            self.carry.next = self.carry.val() >> self.one.val();
        }
        if self.places.tx.item.val().get_bit(1) {
            self.shifted.next = self.shifted.val() << self.two.val();
        } else {
            self.carry.next = self.carry.val() >> self.two.val();
        }

        self.beat.next.data = self.shifted.val() | bit_cast::<W, 24>(self.carry.val());
        self.beat.next.bytes = self.full.val();
        self.beat.next.last = false;
        self.beat.next.err = false;
        if self.flush.q.val() {
            self.beat.next.data = bit_cast::<W, 24>(self.carry.val());
            self.beat.next.bytes = self.flush_bytes.q.val();
            self.beat.next.last = true;
        } else if self.front.tx.last.val() && !self.over.val() {
            self.beat.next.bytes = self.front.tx.bytes.val() + bit_cast::<K, 2>(self.places.tx.item.val());
            self.beat.next.last = true;
        }
        if self.advance.val() {
            self.o.d.next = self.beat.val();
            self.o_valid.d.next = self.fire.val() || self.flush.q.val();
            if self.flush.q.val() {
                self.flush.d.next = false;
                self.tail.d.next = 0.into();
            }
        }
        if self.fire.val() {
            self.tail.d.next = bit_cast::<24, W>(self.keep.y.val() >> self.top.val());
            self.flush_bytes.d.next = self.front.tx.bytes.val() - self.room.val();
            if self.front.tx.last.val() {
                self.flush.d.next = self.over.val();
                if !self.over.val() {
                    self.tail.d.next = 0.into();
                }
            }
        }
        self.tx.data.next = self.o.q.val().data;
        self.tx.bytes.next = self.o.q.val().bytes;
        self.tx.last.next = self.o.q.val().last;
        self.tx.err.next = self.o.q.val().err;
        self.tx.valid.next = self.o_valid.q.val();
    }
}
