// SPDX-License-Identifier: MIT OR Apache-2.0
//! A checked transmit command goes four ways.
use crate::prelude::*;

/// Lets each checked command go to the packer, to the sender and to the cut in one cycle, or to
/// none of them. The cut gets no refused command.
///
/// A command a cycle, no latency.
#[block(comb)]
pub struct TxSplit {
    /// The check offers a command.
    pub valid: Signal<In, Bit>,
    /// The command is impossible; with `valid`, from the check.
    pub is_refused: Signal<In, Bit>,
    /// The packer has room for an order.
    pub jobs_ready: Signal<In, Bit>,
    /// The sender has room for an answer.
    pub answers_ready: Signal<In, Bit>,
    /// The cut has room for the octets to drop.
    pub skips_ready: Signal<In, Bit>,
    /// The cut has room for the octets that leave.
    pub lengths_ready: Signal<In, Bit>,
    /// The packer and the sender get the command in this cycle, and the check is done with the
    /// command.
    pub give: Signal<Out, Bit>,
    /// The cut gets the command in this cycle.
    pub cut: Signal<Out, Bit>,
    /// Pulse: a command was refused.
    pub refused: Signal<Out, Bit>,
}

#[kernel]
impl Logic for TxSplit {
    fn update(&mut self) {
        let gives: Bit = self.valid.val()
            && self.jobs_ready.val()
            && self.answers_ready.val()
            && self.skips_ready.val()
            && self.lengths_ready.val();
        self.give.next = gives;
        self.cut.next = gives && !self.is_refused.val();
        self.refused.next = gives && self.is_refused.val();
    }
}
