// SPDX-License-Identifier: MIT OR Apache-2.0
//! Header join: a header record in front of a payload stream.
use super::{Beat, Header, HeaderSink, Skid, Slot, StreamSink, StreamSource};
use crate::prelude::*;

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
#[block]
pub struct HeaderJoin<const W: usize, const K: usize, const HB: usize, const NB: usize> {
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
    here: Signal<Local, Bits<HB>>,
    low: Signal<Local, Bits<W>>,
    ob: Signal<Local, Beat<W, K>>,
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

#[kernel]
impl<const W: usize, const K: usize, const HB: usize, const NB: usize> Logic for HeaderJoin<W, K, HB, NB> {
    fn update(&mut self) {
        regs!(beat, flush, o_valid);
        flops!(rest, flush_bytes, flush_err, o);
        parts!(front, slot);
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

        let advance: Bit = self.tx.ready.val() || !self.o_valid.q.val();
        let in_header: Bit = self.beat.q.val() != lit::<4>(NB);
        let ends: Bit = self.beat.q.val() == lit::<4>(NB - 1);
        let over: Bit = self.front.tx.bytes.val() > self.room.val();
        // the header's last octets leave alone, or the beat is filled up from the payload
        let alone: Bit = ends && self.head.val().empty;
        let merges: Bit = !self.flush.q.val()
            && (!in_header || (ends && self.slot.tx.valid.val() && !self.head.val().empty));
        self.front.tx.ready.next = advance && merges;
        let fire: Bit = advance && merges && self.front.tx.valid.val();
        self.slot.tx.ready.next = ends && advance && (self.head.val().empty || self.front.tx.valid.val());

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
        if advance {
            self.o_valid.d.next = self.flush.q.val();
            self.flush.d.next = false;
            if in_header && (!ends || alone) {
                self.o_valid.d.next = self.slot.tx.valid.val();
                if self.slot.tx.valid.val() {
                    self.beat.d.next = self.beat.q.val() + 1;
                    if alone {
                        self.beat.d.next = 0.into();
                    }
                }
            }
        }
        if alone {
            self.ob.next.bytes = self.tail.val();
            self.ob.next.last = true;
            self.ob.next.err = self.head.val().err;
        }
        if self.flush.q.val() {
            self.ob.next.bytes = self.flush_bytes.q.val();
            self.ob.next.last = true;
            self.ob.next.err = self.flush_err.q.val();
        }
        if fire {
            self.o_valid.d.next = true;
            self.rest.d.next = self.front.tx.data.val() >> self.down.val();
            self.flush_bytes.d.next = self.front.tx.bytes.val() - self.room.val();
            self.flush_err.d.next = self.front.tx.err.val();
            self.ob.next.data = self.low.val() | (self.front.tx.data.val() << self.up.val());
            self.beat.d.next = lit::<4>(NB);
            if self.front.tx.last.val() {
                if over {
                    self.flush.d.next = true;
                } else {
                    self.beat.d.next = 0.into();
                    self.ob.next.bytes = self.front.tx.bytes.val() + self.tail.val();
                    self.ob.next.last = true;
                    self.ob.next.err = self.front.tx.err.val();
                }
            }
        }
        if advance {
            if self.flush.q.val() {
                self.beat.d.next = 0.into();
            }
            self.o.d.next = self.ob.val();
        }
    }
}
