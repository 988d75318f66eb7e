// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frame splitter: one frame in, up to two out, both from octet 0 of a beat.
use super::rotate::Rotate;
use super::{Beat, OffsetSink, PartsSource, Skid, Slot, StreamSink, StreamSource};
use crate::cell::{Const, Flop, Reg};
use rust_hdl::prelude::*;

/// Cuts each frame at an offset that comes with the frame; the parts leave as two frames, one after
/// the other.
///
/// **Contract.** Each frame on `rx` takes one item of `cut` and gives one item on `parts`.
/// `parts.first`: the octets before the cut are a frame on `tx`; `parts.second`: the octets from
/// the cut on are the next one. A cut at 0 gives the second part only, a cut at or behind the
/// frame's end the first only; a frame has at least one octet, so one of the bits is always set.
/// `err` of the frame stays with its last octet, that is, with the last part sent; a first part
/// that a second one follows always says `err = 0`, and whoever acts on it irreversibly must wait
/// for the second. `parts.err` is always 0.
///
/// **Order.** A frame waits for its cut; two cuts are taken ahead. `parts` is offered before the
/// last beat of the first part, or the first beat of the second part if that is the only one, is
/// offered on `tx`. It may be taken before, during or after the parts: a waiting item stops only
/// the next item. That one in turn needs the beats of the frame before to be taken.
///
/// **Timing.** Four cycles from a beat on `rx` to the beat on `tx` that it completes, five for
/// octets left over at the frame's end; two to `parts`. One beat a cycle on `tx` whatever the
/// lengths and cuts: no bubble at the cut, none between frames. `rx` waits for one cycle where the
/// two parts need one beat more than the frame.
#[derive(LogicBlock, Default)]
pub struct FrameSplitter<const W: usize, const K: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Frames in.
    pub rx: StreamSink<W, K>,
    /// Octets of the first part, one item a frame.
    pub cut: OffsetSink,
    /// Which parts there are, one item a frame.
    pub parts: PartsSource,
    /// The parts.
    pub tx: StreamSource<W, K>,
    front: Skid<W, K>,
    slot: Slot<Bits<16>>,
    path: Rotate<W, K>,
    /// Beats of the first part so far, and one more: two registers spare an adder in front of a
    /// comparison.
    beats: Reg<Bits<16>>,
    beats_after: Reg<Bits<16>>,
    /// The cut lies behind us.
    behind: Reg<Bit>,
    /// The frame has ended and the beat before is its last.
    flush: Reg<Bit>,
    flush_bytes: Flop<Bits<K>>,
    flush_err: Flop<Bit>,
    p_valid: Reg<Bit>,
    p_first: Flop<Bit>,
    p_second: Flop<Bit>,
    offset: Signal<Local, Bits<16>>,
    offset_beats: Signal<Local, Bits<16>>,
    shift: Signal<Local, Bits<K>>,
    mid_beat: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
    cuts: Signal<Local, Bit>,
    limit: Signal<Local, Bits<K>>,
    room: Signal<Local, Bits<K>>,
    over: Signal<Local, Bit>,
    tells: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
    fire: Signal<Local, Bit>,
    order: Signal<Local, Beat<W, K>>,
    one: Const<Bits<16>>,
    low: Const<Bits<16>>,
    full: Const<Bits<K>>,
    to_beats: Const<Bits<16>>,
}

