// SPDX-License-Identifier: MIT OR Apache-2.0
//! ULPDU to unmarked FPDU: ULPDU_Length in front, pad and room for the CRC behind.
use crate::cell::{Const, Flop, Reg};
use crate::record::TxSized;
use crate::stream::{ItemSink, Skid, StreamSink};
use rust_hdl::prelude::*;

/// Turns each payload frame into the 32-bit words of its FPDU, pad and CRC field zero, no markers.
///
/// A job takes one payload frame. The words that leave are those which the job's length says,
/// whatever the frame is: zeros stand for octets that it lacks, octets too many are dropped, and
/// `p_err` tells with the last word. One beat a cycle; a beat that only carries what the payload's
/// last beat left over takes a cycle in which `rx` waits.
#[derive(LogicBlock, Default)]
pub struct TxPack<const W: usize, const K: usize> {
    /// Clock, rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Order for the next frame.
    pub job: ItemSink<TxSized>,
    /// ULPDUs, a frame a job.
    pub rx: StreamSink<W, K>,
    /// Words of an FPDU, the first in bits 31:0.
    pub p_data: Signal<Out, Bits<W>>,
    /// How many: `W/32` except with `p_last`.
    pub p_words: Signal<Out, Bits<K>>,
    /// First beat of an FPDU.
    pub p_first: Signal<Out, Bit>,
    /// The last word of this beat is the CRC field.
    pub p_last: Signal<Out, Bit>,
    /// With `p_last`: the payload was not what the job said.
    pub p_err: Signal<Out, Bit>,
    /// Of the FPDU: words before the first marker that is due.
    pub p_gap: Signal<Out, Bits<7>>,
    /// Of the FPDU: insert markers.
    pub p_markers: Signal<Out, Bit>,
    /// Of the FPDU: fill the CRC field.
    pub p_crc: Signal<Out, Bit>,
    /// The beat is there.
    pub p_valid: Signal<Out, Bit>,
    /// It is taken.
    pub p_take: Signal<In, Bit>,
    /// Pulse: a payload frame ended before its length.
    pub too_short: Signal<Out, Bit>,
    /// Pulse: a payload frame went on after its length.
    pub too_long: Signal<Out, Bit>,
    /// Pulse: a payload frame of the right length had `err`.
    pub spoilt: Signal<Out, Bit>,
    front: Skid<W, K>,
    /// The FPDU has begun.
    busy: Reg<Bit>,
    /// Octets of the ULPDU still to come.
    left: Flop<Bits<16>>,
    /// The last two octets of the beat before: ULPDU_Length shifts the ULPDU by two.
    carry: Flop<Bits<16>>,
    /// The payload ended too early.
    ended: Reg<Bit>,
    /// The payload was not what the job said.
    faulty: Reg<Bit>,
    /// One more beat holds what did not fit.
    flush: Reg<Bit>,
    flush_words: Flop<Bits<K>>,
    /// The rest of the frame is dropped.
    drain: Reg<Bit>,
    data: Flop<Bits<W>>,
    words: Flop<Bits<K>>,
    first: Flop<Bit>,
    last: Flop<Bit>,
    err: Flop<Bit>,
    order: Flop<TxSized>,
    valid: Reg<Bit>,
    short_now: Reg<Bit>,
    long_now: Reg<Bit>,
    spoilt_now: Reg<Bit>,
    octets: Const<Bits<16>>,
    full: Const<Bits<K>>,
    lanes: Const<Bits<8>>,
    lanes_k: Const<Bits<K>>,
    ones: Const<Bits<W>>,
    top: Const<Bits<16>>,
    half: Const<Bits<16>>,
    free: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
    fire: Signal<Local, Bit>,
    length: Signal<Local, Bits<16>>,
    todo: Signal<Local, Bits<16>>,
    ahead: Signal<Local, Bits<16>>,
    tail: Signal<Local, Bit>,
    rest: Signal<Local, Bits<K>>,
    missing: Signal<Local, Bits<K>>,
    surplus: Signal<Local, Bits<16>>,
    mask: Signal<Local, Bits<W>>,
    masked: Signal<Local, Bits<W>>,
    merged: Signal<Local, Bits<W>>,
    tail_sum: Signal<Local, Bits<8>>,
    tail_words: Signal<Local, Bits<8>>,
    over_words: Signal<Local, Bits<8>>,
    spills: Signal<Local, Bit>,
    is_short: Signal<Local, Bit>,
    is_long: Signal<Local, Bit>,
    is_spoilt: Signal<Local, Bit>,
    fault: Signal<Local, Bit>,
}

