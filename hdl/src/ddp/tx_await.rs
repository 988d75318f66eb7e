// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pieces of a ULPDU that have not come.
use crate::cell::{Const, Reg};
use rust_hdl::prelude::*;

/// Counts pieces that were asked for and have not come; 31 at most.
#[derive(LogicBlock, Default)]
pub struct TxAwait {
    /// Clock, rising edge.
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
    /// One less, modulo 32.
    less: Const<Bits<5>>,
    step: Signal<Local, Bits<5>>,
}

impl TxAwait {
    /// Nothing is awaited.
    pub fn new() -> Self {
        Self { less: Const::of(31), ..Default::default() }
    }
}

impl Logic for TxAwait {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count);
        self.count.reset.next = self.reset.val();
        self.none.next = !self.count.q.val().any();
        self.step.next = 0.into();
        if self.asked.val() && !self.came.val() {
            self.step.next = 1.into();
        }
        if self.came.val() && !self.asked.val() {
            self.step.next = self.less.val();
        }
        self.count.d.next = self.count.q.val() + self.step.val();
    }
}
