// SPDX-License-Identifier: MIT OR Apache-2.0
//! The octets that a fault quotes, out of the slot in which they are kept.
use crate::cell::{Const, Flop, Reg};
use crate::record::CiteSource;
use rust_hdl::prelude::*;

/// Gives the words of one slot at a time, a word every other cycle. As long as they are not all
/// taken `ready` is low: nobody judges another ULPDU, so that the slot is not written again.
#[derive(LogicBlock, Default)]
pub struct RxCite {
    /// Clock, rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Slot whose words are given; with `start`, as `kept`.
    pub slot: Signal<In, Bits<4>>,
    /// Its words, 1 to 9.
    pub kept: Signal<In, Bits<4>>,
    /// They are to be given; `ready` was seen.
    pub start: Signal<In, Bit>,
    /// Nothing is being given.
    pub ready: Signal<Out, Bit>,
    /// Read port of the store.
    pub word_enable: Signal<Out, Bit>,
    /// Word asked for: slot, then word.
    pub word_address: Signal<Out, Bits<8>>,
    /// It comes one cycle later.
    pub word: Signal<In, Bits<64>>,
    /// The words.
    pub q: CiteSource,
    busy: Reg<Bit>,
    fetched: Reg<Bit>,
    from: Flop<Bits<4>>,
    at: Flop<Bits<4>>,
    left: Flop<Bits<4>>,
    one: Const<Bits<4>>,
    ends: Signal<Local, Bit>,
}

impl RxCite {
    /// Nothing to give.
    pub fn new() -> Self {
        Self { one: Const::of(1), ..Default::default() }
    }
}

impl Logic for RxCite {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, busy, fetched, from, at, left);
        self.busy.reset.next = self.reset.val();
        self.fetched.reset.next = self.reset.val();
        self.ready.next = !self.busy.q.val();
        self.word_enable.next = self.busy.q.val() && !self.fetched.q.val();
        self.word_address.next =
            (bit_cast::<8, 4>(self.from.q.val()) << 4) | bit_cast::<8, 4>(self.at.q.val());
        self.ends.next = self.left.q.val() == self.one.val();
        self.q.data.next = self.word.val();
        self.q.last.next = self.ends.val();
        self.q.valid.next = self.fetched.q.val();
        if self.busy.q.val() && !self.fetched.q.val() {
            self.fetched.d.next = true;
        }
        if self.fetched.q.val() && self.q.ready.val() {
            self.fetched.d.next = false;
            self.at.d.next = self.at.q.val() + 1;
            self.left.d.next = self.left.q.val() - 1;
            if self.ends.val() {
                self.busy.d.next = false;
            }
        }
        if self.start.val() {
            self.busy.d.next = true;
            self.from.d.next = self.slot.val();
            self.at.d.next = 0.into();
            self.left.d.next = self.kept.val();
        }
    }
}
