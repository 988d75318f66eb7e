// SPDX-License-Identifier: MIT OR Apache-2.0
//! Skid buffer: cuts `valid`, payload and `ready`, full rate.
use super::{Beat, StreamSink, StreamSource};
use crate::prelude::*;

/// Two-place buffer registered in both directions: one beat a cycle, one cycle of latency.
#[block]
pub struct Skid<const W: usize, const K: usize> {
    /// Frames in.
    pub rx: StreamSink<W, K>,
    /// The same frames out.
    pub tx: StreamSource<W, K>,
    main: Flop<Beat<W, K>>,
    spare: Flop<Beat<W, K>>,
    main_valid: Reg<Bit>,
    spare_valid: Reg<Bit>,
    beat: Signal<Local, Beat<W, K>>,
}

#[kernel]
impl<const W: usize, const K: usize> Logic for Skid<W, K> {
    fn update(&mut self) {
        regs!(main_valid, spare_valid);
        flops!(main, spare);
        self.beat.next.data = self.rx.data.val();
        self.beat.next.bytes = self.rx.bytes.val();
        self.beat.next.last = self.rx.last.val();
        self.beat.next.err = self.rx.err.val();
        self.tx.data.next = self.main.q.val().data;
        self.tx.bytes.next = self.main.q.val().bytes;
        self.tx.last.next = self.main.q.val().last;
        self.tx.err.next = self.main.q.val().err;
        self.tx.valid.next = self.main_valid.q.val();
        self.rx.ready.next = !self.spare_valid.q.val();
        if self.tx.ready.val() || !self.main_valid.q.val() {
            if self.spare_valid.q.val() {
                self.main.d.next = self.spare.q.val();
                self.main_valid.d.next = true;
                self.spare_valid.d.next = false;
            } else {
                self.main.d.next = self.beat.val();
                self.main_valid.d.next = self.rx.valid.val();
            }
        } else if self.rx.valid.val() && !self.spare_valid.q.val() {
            self.spare.d.next = self.beat.val();
            self.spare_valid.d.next = true;
        }
    }
}
