//! Three sources of faults into one channel.
use super::Fault;
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
    /// Of a WQE.
    pub b: Signal<In, Fault>,
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
    /// Offered.
    pub q_valid: Signal<Out, Bit>,
    /// Taken.
    pub q_ready: Signal<In, Bit>,
    held: Flop<Fault>,
    full: Reg<Bit>,
    free: Signal<Local, Bit>,
}

impl Logic for SqFaults {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, full);
        self.full.reset.next = self.reset.val();
        self.q.next = self.held.q.val();
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
            if self.b_valid.val() {
                self.held.d.next = self.b.val();
            }
            if self.c_valid.val() {
                self.held.d.next = self.c.val();
            }
        }
    }
}
