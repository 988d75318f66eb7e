// SPDX-License-Identifier: MIT OR Apache-2.0
//! The octets of a write, moved to their places in the dwords of its address.
use crate::cell::KeepOctets;
use crate::prelude::*;
use crate::stream::{Beat, ItemSink, Skid, Slot, StreamSink, StreamSource};

/// Puts 0 to 3 octets of zeros in front of each frame, as an item of `off` says that comes with it;
/// a beat's octets beyond its `bytes` are zero, too, so that octets of another frame never stand in
/// a byte lane that a TLP disables.
///
/// **Timing.** Two cycles; a beat a cycle on `tx`, `rx` waits where the frame becomes a beat
/// longer.
#[block]
pub struct WriteAlign<const W: usize, const K: usize> {
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
    shifted: Signal<Local, Bits<W>>,
    carry: Signal<Local, Bits<24>>,
    beat: Signal<Local, Beat<W, K>>,
}

#[kernel]
impl<const W: usize, const K: usize> Logic for WriteAlign<W, K> {
    fn update(&mut self) {
        regs!(tail, flush, o_valid);
        flops!(flush_bytes, o);
        parts!(front, places);
        StreamSink::<W, K>::link(&mut self.rx, &mut self.front.rx);
        ItemSink::<Bits<2>>::link(&mut self.off, &mut self.places.rx);
        self.keep.x.next = self.front.tx.data.val();
        self.keep.bytes.next = self.front.tx.bytes.val();

        let room: Bits<K> = lit::<K>(W / 8) - bit_cast::<K, 2>(self.places.tx.item.val());
        let over: Bit = self.front.tx.bytes.val() > room;
        let advance: Bit = self.tx.ready.val() || !self.o_valid.q.val();
        let may: Bit = advance && self.places.tx.valid.val() && !self.flush.q.val();
        self.front.tx.ready.next = may;
        let fire: Bit = may && self.front.tx.valid.val();
        self.places.tx.ready.next =
            advance && (self.flush.q.val() || (fire && self.front.tx.last.val() && !over));

        self.shifted.next = self.keep.y.val();
        self.carry.next = self.tail.q.val();
        if self.places.tx.item.val().get_bit(0) {
            self.shifted.next = self.shifted.val() << lit::<8>(8);
        } else {
            self.carry.next = self.carry.val() >> lit::<8>(8);
        }
        if self.places.tx.item.val().get_bit(1) {
            self.shifted.next = self.shifted.val() << lit::<8>(16);
        } else {
            self.carry.next = self.carry.val() >> lit::<8>(16);
        }

        self.beat.next.data = self.shifted.val() | bit_cast::<W, 24>(self.carry.val());
        self.beat.next.bytes = lit::<K>(W / 8);
        self.beat.next.last = false;
        self.beat.next.err = false;
        if self.flush.q.val() {
            self.beat.next.data = bit_cast::<W, 24>(self.carry.val());
            self.beat.next.bytes = self.flush_bytes.q.val();
            self.beat.next.last = true;
        } else if self.front.tx.last.val() && !over {
            self.beat.next.bytes = self.front.tx.bytes.val() + bit_cast::<K, 2>(self.places.tx.item.val());
            self.beat.next.last = true;
        }
        if advance {
            self.o.d.next = self.beat.val();
            self.o_valid.d.next = fire || self.flush.q.val();
            if self.flush.q.val() {
                self.flush.d.next = false;
                self.tail.d.next = 0.into();
            }
        }
        if fire {
            self.tail.d.next = bit_cast::<24, W>(self.keep.y.val() >> lit::<16>(W - 24));
            self.flush_bytes.d.next = self.front.tx.bytes.val() - room;
            if self.front.tx.last.val() {
                self.flush.d.next = over;
                if !over {
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
