// SPDX-License-Identifier: MIT OR Apache-2.0
//! Markers into an unmarked FPDU.
use crate::prelude::*;

const INTERVAL: usize = 128;
const INTERVAL_LED: usize = 127;
const WORD: usize = 32;

/// Inserts a marker before every word whose place in the stream is a multiple of 512 octets.
///
/// Words keep their beats full: a marker pushes the words behind it up by one, and after `W/32` of
/// them a beat leaves without one being taken. A marker due after the FPDU's last word is left to
/// the next FPDU. Two registers; while `go` is low nothing moves.
#[block]
pub struct TxMark<const W: usize, const K: usize> {
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
    right: Vec<Const<Bits<16>>>,
    left: Vec<Const<Bits<16>>>,
    gap_now: Signal<Local, Bits<7>>,
    pointer_now: Signal<Local, Bits<14>>,
    step: Signal<Local, Bits<14>>,
    markers_now: Signal<Local, Bit>,
    there: Signal<Local, Bits<K>>,
    insert: Signal<Local, Bit>,
    fresh: Signal<Local, Bits<W>>,
    placed: Signal<Local, Bits<W>>,
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
            right: (0..K - 3).map(|i| Const::of(W - (32 << i))).collect(),
            left: (0..K - 3).map(|i| Const::of(32 << i)).collect(),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const K: usize> Logic for TxMark<W, K> {
    fn update(&mut self) {
        regs!(held, flush, a_valid, b_valid);
        flops!(prior, gap, pointer, markers, crc, flush_words, flush_err, a_data, a_words, a_last, a_err);
        flops!(a_crc, a_insert, a_slot, a_pointer, b_data, b_words, b_last, b_err, b_crc);
        self.m_data.next = self.b_data.q.val();
        self.m_words.next = self.b_words.q.val();
        self.m_last.next = self.b_last.q.val();
        self.m_err.next = self.b_err.q.val();
        self.m_crc.next = self.b_crc.q.val();
        self.m_valid.next = self.b_valid.q.val();

        // Where the next marker is due. While `flush` is set, the beat offered is the next FPDU's.
        let starts: Bit = self.p_first.val() && !self.flush.q.val();
        self.gap_now.next = self.gap.q.val();
        self.pointer_now.next = self.pointer.q.val();
        self.step.next = lit::<14>(INTERVAL);
        self.markers_now.next = self.markers.q.val();
        // W/32 - 1 words held and a marker make a beat
        let full_hold: Bit = !self.flush.q.val()
            && self.markers.q.val()
            && (self.held.q.val() == self.most_held.val())
            && (self.gap.q.val() < self.lanes_7.val());
        if starts && !full_hold {
            self.gap_now.next = self.p_gap.val();
            self.pointer_now.next = bit_cast::<14, 7>(self.p_gap.val());
            self.markers_now.next = self.p_markers.val();
            if !self.p_gap.val().any() {
                // a leading marker stands before ULPDU_Length, from which the others count
                self.step.next = lit::<14>(INTERVAL_LED);
            }
        }
        let slot: Bits<K> = bit_cast::<K, 7>(self.gap_now.val());
        let due: Bit = self.markers_now.val() && (self.gap_now.val() < self.lanes_7.val());

        // Words at hand, and those that leave.
        let ending: Bit = self.flush.q.val() || (!full_hold && self.p_last.val());
        self.there.next = self.held.q.val() + self.p_words.val();
        if self.flush.q.val() {
            self.there.next = self.flush_words.q.val();
        }
        self.insert.next = due && (full_hold || (self.there.val() > slot));
        let insert_k: Bits<K> = bit_cast::<K, 1>(self.insert.val().into());
        let room: Bits<K> = self.lanes.val() - insert_k;
        let fits: Bit = self.there.val() <= room;
        let take: Bit = self.p_valid.val() && self.go.val() && !self.flush.q.val() && !full_hold;
        self.p_take.next = take;
        let sends: Bit = self.flush.q.val() || full_hold || self.p_valid.val();

        // The words held, from the top of the beat before, and above them those of this one.
        self.fresh.next = self.ones.val();
        for i in 3..K {
            if self.held.q.val().get_bit(i - 3) {
                self.fresh.next = self.fresh.val() >> self.left[i - 3].val();
            }
        }
        let mixed: Bits<W> =
            (self.p_data.val() & self.fresh.val()) | (self.prior.q.val() & !self.fresh.val());
        self.placed.next = mixed;
        for i in 3..K {
            if self.held.q.val().get_bit(i - 3) {
                self.placed.next = (self.placed.val() << self.left[i - 3].val())
                    | (self.placed.val() >> self.right[i - 3].val());
            }
        }

        // Step 2: the marker 00 00 FPDUPTR (most significant octet first) and the words that it
        // pushes up.
        let up: Bits<16> = bit_cast::<16, K>(self.a_slot.q.val()) << 5;
        let octets: Bits<16> = bit_cast::<16, 14>(self.a_pointer.q.val()) << 2;
        let marker: Bits<32> = (bit_cast::<32, 16>(octets >> 8) << 16) | (bit_cast::<32, 16>(octets) << 24);
        let below: Bits<W> = self.ones.val() << up;
        let pushed: Bits<W> = (self.a_data.q.val() & below) << lit::<16>(WORD);
        self.marked.next = self.a_data.q.val();
        if self.a_insert.q.val() {
            self.marked.next = (self.a_data.q.val() & !below) | (bit_cast::<W, 32>(marker) << up) | pushed;
        }

        if self.go.val() {
            self.a_valid.d.next = sends;
            self.a_data.d.next = self.placed.val();
            self.a_words.d.next = self.lanes.val();
            self.a_last.d.next = ending && fits;
            self.a_err.d.next = self.p_err.val();
            self.a_crc.d.next = self.crc.q.val();
            self.a_insert.d.next = self.insert.val();
            self.a_slot.d.next = slot;
            self.a_pointer.d.next = self.pointer_now.val();
            if sends {
                self.gap.d.next = self.gap_now.val() - self.lanes_7.val();
                self.pointer.d.next = self.pointer_now.val();
                self.markers.d.next = self.markers_now.val();
                self.held.d.next = self.held.q.val() + insert_k;
                if self.insert.val() {
                    self.pointer.d.next = self.pointer_now.val() + self.step.val();
                }
                if full_hold {
                    self.held.d.next = 0.into();
                }
            }
            if self.flush.q.val() {
                self.a_err.d.next = self.flush_err.q.val();
            }
            if starts && take {
                self.crc.d.next = self.p_crc.val();
                self.a_crc.d.next = self.p_crc.val();
            }
            if sends && ending {
                self.flush.d.next = !fits;
                self.flush_words.d.next = self.there.val() - room;
                self.flush_err.d.next = self.p_err.val();
                if fits {
                    self.a_words.d.next = self.there.val() + insert_k;
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
        if take {
            self.prior.d.next = self.p_data.val();
        }
    }
}
