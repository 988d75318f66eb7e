// SPDX-License-Identifier: MIT OR Apache-2.0
//! Header split: the first octets of a frame into a record, the rest realigned.
use super::{Beat, Header, HeaderSource, Skid, StreamSink, StreamSource};
use crate::prelude::*;

/// Splits `H = HB/8` octets off the front of each frame. `NB` = beats that the header touches,
/// `ceil(H / (W/8))`.
///
/// **Contract.** Each frame in gives one item on `hdr`, then its remaining octets, from octet 0 of
/// a beat, as one frame on `tx`. A frame of at most `H` octets has `hdr.empty` set and no beat on
/// `tx`; one of fewer than `H` octets has `hdr.short` set too, and the record's octets beyond the
/// frame's end are undefined. `err` stays with the last octet: on `hdr` when `empty`, else on the
/// last beat of `tx`.
///
/// **Order.** The header is offered before the first beat of its payload. It may be taken before,
/// during or after the payload: a waiting header stops only the *next* header, so payload never
/// waits for its own header. Header `n + 1` in turn needs the payload of frame `n` to be taken: a
/// consumer must not hold payload back until a later header comes.
///
/// **Timing.** Two cycles from a beat on `rx` to `hdr` and to the payload beat that it completes.
/// One beat a cycle on `rx` whatever the lengths (no bubble even for frames of one octet): octets
/// left over at a frame's end leave while the next frame's first header beat enters.
#[block]
pub struct HeaderSplit<const W: usize, const K: usize, const HB: usize, const NB: usize> {
    /// Frames in.
    pub rx: StreamSink<W, K>,
    /// Headers out, one a frame.
    pub hdr: HeaderSource<HB>,
    /// Payload out, realigned; no frame where the payload is empty.
    pub tx: StreamSource<W, K>,
    front: Skid<W, K>,
    /// Beats of the frame taken so far, at most `NB`.
    beat: Reg<Bits<4>>,
    acc: Flop<Bits<HB>>,
    h: Flop<Header<HB>>,
    h_short: Flop<Bit>,
    h_valid: Reg<Bit>,
    /// Octets of the beat before that have not left, from octet 0.
    rest: Flop<Bits<W>>,
    /// The frame has ended and `rest` is its last beat.
    flush: Reg<Bit>,
    flush_bytes: Flop<Bits<K>>,
    flush_err: Flop<Bit>,
    o: Flop<Beat<W, K>>,
    o_valid: Reg<Bit>,
    h_now: Signal<Local, Bits<HB>>,
    ob: Signal<Local, Beat<W, K>>,
    full: Const<Bits<K>>,
    tail: Const<Bits<K>>,
    fill: Const<Bits<K>>,
    down: Const<Bits<16>>,
    up: Const<Bits<16>>,
    offset: Vec<Const<Bits<16>>>,
}

impl<const W: usize, const K: usize, const HB: usize, const NB: usize> HeaderSplit<W, K, HB, NB> {
    /// Panics at elaboration when the parameters do not belong together.
    pub fn new() -> Self {
        let (octets, tail) = super::header_layout::<W, K, HB, NB>();
        Self {
            full: Const::of(octets),
            tail: Const::of(tail),
            fill: Const::of(octets - tail),
            down: Const::of(8 * tail),
            up: Const::of(W - 8 * tail),
            offset: (1..NB).map(|i| Const::of(i * W)).collect(),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const K: usize, const HB: usize, const NB: usize> Logic for HeaderSplit<W, K, HB, NB> {
    fn update(&mut self) {
        regs!(beat, h_valid, flush, o_valid);
        flops!(acc, h, h_short, rest, flush_bytes, flush_err, o);
        parts!(front);
        StreamSink::<W, K>::link(&mut self.rx, &mut self.front.rx);
        self.tx.data.next = self.o.q.val().data;
        self.tx.bytes.next = self.o.q.val().bytes;
        self.tx.last.next = self.o.q.val().last;
        self.tx.err.next = self.o.q.val().err;
        self.tx.valid.next = self.o_valid.q.val();
        self.hdr.data.next = self.h.q.val().data;
        self.hdr.short.next = self.h_short.q.val();
        self.hdr.empty.next = self.h.q.val().empty;
        self.hdr.err.next = self.h.q.val().err;
        self.hdr.valid.next = self.h_valid.q.val();

        let advance: Bit = self.tx.ready.val() || !self.o_valid.q.val();
        let in_header: Bit = self.beat.q.val() != lit::<4>(NB);
        let ends: Bit = self.beat.q.val() == lit::<4>(NB - 1);
        let over: Bit = self.front.tx.bytes.val() > self.tail.val();
        let left: Bits<K> = self.front.tx.bytes.val() - self.tail.val();
        // only the beat that completes a header needs the header register
        let completes: Bit = in_header && (ends || self.front.tx.last.val());
        let may: Bit = advance && (!completes || self.hdr.ready.val() || !self.h_valid.q.val());
        self.front.tx.ready.next = may;
        let fire: Bit = may && self.front.tx.valid.val();

        self.h_now.next = self.acc.q.val();
        if self.beat.q.val() == 0 {
            self.h_now.next = bit_cast::<HB, W>(self.front.tx.data.val());
        }
        for i in 1..NB {
            if self.beat.q.val() == i.to_bits() {
                self.h_now.next = self.acc.q.val()
                    | (bit_cast::<HB, W>(self.front.tx.data.val()) << self.offset[i - 1].val());
            }
        }

        self.ob.next.data = self.rest.q.val();
        self.ob.next.bytes = self.flush_bytes.q.val();
        self.ob.next.last = true;
        self.ob.next.err = self.flush_err.q.val();
        if self.hdr.ready.val() {
            self.h_valid.d.next = false;
        }
        if advance {
            self.o_valid.d.next = self.flush.q.val();
            self.flush.d.next = false;
        }
        if fire {
            self.rest.d.next = self.front.tx.data.val() >> self.down.val();
            self.flush_bytes.d.next = left;
            self.flush_err.d.next = self.front.tx.err.val();
            if in_header {
                self.beat.d.next = self.beat.q.val() + 1;
                self.acc.d.next = self.h_now.val();
                if completes {
                    self.h_valid.d.next = true;
                    self.h.d.next.data = self.h_now.val();
                    self.h_short.d.next = !ends || (self.front.tx.bytes.val() < self.tail.val());
                    self.h.d.next.empty = self.front.tx.last.val() && !(ends && over);
                    self.h.d.next.err =
                        self.front.tx.err.val() && self.front.tx.last.val() && !(ends && over);
                    self.flush.d.next = self.front.tx.last.val() && ends && over;
                }
            } else {
                self.o_valid.d.next = true;
                self.ob.next.data = self.rest.q.val() | (self.front.tx.data.val() << self.up.val());
                self.ob.next.bytes = self.full.val();
                self.ob.next.last = false;
                self.ob.next.err = false;
                if self.front.tx.last.val() {
                    if over {
                        self.flush.d.next = true;
                    } else {
                        self.ob.next.bytes = self.front.tx.bytes.val() + self.fill.val();
                        self.ob.next.last = true;
                        self.ob.next.err = self.front.tx.err.val();
                    }
                }
            }
            if self.front.tx.last.val() {
                self.beat.d.next = 0.into();
            }
        }
        if advance {
            self.o.d.next = self.ob.val();
        }
    }
}
