//! Two-place register for one side-channel item.
use crate::cell::{Flop, Reg};
use rust_hdl::prelude::*;

/// What [`super::Skid`] is to a beat: holds up to two items, `d_ready` and `q` come from registers, one item
/// a cycle, one cycle of latency.
#[derive(LogicBlock, Default)]
pub struct Slot<T: Synth> {
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
    /// Oldest item.
    pub q: Signal<Out, T>,
    /// `q` holds an item.
    pub q_valid: Signal<Out, Bit>,
    /// `q` is taken.
    pub q_ready: Signal<In, Bit>,
    main: Flop<T>,
    spare: Flop<T>,
    main_valid: Reg<Bit>,
    spare_valid: Reg<Bit>,
}

impl<T: Synth> Logic for Slot<T> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, main, spare, main_valid, spare_valid);
        self.main_valid.reset.next = self.reset.val();
        self.spare_valid.reset.next = self.reset.val();
        self.q.next = self.main.q.val();
        self.q_valid.next = self.main_valid.q.val();
        self.d_ready.next = !self.spare_valid.q.val();
        if self.q_ready.val() || !self.main_valid.q.val() {
            if self.spare_valid.q.val() {
                self.main.d.next = self.spare.q.val();
                self.main_valid.d.next = true;
                self.spare_valid.d.next = false;
            } else {
                self.main.d.next = self.d.val();
                self.main_valid.d.next = self.d_valid.val();
            }
        } else if self.d_valid.val() && !self.spare_valid.q.val() {
            self.spare.d.next = self.d.val();
            self.spare_valid.d.next = true;
        }
    }
}
