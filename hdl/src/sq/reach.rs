// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far a message of the in-flight ring has left. No state.
use super::rows::{Cut, InFlight};
use crate::prelude::*;

/// Where a message ends in the stream: behind its last FPDU so far; or, of one that could not be
/// read and of those that were made behind it, where Terminate or the end of the stream took their
/// place.
#[block(comb)]
pub struct SqReach {
    /// The message.
    pub entry: Signal<In, InFlight>,
    /// Stream offset of its first octet.
    pub from: Signal<In, Bits<40>>,
    /// Of its queue pair.
    pub cut: Signal<In, Cut>,
    /// Some of it never left, and never will.
    pub is_cut: Signal<Out, Bit>,
    /// Nothing of it has left; without meaning if `from` has none.
    pub none: Signal<Out, Bit>,
    /// Stream offset after its last octet that has.
    pub upto: Signal<Out, Bits<40>>,
}

#[kernel]
impl Logic for SqReach {
    fn update(&mut self) {
        let behind: Bits<40> = self.cut.val().offset - self.entry.val().upto;
        let ahead: Bits<40> = self.from.val() - self.cut.val().offset;
        // kinds 2 and 3 are what stands there
        let kind: Bits<2> = self.entry.val().kind;
        let cuts: Bit = self.cut.val().on && behind.get_bit(39) && !kind.get_bit(1);
        self.is_cut.next = cuts;
        self.none.next = cuts && !ahead.get_bit(39);
        self.upto.next = self.entry.val().upto;
        if cuts {
            self.upto.next = self.cut.val().offset;
        }
    }
}
