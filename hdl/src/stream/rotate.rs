// SPDX-License-Identifier: MIT OR Apache-2.0
//! The data path of the cells that realign: rotate by octets, merge two beats, three registers.
use super::{Beat, StreamSource};
use crate::prelude::*;

/// Rotates beats and forms output beats from them as its owner's control says, one order a cycle.
///
/// An order is taken in each cycle with `step` set. With `load` its `beat.data`, rotated right by
/// `shift` octets, is what later orders call *the beat before*. With `send` one beat leaves on
/// `tx`, `bytes`, `last` and `err` from the order and its data from
/// - the order's own beat as it came (`plain`),
/// - the beat before (`whole`), or
/// - both: octets `shift..` of the beat before at the bottom, octets `..shift` of this one above
///   them; the two orders name the same `shift`.
///
/// Latency: three cycles. The rotator is cut by a register after its first three levels (8
/// positions) and again before the merge, so that no stage is deeper than three levels of two-way
/// choice plus the merge.
#[block]
pub struct Rotate<const W: usize, const K: usize> {
    /// Beat of the order: data to rotate, and `bytes`, `last`, `err` of the beat to send.
    pub beat: Signal<In, Beat<W, K>>,
    /// Octets to rotate by, `0..W/8`.
    pub shift: Signal<In, Bits<K>>,
    /// Keep the rotated beat.
    pub load: Signal<In, Bit>,
    /// Send a beat.
    pub send: Signal<In, Bit>,
    /// Send this beat unrotated.
    pub plain: Signal<In, Bit>,
    /// Send what is kept and nothing of this beat.
    pub whole: Signal<In, Bit>,
    /// The order is taken.
    pub step: Signal<Out, Bit>,
    /// Beats out.
    pub tx: StreamSource<W, K>,
    one: Flop<Beat<W, K>>,
    one_half: Flop<Bits<W>>,
    one_shift: Flop<Bits<K>>,
    one_load: Reg<Bit>,
    one_send: Reg<Bit>,
    one_plain: Flop<Bit>,
    one_whole: Flop<Bit>,
    two: Flop<Beat<W, K>>,
    two_turned: Flop<Bits<W>>,
    two_mask: Flop<Bits<W>>,
    two_load: Reg<Bit>,
    two_send: Reg<Bit>,
    two_plain: Flop<Bit>,
    kept: Flop<Bits<W>>,
    o: Flop<Beat<W, K>>,
    o_valid: Reg<Bit>,
    half: Signal<Local, Bits<W>>,
    turned: Signal<Local, Bits<W>>,
    mask: Signal<Local, Bits<W>>,
    ob: Signal<Local, Beat<W, K>>,
    ones: Const<Bits<W>>,
    right: Vec<Const<Bits<16>>>,
    left: Vec<Const<Bits<16>>>,
}

impl<const W: usize, const K: usize> Rotate<W, K> {
    /// Panics at elaboration when the parameters do not belong together.
    pub fn new() -> Self {
        assert!(W.is_power_of_two() && W >= 64, "W = {W} bits is not a power of two of at least 64");
        assert!(K == super::bytes_width(W), "K = {K}, must be {} at W = {W}", super::bytes_width(W));
        Self {
            ones: Const::new(!Bits::<W>::default()),
            right: (0..K - 1).map(|i| Const::of(8 << i)).collect(),
            left: (0..K - 1).map(|i| Const::of(W - (8 << i))).collect(),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const K: usize> Logic for Rotate<W, K> {
    fn update(&mut self) {
        regs!(one_load, one_send, two_load, two_send, o_valid);
        flops!(one, one_half, one_shift, one_plain, one_whole, two, two_turned, two_mask, two_plain, kept);
        flops!(o);
        self.tx.data.next = self.o.q.val().data;
        self.tx.bytes.next = self.o.q.val().bytes;
        self.tx.last.next = self.o.q.val().last;
        self.tx.err.next = self.o.q.val().err;
        self.tx.valid.next = self.o_valid.q.val();
        // said twice: a shared wire would tie `step` to the orders that depend on it in Verilator's
        // eyes
        self.step.next = self.tx.ready.val() || !self.o_valid.q.val();
        let moves: Bit = self.tx.ready.val() || !self.o_valid.q.val();

        // levels 1, 2 and 4 octets before the first register, the others after it
        self.half.next = self.beat.val().data;
        for i in 0..3 {
            if self.shift.val().get_bit(i) {
                self.half.next =
                    (self.half.val() >> self.right[i].val()) | (self.half.val() << self.left[i].val());
            }
        }
        self.turned.next = self.one_half.q.val();
        for i in 4..K {
            if self.one_shift.q.val().get_bit(i - 1) {
                self.turned.next = (self.turned.val() >> self.right[i - 1].val())
                    | (self.turned.val() << self.left[i - 1].val());
            }
        }
        self.mask.next = self.ones.val();
        for i in 1..K {
            if self.one_shift.q.val().get_bit(i - 1) && !self.one_whole.q.val() {
                self.mask.next = self.mask.val() >> self.right[i - 1].val();
            }
        }
        self.ob.next = self.two.q.val();
        if !self.two_plain.q.val() {
            self.ob.next.data = (self.kept.q.val() & self.two_mask.q.val())
                | (self.two_turned.q.val() & !self.two_mask.q.val());
        }

        if moves {
            self.one.d.next = self.beat.val();
            self.one_half.d.next = self.half.val();
            self.one_shift.d.next = self.shift.val();
            self.one_load.d.next = self.load.val();
            self.one_send.d.next = self.send.val();
            self.one_plain.d.next = self.plain.val();
            self.one_whole.d.next = self.whole.val();
            self.two.d.next = self.one.q.val();
            self.two_turned.d.next = self.turned.val();
            self.two_mask.d.next = self.mask.val();
            self.two_load.d.next = self.one_load.q.val();
            self.two_send.d.next = self.one_send.q.val();
            self.two_plain.d.next = self.one_plain.q.val();
            if self.two_load.q.val() {
                self.kept.d.next = self.two_turned.q.val();
            }
            self.o.d.next = self.ob.val();
            self.o_valid.d.next = self.two_send.q.val();
        }
    }
}
