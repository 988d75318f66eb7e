// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gates for tables.
use ferrowarp_kernel::{block, kernel};
use rust_hdl::prelude::*;

/// `both` = `a` and `b`. Combinational. With the `valid` and the `ready` of a channel: an item
/// passes in this cycle.
#[block(comb)]
pub struct Both {
    /// First input.
    pub a: Signal<In, Bit>,
    /// Second input.
    pub b: Signal<In, Bit>,
    /// High while `a` and `b` are high.
    pub both: Signal<Out, Bit>,
}

#[kernel]
impl Logic for Both {
    fn update(&mut self) {
        self.both.next = self.a.val() && self.b.val();
    }
}

/// `either` = `a` or `b`. Combinational.
#[block(comb)]
pub struct Either {
    /// First input.
    pub a: Signal<In, Bit>,
    /// Second input.
    pub b: Signal<In, Bit>,
    /// High while `a` or `b` is high.
    pub either: Signal<Out, Bit>,
}

#[kernel]
impl Logic for Either {
    fn update(&mut self) {
        self.either.next = self.a.val() || self.b.val();
    }
}

/// `any` = one of the `N` bits of `x` at least. Combinational.
#[block(comb)]
pub struct Any<const N: usize> {
    /// Bits to look at.
    pub x: Signal<In, Bits<N>>,
    /// High while a bit of `x` is high.
    pub any: Signal<Out, Bit>,
}

#[kernel]
impl<const N: usize> Logic for Any<N> {
    fn update(&mut self) {
        self.any.next = self.x.val().any();
    }
}
