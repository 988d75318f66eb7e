// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stored frames to where they were decided to go.
use super::rx_record::{job, RxJob};
use crate::cell::{Const, Flop, Reg};
use crate::mpa::TxTrim;
use crate::record::RawNote;
use crate::stream::{OnFull, PacketFifo, Queue, Realign, StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// Carries out one job a frame: forgets it, sends it to the raw stream, or sends the octets that
/// the job names, from octet 0 of a beat.
///
/// Raw frames pass a FIFO of `2^RA` beats that is not waited for: if the raw stream is slow, frames
/// are dropped and counted, and nothing behind stands still for the stream. In the FIFO the note
/// stands as a beat of its own before the frame. A frame that `is_low` enters only while half of
/// the FIFO is free, and only up to 3/8 of its size, so that room is left; otherwise the frame is
/// forgotten, and counted apart. `note` is offered before the frame's first beat; the next frame
/// waits until the note was taken.
///
/// One beat a cycle; one cycle more for a raw frame.
#[derive(LogicBlock, Default)]
pub struct RxRoute<const W: usize, const K: usize, const RA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Frames.
    pub rx: StreamSink<W, K>,
    /// One job a frame.
    pub job: Signal<In, RxJob>,
    /// It is there.
    pub job_valid: Signal<In, Bit>,
    /// It is taken, with the frame's last beat.
    pub job_take: Signal<Out, Bit>,
    /// Octets in order.
    pub tx: StreamSource<W, K>,
    /// Whole frames.
    pub raw: StreamSource<W, K>,
    /// What goes with the next one.
    pub note: Signal<Out, RawNote>,
    /// It is there.
    pub note_valid: Signal<Out, Bit>,
    /// It is taken.
    pub note_ready: Signal<In, Bit>,
    /// Pulse: a raw frame found no room.
    pub raw_full: Signal<Out, Bit>,
    /// Pulse: a raw frame that `is_low` was forgotten, so that others find room.
    pub raw_spared: Signal<Out, Bit>,
    /// Pulse: a raw frame is kept in the FIFO, within three cycles of its `job_take`.
    pub raw_kept: Signal<Out, Bit>,
    /// Pulse: the last beat of a raw frame is taken.
    pub raw_given: Signal<Out, Bit>,
    realign: Realign<W, K>,
    trim: TxTrim<W, K>,
    fifo: PacketFifo<W, K, RA>,
    lengths: Queue<Bits<17>, 2>,
    /// What the job needs beside the frame's beats was given: note, or offset.
    begun: Reg<Bit>,
    /// The raw frame under way is forgotten.
    refused: Flop<Bit>,
    spared: Reg<Bit>,
    /// The next beat of the FIFO is a note.
    between: Reg<Bit>,
    tag: Flop<Bits<25>>,
    tag_valid: Reg<Bit>,
    raw_kind: Const<Bits<2>>,
    octets_kind: Const<Bits<2>>,
    full: Const<Bits<K>>,
    most_low: Const<Bits<16>>,
    j: Signal<Local, RxJob>,
    about: Signal<Local, Bits<25>>,
    octets: Signal<Local, Bits<16>>,
    refuses: Signal<Local, Bit>,
    to_raw: Signal<Local, Bit>,
    to_octets: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    takes_tag: Signal<Local, Bit>,
    n: Signal<Local, RawNote>,
}

