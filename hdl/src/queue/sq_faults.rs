//! Three sources of faults into one channel.
use super::{Fault, Quoted};
use crate::cell::{Flop, Reg};
use rust_hdl::prelude::*;

/// One fault at a time; the read side first, since it holds ULPDUs. Faults are rare, and the first of a queue pair
/// ends it, so that none waits for long.
#[derive(LogicBlock, Default)]
pub struct SqFaults {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Of a doorbell.
    pub a: Signal<In, Fault>,
    /// Offered.
    pub a_valid: Signal<In, Bit>,
    /// Taken.
    pub a_ready: Signal<Out, Bit>,
    /// Of a WQE, or of a Read Request.
    pub b: Signal<In, Fault>,
    /// The Read Request.
    pub b_quote: Signal<In, Quoted>,
    /// Offered.
    pub b_valid: Signal<In, Bit>,
    /// Taken.
    pub b_ready: Signal<Out, Bit>,
    /// Of a read.
    pub c: Signal<In, Fault>,
    /// Offered.
    pub c_valid: Signal<In, Bit>,
    /// Taken.
    pub c_ready: Signal<Out, Bit>,
    /// The fault.
    pub q: Signal<Out, Fault>,
    /// The segment that it quotes.
    pub q_quote: Signal<Out, Quoted>,
    /// Offered.
    pub q_valid: Signal<Out, Bit>,
    /// Taken.
    pub q_ready: Signal<In, Bit>,
    held: Flop<Fault>,
    /// The last fault of a WQE or Read Request, whichever is held.
    cited: Flop<Quoted>,
    cites: Flop<Bit>,
    full: Reg<Bit>,
    free: Signal<Local, Bit>,
}

impl Logic for SqFaults {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, cited, cites, full);
        self.full.reset.next = self.reset.val();
        self.q.next = self.held.q.val();
        self.q_quote.next = self.cited.q.val();
        self.q_quote.next.is_there = self.cited.q.val().is_there && self.cites.q.val();
        self.q_valid.next = self.full.q.val();
        self.free.next = !self.full.q.val();
        self.c_ready.next = !self.full.q.val();
        self.b_ready.next = !self.full.q.val() && !self.c_valid.val();
        self.a_ready.next = !self.full.q.val() && !self.c_valid.val() && !self.b_valid.val();
        if self.q_ready.val() {
            self.full.d.next = false;
        }
        if self.free.val() {
            self.full.d.next = self.a_valid.val() || self.b_valid.val() || self.c_valid.val();
            self.held.d.next = self.a.val();
            self.cited.d.next = self.b_quote.val();
            self.cites.d.next = self.b_valid.val() && !self.c_valid.val();
            if self.b_valid.val() {
                self.held.d.next = self.b.val();
            }
            if self.c_valid.val() {
                self.held.d.next = self.c.val();
            }
        }
    }
}
