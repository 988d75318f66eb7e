// SPDX-License-Identifier: MIT OR Apache-2.0
//! When the last frame that missed a new connection is where software finds it.
use crate::prelude::*;

/// What is waited for.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Nothing.
    Idle,
    /// Frames that were looked up before: each leaves the store.
    Before,
    /// The raw FIFO's verdict on the last of them: kept or dropped.
    Verdict,
    /// Raw frames that the FIFO held then: each leaves it.
    Ahead,
    /// The ring's end of the work on the last of them.
    Ring,
    /// It is over.
    Done,
}

/// An order for `conn_insert` (D4): after `start`, the cycle in which a connection becomes visible,
/// `settled` rises for one cycle when every frame that was looked up before has gone its way, and
/// if that was the raw ring, was written there or dropped.
///
/// Frames never overtake each other, so they are counted: those between look-up and the end of
/// their route, and those kept by the raw FIFO. Frames that come later do not delay it. It waits
/// for hardware alone: the route for MPA, the FIFO for the ring, the ring for the posted FIFO,
/// since a full ring drops.
#[block(clock)]
pub struct RxFence {
    /// Synchronous reset: no frame is under way.
    pub reset: Signal<In, Bit>,
    /// Pulse: a frame is looked up.
    pub looked: Signal<In, Bit>,
    /// Pulse: the oldest of them has left the store.
    pub routed: Signal<In, Bit>,
    /// Pulse: the raw FIFO keeps a frame; at most three cycles after `routed`.
    pub kept: Signal<In, Bit>,
    /// Pulse: the oldest of them has left the FIFO.
    pub given: Signal<In, Bit>,
    /// The ring works on the last frame that it was given, from the next cycle on.
    pub busy: Signal<In, Bit>,
    /// Pulse: the connection becomes visible. Not before the end of the last one.
    pub start: Signal<In, Bit>,
    /// Pulse: what came before is settled.
    pub settled: Signal<Out, Bit>,
    /// No frame is between look-up and the end of its route.
    pub none: Signal<Out, Bit>,
    /// So many are.
    pub count: Signal<Out, Bits<9>>,
    /// The order waits for frames that leave the store.
    pub ordered: Signal<Out, Bit>,
    st: Reg<St>,
    /// Frames between look-up and the end of their route, of which 32 and a few more have places;
    /// in the FIFO, of 2^12 beats at most; of them, those waited for.
    under: Reg<Bits<9>>,
    held: Reg<Bits<9>>,
    left: Flop<Bits<9>>,
    pause: Flop<Bits<3>>,
    verdict: Const<Bits<3>>,
    under_now: Signal<Local, Bits<9>>,
    held_now: Signal<Local, Bits<9>>,
}

impl RxFence {
    /// No frame is under way.
    pub fn new() -> Self {
        Self { verdict: Const::of(4), ..Default::default() }
    }
}

#[kernel]
impl Logic for RxFence {
    fn update(&mut self) {
        regs!(st, under, held);
        flops!(left, pause);
        self.under_now.next = self.under.q.val();
        if self.looked.val() && !self.routed.val() {
            self.under_now.next = self.under.q.val() + 1;
        }
        if !self.looked.val() && self.routed.val() {
            self.under_now.next = self.under.q.val() - 1;
        }
        self.held_now.next = self.held.q.val();
        if self.kept.val() && !self.given.val() {
            self.held_now.next = self.held.q.val() + 1;
        }
        if !self.kept.val() && self.given.val() {
            self.held_now.next = self.held.q.val() - 1;
        }
        self.under.d.next = self.under_now.val();
        self.held.d.next = self.held_now.val();
        let fewer: Bits<9> = self.left.q.val() - 1;
        self.settled.next = self.st.q.val() == St::Done;
        self.none.next = !self.under.q.val().any();
        self.count.next = self.under.q.val();
        self.ordered.next = (self.st.q.val() == St::Before) && self.left.q.val().any();

        match self.st.q.val() {
            St::Idle => {
                self.left.d.next = self.under_now.val();
                if self.start.val() {
                    self.st.d.next = St::Before;
                }
            }
            St::Before => {
                self.pause.d.next = self.verdict.val();
                if !self.left.q.val().any() {
                    self.st.d.next = St::Verdict;
                } else if self.routed.val() {
                    self.left.d.next = fewer;
                }
            }
            St::Verdict => {
                self.pause.d.next = self.pause.q.val() - 1;
                self.left.d.next = self.held_now.val();
                if !self.pause.q.val().any() {
                    self.st.d.next = St::Ahead;
                }
            }
            St::Ahead => {
                if !self.left.q.val().any() {
                    self.st.d.next = St::Ring;
                } else if self.given.val() {
                    self.left.d.next = fewer;
                }
            }
            St::Ring => {
                if !self.busy.val() {
                    self.st.d.next = St::Done;
                }
            }
            St::Done => {
                self.st.d.next = St::Idle;
            }
            _ => {}
        }
    }
}
