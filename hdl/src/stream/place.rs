//! One-place register for one side-channel item.
use crate::cell::{Flop, Reg};
use rust_hdl::prelude::*;

/// A [`super::Slot`] of half the registers: holds one item, `d_ready` and `q` come from registers, an item each
/// second cycle, one cycle of latency.
#[derive(LogicBlock, Default)]
pub struct Place<T: Synth> {
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
    /// There is one.
    pub q_valid: Signal<Out, Bit>,
    /// `q` is taken.
    pub q_ready: Signal<In, Bit>,
    kept: Flop<T>,
    there: Reg<Bit>,
}

impl<T: Synth> Logic for Place<T> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kept, there);
        self.there.reset.next = self.reset.val();
        self.q.next = self.kept.q.val();
        self.q_valid.next = self.there.q.val();
        self.d_ready.next = !self.there.q.val();
        if self.q_ready.val() {
            self.there.d.next = false;
        }
        if !self.there.q.val() {
            self.kept.d.next = self.d.val();
            self.there.d.next = self.d_valid.val();
        }
    }
}
