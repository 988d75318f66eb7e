// SPDX-License-Identifier: MIT OR Apache-2.0
//! The last message of a stream waits for all before it.
use crate::prelude::*;

/// Says whether a queue pair may begin a ULPDU. An end begins when all before it has left or given
/// its room back. Combinational.
#[block(comb)]
pub struct SqEnd {
    /// What the queue pair wants to begin is an end: Terminate or FIN.
    pub last: Signal<In, Bit>,
    /// DDP transmit has a share for the queue pair.
    pub share: Signal<In, Bit>,
    /// The queue pair has no ULPDU under way that may be given back.
    pub none: Signal<In, Bit>,
    /// Payload of its oldest ULPDU has not come.
    pub late: Signal<In, Bit>,
    /// It may begin.
    pub may: Signal<Out, Bit>,
    /// If not: it waits for payload, or for what is before an end.
    pub waits: Signal<Out, Bit>,
}

#[kernel]
impl Logic for SqEnd {
    fn update(&mut self) {
        self.may.next = self.share.val() && (self.none.val() || !self.last.val());
        self.waits.next = self.late.val() || self.last.val();
    }
}
