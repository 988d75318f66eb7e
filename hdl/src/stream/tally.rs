// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tells when what is inside of a part of the pipeline has left it.
use crate::prelude::*;

/// Counts what is inside of a part that keeps its items in order; `start` asks for those that are
/// inside now, `done` says that they have left, whatever came in behind them.
///
/// Pulses in, a level out; at most `2^N - 1` items are inside. `done` counts from the cycle after
/// `start`.
#[block(clock)]
pub struct Tally<const N: usize> {
    /// Synchronous reset: nothing is inside.
    pub reset: Signal<In, Bit>,
    /// Pulse: an item comes in.
    pub enters: Signal<In, Bit>,
    /// Pulse: the oldest item has left.
    pub leaves: Signal<In, Bit>,
    /// Asks; an item that comes in this cycle is waited for as well.
    pub start: Signal<In, Bit>,
    /// What was inside has left.
    pub done: Signal<Out, Bit>,
    held: Reg<Bits<N>>,
    ahead: Reg<Bits<N>>,
    now: Signal<Local, Bits<N>>,
}

#[kernel]
impl<const N: usize> Logic for Tally<N> {
    fn update(&mut self) {
        regs!(held, ahead);
        self.now.next = self.held.q.val();
        if self.enters.val() && !self.leaves.val() {
            self.now.next = self.held.q.val() + 1;
        }
        if self.leaves.val() && !self.enters.val() {
            self.now.next = self.held.q.val() - 1;
        }
        self.held.d.next = self.now.val();
        if self.leaves.val() && self.ahead.q.val().any() {
            self.ahead.d.next = self.ahead.q.val() - 1;
        }
        if self.start.val() {
            self.ahead.d.next = self.now.val();
        }
        self.done.next = !self.ahead.q.val().any();
    }
}
