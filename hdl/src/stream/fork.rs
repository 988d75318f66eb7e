// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fork: one stream to two readers.
use super::{Skid, StreamSink, StreamSource};
use crate::prelude::*;

/// Gives every beat to both outputs; each takes it at its own time.
///
/// Eager: a beat enters the buffer of one side even while the other side's is full, and leaves `rx`
/// when both have it. So one reader may be three beats ahead of the other, never more: whoever
/// needs both streams in different order puts a FIFO behind. One beat a cycle, one cycle of
/// latency, no bubble between frames. `rx.ready` is a function of registers only, never of
/// `rx.valid` or of a reader's `ready`.
#[block]
pub struct Fork<const W: usize, const K: usize> {
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
}

#[kernel]
impl<const W: usize, const K: usize> Logic for Fork<W, K> {
    fn update(&mut self) {
        regs!(left_has, right_has);
        parts!(left_skid, right_skid);
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
        let left_done: Bit = self.left_has.q.val() || self.left_skid.rx.ready.val();
        let right_done: Bit = self.right_has.q.val() || self.right_skid.rx.ready.val();
        self.rx.ready.next = left_done && right_done;
        if self.rx.valid.val() {
            self.left_has.d.next = left_done && !right_done;
            self.right_has.d.next = right_done && !left_done;
        }
    }
}
