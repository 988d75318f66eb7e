//! The token of a region that is revoked, or of a queue pair that ends: what was begun before it has been read and told (D5).
use crate::cell::Reg;
use crate::stream::Tally;
use rust_hdl::prelude::*;

/// Where the token is.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Token {
    /// There is none.
    Idle,
    /// Behind the turn that was given before.
    Turn,
    /// Behind the turn under way.
    Between,
    /// Behind the FPDUs whose payload is being read.
    Read,
    /// Behind the read of a WQE, the completion and the faults that wait.
    Told,
    /// Out.
    Out,
}

/// Follows the FPDUs whose payload was being read when it came, without holding those behind it.
///
/// It begins between two turns, so that no range is found that was not given to the gather: behind the turn that the scheduler had
/// given. An FPDU is out when the last piece of its payload was read out of its place, which is after the answers of all of its reads.
/// A queue pair that ends gets no turn and no completion more, so that a cycle without is enough for the rest.
#[derive(LogicBlock, Default)]
pub struct SqToken {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// A region was revoked, or a queue pair ends: offered until `ready`.
    pub valid: Signal<In, Bit>,
    /// In this cycle: no octet of it is being read any more.
    pub ready: Signal<Out, Bit>,
    /// No turn is offered, or it is taken in this cycle.
    pub given: Signal<In, Bit>,
    /// Nobody has the turn.
    pub between: Signal<In, Bit>,
    /// Pulse: the last range of an FPDU was given to the gather.
    pub range_in: Signal<In, Bit>,
    /// Pulse: the last piece of an FPDU was read.
    pub piece_out: Signal<In, Bit>,
    /// The queue pair has no WQE under way; neither completion, event nor fault waits, or it is taken in this cycle.
    pub quiet: Signal<In, Bit>,
    fpdus: Tally<5>,
    state: Reg<Token>,
}

impl Logic for SqToken {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state);
        clock!(self, clock, fpdus);
        self.state.reset.next = self.reset.val();
        self.fpdus.reset.next = self.reset.val();
        self.fpdus.enters.next = self.range_in.val();
        self.fpdus.leaves.next = self.piece_out.val();
        self.fpdus.start.next = (self.state.q.val() == Token::Between) && self.between.val();
        self.ready.next = self.state.q.val() == Token::Out;
        match self.state.q.val() {
            Token::Idle => {
                if self.valid.val() {
                    self.state.d.next = Token::Turn;
                }
            }
            Token::Turn => {
                if self.given.val() {
                    self.state.d.next = Token::Between;
                }
            }
            Token::Between => {
                if self.between.val() {
                    self.state.d.next = Token::Read;
                }
            }
            Token::Read => {
                if self.fpdus.done.val() {
                    self.state.d.next = Token::Told;
                }
            }
            Token::Told => {
                if self.quiet.val() {
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
