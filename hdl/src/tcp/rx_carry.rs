// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stored frames leave two ways, or are dropped.
use super::rx_record::{job, RxJob};
use crate::prelude::*;
use crate::stream::{ItemSink, ItemSource, OffsetSource, StreamSink, StreamSource};

/// Carries out one job a frame. `RA` = log2 of the beats of the FIFO of raw frames.
///
/// A raw frame that `is_low` enters the FIFO only while half of the FIFO is free, and only up to
/// 3/8 of its size; otherwise the frame is forgotten. One beat a cycle; one cycle more for a raw
/// frame, whose note stands before the frame as a beat of its own.
#[block]
pub struct RxCarry<const W: usize, const K: usize, const RA: usize> {
    /// Frames, stored whole.
    pub rx: StreamSink<W, K>,
    /// One job a frame, taken with the frame's last beat.
    pub job: ItemSink<RxJob>,
    /// Frames of which some octets go on in order.
    pub octets: StreamSource<W, K>,
    /// Octets to drop before those, one item a frame.
    pub skip: OffsetSource,
    /// Octets that go on, one item a frame.
    pub length: ItemSource<Bits<17>>,
    /// Raw frames behind their notes, one frame each.
    pub raw: StreamSource<W, K>,
    /// Half of the FIFO of raw frames is full.
    pub crowded: Signal<In, Bit>,
    /// Pulse: the FIFO had no room for a frame.
    pub dropped_full: Signal<In, Bit>,
    /// Pulse: a frame was longer than the FIFO.
    pub dropped_long: Signal<In, Bit>,
    /// Pulse: a raw frame found no room.
    pub raw_full: Signal<Out, Bit>,
    /// Pulse: a raw frame that `is_low` was forgotten, so that others find room.
    pub raw_spared: Signal<Out, Bit>,
    /// What the job needs beside the frame's beats was given: note, or offset.
    begun: Reg<Bit>,
    /// The raw frame under way is forgotten.
    refused: Flop<Bit>,
    spared: Reg<Bit>,
    j: Signal<Local, RxJob>,
    refuses: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize, const K: usize, const RA: usize> Logic for RxCarry<W, K, RA> {
    fn update(&mut self) {
        regs!(begun, spared);
        flops!(refused);

        self.j.next = self.job.item.val();
        // a frame's fate is that of its first beat
        let about: Bits<25> = self.j.val().note;
        let note_octets: Bits<16> = about.get_bits::<16>(0);
        self.refuses.next = self.refused.q.val();
        if !self.begun.q.val() {
            self.refuses.next = (self.j.val().kind == lit::<2>(job::RAW))
                && about.get_bit(24)
                && (self.crowded.val() || (note_octets > lit::<16>((W / 8 * 3) << (RA - 3))));
        }
        self.refused.d.next = self.refuses.val();
        let to_raw: Bit =
            self.job.valid.val() && (self.j.val().kind == lit::<2>(job::RAW)) && !self.refuses.val();
        let to_octets: Bit = self.job.valid.val() && (self.j.val().kind == lit::<2>(job::OCTETS));
        // octets start with their first beat, a raw frame with its note alone
        let starts: Bit = self.begun.q.val() || (self.skip.ready.val() && self.length.ready.val());
        self.passes.next = self.job.valid.val();
        if to_raw {
            self.passes.next = self.begun.q.val() && self.raw.ready.val();
        }
        if to_octets {
            self.passes.next = starts && self.octets.ready.val();
        }
        self.rx.ready.next = self.passes.val();
        let ends: Bit = self.passes.val() && self.rx.valid.val() && self.rx.last.val();
        self.job.ready.next = ends;
        self.spared.d.next = ends && self.refuses.val();
        self.raw_spared.next = self.spared.q.val();
        self.raw_full.next = self.dropped_full.val() || self.dropped_long.val();
        if (to_raw && self.raw.ready.val()) || (self.passes.val() && self.rx.valid.val()) {
            self.begun.d.next = true;
        }
        if ends {
            self.begun.d.next = false;
        }

        self.octets.data.next = self.rx.data.val();
        self.octets.bytes.next = self.rx.bytes.val();
        self.octets.last.next = self.rx.last.val();
        self.octets.err.next = false;
        self.octets.valid.next = self.rx.valid.val() && to_octets && starts;
        let gives: Bit = to_octets && self.passes.val() && self.rx.valid.val() && !self.begun.q.val();
        self.skip.octets.next = self.j.val().skip;
        self.skip.valid.next = gives;
        self.length.item.next = self.j.val().octets;
        self.length.valid.next = gives;

        self.raw.data.next = self.rx.data.val();
        self.raw.bytes.next = self.rx.bytes.val();
        self.raw.last.next = self.rx.last.val();
        self.raw.err.next = false;
        self.raw.valid.next = to_raw && self.rx.valid.val();
        if !self.begun.q.val() {
            self.raw.data.next = bit_cast::<W, 25>(self.j.val().note);
            self.raw.bytes.next = lit::<K>(W / 8);
            self.raw.last.next = false;
            self.raw.valid.next = to_raw;
        }
    }
}
