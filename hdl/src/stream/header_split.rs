// SPDX-License-Identifier: MIT OR Apache-2.0
//! Header split: the first octets of a frame into a record, the rest realigned.
use super::{Beat, Header, HeaderSource, Skid, StreamSink, StreamSource};
use crate::cell::{Const, Flop, Reg};
use rust_hdl::prelude::*;

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
#[derive(LogicBlock, Default)]
pub struct HeaderSplit<const W: usize, const K: usize, const HB: usize, const NB: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
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
    advance: Signal<Local, Bit>,
    in_header: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    completes: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
    fire: Signal<Local, Bit>,
    left: Signal<Local, Bits<K>>,
    h_now: Signal<Local, Bits<HB>>,
    ob: Signal<Local, Beat<W, K>>,
    header_beats: Const<Bits<4>>,
    last_header_beat: Const<Bits<4>>,
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
            header_beats: Const::of(NB),
            last_header_beat: Const::of(NB - 1),
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

impl<const W: usize, const K: usize, const HB: usize, const NB: usize> Logic for HeaderSplit<W, K, HB, NB> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, front);
        dff_setup!(
            self,
            clock,
            beat,
            acc,
            h,
            h_short,
            h_valid,
            rest,
            flush,
            flush_bytes,
            flush_err,
            o,
            o_valid
        );
        self.front.reset.next = self.reset.val();
        self.beat.reset.next = self.reset.val();
        self.h_valid.reset.next = self.reset.val();
        self.flush.reset.next = self.reset.val();
        self.o_valid.reset.next = self.reset.val();
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

        self.advance.next = self.tx.ready.val() || !self.o_valid.q.val();
        self.in_header.next = self.beat.q.val() != self.header_beats.val();
        self.ends.next = self.beat.q.val() == self.last_header_beat.val();
        self.over.next = self.front.tx.bytes.val() > self.tail.val();
        self.left.next = self.front.tx.bytes.val() - self.tail.val();
        // only the beat that completes a header needs the header register
        self.completes.next = self.in_header.val() && (self.ends.val() || self.front.tx.last.val());
        self.may.next =
            self.advance.val() && (!self.completes.val() || self.hdr.ready.val() || !self.h_valid.q.val());
        self.front.tx.ready.next = self.may.val();
        self.fire.next = self.may.val() && self.front.tx.valid.val();

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
        if self.advance.val() {
            self.o_valid.d.next = self.flush.q.val();
            self.flush.d.next = false;
        }
        if self.fire.val() {
            self.rest.d.next = self.front.tx.data.val() >> self.down.val();
            self.flush_bytes.d.next = self.left.val();
            self.flush_err.d.next = self.front.tx.err.val();
            if self.in_header.val() {
                self.beat.d.next = self.beat.q.val() + 1;
                self.acc.d.next = self.h_now.val();
                if self.completes.val() {
                    self.h_valid.d.next = true;
                    self.h.d.next.data = self.h_now.val();
                    self.h_short.d.next = !self.ends.val() || (self.front.tx.bytes.val() < self.tail.val());
                    self.h.d.next.empty = self.front.tx.last.val() && !(self.ends.val() && self.over.val());
                    self.h.d.next.err = self.front.tx.err.val()
                        && self.front.tx.last.val()
                        && !(self.ends.val() && self.over.val());
                    self.flush.d.next = self.front.tx.last.val() && self.ends.val() && self.over.val();
                }
            } else {
                self.o_valid.d.next = true;
                self.ob.next.data = self.rest.q.val() | (self.front.tx.data.val() << self.up.val());
                self.ob.next.bytes = self.full.val();
                self.ob.next.last = false;
                self.ob.next.err = false;
                if self.front.tx.last.val() {
                    if self.over.val() {
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
        if self.advance.val() {
            self.o.d.next = self.ob.val();
        }
    }
}
