// SPDX-License-Identifier: MIT OR Apache-2.0
//! Some words of a WQE, one after the other, into one register.
use crate::prelude::*;

/// Reads two or four words of a queue pair's WQE: head or SGE. `CW` = address of a word.
///
/// From `start` to `done`: three cycles for two words, five for four. The words stay until the next
/// `start`.
#[block]
pub struct SqWords<const CW: usize> {
    /// Begins to read.
    pub start: Signal<In, Bit>,
    /// First word.
    pub first: Signal<In, Bits<CW>>,
    /// Four words, else two.
    pub four: Signal<In, Bit>,
    /// Read port of the RAM.
    pub word_enable: Signal<Out, Bit>,
    /// Word asked for.
    pub word_address: Signal<Out, Bits<CW>>,
    /// It comes one cycle later.
    pub word: Signal<In, Bits<64>>,
    /// All words are there.
    pub done: Signal<Out, Bit>,
    /// Four words: the first in bits 63:0. Of two words the first in bits 191:128.
    pub octets: Signal<Out, Bits<256>>,
    at: Flop<Bits<CW>>,
    left: Reg<Bits<3>>,
    coming: Reg<Bit>,
    ready: Reg<Bit>,
    held: Flop<Bits<256>>,
}

#[kernel]
impl<const CW: usize> Logic for SqWords<CW> {
    fn update(&mut self) {
        regs!(left, coming, ready);
        flops!(at, held);
        let more: Bit = self.left.q.val().any();
        self.word_enable.next = more;
        self.word_address.next = self.at.q.val();
        self.done.next = self.ready.q.val();
        self.octets.next = self.held.q.val();
        self.coming.d.next = more;
        if more {
            self.at.d.next = self.at.q.val() + 1;
            self.left.d.next = self.left.q.val() - 1;
        }
        if self.coming.q.val() {
            self.held.d.next = (self.held.q.val() >> 64) | (bit_cast::<256, 64>(self.word.val()) << 192);
            self.ready.d.next = !more;
        }
        if self.start.val() {
            self.at.d.next = self.first.val();
            self.left.d.next = 2.into();
            if self.four.val() {
                self.left.d.next = 4.into();
            }
            self.ready.d.next = false;
        }
    }
}
