// SPDX-License-Identifier: MIT OR Apache-2.0
//! The walk over a column of timers: which row is looked at next, and the scrub after reset.
use crate::prelude::*;

/// Walks through all rows after each tick; a tick that comes during a walk makes another one.
/// Between two walks no register changes.
#[block(clock)]
pub struct TxWalk<const C: usize> {
    /// Synchronous reset; the scrub then takes `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// Pulse: time moves on.
    pub tick: Signal<In, Bit>,
    /// A walk is under way.
    pub on: Signal<Out, Bit>,
    /// Its row.
    pub row: Signal<Out, Bits<C>>,
    /// It is looked at in this cycle: the next one.
    pub take: Signal<In, Bit>,
    /// Every row was made blank once.
    pub scrubbed: Signal<Out, Bit>,
    /// Until then: make this one blank.
    pub blank: Signal<Out, Bits<C>>,
    walks: Reg<Bit>,
    again: Reg<Bit>,
    at: Reg<Bits<C>>,
    sweep: Reg<Bits<C>>,
    swept: Reg<Bit>,
}

#[kernel]
impl<const C: usize> Logic for TxWalk<C> {
    fn update(&mut self) {
        regs!(walks, again, at, sweep, swept);
        self.on.next = self.walks.q.val();
        self.row.next = self.at.q.val();
        self.scrubbed.next = self.swept.q.val();
        self.blank.next = self.sweep.q.val();
        if !self.swept.q.val() {
            self.sweep.d.next = self.sweep.q.val() + 1;
            self.swept.d.next = self.sweep.q.val().all();
        }
        if self.take.val() {
            self.at.d.next = self.at.q.val() + 1;
            if self.at.q.val().all() {
                self.walks.d.next = self.again.q.val();
                self.again.d.next = false;
            }
        }
        if self.tick.val() {
            self.walks.d.next = true;
            self.again.d.next = self.walks.q.val();
        }
    }
}
