// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queue pairs that get a turn again.
use crate::stream::ItemSource;
use rust_hdl::prelude::*;

/// Offers queue pairs whose in-flight ring has room again, then those that TCP wakes.
/// Combinational.
#[derive(LogicBlock, Default)]
pub struct SqWake<const C: usize> {
    /// Queue pair that TCP wakes.
    pub tcp_qp: Signal<In, Bits<C>>,
    /// There is one.
    pub tcp_valid: Signal<In, Bit>,
    /// It is taken in this cycle.
    pub tcp_take: Signal<Out, Bit>,
    /// Queue pair whose in-flight ring has room again.
    pub freed_qp: Signal<In, Bits<C>>,
    /// There is one.
    pub freed_valid: Signal<In, Bit>,
    /// It is taken in this cycle.
    pub freed_take: Signal<Out, Bit>,
    /// Queue pairs to wake.
    pub tx: ItemSource<Bits<C>>,
}

impl<const C: usize> Logic for SqWake<C> {
    #[hdl_gen]
    fn update(&mut self) {
        self.tx.item.next = self.tcp_qp.val();
        if self.freed_valid.val() {
            self.tx.item.next = self.freed_qp.val();
        }
        self.tx.valid.next = self.tcp_valid.val() || self.freed_valid.val();
        self.tcp_take.next = self.tx.ready.val() && !self.freed_valid.val();
        self.freed_take.next = self.tx.ready.val();
    }
}
