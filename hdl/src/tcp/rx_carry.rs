// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stored frames leave two ways, or are dropped.
use super::rx_record::{job, RxJob};
use crate::cell::{Const, Flop, Reg};
use crate::stream::{ItemSink, ItemSource, OffsetSource, StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// Carries out one job a frame. `RA` = log2 of the beats of the FIFO of raw frames.
///
/// A raw frame that `is_low` enters the FIFO only while half of the FIFO is free, and only up to
/// 3/8 of its size; otherwise the frame is forgotten. One beat a cycle; one cycle more for a raw
/// frame, whose note stands before the frame as a beat of its own.
#[derive(LogicBlock, Default)]
pub struct RxCarry<const W: usize, const K: usize, const RA: usize> {
    /// Clock, rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
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
    raw_kind: Const<Bits<2>>,
    octets_kind: Const<Bits<2>>,
    full: Const<Bits<K>>,
    most_low: Const<Bits<16>>,
    j: Signal<Local, RxJob>,
    about: Signal<Local, Bits<25>>,
    note_octets: Signal<Local, Bits<16>>,
    refuses: Signal<Local, Bit>,
    to_raw: Signal<Local, Bit>,
    to_octets: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    gives: Signal<Local, Bit>,
}

impl<const W: usize, const K: usize, const RA: usize> RxCarry<W, K, RA> {
    /// Between frames.
    pub fn new() -> Self {
        Self {
            raw_kind: Const::of(job::RAW),
            octets_kind: Const::of(job::OCTETS),
            full: Const::of(W / 8),
            most_low: Const::of((W / 8 * 3) << (RA - 3)),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const RA: usize> Logic for RxCarry<W, K, RA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, begun, refused, spared);
        self.begun.reset.next = self.reset.val();
        self.spared.reset.next = self.reset.val();

        self.j.next = self.job.item.val();
        // a frame's fate is that of its first beat
        self.about.next = self.j.val().note;
        self.note_octets.next = self.about.val().get_bits::<16>(0);
        self.refuses.next = self.refused.q.val();
        if !self.begun.q.val() {
            self.refuses.next = (self.j.val().kind == self.raw_kind.val())
                && self.about.val().get_bit(24)
                && (self.crowded.val() || (self.note_octets.val() > self.most_low.val()));
        }
        self.refused.d.next = self.refuses.val();
        self.to_raw.next =
            self.job.valid.val() && (self.j.val().kind == self.raw_kind.val()) && !self.refuses.val();
        self.to_octets.next = self.job.valid.val() && (self.j.val().kind == self.octets_kind.val());
        // octets start with their first beat, a raw frame with its note alone
        self.starts.next = self.begun.q.val() || (self.skip.ready.val() && self.length.ready.val());
        self.passes.next = self.job.valid.val();
        if self.to_raw.val() {
            self.passes.next = self.begun.q.val() && self.raw.ready.val();
        }
        if self.to_octets.val() {
            self.passes.next = self.starts.val() && self.octets.ready.val();
        }
        self.rx.ready.next = self.passes.val();
        self.ends.next = self.passes.val() && self.rx.valid.val() && self.rx.last.val();
        self.job.ready.next = self.ends.val();
        self.spared.d.next = self.ends.val() && self.refuses.val();
        self.raw_spared.next = self.spared.q.val();
        self.raw_full.next = self.dropped_full.val() || self.dropped_long.val();
        if (self.to_raw.val() && self.raw.ready.val()) || (self.passes.val() && self.rx.valid.val()) {
            self.begun.d.next = true;
        }
        if self.ends.val() {
            self.begun.d.next = false;
        }

        self.octets.data.next = self.rx.data.val();
        self.octets.bytes.next = self.rx.bytes.val();
        self.octets.last.next = self.rx.last.val();
        self.octets.err.next = false;
        self.octets.valid.next = self.rx.valid.val() && self.to_octets.val() && self.starts.val();
        self.gives.next =
            self.to_octets.val() && self.passes.val() && self.rx.valid.val() && !self.begun.q.val();
        self.skip.octets.next = self.j.val().skip;
        self.skip.valid.next = self.gives.val();
        self.length.item.next = self.j.val().octets;
        self.length.valid.next = self.gives.val();

        self.raw.data.next = self.rx.data.val();
        self.raw.bytes.next = self.rx.bytes.val();
        self.raw.last.next = self.rx.last.val();
        self.raw.err.next = false;
        self.raw.valid.next = self.to_raw.val() && self.rx.valid.val();
        if !self.begun.q.val() {
            self.raw.data.next = bit_cast::<W, 25>(self.j.val().note);
            self.raw.bytes.next = self.full.val();
            self.raw.last.next = false;
            self.raw.valid.next = self.to_raw.val();
        }
    }
}
