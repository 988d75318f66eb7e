// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cuts a frame after a given number of octets, its verdict kept.
use super::{Beat, ItemSink, Skid, StreamSink, StreamSource};
use crate::cell::{Const, Flop, Reg};
use rust_hdl::prelude::*;

/// Lets the first octets of each frame pass, as many as its item says: 1 to the frame's own length.
///
/// An item of another number still belongs to its frame alone: 0 leaves one beat without octets,
/// too many end with the frame's last beat.
///
/// The last beat of a shortened frame waits for the frame's real last one, since only that tells
/// whether the frame is bad. One beat a cycle, one cycle of latency.
#[derive(LogicBlock, Default)]
pub struct Trim<const W: usize, const K: usize> {
    /// Clock, rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Octets of the next frame that pass; taken with the frame's last beat.
    pub octets: ItemSink<Bits<17>>,
    /// Frames in.
    pub rx: StreamSink<W, K>,
    /// Their first octets.
    pub tx: StreamSource<W, K>,
    back: Skid<W, K>,
    /// The frame has begun; `left` octets of it have yet to pass.
    busy: Reg<Bit>,
    left: Flop<Bits<17>>,
    /// `kept` is the frame's last beat and waits for the verdict.
    waits: Reg<Bit>,
    kept: Flop<Beat<W, K>>,
    full: Const<Bits<17>>,
    fire: Signal<Local, Bit>,
    now: Signal<Local, Bits<17>>,
    ends: Signal<Local, Bit>,
    beat: Signal<Local, Beat<W, K>>,
}

impl<const W: usize, const K: usize> Trim<W, K> {
    /// A cutter between frames.
    pub fn new() -> Self {
        Self { full: Const::of(W / 8), ..Default::default() }
    }
}

impl<const W: usize, const K: usize> Logic for Trim<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, back);
        dff_setup!(self, clock, busy, left, waits, kept);
        self.back.reset.next = self.reset.val();
        self.busy.reset.next = self.reset.val();
        self.waits.reset.next = self.reset.val();
        StreamSource::<W, K>::link(&mut self.tx, &mut self.back.tx);
        self.rx.ready.next = self.back.rx.ready.val() && self.octets.valid.val();
        self.fire.next = self.rx.valid.val() && self.back.rx.ready.val() && self.octets.valid.val();
        self.octets.ready.next = self.fire.val() && self.rx.last.val();
        self.now.next = self.octets.item.val();
        if self.busy.q.val() {
            self.now.next = self.left.q.val();
        }
        self.ends.next = self.now.val() <= self.full.val();
        self.beat.next.data = self.rx.data.val();
        self.beat.next.bytes = self.rx.bytes.val();
        self.beat.next.last = self.ends.val() || self.rx.last.val();
        self.beat.next.err = self.rx.err.val();
        if self.ends.val() {
            self.beat.next.bytes = bit_cast::<K, 17>(self.now.val());
        }
        self.back.rx.data.next = self.beat.val().data;
        self.back.rx.bytes.next = self.beat.val().bytes;
        self.back.rx.last.next = self.beat.val().last;
        self.back.rx.err.next = self.beat.val().err;
        self.back.rx.valid.next = self.fire.val() && (!self.ends.val() || self.rx.last.val());
        if self.waits.q.val() {
            self.back.rx.data.next = self.kept.q.val().data;
            self.back.rx.bytes.next = self.kept.q.val().bytes;
            self.back.rx.last.next = true;
            self.back.rx.err.next = self.rx.err.val();
            self.back.rx.valid.next = self.fire.val() && self.rx.last.val();
        }
        if self.fire.val() {
            self.busy.d.next = !self.rx.last.val();
            if !self.ends.val() {
                self.left.d.next = self.now.val() - self.full.val();
            }
            if !self.waits.q.val() {
                self.kept.d.next = self.beat.val();
            }
            self.waits.d.next = (self.waits.q.val() || self.ends.val()) && !self.rx.last.val();
        }
    }
}
