// SPDX-License-Identifier: MIT OR Apache-2.0
//! Inline octets out of a WQE.
use crate::prelude::*;
use crate::record::TxOctets;
use crate::stream::ItemSource;

const WORD_OCTETS: usize = 8;

/// Copies the inline octets of a WQE to their place, a word a cycle, so that the WQE's own is free
/// before they leave. Its words are written where those of answers are, in cycles in which none
/// comes. `CW` = address of a word.
#[block]
pub struct TxInline<const CW: usize> {
    /// Pulse: the octets of a WQE are to be copied.
    pub start: Signal<In, Bit>,
    /// First word.
    pub first: Signal<In, Bits<CW>>,
    /// Octets, 1 to 96.
    pub octets: Signal<In, Bits<8>>,
    /// Place for them.
    pub place: Signal<In, Bits<5>>,
    /// It is given, in a later cycle than `start`.
    pub given: Signal<In, Bit>,
    /// Read port of the RAM.
    pub word_enable: Signal<Out, Bit>,
    /// Word asked for.
    pub word_address: Signal<Out, Bits<CW>>,
    /// It comes one cycle later and stays.
    pub word: Signal<In, Bits<64>>,
    /// Octets are still to be copied.
    pub busy: Signal<Out, Bit>,
    /// Copied octets; `ends` with the last of a WQE. Octets beyond `bytes` may be anything.
    pub beat: ItemSource<TxOctets>,
    /// Place of the octets; with `beat.valid`.
    pub tag: Signal<Out, Bits<5>>,
    at: Flop<Bits<CW>>,
    left: Flop<Bits<8>>,
    /// Not all was written.
    working: Reg<Bit>,
    /// There is a place, and words to read.
    reads: Reg<Bit>,
    /// A word has come.
    coming: Reg<Bit>,
    bytes: Flop<Bits<4>>,
    ends: Flop<Bit>,
    target: Flop<Bits<5>>,
}

#[kernel]
impl<const CW: usize> Logic for TxInline<CW> {
    fn update(&mut self) {
        regs!(working, reads, coming);
        flops!(at, left, bytes, ends, target);
        let goes: Bit = !self.coming.q.val() || self.beat.ready.val();
        self.busy.next = self.working.q.val();
        self.word_enable.next = goes && self.reads.q.val();
        self.word_address.next = self.at.q.val();
        self.beat.item.next.data = self.word.val();
        self.beat.item.next.bytes = self.bytes.q.val();
        self.beat.item.next.ends = self.ends.q.val();
        self.beat.valid.next = self.coming.q.val();
        self.tag.next = self.target.q.val();
        if goes {
            self.coming.d.next = self.reads.q.val();
        }
        if self.coming.q.val() && self.beat.ready.val() && self.ends.q.val() {
            self.working.d.next = false;
        }
        if goes && self.reads.q.val() {
            self.at.d.next = self.at.q.val() + 1;
            self.bytes.d.next = 8.into();
            self.ends.d.next = self.left.q.val() <= lit::<8>(WORD_OCTETS);
            self.left.d.next = self.left.q.val() - lit::<8>(WORD_OCTETS);
            if self.left.q.val() <= lit::<8>(WORD_OCTETS) {
                self.bytes.d.next = bit_cast::<4, 8>(self.left.q.val());
                self.reads.d.next = false;
            }
        }
        if self.given.val() {
            self.target.d.next = self.place.val();
            self.reads.d.next = true;
        }
        if self.start.val() {
            self.at.d.next = self.first.val();
            self.left.d.next = self.octets.val();
            self.working.d.next = true;
        }
    }
}
