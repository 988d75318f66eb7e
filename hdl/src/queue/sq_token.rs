//! The token of a revoked region: payload whose region was checked before it has been read (D5).
use crate::cell::Reg;
use crate::stream::Tally;
use rust_hdl::prelude::*;

/// Follows the FPDUs whose payload was being read when it came, without holding those behind it.
///
/// It begins between two turns, so that no range is found that was not given to the gather. An FPDU is out when the last piece of its
/// payload was read out of its place, which is after the answers of all of its reads.
#[derive(LogicBlock, Default)]
pub struct SqToken {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// A region was revoked: offered until `ready`.
    pub valid: Signal<In, Bit>,
    /// In this cycle: no octet of it is being read any more.
    pub ready: Signal<Out, Bit>,
    /// Nobody has the turn.
    pub between: Signal<In, Bit>,
    /// Pulse: the last range of an FPDU was given to the gather.
    pub range_in: Signal<In, Bit>,
    /// Pulse: the last piece of an FPDU was read.
    pub piece_out: Signal<In, Bit>,
    fpdus: Tally<5>,
    follows: Reg<Bit>,
    starts: Signal<Local, Bit>,
}

impl Logic for SqToken {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, follows);
        clock!(self, clock, fpdus);
        self.follows.reset.next = self.reset.val();
        self.fpdus.reset.next = self.reset.val();
        self.starts.next = self.valid.val() && self.between.val() && !self.follows.q.val();
        self.fpdus.enters.next = self.range_in.val();
        self.fpdus.leaves.next = self.piece_out.val();
        self.fpdus.start.next = self.starts.val();
        self.ready.next = self.follows.q.val() && self.fpdus.done.val();
        if self.starts.val() {
            self.follows.d.next = true;
        }
        if self.follows.q.val() && self.fpdus.done.val() {
            self.follows.d.next = false;
        }
    }
}
