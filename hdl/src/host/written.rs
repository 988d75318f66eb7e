// SPDX-License-Identifier: MIT OR Apache-2.0
//! The last step of a command: completions and events that were told before are on the bus.
use crate::prelude::*;

/// What is waited for.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Nothing.
    Idle,
    /// The completion under way, and what TCP has to tell.
    Told,
    /// The event under way.
    Event,
    /// Posted writes that were begun.
    Leave,
    /// It is over.
    Out,
}

/// Waits until the completion queues, then the event ring, are between two entries, then for the
/// posted writes that were begun.
///
/// All three wait for hardware alone. Between two entries a queue has handed over what it took, so
/// that the posted FIFO has it.
#[block]
pub struct Written {
    /// Stages have let go of what they had: offered until `tok_ready`.
    pub tok_valid: Signal<In, Bit>,
    /// In this cycle: what they told is on the bus.
    pub tok_ready: Signal<Out, Bit>,
    /// The completion queues are between two entries.
    pub cq_rests: Signal<In, Bit>,
    /// TCP has a RST to tell.
    pub ctl_valid: Signal<In, Bit>,
    /// The event of a RST, of a FIN or of octets behind it waits.
    pub ctl_waits: Signal<In, Bit>,
    /// The event ring is between two entries.
    pub events_rest: Signal<In, Bit>,
    /// Posted writes begun so far, whole or not.
    pub accepted: Signal<In, Bits<16>>,
    /// Posted writes of which command and frame are on the bus.
    pub left: Signal<In, Bits<16>>,
    st: Reg<St>,
    mark: Flop<Bits<16>>,
}

#[kernel]
impl Logic for Written {
    fn update(&mut self) {
        regs!(st);
        flops!(mark);
        let ahead: Bits<16> = self.left.val() - self.mark.q.val();
        self.tok_ready.next = self.st.q.val() == St::Out;
        match self.st.q.val() {
            St::Idle => {
                if self.tok_valid.val() {
                    self.st.d.next = St::Told;
                }
            }
            St::Told => {
                if self.cq_rests.val() && !self.ctl_valid.val() && !self.ctl_waits.val() {
                    self.st.d.next = St::Event;
                }
            }
            St::Event => {
                self.mark.d.next = self.accepted.val();
                if self.events_rest.val() {
                    self.st.d.next = St::Leave;
                }
            }
            St::Leave => {
                if !ahead.get_bit(15) {
                    self.st.d.next = St::Out;
                }
            }
            St::Out => {
                self.st.d.next = St::Idle;
            }
            _ => {}
        }
    }
}
