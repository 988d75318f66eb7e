// SPDX-License-Identifier: MIT OR Apache-2.0
//! A connection is inserted everywhere in one cycle.
use crate::prelude::*;

/// Lets an insert pass between two turns, while every part that it writes is ready. Combinational.
#[block(comb)]
pub struct SqInsert {
    /// An insert or an update is offered.
    pub ins_valid: Signal<In, Bit>,
    /// The connection lives: only its limits are new.
    pub ins_update: Signal<In, Bit>,
    /// Every part holds the row from the next cycle on.
    pub ins_ready: Signal<Out, Bit>,
    /// No turn is under way.
    pub between: Signal<In, Bit>,
    /// The in-flight ring takes an insert.
    pub ring_ready: Signal<In, Bit>,
    /// The responder takes an insert.
    pub responder_ready: Signal<In, Bit>,
    /// Pulse: limits are written.
    pub renewed: Signal<Out, Bit>,
    /// Pulse: a connection begins.
    pub fresh: Signal<Out, Bit>,
    /// A turn is under way.
    pub under: Signal<Out, Bit>,
}

#[kernel]
impl Logic for SqInsert {
    fn update(&mut self) {
        let may: Bit = self.between.val() && self.ring_ready.val() && self.responder_ready.val();
        self.ins_ready.next = may;
        self.renewed.next = self.ins_valid.val() && may;
        self.fresh.next = self.ins_valid.val() && may && !self.ins_update.val();
        self.under.next = !self.between.val();
    }
}
