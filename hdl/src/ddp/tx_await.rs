// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pieces of a ULPDU that have not come.
use crate::prelude::*;

/// One less, modulo 32.
const LESS: usize = 31;

/// Counts pieces that were asked for and have not come; 31 at most.
#[block]
pub struct TxAwait {
    /// One is asked for.
    pub asked: Signal<In, Bit>,
    /// One has come.
    pub came: Signal<In, Bit>,
    /// All have come.
    pub none: Signal<Out, Bit>,
    /// All have come in the next cycle, if none is asked for in this one.
    pub soon: Signal<Out, Bit>,
    count: Reg<Bits<5>>,
    step: Signal<Local, Bits<5>>,
}

#[kernel]
impl Logic for TxAwait {
    fn update(&mut self) {
        regs!(count);
        self.none.next = !self.count.q.val().any();
        self.soon.next = !self.count.q.val().any() || ((self.count.q.val() == 1) && self.came.val());
        self.step.next = 0.into();
        if self.asked.val() && !self.came.val() {
            self.step.next = 1.into();
        }
        if self.came.val() && !self.asked.val() {
            self.step.next = lit::<5>(LESS);
        }
        self.count.d.next = self.count.q.val() + self.step.val();
    }
}
