// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of the receive window may be offered, by what waits in the store of frames.
use crate::prelude::*;

const LOW: usize = 8;
const MOST: usize = 24;

/// Shares of sixteen that transmit does not offer ([`super::tx_right::TxRight`]). Frames wait in
/// beats of the store, and from their look-up on in a line of 32 places; whichever of both is
/// fuller counts, in parts of 32. Up to eight of them all is offered, from 24 on nothing, in
/// between a share less for each. So eight parts are left for what is under way.
///
/// `A` = log2 of the store's beats.
#[block(clock)]
pub struct RxPress<const A: usize> {
    /// Synchronous reset: nothing waits.
    pub reset: Signal<In, Bit>,
    /// Beats in the store, modulo `2^A`.
    pub level: Signal<In, Bits<A>>,
    /// All of its beats are taken.
    pub full: Signal<In, Bit>,
    /// Frames from their look-up to the end of their route.
    pub under: Signal<In, Bits<9>>,
    /// Shares of 16 that are not offered, from a register.
    pub pressed: Signal<Out, Bits<5>>,
    now: Reg<Bits<5>>,
    line: Const<Bits<9>>,
    beats: Signal<Local, Bits<5>>,
    frames: Signal<Local, Bits<5>>,
    used: Signal<Local, Bits<5>>,
}

impl<const A: usize> RxPress<A> {
    /// An empty store.
    pub fn new() -> Self {
        assert!(A > 5, "2^{A} beats have no 32 parts");
        Self { line: Const::of(31), ..Default::default() }
    }
}

#[kernel]
impl<const A: usize> Logic for RxPress<A> {
    fn update(&mut self) {
        regs!(now);
        self.pressed.next = self.now.q.val();
        let parts: Bits<A> = self.level.val() >> lit::<6>(A - 5);
        self.beats.next = parts.get_bits::<5>(0);
        if self.full.val() {
            self.beats.next = self.line.val().get_bits::<5>(0);
        }
        self.frames.next = self.under.val().get_bits::<5>(0);
        if self.under.val() > self.line.val() {
            self.frames.next = self.line.val().get_bits::<5>(0);
        }
        self.used.next = self.beats.val();
        if self.frames.val() > self.beats.val() {
            self.used.next = self.frames.val();
        }
        self.now.d.next = self.used.val() - lit::<5>(LOW);
        if self.used.val() < lit::<5>(LOW) {
            self.now.d.next = 0.into();
        }
        if self.used.val() > lit::<5>(MOST) {
            self.now.d.next = 16.into();
        }
    }
}
