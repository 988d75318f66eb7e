//! The token of a revoked region: what was judged before it is out of the device (D5).
use crate::cell::{Flop, Reg};
use crate::stream::Tally;
use rust_hdl::prelude::*;

/// Where the token is.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Token {
    /// There is none.
    Idle,
    /// Behind the FPDUs whose regions may have been checked before.
    Judge,
    /// Behind their octets.
    Place,
    /// Behind the posted writes of those.
    Leave,
    /// Out.
    Out,
}

/// Follows the FPDUs that were in the stage when it came, without holding those behind it.
///
/// It begins between two FPDUs of `resolve`, so that no check is out of which no job tells. Then it waits three times for what is
/// ahead of it: jobs until they are judged, parts until they were handed over, posted writes until they are on the bus. Checks
/// that are taken after the region was revoked see that, so nothing that comes later has to be waited for.
#[derive(LogicBlock, Default)]
pub struct RxToken {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// A region was revoked: offered until `ready`.
    pub valid: Signal<In, Bit>,
    /// In this cycle: nothing that was judged before is on its way.
    pub ready: Signal<Out, Bit>,
    /// `resolve` has no FPDU.
    pub between: Signal<In, Bit>,
    /// Pulse: it handed one to the judge.
    pub job_in: Signal<In, Bit>,
    /// Pulse: the judge is done with one.
    pub job_out: Signal<In, Bit>,
    /// Pulse: octets to be placed were announced.
    pub part_in: Signal<In, Bit>,
    /// Pulse: the last of them was taken by the posted FIFO.
    pub part_out: Signal<In, Bit>,
    /// Posted writes begun so far, whole or not.
    pub accepted: Signal<In, Bits<16>>,
    /// Posted writes of which command and frame are on the bus.
    pub left: Signal<In, Bits<16>>,
    state: Reg<Token>,
    jobs: Tally<4>,
    parts: Tally<4>,
    mark: Flop<Bits<16>>,
    ahead: Signal<Local, Bits<16>>,
}

impl Logic for RxToken {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, mark);
        clock!(self, clock, jobs, parts);
        self.state.reset.next = self.reset.val();
        self.jobs.reset.next = self.reset.val();
        self.parts.reset.next = self.reset.val();
        self.jobs.enters.next = self.job_in.val();
        self.jobs.leaves.next = self.job_out.val();
        self.jobs.start.next = (self.state.q.val() == Token::Idle) && self.between.val();
        self.parts.enters.next = self.part_in.val();
        self.parts.leaves.next = self.part_out.val();
        self.parts.start.next = (self.state.q.val() == Token::Judge) && self.jobs.done.val();
        self.ahead.next = self.left.val() - self.mark.q.val();
        self.ready.next = self.state.q.val() == Token::Out;
        match self.state.q.val() {
            Token::Idle => {
                if self.valid.val() && self.between.val() {
                    self.state.d.next = Token::Judge;
                }
            }
            Token::Judge => {
                if self.jobs.done.val() {
                    self.state.d.next = Token::Place;
                }
            }
            Token::Place => {
                self.mark.d.next = self.accepted.val();
                if self.parts.done.val() {
                    self.state.d.next = Token::Leave;
                }
            }
            Token::Leave => {
                if !self.ahead.val().get_bit(15) {
                    self.state.d.next = Token::Out;
                }
            }
            Token::Out => {
                self.state.d.next = Token::Idle;
            }
            _ => {}
        }
    }
}