impl<const W: usize, const K: usize, const RA: usize> RxRoute<W, K, RA> {
    /// Between frames.
    pub fn new() -> Self {
        Self {
            realign: Realign::new(),
            trim: TxTrim::new(),
            fifo: PacketFifo::new(OnFull::Drop),
            between: Reg::new(true),
            raw_kind: Const::of(job::RAW),
            octets_kind: Const::of(job::OCTETS),
            full: Const::of(W / 8),
            most_low: Const::of((W / 8 * 3) << (RA - 3)),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const RA: usize> Logic for RxRoute<W, K, RA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, begun, refused, spared, between, tag, tag_valid);
        clock!(self, clock, realign, trim, fifo, lengths);
        self.begun.reset.next = self.reset.val();
        self.spared.reset.next = self.reset.val();
        self.lengths.reset.next = self.reset.val();
        self.between.reset.next = self.reset.val();
        self.tag_valid.reset.next = self.reset.val();
        self.realign.reset.next = self.reset.val();
        self.trim.reset.next = self.reset.val();
        self.fifo.reset.next = self.reset.val();

        self.j.next = self.job.val();
        // a frame's fate is that of its first beat
        self.about.next = self.j.val().note;
        self.octets.next = self.about.val().get_bits::<16>(0);
        self.refuses.next = self.refused.q.val();
        if !self.begun.q.val() {
            self.refuses.next = (self.j.val().kind == self.raw_kind.val())
                && self.about.val().get_bit(24)
                && (self.fifo.crowded.val() || (self.octets.val() > self.most_low.val()));
        }
        self.refused.d.next = self.refuses.val();
        self.to_raw.next =
            self.job_valid.val() && (self.j.val().kind == self.raw_kind.val()) && !self.refuses.val();
        self.to_octets.next = self.job_valid.val() && (self.j.val().kind == self.octets_kind.val());
        // octets start with their first beat, a raw frame with its note alone
        self.starts.next =
            self.begun.q.val() || (self.realign.skip.ready.val() && self.lengths.rx.ready.val());
        self.passes.next = self.job_valid.val();
        if self.to_raw.val() {
            self.passes.next = self.begun.q.val() && self.fifo.rx.ready.val();
        }
        if self.to_octets.val() {
            self.passes.next = self.starts.val() && self.realign.rx.ready.val();
        }
        self.rx.ready.next = self.passes.val();
        self.ends.next = self.passes.val() && self.rx.valid.val() && self.rx.last.val();
        self.job_take.next = self.ends.val();
        self.spared.d.next = self.ends.val() && self.refuses.val();
        self.raw_spared.next = self.spared.q.val();
        if (self.to_raw.val() && self.fifo.rx.ready.val()) || (self.passes.val() && self.rx.valid.val()) {
            self.begun.d.next = true;
        }
        if self.ends.val() {
            self.begun.d.next = false;
        }

        // octets in order: the shifter cuts on the left, the trimmer on the right
        self.realign.rx.data.next = self.rx.data.val();
        self.realign.rx.bytes.next = self.rx.bytes.val();
        self.realign.rx.last.next = self.rx.last.val();
        self.realign.rx.err.next = false;
        self.realign.rx.valid.next = self.rx.valid.val() && self.to_octets.val() && self.starts.val();
        self.realign.skip.octets.next = self.j.val().skip;
        self.realign.skip.valid.next =
            self.to_octets.val() && self.passes.val() && self.rx.valid.val() && !self.begun.q.val();
        self.realign.parts.ready.next = true;
        self.lengths.rx.item.next = self.j.val().octets;
        self.lengths.rx.valid.next =
            self.to_octets.val() && self.passes.val() && self.rx.valid.val() && !self.begun.q.val();
        self.trim.octets.next = self.lengths.tx.item.val();
        self.trim.octets_valid.next = self.lengths.tx.valid.val();
        self.lengths.tx.ready.next = self.trim.octets_take.val();
        StreamSource::<W, K>::join(&mut self.realign.tx, &mut self.trim.rx);
        StreamSource::<W, K>::link(&mut self.tx, &mut self.trim.tx);

        // raw frames: the note, then the frame
        self.fifo.discard.next = false;
        self.fifo.rx.data.next = self.rx.data.val();
        self.fifo.rx.bytes.next = self.rx.bytes.val();
        self.fifo.rx.last.next = self.rx.last.val();
        self.fifo.rx.err.next = false;
        self.fifo.rx.valid.next = self.to_raw.val() && self.rx.valid.val();
        if !self.begun.q.val() {
            self.fifo.rx.data.next = bit_cast::<W, 25>(self.j.val().note);
            self.fifo.rx.bytes.next = self.full.val();
            self.fifo.rx.last.next = false;
            self.fifo.rx.valid.next = self.to_raw.val();
        }
        self.raw_full.next = self.fifo.dropped_full.val() || self.fifo.dropped_long.val();
        self.raw_kept.next = self.fifo.kept.val();
        self.raw_given.next = false;

        self.takes_tag.next = self.between.q.val() && (!self.tag_valid.q.val() || self.note_ready.val());
        self.raw.data.next = self.fifo.tx.data.val();
        self.raw.bytes.next = self.fifo.tx.bytes.val();
        self.raw.last.next = self.fifo.tx.last.val();
        self.raw.err.next = false;
        self.raw.valid.next = self.fifo.tx.valid.val() && !self.between.q.val();
        self.fifo.tx.ready.next = self.takes_tag.val() || (!self.between.q.val() && self.raw.ready.val());
        if self.note_ready.val() {
            self.tag_valid.d.next = false;
        }
        if self.fifo.tx.valid.val() {
            if self.takes_tag.val() {
                self.tag.d.next = self.fifo.tx.data.val().get_bits::<25>(0);
                self.tag_valid.d.next = true;
                self.between.d.next = false;
            }
            if !self.between.q.val() && self.raw.ready.val() && self.fifo.tx.last.val() {
                self.between.d.next = true;
                self.raw_given.next = true;
            }
        }
        self.n.next.length = self.tag.q.val().get_bits::<16>(0);
        self.n.next.reason = self.tag.q.val().get_bits::<8>(16);
        self.n.next.is_low = self.tag.q.val().get_bit(24);
        self.note.next = self.n.val();
        self.note_valid.next = self.tag_valid.q.val();
    }
}
