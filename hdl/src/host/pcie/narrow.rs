// SPDX-License-Identifier: MIT OR Apache-2.0
//! Answers of the edge's width become answers of half of it.
use super::read_answer::Beside;
use crate::prelude::*;
use crate::stream::{Beat, Slot, StreamSink, StreamSource};

/// A beat of `D` = `2 * W` bits becomes two of `W`, or one if its octets fit; what stands beside it
/// stands beside both. `L` = `K + 1`.
///
/// **Timing.** One cycle; a beat a cycle on `tx`.
#[block]
pub struct Narrow<const D: usize, const L: usize, const W: usize, const K: usize> {
    /// Answers.
    pub rx: StreamSink<D, L>,
    /// Tag of the frame on `rx`.
    pub rx_tag: Signal<In, Bits<5>>,
    /// It is the last of its read.
    pub rx_final: Signal<In, Bit>,
    /// The same answers.
    pub tx: StreamSource<W, K>,
    /// Tag of the frame on `tx`.
    pub tx_tag: Signal<Out, Bits<5>>,
    /// It is the last of its read.
    pub tx_final: Signal<Out, Bit>,
    front: Slot<Beat<D, L>>,
    front_beside: Slot<Beside>,
    /// The low half has left.
    in_high: Reg<Bit>,
    beat: Signal<Local, Beat<D, L>>,
    beside: Signal<Local, Beside>,
}

impl<const D: usize, const L: usize, const W: usize, const K: usize> Narrow<D, L, W, K> {
    /// Panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        assert!(D == 2 * W && L == K + 1, "W = {W}, D = {D}, K = {K}, L = {L}: D = 2 * W, L = K + 1");
        assert!(K == crate::stream::bytes_width(W), "K = {K} does not fit W = {W}");
        Self { ..Default::default() }
    }
}

#[kernel]
impl<const D: usize, const L: usize, const W: usize, const K: usize> Logic for Narrow<D, L, W, K> {
    fn update(&mut self) {
        regs!(in_high);
        parts!(front, front_beside);

        self.beat.next.data = self.rx.data.val();
        self.beat.next.bytes = self.rx.bytes.val();
        self.beat.next.last = self.rx.last.val();
        self.beat.next.err = self.rx.err.val();
        self.front.rx.item.next = self.beat.val();
        self.front.rx.valid.next = self.rx.valid.val();
        self.rx.ready.next = self.front.rx.ready.val();
        self.beside.next.whose = self.rx_tag.val();
        self.beside.next.last = self.rx_final.val();
        self.front_beside.rx.item.next = self.beside.val();
        self.front_beside.rx.valid.next = self.rx.valid.val();

        let above: Bits<L> = self.front.tx.item.val().bytes - lit::<L>(W / 8);
        let two: Bit = self.front.tx.item.val().bytes > lit::<L>(W / 8);
        let ends: Bit = self.in_high.q.val() || !two;
        self.tx.data.next = bit_cast::<W, D>(self.front.tx.item.val().data);
        self.tx.bytes.next = bit_cast::<K, L>(self.front.tx.item.val().bytes);
        if self.in_high.q.val() {
            self.tx.data.next = bit_cast::<W, D>(self.front.tx.item.val().data >> lit::<16>(W));
            self.tx.bytes.next = bit_cast::<K, L>(above);
        } else if two {
            self.tx.bytes.next = bit_cast::<K, L>(lit::<L>(W / 8));
        }
        self.tx.last.next = self.front.tx.item.val().last && ends;
        self.tx.err.next = self.front.tx.item.val().err && ends;
        self.tx.valid.next = self.front.tx.valid.val();
        self.tx_tag.next = self.front_beside.tx.item.val().whose;
        self.tx_final.next = self.front_beside.tx.item.val().last;
        self.front.tx.ready.next = self.tx.ready.val() && ends;
        self.front_beside.tx.ready.next = self.tx.ready.val() && ends;
        if self.front.tx.valid.val() && self.tx.ready.val() {
            self.in_high.d.next = !ends;
        }
    }
}
