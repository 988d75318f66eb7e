// SPDX-License-Identifier: MIT OR Apache-2.0
//! Saturating event counters.
use super::{Const, Flop, Reg};
use ferrowarp_kernel::kernel;
use rust_hdl::prelude::*;

/// `N` counters of `C` bits: any number of them step in one cycle, one is read in a cycle.
///
/// A counter at its greatest value stays there. `count` shows counter `index` one cycle later,
/// without the event of the cycle in which `index` was given; an index beyond `N` shows 0. With
/// `clear` that counter begins anew with that very event, so reads with `clear` add up to every
/// event.
#[derive(LogicBlock)]
pub struct Counters<const N: usize, const C: usize, const A: usize> {
    /// Clock, rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: all zero.
    pub reset: Signal<In, Bit>,
    /// Bit i: one event for counter i.
    pub pulse: Signal<In, Bits<N>>,
    /// Counter to show.
    pub index: Signal<In, Bits<A>>,
    /// Takes what is shown out of the counter.
    pub clear: Signal<In, Bit>,
    /// Value of the counter whose `index` was given in the cycle before.
    pub count: Signal<Out, Bits<C>>,
    value: [Reg<Bits<C>>; N],
    more: [Signal<Local, Bits<C>>; N],
    one: Const<Bits<C>>,
    shown: Flop<Bits<C>>,
}

impl<const N: usize, const C: usize, const A: usize> Default for Counters<N, C, A> {
    fn default() -> Self {
        assert!(N <= 1 << A, "{N} counters cannot be told apart by an index of {A} bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            pulse: Default::default(),
            index: Default::default(),
            clear: Default::default(),
            count: Default::default(),
            value: std::array::from_fn(|_| Reg::default()),
            more: std::array::from_fn(|_| Signal::default()),
            one: Const::of(1),
            shown: Default::default(),
        }
    }
}

#[kernel]
impl<const N: usize, const C: usize, const A: usize> Logic for Counters<N, C, A> {
    fn update(&mut self) {
        flops!(shown);
        self.count.next = self.shown.q.val();
        self.shown.d.next = 0.into();
        for i in 0..N {
            self.value[i].clock.next = self.clock.val();
            self.value[i].reset.next = self.reset.val();
            self.value[i].d.next = self.value[i].q.val();
            self.more[i].next = self.value[i].q.val() + 1;
            if self.pulse.val().get_bit(i) && !self.value[i].q.val().all() {
                self.value[i].d.next = self.more[i].val();
            }
            if self.index.val() == i.to_bits() {
                self.shown.d.next = self.value[i].q.val();
                if self.clear.val() {
                    self.value[i].d.next = 0.into();
                    if self.pulse.val().get_bit(i) {
                        self.value[i].d.next = self.one.val();
                    }
                }
            }
        }
    }
}
