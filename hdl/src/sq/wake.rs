// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queue pairs that get a turn again.
use crate::prelude::*;
use crate::stream::{ItemSink, ItemSource};

/// Offers queue pairs whose in-flight ring has room again, then those that TCP wakes.
/// Combinational.
#[block(comb)]
pub struct SqWake<const C: usize> {
    /// Queue pair that TCP wakes.
    pub tcp: ItemSink<Bits<C>>,
    /// Queue pair whose in-flight ring has room again.
    pub freed: ItemSink<Bits<C>>,
    /// Queue pairs to wake.
    pub tx: ItemSource<Bits<C>>,
}

#[kernel]
impl<const C: usize> Logic for SqWake<C> {
    fn update(&mut self) {
        self.tx.item.next = self.tcp.item.val();
        if self.freed.valid.val() {
            self.tx.item.next = self.freed.item.val();
        }
        self.tx.valid.next = self.tcp.valid.val() || self.freed.valid.val();
        self.tcp.ready.next = self.tx.ready.val() && !self.freed.valid.val();
        self.freed.ready.next = self.tx.ready.val();
    }
}
