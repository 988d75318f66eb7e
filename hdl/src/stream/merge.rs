// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two streams of items become one.
use super::{ItemSink, ItemSource, Pick, Slot};
use rust_hdl::prelude::*;

/// Items of `a` and `b` in turn when both offer; the order of each is kept. An item a cycle, two
/// cycles of latency.
#[derive(LogicBlock, Default)]
pub struct Merge<T: Synth> {
    /// Clock of all state.
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
    pick: Pick<T, 2>,
}

impl<T: Synth> Merge<T> {
    /// Nothing inside.
    pub fn new() -> Self {
        Self { pick: Pick::new(), ..Default::default() }
    }
}

impl<T: Synth> Logic for Merge<T> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, first, second, out, pick);
        self.first.reset.next = self.reset.val();
        self.second.reset.next = self.reset.val();
        self.out.reset.next = self.reset.val();
        self.pick.reset.next = self.reset.val();
        ItemSink::<T>::link(&mut self.a, &mut self.first.rx);
        ItemSink::<T>::link(&mut self.b, &mut self.second.rx);
        // behind source 0: after a reset `a` is first
        ItemSource::<T>::join(&mut self.second.tx, &mut self.pick.rx[0]);
        ItemSource::<T>::join(&mut self.first.tx, &mut self.pick.rx[1]);
        ItemSource::<T>::join(&mut self.pick.tx, &mut self.out.rx);
        ItemSource::<T>::link(&mut self.q, &mut self.out.tx);
        self.pick.stays.next = false;
        self.pick.serves.next = self.out.rx.ready.val();
    }
}
