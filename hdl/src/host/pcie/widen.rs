// SPDX-License-Identifier: MIT OR Apache-2.0
//! Beats of half a width become beats of the whole.
use crate::prelude::*;
use crate::stream::{Beat, Slot, StreamSink, StreamSource};

/// Two beats of `W` bits become one of `D` = `2 * W`; a frame's last beat stands alone if it has no
/// other. `L` = `K + 1`.
///
/// **Timing.** One cycle from the beat that completes a wide one; a beat a cycle on `rx`.
#[block]
pub struct Widen<const W: usize, const K: usize, const D: usize, const L: usize> {
    /// Frames.
    pub rx: StreamSink<W, K>,
    /// The same frames.
    pub tx: StreamSource<D, L>,
    out: Slot<Beat<D, L>>,
    low: Flop<Bits<W>>,
    has_low: Reg<Bit>,
    beat: Signal<Local, Beat<D, L>>,
}

impl<const W: usize, const K: usize, const D: usize, const L: usize> Widen<W, K, D, L> {
    /// Panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        assert!(D == 2 * W && L == K + 1, "W = {W}, D = {D}, K = {K}, L = {L}: D = 2 * W, L = K + 1");
        assert!(K == crate::stream::bytes_width(W), "K = {K} does not fit W = {W}");
        Self { ..Default::default() }
    }
}

#[kernel]
impl<const W: usize, const K: usize, const D: usize, const L: usize> Logic for Widen<W, K, D, L> {
    fn update(&mut self) {
        regs!(has_low);
        flops!(low);
        parts!(out);

        self.beat.next.data = bit_cast::<D, W>(self.rx.data.val());
        self.beat.next.bytes = bit_cast::<L, K>(self.rx.bytes.val());
        self.beat.next.last = self.rx.last.val();
        self.beat.next.err = self.rx.err.val();
        if self.has_low.q.val() {
            self.beat.next.data =
                bit_cast::<D, W>(self.low.q.val()) | (bit_cast::<D, W>(self.rx.data.val()) << lit::<16>(W));
            self.beat.next.bytes = bit_cast::<L, K>(self.rx.bytes.val()) + lit::<L>(W / 8);
        }
        self.out.rx.item.next = self.beat.val();
        self.out.rx.valid.next = self.rx.valid.val() && (self.has_low.q.val() || self.rx.last.val());
        self.rx.ready.next = self.out.rx.ready.val();
        if self.rx.valid.val() && self.out.rx.ready.val() {
            self.low.d.next = self.rx.data.val();
            self.has_low.d.next = !self.has_low.q.val() && !self.rx.last.val();
        }

        self.tx.data.next = self.out.tx.item.val().data;
        self.tx.bytes.next = self.out.tx.item.val().bytes;
        self.tx.last.next = self.out.tx.item.val().last;
        self.tx.err.next = self.out.tx.item.val().err;
        self.tx.valid.next = self.out.tx.valid.val();
        self.out.tx.ready.next = self.tx.ready.val();
    }
}
