//! Pieces of a ULPDU that have not come.
use crate::cell::Reg;
use rust_hdl::prelude::*;

/// Counts pieces that were asked for and have not come; 31 at most.
#[derive(LogicBlock, Default)]
pub struct TxAwait {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// One is asked for.
    pub asked: Signal<In, Bit>,
    /// One has come.
    pub came: Signal<In, Bit>,
    /// All have come.
    pub none: Signal<Out, Bit>,
    count: Reg<Bits<5>>,
    now: Signal<Local, Bits<5>>,
}

impl Logic for TxAwait {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count);
        self.count.reset.next = self.reset.val();
        self.none.next = !self.count.q.val().any();
        self.now.next = self.count.q.val();
        if self.asked.val() && !self.came.val() {
            self.now.next = self.count.q.val() + 1;
        }
        if self.came.val() && !self.asked.val() {
            self.now.next = self.count.q.val() - 1;
        }
        self.count.d.next = self.now.val();
    }
}
