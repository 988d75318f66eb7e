//! One-place register for a side-channel item.
use crate::cell::{Flop, Reg};
use rust_hdl::prelude::*;

/// What a [`super::Slot`] is, for items that come at most every other cycle: holds one item, `d_ready` and `q` come from
/// registers, an item every two cycles, one cycle of latency.
///
/// Without a second place no bit has a multiplexer in front of it: a wide item costs flip-flops alone.
#[derive(LogicBlock, Default)]
pub struct Hold<T: Synth> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Item in.
    pub d: Signal<In, T>,
    /// `d` is offered.
    pub d_valid: Signal<In, Bit>,
    /// `d` is taken.
    pub d_ready: Signal<Out, Bit>,
    /// The item.
    pub q: Signal<Out, T>,
    /// `q` holds an item.
    pub q_valid: Signal<Out, Bit>,
    /// `q` is taken.
    pub q_ready: Signal<In, Bit>,
    item: Flop<T>,
    full: Reg<Bit>,
}

impl<T: Synth> Logic for Hold<T> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, item, full);
        self.full.reset.next = self.reset.val();
        self.q.next = self.item.q.val();
        self.q_valid.next = self.full.q.val();
        self.d_ready.next = !self.full.q.val();
        if self.full.q.val() {
            self.full.d.next = !self.q_ready.val();
        } else {
            self.item.d.next = self.d.val();
            self.full.d.next = self.d_valid.val();
        }
    }
}
