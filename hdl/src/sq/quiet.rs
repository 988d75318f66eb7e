// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether anything of a queue pair that ends is under way.
use crate::prelude::*;

/// Says that nothing of queue pair `qp` is being read or told. Combinational.
#[block(comb)]
pub struct SqQuiet<const C: usize, const NC: usize> {
    /// Queue pair that ends.
    pub qp: Signal<In, Bits<C>>,
    /// A WQE is to be read.
    pub fetch: Signal<In, Bit>,
    /// Queue pairs of which a WQE is being read, a bit each.
    pub under: Signal<In, Bits<NC>>,
    /// A completion is offered.
    pub done_valid: Signal<In, Bit>,
    /// It is taken.
    pub done_ready: Signal<In, Bit>,
    /// An event is offered.
    pub event_valid: Signal<In, Bit>,
    /// It is taken.
    pub event_ready: Signal<In, Bit>,
    /// A doorbell's fault waits.
    pub db_fault: Signal<In, Bit>,
    /// A turn's fault waits.
    pub turn_fault: Signal<In, Bit>,
    /// A read's fault waits.
    pub read_fault: Signal<In, Bit>,
    /// A fault is offered.
    pub told_fault: Signal<In, Bit>,
    /// None of these is of `qp`, or may be.
    pub quiet: Signal<Out, Bit>,
    /// A turn is offered.
    pub turn_valid: Signal<In, Bit>,
    /// It is taken.
    pub turn_take: Signal<In, Bit>,
    /// No turn waits behind this cycle.
    pub given: Signal<Out, Bit>,
}

#[kernel]
impl<const C: usize, const NC: usize> Logic for SqQuiet<C, NC> {
    fn update(&mut self) {
        self.quiet.next = !self.fetch.val()
            && !self.under.val().get_bit(self.qp.val().index())
            && (!self.done_valid.val() || self.done_ready.val())
            && (!self.event_valid.val() || self.event_ready.val())
            && !self.db_fault.val()
            && !self.turn_fault.val()
            && !self.read_fault.val()
            && !self.told_fault.val();
        self.given.next = !self.turn_valid.val() || self.turn_take.val();
    }
}
