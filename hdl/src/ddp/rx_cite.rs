// SPDX-License-Identifier: MIT OR Apache-2.0
//! The octets that a fault quotes, out of the slot in which they are kept.
use crate::prelude::*;
use crate::record::CiteSource;

/// Gives the words of one slot at a time, a word every other cycle. As long as they are not all
/// taken `ready` is low: nobody judges another ULPDU, so that the slot is not written again.
#[block]
pub struct RxCite {
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
}

#[kernel]
impl Logic for RxCite {
    fn update(&mut self) {
        regs!(busy, fetched);
        flops!(from, at, left);
        self.ready.next = !self.busy.q.val();
        self.word_enable.next = self.busy.q.val() && !self.fetched.q.val();
        self.word_address.next =
            (bit_cast::<8, 4>(self.from.q.val()) << 4) | bit_cast::<8, 4>(self.at.q.val());
        let ends: Bit = self.left.q.val() == lit::<4>(1);
        self.q.data.next = self.word.val();
        self.q.last.next = ends;
        self.q.valid.next = self.fetched.q.val();
        if self.busy.q.val() && !self.fetched.q.val() {
            self.fetched.d.next = true;
        }
        if self.fetched.q.val() && self.q.ready.val() {
            self.fetched.d.next = false;
            self.at.d.next = self.at.q.val() + 1;
            self.left.d.next = self.left.q.val() - 1;
            if ends {
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
