// SPDX-License-Identifier: MIT OR Apache-2.0
//! Skid buffer: cuts `valid`, payload and `ready`, full rate.
use super::{Beat, StreamSink, StreamSource};
use crate::cell::{Flop, Reg};
use rust_hdl::prelude::*;

/// Two-place buffer registered in both directions: one beat a cycle, one cycle of latency.
#[derive(LogicBlock, Default)]
pub struct Skid<const W: usize, const K: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
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

impl<const W: usize, const K: usize> Logic for Skid<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, main, spare, main_valid, spare_valid);
        self.main_valid.reset.next = self.reset.val();
        self.spare_valid.reset.next = self.reset.val();
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
