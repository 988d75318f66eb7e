// SPDX-License-Identifier: MIT OR Apache-2.0
//! Round-robin arbiter of whole frames.
use super::{Beat, Skid, StreamSink, StreamSource};
use crate::prelude::*;

/// Merges `N` streams (2 to 8) into one, a frame at a time.
///
/// **Contract.** Frames of different inputs never mix; those of one input keep their order. `from`
/// names the input of the present frame, with every beat. After a frame of input `i` the turn goes
/// to the next input after `i` (cyclically) that offers a beat, so of `n` inputs that always offer,
/// each gets every `n`-th frame, and no input waits for more than one frame of each other one. An
/// input that pauses inside its frame holds the output: it is granted for the whole frame.
///
/// **Timing.** Two cycles of latency; one beat a cycle; the frame of another input follows without
/// a bubble, also when each has one beat.
#[derive(LogicBlock)]
pub struct Arbiter<const N: usize, const W: usize, const K: usize> {
    /// Clock, rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Frames in.
    pub rx: [StreamSink<W, K>; N],
    /// Whole frames of all inputs.
    pub tx: StreamSource<W, K>,
    /// Index of the input that the beat on `tx` came from.
    pub from: Signal<Out, Bits<3>>,
    front: [Skid<W, K>; N],
    out: Flop<Beat<W, K>>,
    out_from: Flop<Bits<3>>,
    out_valid: Reg<Bit>,
    /// Inside a frame of `turn`; else `turn` is the input that was served last.
    busy: Reg<Bit>,
    turn: Reg<Bits<3>>,
    pick: Signal<Local, Bits<3>>,
    passed: Signal<Local, Bit>,
    found: Signal<Local, Bit>,
    beat: Signal<Local, Beat<W, K>>,
    offered: Signal<Local, Bit>,
    out_free: Signal<Local, Bit>,
}

impl<const N: usize, const W: usize, const K: usize> Default for Arbiter<N, W, K> {
    /// Panics at elaboration if `N` is not 2 to 8.
    fn default() -> Self {
        assert!((2..=8).contains(&N), "an arbiter of {N} inputs: N must be 2 to 8");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            rx: std::array::from_fn(|_| Default::default()),
            tx: Default::default(),
            from: Default::default(),
            front: std::array::from_fn(|_| Default::default()),
            out: Default::default(),
            out_from: Default::default(),
            out_valid: Default::default(),
            busy: Default::default(),
            turn: Default::default(),
            pick: Default::default(),
            passed: Default::default(),
            found: Default::default(),
            beat: Default::default(),
            offered: Default::default(),
            out_free: Default::default(),
        }
    }
}

#[kernel]
impl<const N: usize, const W: usize, const K: usize> Logic for Arbiter<N, W, K> {
    fn update(&mut self) {
        regs!(out_valid, busy, turn);
        flops!(out, out_from);
        for i in 0..N {
            self.front[i].clock.next = self.clock.val();
            self.front[i].reset.next = self.reset.val();
            StreamSink::<W, K>::link(&mut self.rx[i], &mut self.front[i].rx);
        }
        // Whose beat: first the inputs after `turn`, then those up to it; inside a frame only
        // `turn`.
        self.pick.next = self.turn.q.val();
        self.found.next = self.busy.q.val();
        self.passed.next = false;
        for i in 0..N {
            if self.passed.val() && self.front[i].tx.valid.val() && !self.found.val() {
                self.pick.next = i.to_bits();
                self.found.next = true;
            }
            if i.to_bits() == self.turn.q.val() {
                self.passed.next = true;
            }
        }
        for i in 0..N {
            if self.front[i].tx.valid.val() && !self.found.val() {
                self.pick.next = i.to_bits();
                self.found.next = true;
            }
        }
        self.out_free.next = self.tx.ready.val() || !self.out_valid.q.val();
        self.beat.next.data = self.front[0].tx.data.val();
        self.beat.next.bytes = self.front[0].tx.bytes.val();
        self.beat.next.last = self.front[0].tx.last.val();
        self.beat.next.err = self.front[0].tx.err.val();
        self.offered.next = false;
        for i in 0..N {
            self.front[i].tx.ready.next = false;
            if self.pick.val() == i.to_bits() {
                self.front[i].tx.ready.next = self.out_free.val();
                self.beat.next.data = self.front[i].tx.data.val();
                self.beat.next.bytes = self.front[i].tx.bytes.val();
                self.beat.next.last = self.front[i].tx.last.val();
                self.beat.next.err = self.front[i].tx.err.val();
                self.offered.next = self.front[i].tx.valid.val();
            }
        }
        if self.out_free.val() {
            self.out_valid.d.next = self.offered.val();
            if self.offered.val() {
                self.out.d.next = self.beat.val();
                self.out_from.d.next = self.pick.val();
                self.turn.d.next = self.pick.val();
                self.busy.d.next = !self.beat.val().last;
            }
        }
        self.tx.data.next = self.out.q.val().data;
        self.tx.bytes.next = self.out.q.val().bytes;
        self.tx.last.next = self.out.q.val().last;
        self.tx.err.next = self.out.q.val().err;
        self.tx.valid.next = self.out_valid.q.val();
        self.from.next = self.out_from.q.val();
    }
}
