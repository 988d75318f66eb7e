// SPDX-License-Identifier: MIT OR Apache-2.0
//! One-place register for a side-channel item.
use super::{ItemSink, ItemSource};
use crate::prelude::*;

/// What a [`super::Slot`] is, for items that come at most every other cycle: holds one item,
/// `d_ready` and `q` come from registers, an item every two cycles, one cycle of latency.
///
/// Without a second place no bit has a multiplexer in front of it: a wide item costs flip-flops
/// alone.
#[block]
pub struct Hold<T: Synth> {
    /// Item in.
    pub rx: ItemSink<T>,
    /// The item.
    /// `q` holds an item.
    pub tx: ItemSource<T>,
    item: Flop<T>,
    full: Reg<Bit>,
}

#[kernel]
impl<T: Synth> Logic for Hold<T> {
    fn update(&mut self) {
        regs!(full);
        flops!(item);
        self.tx.item.next = self.item.q.val();
        self.tx.valid.next = self.full.q.val();
        self.rx.ready.next = !self.full.q.val();
        if self.full.q.val() {
            self.full.d.next = !self.tx.ready.val();
        } else {
            self.item.d.next = self.rx.item.val();
            self.full.d.next = self.rx.valid.val();
        }
    }
}
