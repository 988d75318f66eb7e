// SPDX-License-Identifier: MIT OR Apache-2.0
//! Markers into an unmarked FPDU.
use crate::cell::{Const, Flop, Reg};
use rust_hdl::prelude::*;

/// Inserts a marker before every word whose place in the stream is a multiple of 512 octets.
///
/// Words keep their beats full: a marker pushes the words behind it up by one, and after `W/32` of
/// them a beat leaves without one being taken. A marker due after the FPDU's last word is left to
/// the next FPDU. Two registers; while `go` is low nothing moves.
#[derive(LogicBlock, Default)]
pub struct TxMark<const W: usize, const K: usize> {
    /// Clock, rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Words of an FPDU without markers.
    pub p_data: Signal<In, Bits<W>>,
    /// How many.
    pub p_words: Signal<In, Bits<K>>,
    /// First beat.
    pub p_first: Signal<In, Bit>,
    /// Last beat.
    pub p_last: Signal<In, Bit>,
    /// With `p_last`: the FPDU is bad.
    pub p_err: Signal<In, Bit>,
    /// With `p_first`: words before the first marker that is due.
    pub p_gap: Signal<In, Bits<7>>,
    /// With `p_first`: insert markers.
    pub p_markers: Signal<In, Bit>,
    /// With `p_first`: fill the CRC field.
    pub p_crc: Signal<In, Bit>,
    /// The beat is there.
    pub p_valid: Signal<In, Bit>,
    /// It is taken.
    pub p_take: Signal<Out, Bit>,
    /// The steps behind move.
    pub go: Signal<In, Bit>,
    /// Words of the FPDU as it goes into the stream, the first in bits 31:0.
    pub m_data: Signal<Out, Bits<W>>,
    /// How many: `W/32` except with `m_last`.
    pub m_words: Signal<Out, Bits<K>>,
    /// Last beat: its last word is the CRC field.
    pub m_last: Signal<Out, Bit>,
    /// With `m_last`: the FPDU is bad.
    pub m_err: Signal<Out, Bit>,
    /// Fill the CRC field.
    pub m_crc: Signal<Out, Bit>,
    /// The beat is there.
    pub m_valid: Signal<Out, Bit>,
    /// Words of the beat before that have not left.
    held: Reg<Bits<K>>,
    prior: Flop<Bits<W>>,
    /// Words before the next marker, from the next beat's first.
    gap: Flop<Bits<7>>,
    /// FPDUPTR of the next marker in words.
    pointer: Flop<Bits<14>>,
    markers: Flop<Bit>,
    crc: Flop<Bit>,
    /// The FPDU's last beat was taken and did not fit.
    flush: Reg<Bit>,
    flush_words: Flop<Bits<K>>,
    flush_err: Flop<Bit>,
    // Step 1: words in place, the marker still missing.
    a_data: Flop<Bits<W>>,
    a_words: Flop<Bits<K>>,
    a_last: Flop<Bit>,
    a_err: Flop<Bit>,
    a_crc: Flop<Bit>,
    a_insert: Flop<Bit>,
    a_slot: Flop<Bits<K>>,
    a_pointer: Flop<Bits<14>>,
    a_valid: Reg<Bit>,
    // Step 2: with the marker.
    b_data: Flop<Bits<W>>,
    b_words: Flop<Bits<K>>,
    b_last: Flop<Bit>,
    b_err: Flop<Bit>,
    b_crc: Flop<Bit>,
    b_valid: Reg<Bit>,
    lanes: Const<Bits<K>>,
    lanes_7: Const<Bits<7>>,
    most_held: Const<Bits<K>>,
    ones: Const<Bits<W>>,
    interval: Const<Bits<14>>,
    interval_led: Const<Bits<14>>,
    word: Const<Bits<16>>,
    right: Vec<Const<Bits<16>>>,
    left: Vec<Const<Bits<16>>>,
    starts: Signal<Local, Bit>,
    full_hold: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    gap_now: Signal<Local, Bits<7>>,
    pointer_now: Signal<Local, Bits<14>>,
    step: Signal<Local, Bits<14>>,
    markers_now: Signal<Local, Bit>,
    slot: Signal<Local, Bits<K>>,
    due: Signal<Local, Bit>,
    ending: Signal<Local, Bit>,
    there: Signal<Local, Bits<K>>,
    room: Signal<Local, Bits<K>>,
    insert: Signal<Local, Bit>,
    insert_k: Signal<Local, Bits<K>>,
    fits: Signal<Local, Bit>,
    fresh: Signal<Local, Bits<W>>,
    mixed: Signal<Local, Bits<W>>,
    placed: Signal<Local, Bits<W>>,
    up: Signal<Local, Bits<16>>,
    octets: Signal<Local, Bits<16>>,
    marker: Signal<Local, Bits<32>>,
    below: Signal<Local, Bits<W>>,
    pushed: Signal<Local, Bits<W>>,
    marked: Signal<Local, Bits<W>>,
}

