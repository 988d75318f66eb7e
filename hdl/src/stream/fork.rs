// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fork: one stream to two readers.
use super::{Skid, StreamSink, StreamSource};
use crate::cell::Reg;
use rust_hdl::prelude::*;

/// Gives every beat to both outputs; each takes it at its own time.
///
/// Eager: a beat enters the buffer of one side even while the other side's is full, and leaves `rx`
/// when both have it. So one reader may be three beats ahead of the other, never more: whoever
/// needs both streams in different order puts a FIFO behind. One beat a cycle, one cycle of
/// latency, no bubble between frames. `rx.ready` is a function of registers only, never of
/// `rx.valid` or of a reader's `ready`.
#[derive(LogicBlock, Default)]
pub struct Fork<const W: usize, const K: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Frames in.
    pub rx: StreamSink<W, K>,
    /// Every frame, to the first reader.
    pub left: StreamSource<W, K>,
    /// Every frame, to the second reader.
    pub right: StreamSource<W, K>,
    left_skid: Skid<W, K>,
    right_skid: Skid<W, K>,
    /// The beat now on `rx` is in the buffer of that side already.
    left_has: Reg<Bit>,
    right_has: Reg<Bit>,
    left_done: Signal<Local, Bit>,
    right_done: Signal<Local, Bit>,
}

impl<const W: usize, const K: usize> Logic for Fork<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, left_skid, right_skid);
        dff_setup!(self, clock, left_has, right_has);
        self.left_skid.reset.next = self.reset.val();
        self.right_skid.reset.next = self.reset.val();
        self.left_has.reset.next = self.reset.val();
        self.right_has.reset.next = self.reset.val();
        StreamSource::<W, K>::link(&mut self.left, &mut self.left_skid.tx);
        StreamSource::<W, K>::link(&mut self.right, &mut self.right_skid.tx);
        self.left_skid.rx.data.next = self.rx.data.val();
        self.left_skid.rx.bytes.next = self.rx.bytes.val();
        self.left_skid.rx.last.next = self.rx.last.val();
        self.left_skid.rx.err.next = self.rx.err.val();
        self.left_skid.rx.valid.next = self.rx.valid.val() && !self.left_has.q.val();
        self.right_skid.rx.data.next = self.rx.data.val();
        self.right_skid.rx.bytes.next = self.rx.bytes.val();
        self.right_skid.rx.last.next = self.rx.last.val();
        self.right_skid.rx.err.next = self.rx.err.val();
        self.right_skid.rx.valid.next = self.rx.valid.val() && !self.right_has.q.val();
        self.left_done.next = self.left_has.q.val() || self.left_skid.rx.ready.val();
        self.right_done.next = self.right_has.q.val() || self.right_skid.rx.ready.val();
        self.rx.ready.next = self.left_done.val() && self.right_done.val();
        if self.rx.valid.val() {
            self.left_has.d.next = self.left_done.val() && !self.right_done.val();
            self.right_has.d.next = self.right_done.val() && !self.left_done.val();
        }
    }
}
