// SPDX-License-Identifier: MIT OR Apache-2.0
//! ULPDU to unmarked FPDU: ULPDU_Length in front, pad and room for the CRC behind.
use crate::prelude::*;
use crate::record::TxSized;
use crate::stream::{ItemSink, Skid, StreamSink};

const HALF: usize = 16;

/// Turns each payload frame into the 32-bit words of its FPDU, pad and CRC field zero, no markers.
///
/// A job takes one payload frame. The words that leave are those which the job's length says,
/// whatever the frame is: zeros stand for octets that it lacks, octets too many are dropped, and
/// `p_err` tells with the last word. One beat a cycle; a beat that only carries what the payload's
/// last beat left over takes a cycle in which `rx` waits.
#[block]
pub struct TxPack<const W: usize, const K: usize> {
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
    ones: Const<Bits<W>>,
    todo: Signal<Local, Bits<16>>,
    ahead: Signal<Local, Bits<16>>,
    rest: Signal<Local, Bits<K>>,
    mask: Signal<Local, Bits<W>>,
}

impl<const W: usize, const K: usize> TxPack<W, K> {
    /// An idle packer; panics at elaboration if `K` does not belong to `W`.
    pub fn new() -> Self {
        assert!(K == crate::stream::bytes_width(W), "K = {K} does not belong to W = {W}");
        assert!((64..=512).contains(&W), "W = {W} must be 64 to 512");
        Self { ones: Const::new(!Bits::<W>::default()), ..Default::default() }
    }
}

#[kernel]
impl<const W: usize, const K: usize> Logic for TxPack<W, K> {
    fn update(&mut self) {
        regs!(busy, ended, faulty, flush, drain, valid, short_now, long_now, spoilt_now);
        flops!(left, carry, flush_words, data, words, first, last, err, order);
        parts!(front);
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
        let free: Bit = self.p_take.val() || !self.valid.q.val();
        let starts: Bit = !self.busy.q.val() && self.job.valid.val() && !self.job.item.val().refused;
        let may: Bit = free && !self.flush.q.val() && !self.drain.q.val() && (self.busy.q.val() || starts);
        let fire: Bit = may && (self.ended.q.val() || self.front.tx.valid.val());
        self.front.tx.ready.next = self.drain.q.val() || (may && !self.ended.q.val());
        self.job.ready.next = false;
        if !self.busy.q.val() && !self.drain.q.val() && !self.flush.q.val() {
            self.job.ready.next = self.job.item.val().refused || (free && self.front.tx.valid.val());
        }

        // ULPDU_Length goes most significant octet first.
        let length: Bits<16> = self.job.item.val().length;
        self.todo.next = self.left.q.val();
        self.ahead.next = self.carry.q.val();
        if !self.busy.q.val() {
            self.todo.next = length;
            self.ahead.next = (length << 8) | (length >> 8);
        }
        let tail: Bit = self.todo.val() <= lit::<16>(W / 8);
        self.rest.next = lit::<K>(W / 8);
        if tail {
            self.rest.next = bit_cast::<K, 16>(self.todo.val());
        }
        let missing: Bits<K> = lit::<K>(W / 8) - self.rest.val();
        let surplus: Bits<16> = bit_cast::<16, K>(missing) << 3;
        self.mask.next = self.ones.val() >> surplus;
        if self.ended.q.val() {
            self.mask.next = 0.into();
        }
        let masked: Bits<W> = self.front.tx.data.val() & self.mask.val();
        let merged: Bits<W> = (masked << lit::<16>(HALF)) | bit_cast::<W, 16>(self.ahead.val());
        // words of a last beat with ULPDU_Length or carry before it, pad and CRC field behind it
        let tail_sum: Bits<8> = bit_cast::<8, K>(self.rest.val()) + 9;
        let tail_words: Bits<8> = tail_sum >> 2;
        let over_words: Bits<8> = tail_words - lit::<8>(W / 32);
        let spills: Bit = tail_words > lit::<8>(W / 32);

        let is_short: Bit = !self.ended.q.val()
            && self.front.tx.last.val()
            && (!tail || (self.front.tx.bytes.val() < self.rest.val()));
        let is_long: Bit = !self.ended.q.val()
            && tail
            && (!self.front.tx.last.val() || (self.front.tx.bytes.val() > self.rest.val()));
        let is_spoilt: Bit = !self.ended.q.val()
            && self.front.tx.last.val()
            && self.front.tx.err.val()
            && !is_short
            && !is_long;
        let fault: Bit = self.faulty.q.val() || is_short || is_long || is_spoilt;

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
        if self.flush.q.val() && free {
            self.flush.d.next = false;
            self.data.d.next = bit_cast::<W, 16>(self.carry.q.val());
            self.words.d.next = self.flush_words.q.val();
            self.first.d.next = false;
            self.last.d.next = true;
            self.err.d.next = self.faulty.q.val();
            self.faulty.d.next = false;
            self.valid.d.next = true;
        }
        if fire {
            self.short_now.d.next = is_short;
            self.long_now.d.next = is_long;
            self.spoilt_now.d.next = is_spoilt;
            self.data.d.next = merged;
            self.words.d.next = lit::<K>(W / 32);
            self.first.d.next = !self.busy.q.val();
            self.last.d.next = tail && !spills;
            self.err.d.next = fault;
            self.valid.d.next = true;
            if !self.busy.q.val() {
                self.order.d.next = self.job.item.val();
            }
            self.busy.d.next = true;
            self.left.d.next = self.todo.val() - lit::<16>(W / 8);
            self.carry.d.next = bit_cast::<16, W>(masked >> lit::<16>(W - 16));
            self.faulty.d.next = fault;
            self.flush_words.d.next = bit_cast::<K, 8>(over_words);
            if !tail && self.front.tx.last.val() {
                self.ended.d.next = true;
            }
            if tail {
                self.busy.d.next = false;
                self.ended.d.next = false;
                self.drain.d.next = !self.ended.q.val() && !self.front.tx.last.val();
                self.flush.d.next = spills;
                if !spills {
                    self.words.d.next = bit_cast::<K, 8>(tail_words);
                    self.faulty.d.next = false;
                }
            }
        }
    }
}