impl<const W: usize, const K: usize> TxMark<W, K> {
    /// An idle inserter.
    pub fn new() -> Self {
        let lanes = W / 32;
        Self {
            lanes: Const::of(lanes),
            lanes_7: Const::of(lanes),
            most_held: Const::of(lanes - 1),
            ones: Const::new(!Bits::<W>::default()),
            interval: Const::of(128),
            interval_led: Const::of(127),
            word: Const::of(32),
            right: (0..K - 3).map(|i| Const::of(W - (32 << i))).collect(),
            left: (0..K - 3).map(|i| Const::of(32 << i)).collect(),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize> Logic for TxMark<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, prior, gap, pointer, markers, crc, flush, flush_words, flush_err);
        dff_setup!(self, clock, a_data, a_words, a_last, a_err, a_crc, a_insert, a_slot, a_pointer, a_valid);
        dff_setup!(self, clock, b_data, b_words, b_last, b_err, b_crc, b_valid);
        self.held.reset.next = self.reset.val();
        self.flush.reset.next = self.reset.val();
        self.a_valid.reset.next = self.reset.val();
        self.b_valid.reset.next = self.reset.val();
        self.m_data.next = self.b_data.q.val();
        self.m_words.next = self.b_words.q.val();
        self.m_last.next = self.b_last.q.val();
        self.m_err.next = self.b_err.q.val();
        self.m_crc.next = self.b_crc.q.val();
        self.m_valid.next = self.b_valid.q.val();

        // Where the next marker is due. While `flush` is set, the beat offered is the next FPDU's.
        self.starts.next = self.p_first.val() && !self.flush.q.val();
        self.gap_now.next = self.gap.q.val();
        self.pointer_now.next = self.pointer.q.val();
        self.step.next = self.interval.val();
        self.markers_now.next = self.markers.q.val();
        // W/32 - 1 words held and a marker make a beat
        self.full_hold.next = !self.flush.q.val()
            && self.markers.q.val()
            && (self.held.q.val() == self.most_held.val())
            && (self.gap.q.val() < self.lanes_7.val());
        if self.starts.val() && !self.full_hold.val() {
            self.gap_now.next = self.p_gap.val();
            self.pointer_now.next = bit_cast::<14, 7>(self.p_gap.val());
            self.markers_now.next = self.p_markers.val();
            if !self.p_gap.val().any() {
                // a leading marker stands before ULPDU_Length, from which the others count
                self.step.next = self.interval_led.val();
            }
        }
        self.slot.next = bit_cast::<K, 7>(self.gap_now.val());
        self.due.next = self.markers_now.val() && (self.gap_now.val() < self.lanes_7.val());

        // Words at hand, and those that leave.
        self.ending.next = self.flush.q.val() || (!self.full_hold.val() && self.p_last.val());
        self.there.next = self.held.q.val() + self.p_words.val();
        if self.flush.q.val() {
            self.there.next = self.flush_words.q.val();
        }
        self.insert.next = self.due.val() && (self.full_hold.val() || (self.there.val() > self.slot.val()));
        self.insert_k.next = bit_cast::<K, 1>(self.insert.val().into());
        self.room.next = self.lanes.val() - self.insert_k.val();
        self.fits.next = self.there.val() <= self.room.val();
        self.take.next = self.p_valid.val() && self.go.val() && !self.flush.q.val() && !self.full_hold.val();
        self.p_take.next = self.take.val();
        self.sends.next = self.flush.q.val() || self.full_hold.val() || self.p_valid.val();

        // The words held, from the top of the beat before, and above them those of this one.
        self.fresh.next = self.ones.val();
        for i in 3..K {
            if self.held.q.val().get_bit(i - 3) {
                self.fresh.next = self.fresh.val() >> self.left[i - 3].val();
            }
        }
        self.mixed.next = (self.p_data.val() & self.fresh.val()) | (self.prior.q.val() & !self.fresh.val());
        self.placed.next = self.mixed.val();
        for i in 3..K {
            if self.held.q.val().get_bit(i - 3) {
                self.placed.next = (self.placed.val() << self.left[i - 3].val())
                    | (self.placed.val() >> self.right[i - 3].val());
            }
        }

        // Step 2: the marker 00 00 FPDUPTR (most significant octet first) and the words that it
        // pushes up.
        self.up.next = bit_cast::<16, K>(self.a_slot.q.val()) << 5;
        self.octets.next = bit_cast::<16, 14>(self.a_pointer.q.val()) << 2;
        self.marker.next = (bit_cast::<32, 16>(self.octets.val() >> 8) << 16)
            | (bit_cast::<32, 16>(self.octets.val()) << 24);
        self.below.next = self.ones.val() << self.up.val();
        self.pushed.next = (self.a_data.q.val() & self.below.val()) << self.word.val();
        self.marked.next = self.a_data.q.val();
        if self.a_insert.q.val() {
            self.marked.next = (self.a_data.q.val() & !self.below.val())
                | (bit_cast::<W, 32>(self.marker.val()) << self.up.val())
                | self.pushed.val();
        }

        if self.go.val() {
            self.a_valid.d.next = self.sends.val();
            self.a_data.d.next = self.placed.val();
            self.a_words.d.next = self.lanes.val();
            self.a_last.d.next = self.ending.val() && self.fits.val();
            self.a_err.d.next = self.p_err.val();
            self.a_crc.d.next = self.crc.q.val();
            self.a_insert.d.next = self.insert.val();
            self.a_slot.d.next = self.slot.val();
            self.a_pointer.d.next = self.pointer_now.val();
            if self.sends.val() {
                self.gap.d.next = self.gap_now.val() - self.lanes_7.val();
                self.pointer.d.next = self.pointer_now.val();
                self.markers.d.next = self.markers_now.val();
                self.held.d.next = self.held.q.val() + self.insert_k.val();
                if self.insert.val() {
                    self.pointer.d.next = self.pointer_now.val() + self.step.val();
                }
                if self.full_hold.val() {
                    self.held.d.next = 0.into();
                }
            }
            if self.flush.q.val() {
                self.a_err.d.next = self.flush_err.q.val();
            }
            if self.starts.val() && self.take.val() {
                self.crc.d.next = self.p_crc.val();
                self.a_crc.d.next = self.p_crc.val();
            }
            if self.sends.val() && self.ending.val() {
                self.flush.d.next = !self.fits.val();
                self.flush_words.d.next = self.there.val() - self.room.val();
                self.flush_err.d.next = self.p_err.val();
                if self.fits.val() {
                    self.a_words.d.next = self.there.val() + self.insert_k.val();
                    self.held.d.next = 0.into();
                }
            }
            self.b_valid.d.next = self.a_valid.q.val();
            self.b_data.d.next = self.marked.val();
            self.b_words.d.next = self.a_words.q.val();
            self.b_last.d.next = self.a_last.q.val();
            self.b_err.d.next = self.a_err.q.val();
            self.b_crc.d.next = self.a_crc.q.val();
        }
        if self.take.val() {
            self.prior.d.next = self.p_data.val();
        }
    }
}
