// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wake-ups of connections whose reservation was refused.
use crate::prelude::*;

/// A wake-up leaves in the cycle after the refusal was taken, or later: one that comes before
/// waits. One refusal is out at a time, so that one wake-up waits at most.
#[block]
pub struct TxWake<const C: usize> {
    /// Connection of the event.
    pub qp: Signal<In, Bits<C>>,
    /// It wakes that connection.
    pub wakes: Signal<In, Bit>,
    /// With `wakes`: the refusal of that connection is not taken yet.
    pub held: Signal<In, Bit>,
    /// No answer waits to be taken after this cycle.
    pub free: Signal<In, Bit>,
    /// Connection to wake.
    pub wake_qp: Signal<Out, Bits<C>>,
    /// Pulse: `wake_qp` wakes.
    pub wake_valid: Signal<Out, Bit>,
    /// A wake-up that waits for its refusal to be taken.
    late: Reg<Bit>,
    late_qp: Flop<Bits<C>>,
    wake: Reg<Bit>,
    wake_to: Flop<Bits<C>>,
}

#[kernel]
impl<const C: usize> Logic for TxWake<C> {
    fn update(&mut self) {
        regs!(late, wake);
        flops!(late_qp, wake_to);
        self.wake_qp.next = self.wake_to.q.val();
        self.wake_valid.next = self.wake.q.val();
        self.wake.d.next = false;
        self.wake_to.d.next = self.qp.val();
        if self.wakes.val() {
            self.wake.d.next = !self.held.val();
            if self.held.val() {
                self.late.d.next = true;
                self.late_qp.d.next = self.qp.val();
            }
        } else if self.late.q.val() && self.free.val() {
            self.late.d.next = false;
            self.wake.d.next = true;
            self.wake_to.d.next = self.late_qp.q.val();
        }
    }
}
