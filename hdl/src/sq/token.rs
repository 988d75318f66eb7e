// SPDX-License-Identifier: MIT OR Apache-2.0
//! The token of a region that is revoked, or of a queue pair that ends: what was begun before it
//! has been read and told (D5).
use crate::prelude::*;

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
/// It begins between two turns, so that no range is found that was not given to the gather: behind
/// the turn that the scheduler had given. An FPDU is out when its frame was made, which is after
/// the answers of all of its reads. A queue pair that ends gets no turn and no completion more, so
/// that a cycle without is enough for the rest.
#[block]
pub struct SqToken {
    /// A region was revoked, or a queue pair ends: offered until `ready`.
    pub valid: Signal<In, Bit>,
    /// In this cycle: no octet of it is being read any more.
    pub ready: Signal<Out, Bit>,
    /// No turn is offered, or it is taken in this cycle.
    pub given: Signal<In, Bit>,
    /// Nobody has the turn.
    pub between: Signal<In, Bit>,
    /// FPDUs under way, a bit for each slot.
    pub used: Signal<In, Bits<8>>,
    /// Those of them that end in this cycle.
    pub over: Signal<In, Bits<8>>,
    /// The queue pair has no WQE under way; neither completion, event nor fault waits, or it is
    /// taken in this cycle.
    pub quiet: Signal<In, Bit>,
    ahead: Reg<Bits<8>>,
    state: Reg<Token>,
}

#[kernel]
impl Logic for SqToken {
    fn update(&mut self) {
        regs!(state, ahead);
        self.ahead.d.next = self.ahead.q.val() & (!self.over.val());
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
                self.ahead.d.next = self.used.val() & (!self.over.val());
                if self.between.val() {
                    self.state.d.next = Token::Read;
                }
            }
            Token::Read => {
                if !self.ahead.q.val().any() {
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
