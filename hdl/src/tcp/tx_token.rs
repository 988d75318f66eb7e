// SPDX-License-Identifier: MIT OR Apache-2.0
//! The token of a connection that ends: no segment that was granted to it is on its way to its
//! header.
use crate::prelude::*;
use crate::stream::Tally;

/// Where the token is.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Token {
    /// There is none.
    Idle,
    /// Behind the segments that were announced before, until each has its sum.
    Sums,
    /// Behind those that wait for their header.
    Headers,
    /// Out.
    Out,
}

/// Follows what was announced when it came, without holding what is behind. A connection that was
/// removed is granted nothing more, so that a header with its number, which another connection may
/// have then, is of that other one.
#[block]
pub struct TxToken {
    /// A connection ends: offered until `ready`.
    pub valid: Signal<In, Bit>,
    /// In this cycle: what was announced before has left or was dropped.
    pub ready: Signal<Out, Bit>,
    /// Pulse: a segment was announced.
    pub seg_in: Signal<In, Bit>,
    /// Pulse: the oldest of them has its sum, or was dropped.
    pub seg_out: Signal<In, Bit>,
    /// Pulse: one waits for its header.
    pub job_in: Signal<In, Bit>,
    /// Pulse: the oldest of them has it, or was dropped.
    pub job_out: Signal<In, Bit>,
    state: Reg<Token>,
    segments: Tally<6>,
    jobs: Tally<2>,
}

#[kernel]
impl Logic for TxToken {
    fn update(&mut self) {
        regs!(state);
        parts!(segments, jobs);
        self.segments.enters.next = self.seg_in.val();
        self.segments.leaves.next = self.seg_out.val();
        self.segments.start.next = self.state.q.val() == Token::Idle;
        self.jobs.enters.next = self.job_in.val();
        self.jobs.leaves.next = self.job_out.val();
        self.jobs.start.next = (self.state.q.val() == Token::Sums) && self.segments.done.val();
        self.ready.next = self.state.q.val() == Token::Out;
        match self.state.q.val() {
            Token::Idle => {
                if self.valid.val() {
                    self.state.d.next = Token::Sums;
                }
            }
            Token::Sums => {
                if self.segments.done.val() {
                    self.state.d.next = Token::Headers;
                }
            }
            Token::Headers => {
                if self.jobs.done.val() {
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