impl<const W: usize, const K: usize> FrameSplitter<W, K> {
    /// Panics at elaboration when the parameters do not belong together.
    pub fn new() -> Self {
        Self {
            path: Rotate::new(),
            beats_after: Reg::new(1_u16.to_bits()),
            one: Const::of(1),
            low: Const::of(W / 8 - 1),
            full: Const::of(W / 8),
            to_beats: Const::of(K - 1),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize> Logic for FrameSplitter<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, front, slot, path);
        dff_setup!(self, clock, beats, beats_after, behind, flush, flush_bytes, flush_err);
        dff_setup!(self, clock, p_valid, p_first, p_second);
        self.front.reset.next = self.reset.val();
        self.slot.reset.next = self.reset.val();
        self.path.reset.next = self.reset.val();
        self.beats.reset.next = self.reset.val();
        self.beats_after.reset.next = self.reset.val();
        self.behind.reset.next = self.reset.val();
        self.flush.reset.next = self.reset.val();
        self.p_valid.reset.next = self.reset.val();
        StreamSink::<W, K>::link(&mut self.rx, &mut self.front.rx);
        StreamSource::<W, K>::link(&mut self.tx, &mut self.path.tx);
        self.slot.rx.item.next = self.cut.octets.val();
        self.slot.rx.valid.next = self.cut.valid.val();
        self.cut.ready.next = self.slot.rx.ready.val();
        self.parts.first.next = self.p_first.q.val();
        self.parts.second.next = self.p_second.q.val();
        self.parts.err.next = false;
        self.parts.valid.next = self.p_valid.q.val();

        self.offset.next = self.slot.tx.item.val();
        self.offset_beats.next = self.offset.val() >> self.to_beats.val();
        self.shift.next = bit_cast::<K, 16>(self.offset.val() & self.low.val());
        self.mid_beat.next = self.shift.val().any();
        self.second.next = self.behind.q.val() || !self.offset.val().any();
        // the first part's last octet is in this beat: inside it, or at its end
        self.cuts.next = !self.second.val()
            && ((self.mid_beat.val() && (self.beats.q.val() == self.offset_beats.val()))
                || (!self.mid_beat.val() && (self.beats_after.q.val() == self.offset_beats.val())));
        self.limit.next = self.full.val();
        if self.mid_beat.val() {
            self.limit.next = self.shift.val();
        }
        self.room.next = self.full.val() - self.shift.val();
        self.over.next = self.front.tx.bytes.val() > self.limit.val();
        // the beat that tells which parts there are needs the register of `parts`
        self.tells.next =
            !self.behind.q.val() && (self.second.val() || self.cuts.val() || self.front.tx.last.val());
        self.may.next = self.path.step.val()
            && !self.flush.q.val()
            && self.slot.tx.valid.val()
            && (!self.tells.val() || self.parts.ready.val() || !self.p_valid.q.val());
        self.front.tx.ready.next = self.may.val();
        self.fire.next = self.may.val() && self.front.tx.valid.val();
        self.slot.tx.ready.next = self.fire.val() && self.front.tx.last.val();

        self.order.next.data = self.front.tx.data.val();
        self.order.next.bytes = self.front.tx.bytes.val();
        self.order.next.last = self.front.tx.last.val();
        self.order.next.err = self.front.tx.last.val() && self.front.tx.err.val();
        self.path.shift.next = self.shift.val();
        self.path.load.next = self.fire.val();
        self.path.send.next = self.fire.val() || self.flush.q.val();
        self.path.whole.next = self.flush.q.val();
        self.path.plain.next = !self.flush.q.val() && (!self.second.val() || !self.mid_beat.val());
        if self.flush.q.val() {
            self.order.next.bytes = self.flush_bytes.q.val();
            self.order.next.last = true;
            self.order.next.err = self.flush_err.q.val();
        } else if self.cuts.val() {
            self.order.next.last = true;
            if self.over.val() {
                self.order.next.bytes = self.limit.val();
                self.order.next.err = false;
            }
        } else if self.second.val() && self.mid_beat.val() {
            self.order.next.bytes = self.full.val();
            self.order.next.last = false;
            self.order.next.err = false;
            if self.front.tx.last.val() && !self.over.val() {
                self.order.next.bytes = self.front.tx.bytes.val() + self.room.val();
                self.order.next.last = true;
                self.order.next.err = self.front.tx.err.val();
            }
        }
        if self.path.step.val() {
            self.flush.d.next = false;
        }
        if self.parts.ready.val() {
            self.p_valid.d.next = false;
        }
        if self.fire.val() {
            self.beats.d.next = self.beats_after.q.val();
            self.beats_after.d.next = self.beats_after.q.val() + 1;
            self.behind.d.next = self.second.val() || self.cuts.val();
            if self.front.tx.last.val() {
                self.beats.d.next = 0.into();
                self.beats_after.d.next = self.one.val();
                self.behind.d.next = false;
                self.flush.d.next =
                    self.mid_beat.val() && self.over.val() && (self.second.val() || self.cuts.val());
            }
            self.flush_bytes.d.next = self.front.tx.bytes.val() - self.shift.val();
            self.flush_err.d.next = self.front.tx.err.val();
            if self.tells.val() {
                self.p_valid.d.next = true;
                self.p_first.d.next = !self.second.val();
                self.p_second.d.next =
                    self.second.val() || (self.cuts.val() && (self.over.val() || !self.front.tx.last.val()));
            }
        }
        self.path.beat.next = self.order.val();
    }
}
