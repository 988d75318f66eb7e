// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two streams of items become one.
use super::{ItemSink, ItemSource, Slot};
use crate::cell::Reg;
use rust_hdl::prelude::*;

/// Items of `a` and `b` in turn when both offer; the order of each is kept. An item a cycle, two
/// cycles of latency.
#[derive(LogicBlock, Default)]
pub struct Merge<T: Synth> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// First input.
    pub a: ItemSink<T>,
    /// Second input.
    pub b: ItemSink<T>,
    /// Output.
    pub q: ItemSource<T>,
    first: Slot<T>,
    second: Slot<T>,
    out: Slot<T>,
    /// `b` is next.
    turn: Reg<Bit>,
    from_b: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
}

impl<T: Synth> Logic for Merge<T> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, first, second, out);
        dff_setup!(self, clock, turn);
        self.first.reset.next = self.reset.val();
        self.second.reset.next = self.reset.val();
        self.out.reset.next = self.reset.val();
        self.turn.reset.next = self.reset.val();
        self.first.rx.item.next = self.a.item.val();
        self.first.rx.valid.next = self.a.valid.val();
        self.a.ready.next = self.first.rx.ready.val();
        self.second.rx.item.next = self.b.item.val();
        self.second.rx.valid.next = self.b.valid.val();
        self.b.ready.next = self.second.rx.ready.val();
        self.from_b.next = self.second.tx.valid.val() && (self.turn.q.val() || !self.first.tx.valid.val());
        self.moves.next =
            (self.first.tx.valid.val() || self.second.tx.valid.val()) && self.out.rx.ready.val();
        self.out.rx.item.next = self.first.tx.item.val();
        if self.from_b.val() {
            self.out.rx.item.next = self.second.tx.item.val();
        }
        self.out.rx.valid.next = self.first.tx.valid.val() || self.second.tx.valid.val();
        self.first.tx.ready.next = self.out.rx.ready.val() && !self.from_b.val();
        self.second.tx.ready.next = self.out.rx.ready.val() && self.from_b.val();
        if self.moves.val() {
            self.turn.d.next = !self.from_b.val();
        }
        self.q.item.next = self.out.tx.item.val();
        self.q.valid.next = self.out.tx.valid.val();
        self.out.tx.ready.next = self.q.ready.val();
    }
}
