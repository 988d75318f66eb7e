// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fair choice among channels of one record.
use super::{ItemSink, ItemSource};
use crate::prelude::*;

/// Chooses one of `N` sources (1 to 15): the first one with an offer behind the source served last,
/// cyclically. Of `n` sources that always offer, each is served every `n`-th time.
///
/// **Contract.** The choice follows the offers of the cycle. `serves` makes the choice the source
/// served last. With `stays` the choice is the source served last, whatever other sources offer: an
/// owner that needs several cycles raises `serves` with the first and `stays` with `tx.ready`.
///
/// **Timing.** Combinational; `last` comes from a register.
#[block(clock)]
pub struct Pick<T: Synth, const N: usize> {
    /// Synchronous reset: source 0 counts as served last.
    pub reset: Signal<In, Bit>,
    /// Records of the sources. The choice alone is `ready`, with `tx`.
    pub rx: Vec<ItemSink<T>>,
    /// Record of the choice, if a source offers one; always `valid` with `stays`.
    pub tx: ItemSource<T>,
    /// The owner serves the choice of this cycle.
    pub serves: Signal<In, Bit>,
    /// The owner is not done with the source served last.
    pub stays: Signal<In, Bit>,
    /// Number of the source served last.
    pub last: Signal<Out, Bits<4>>,
    turn: Reg<Bits<4>>,
    choice: Signal<Local, Bits<4>>,
    found: Signal<Local, Bit>,
    passed: Signal<Local, Bit>,
}

impl<T: Synth, const N: usize> Pick<T, N> {
    /// The choice among `N` sources; panics at elaboration if `N` is not 1 to 15.
    pub fn new() -> Self {
        assert!((1..=15).contains(&N), "a choice among {N} sources: N must be 1 to 15");
        Self { rx: vec![ItemSink::default(); N], ..Default::default() }
    }
}

#[kernel]
impl<T: Synth, const N: usize> Logic for Pick<T, N> {
    fn update(&mut self) {
        regs!(turn);
        self.last.next = self.turn.q.val();
        // First the sources behind the one served last, then those up to it.
        self.choice.next = self.turn.q.val();
        self.found.next = self.stays.val();
        self.passed.next = false;
        for i in 0..N {
            if self.passed.val() && self.rx[i].valid.val() && !self.found.val() {
                self.choice.next = i.to_bits();
                self.found.next = true;
            }
            if i.to_bits() == self.turn.q.val() {
                self.passed.next = true;
            }
        }
        for i in 0..N {
            if self.rx[i].valid.val() && !self.found.val() {
                self.choice.next = i.to_bits();
                self.found.next = true;
            }
        }
        self.tx.item.next = self.rx[0].item.val();
        self.tx.valid.next = self.found.val();
        for i in 0..N {
            self.rx[i].ready.next = false;
            if self.choice.val() == i.to_bits() {
                self.tx.item.next = self.rx[i].item.val();
                self.rx[i].ready.next = self.tx.ready.val();
            }
        }
        if self.serves.val() {
            self.turn.d.next = self.choice.val();
        }
    }
}