impl<const W: usize, const K: usize> TxPack<W, K> {
    /// An idle packer; panics at elaboration if `K` does not belong to `W`.
    pub fn new() -> Self {
        assert!(K == crate::stream::bytes_width(W), "K = {K} does not belong to W = {W}");
        assert!((64..=512).contains(&W), "W = {W} must be 64 to 512");
        Self {
            octets: Const::of(W / 8),
            full: Const::of(W / 8),
            lanes: Const::of(W / 32),
            lanes_k: Const::of(W / 32),
            ones: Const::new(!Bits::<W>::default()),
            top: Const::of(W - 16),
            half: Const::of(16),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize> Logic for TxPack<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, front);
        dff_setup!(self, clock, busy, left, carry, ended, faulty, flush, flush_words, drain);
        dff_setup!(self, clock, data, words, first, last, err, order, valid);
        dff_setup!(self, clock, short_now, long_now, spoilt_now);
        self.front.reset.next = self.reset.val();
        self.busy.reset.next = self.reset.val();
        self.ended.reset.next = self.reset.val();
        self.faulty.reset.next = self.reset.val();
        self.flush.reset.next = self.reset.val();
        self.drain.reset.next = self.reset.val();
        self.valid.reset.next = self.reset.val();
        self.short_now.reset.next = self.reset.val();
        self.long_now.reset.next = self.reset.val();
        self.spoilt_now.reset.next = self.reset.val();
        StreamSink::<W, K>::link(&mut self.rx, &mut self.front.rx);
        self.p_data.next = self.data.q.val();
        self.p_words.next = self.words.q.val();
        self.p_first.next = self.first.q.val();
        self.p_last.next = self.last.q.val();
        self.p_err.next = self.err.q.val();
        self.p_gap.next = self.order.q.val().gap;
        self.p_markers.next = self.order.q.val().markers;
        self.p_crc.next = self.order.q.val().crc;
        self.p_valid.next = self.valid.q.val();
        self.too_short.next = self.short_now.q.val();
        self.too_long.next = self.long_now.q.val();
        self.spoilt.next = self.spoilt_now.q.val();

        // What this cycle may do: send the left-over beat, or take a payload beat (or a zero one
        // for it).
        self.free.next = self.p_take.val() || !self.valid.q.val();
        self.starts.next = !self.busy.q.val() && self.job.valid.val() && !self.job.item.val().refused;
        self.may.next = self.free.val()
            && !self.flush.q.val()
            && !self.drain.q.val()
            && (self.busy.q.val() || self.starts.val());
        self.fire.next = self.may.val() && (self.ended.q.val() || self.front.tx.valid.val());
        self.front.tx.ready.next = self.drain.q.val() || (self.may.val() && !self.ended.q.val());
        self.job.ready.next = false;
        if !self.busy.q.val() && !self.drain.q.val() && !self.flush.q.val() {
            self.job.ready.next =
                self.job.item.val().refused || (self.free.val() && self.front.tx.valid.val());
        }

        // ULPDU_Length goes most significant octet first.
        self.length.next = self.job.item.val().length;
        self.todo.next = self.left.q.val();
        self.ahead.next = self.carry.q.val();
        if !self.busy.q.val() {
            self.todo.next = self.length.val();
            self.ahead.next = (self.length.val() << 8) | (self.length.val() >> 8);
        }
        self.tail.next = self.todo.val() <= self.octets.val();
        self.rest.next = self.full.val();
        if self.tail.val() {
            self.rest.next = bit_cast::<K, 16>(self.todo.val());
        }
        self.missing.next = self.full.val() - self.rest.val();
        self.surplus.next = bit_cast::<16, K>(self.missing.val()) << 3;
        self.mask.next = self.ones.val() >> self.surplus.val();
        if self.ended.q.val() {
            self.mask.next = 0.into();
        }
        self.masked.next = self.front.tx.data.val() & self.mask.val();
        self.merged.next = (self.masked.val() << self.half.val()) | bit_cast::<W, 16>(self.ahead.val());
        // words of a last beat with ULPDU_Length or carry before it, pad and CRC field behind it
        self.tail_sum.next = bit_cast::<8, K>(self.rest.val()) + 9;
        self.tail_words.next = self.tail_sum.val() >> 2;
        self.over_words.next = self.tail_words.val() - self.lanes.val();
        self.spills.next = self.tail_words.val() > self.lanes.val();

        self.is_short.next = !self.ended.q.val()
            && self.front.tx.last.val()
            && (!self.tail.val() || (self.front.tx.bytes.val() < self.rest.val()));
        self.is_long.next = !self.ended.q.val()
            && self.tail.val()
            && (!self.front.tx.last.val() || (self.front.tx.bytes.val() > self.rest.val()));
        self.is_spoilt.next = !self.ended.q.val()
            && self.front.tx.last.val()
            && self.front.tx.err.val()
            && !self.is_short.val()
            && !self.is_long.val();
        self.fault.next =
            self.faulty.q.val() || self.is_short.val() || self.is_long.val() || self.is_spoilt.val();

        self.short_now.d.next = false;
        self.long_now.d.next = false;
        self.spoilt_now.d.next = false;
        if self.p_take.val() {
            self.valid.d.next = false;
        }
        if self.drain.q.val() && self.front.tx.valid.val() && self.front.tx.last.val() {
            self.drain.d.next = false;
        }
        if !self.busy.q.val()
            && !self.drain.q.val()
            && !self.flush.q.val()
            && self.job.valid.val()
            && self.job.item.val().refused
        {
            self.drain.d.next = true;
        }
        if self.flush.q.val() && self.free.val() {
            self.flush.d.next = false;
            self.data.d.next = bit_cast::<W, 16>(self.carry.q.val());
            self.words.d.next = self.flush_words.q.val();
            self.first.d.next = false;
            self.last.d.next = true;
            self.err.d.next = self.faulty.q.val();
            self.faulty.d.next = false;
            self.valid.d.next = true;
        }
        if self.fire.val() {
            self.short_now.d.next = self.is_short.val();
            self.long_now.d.next = self.is_long.val();
            self.spoilt_now.d.next = self.is_spoilt.val();
            self.data.d.next = self.merged.val();
            self.words.d.next = self.lanes_k.val();
            self.first.d.next = !self.busy.q.val();
            self.last.d.next = self.tail.val() && !self.spills.val();
            self.err.d.next = self.fault.val();
            self.valid.d.next = true;
            if !self.busy.q.val() {
                self.order.d.next = self.job.item.val();
            }
            self.busy.d.next = true;
            self.left.d.next = self.todo.val() - self.octets.val();
            self.carry.d.next = bit_cast::<16, W>(self.masked.val() >> self.top.val());
            self.faulty.d.next = self.fault.val();
            self.flush_words.d.next = bit_cast::<K, 8>(self.over_words.val());
            if !self.tail.val() && self.front.tx.last.val() {
                self.ended.d.next = true;
            }
            if self.tail.val() {
                self.busy.d.next = false;
                self.ended.d.next = false;
                self.drain.d.next = !self.ended.q.val() && !self.front.tx.last.val();
                self.flush.d.next = self.spills.val();
                if !self.spills.val() {
                    self.words.d.next = bit_cast::<K, 8>(self.tail_words.val());
                    self.faulty.d.next = false;
                }
            }
        }
    }
}
