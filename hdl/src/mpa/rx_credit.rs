// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places of the queue between check and reader.
use crate::cell::Reg;
use rust_hdl::prelude::*;

/// Counts the places of a queue of 16 finished FPDUs.
///
/// A place is taken before the FPDU's last piece leaves the framer, and comes back when the reader
/// takes the FPDU over. The framer sees `credit` two cycles late, hence a margin of two places.
#[derive(LogicBlock, Default)]
pub struct RxCredit {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: all places are free.
    pub reset: Signal<In, Bit>,
    /// The framer gives a piece.
    pub p_valid: Signal<In, Bit>,
    /// The piece is the last of its FPDU; with `p_valid`.
    pub p_end: Signal<In, Bit>,
    /// The queue offers an FPDU to the reader.
    pub done_valid: Signal<In, Bit>,
    /// The reader takes the FPDU over.
    pub done_ready: Signal<In, Bit>,
    /// Pulse: the reader took an FPDU over.
    pub freed: Signal<Out, Bit>,
    /// An FPDU may end; for the framer, from a register.
    pub credit: Signal<Out, Bit>,
    credits: Reg<Bits<5>>,
    spent: Signal<Local, Bit>,
    frees: Signal<Local, Bit>,
}

impl RxCredit {
    /// All places are free.
    pub fn new() -> Self {
        Self { credits: Reg::new(16_u64.into()), ..Default::default() }
    }
}

impl Logic for RxCredit {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, credits);
        self.credits.reset.next = self.reset.val();
        self.spent.next = self.p_valid.val() && self.p_end.val();
        self.frees.next = self.done_valid.val() && self.done_ready.val();
        if self.spent.val() && !self.frees.val() {
            self.credits.d.next = self.credits.q.val() - 1;
        } else if self.frees.val() && !self.spent.val() {
            self.credits.d.next = self.credits.q.val() + 1;
        }
        self.credit.next = self.credits.q.val() > 2;
        self.freed.next = self.frees.val();
    }
}
