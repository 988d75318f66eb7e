// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two streams of items become one.
use super::{ItemSink, ItemSource, Pick, Slot};
use crate::prelude::*;

/// Items of `a` and `b` in turn when both offer; the order of each is kept. An item a cycle, two
/// cycles of latency.
#[block]
pub struct Merge<T: Synth> {
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

#[kernel]
impl<T: Synth> Logic for Merge<T> {
    fn update(&mut self) {
        parts!(first, second, out, pick);
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
