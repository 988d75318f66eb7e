// SPDX-License-Identifier: MIT OR Apache-2.0
//! The token of a queue pair or connection that ends: what was announced before it is out of the
//! stage (D5).
use crate::prelude::*;
use crate::stream::Tally;

/// Where the token is.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Token {
    /// There is none.
    Idle,
    /// Behind the segments that were announced before.
    Segments,
    /// Behind the FPDUs that ended in those.
    Verdicts,
    /// Behind the last of them.
    Last,
    /// Out.
    Out,
}

/// Follows what was in the stage when it came, without holding what is behind: first the segments
/// until each is judged or dropped as a stray, then the FPDUs until the reader has them, then the
/// one that it offers.
#[block]
pub struct RxToken {
    /// A queue pair or connection ends: offered until `ready`.
    pub valid: Signal<In, Bit>,
    /// In this cycle: nothing that was announced before is in the stage.
    pub ready: Signal<Out, Bit>,
    /// Pulse: a segment was announced.
    pub seg_in: Signal<In, Bit>,
    /// Pulse: the oldest of them was judged, or dropped.
    pub seg_out: Signal<In, Bit>,
    /// Pulse: an FPDU was judged.
    pub fpdu_in: Signal<In, Bit>,
    /// Pulse: the reader took the oldest of them.
    pub fpdu_out: Signal<In, Bit>,
    /// The reader offers an FPDU.
    pub meta_valid: Signal<In, Bit>,
    /// The FPDU is taken in this cycle; with `meta_valid`.
    pub meta_ready: Signal<In, Bit>,
    state: Reg<Token>,
    segments: Tally<6>,
    fpdus: Tally<5>,
}

#[kernel]
impl Logic for RxToken {
    fn update(&mut self) {
        regs!(state);
        parts!(segments, fpdus);
        self.segments.enters.next = self.seg_in.val();
        self.segments.leaves.next = self.seg_out.val();
        self.segments.start.next = self.state.q.val() == Token::Idle;
        self.fpdus.enters.next = self.fpdu_in.val();
        self.fpdus.leaves.next = self.fpdu_out.val();
        self.fpdus.start.next = (self.state.q.val() == Token::Segments) && self.segments.done.val();
        self.ready.next = self.state.q.val() == Token::Out;
        match self.state.q.val() {
            Token::Idle => {
                if self.valid.val() {
                    self.state.d.next = Token::Segments;
                }
            }
            Token::Segments => {
                if self.segments.done.val() {
                    self.state.d.next = Token::Verdicts;
                }
            }
            Token::Verdicts => {
                if self.fpdus.done.val() {
                    self.state.d.next = Token::Last;
                }
            }
            Token::Last => {
                if !self.meta_valid.val() || self.meta_ready.val() {
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
