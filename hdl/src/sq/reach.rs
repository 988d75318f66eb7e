// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far a message of the in-flight ring has left. No state.
use super::rows::{Cut, InFlight};
use rust_hdl::prelude::*;

/// Where a message ends in the stream: behind its last FPDU so far; or, of one that could not be
/// read and of those that were made behind it, where Terminate or the end of the stream took their
/// place.
#[derive(LogicBlock, Default)]
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
    behind: Signal<Local, Bits<40>>,
    ahead: Signal<Local, Bits<40>>,
    kind: Signal<Local, Bits<2>>,
    cuts: Signal<Local, Bit>,
}

impl Logic for SqReach {
    #[hdl_gen]
    fn update(&mut self) {
        self.behind.next = self.cut.val().offset - self.entry.val().upto;
        self.ahead.next = self.from.val() - self.cut.val().offset;
        // kinds 2 and 3 are what stands there
        self.kind.next = self.entry.val().kind;
        self.cuts.next = self.cut.val().on && self.behind.val().get_bit(39) && !self.kind.val().get_bit(1);
        self.is_cut.next = self.cuts.val();
        self.none.next = self.cuts.val() && !self.ahead.val().get_bit(39);
        self.upto.next = self.entry.val().upto;
        if self.cuts.val() {
            self.upto.next = self.cut.val().offset;
        }
    }
}
