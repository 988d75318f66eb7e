//! Inline octets out of a WQE.
use super::tx_job::TxOctets;
use crate::cell::{Const, Flop, Reg};
use crate::stream::Queue;
use rust_hdl::prelude::*;

/// Copies the inline octets of a WQE into a queue, a word a cycle, so that the WQE's place is free before they leave.
/// `CW` = address of a word.
#[derive(LogicBlock, Default)]
pub struct TxInline<const CW: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Begins to copy.
    pub start: Signal<In, Bit>,
    /// First word.
    pub first: Signal<In, Bits<CW>>,
    /// Octets, 1 to 96.
    pub octets: Signal<In, Bits<8>>,
    /// Read port of the RAM.
    pub word_enable: Signal<Out, Bit>,
    /// Word asked for.
    pub word_address: Signal<Out, Bits<CW>>,
    /// It comes one cycle later and stays.
    pub word: Signal<In, Bits<64>>,
    /// Octets are still to be copied.
    pub busy: Signal<Out, Bit>,
    /// Copied octets; `ends` with the last of a WQE.
    pub beat: Signal<Out, TxOctets>,
    /// There are some.
    pub beat_valid: Signal<Out, Bit>,
    /// Taken.
    pub beat_take: Signal<In, Bit>,
    copied: Queue<TxOctets, 4>,
    at: Flop<Bits<CW>>,
    left: Reg<Bits<8>>,
    /// A word has come.
    coming: Reg<Bit>,
    bytes: Flop<Bits<4>>,
    ends: Flop<Bit>,
    word_octets: Const<Bits<8>>,
    goes: Signal<Local, Bit>,
    more: Signal<Local, Bit>,
    item: Signal<Local, TxOctets>,
}

impl<const CW: usize> TxInline<CW> {
    /// Nothing to copy.
    pub fn new() -> Self {
        Self { word_octets: Const::of(8), ..Default::default() }
    }
}

impl<const CW: usize> Logic for TxInline<CW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, at, left, coming, bytes, ends);
        clock!(self, clock, copied);
        self.left.reset.next = self.reset.val();
        self.coming.reset.next = self.reset.val();
        self.copied.reset.next = self.reset.val();
        self.goes.next = !self.coming.q.val() || self.copied.d_ready.val();
        self.more.next = self.left.q.val().any();
        self.busy.next = self.coming.q.val() || self.left.q.val().any();
        self.word_enable.next = self.goes.val() && self.more.val();
        self.word_address.next = self.at.q.val();
        // what stands beyond the last octet never leaves: it is shifted out or not counted
        self.item.next.data = self.word.val();
        self.item.next.bytes = self.bytes.q.val();
        self.item.next.ends = self.ends.q.val();
        self.item.next.err = false;
        self.copied.d.next = self.item.val();
        self.copied.d_valid.next = self.coming.q.val();
        self.beat.next = self.copied.q.val();
        self.beat_valid.next = self.copied.q_valid.val();
        self.copied.q_ready.next = self.beat_take.val();
        if self.goes.val() {
            self.coming.d.next = self.more.val();
        }
        if self.goes.val() && self.more.val() {
            self.at.d.next = self.at.q.val() + 1;
            self.bytes.d.next = 8.into();
            self.ends.d.next = self.left.q.val() <= self.word_octets.val();
            self.left.d.next = self.left.q.val() - self.word_octets.val();
            if self.left.q.val() <= self.word_octets.val() {
                self.bytes.d.next = bit_cast::<4, 8>(self.left.q.val());
                self.left.d.next = 0.into();
            }
        }
        if self.start.val() {
            self.at.d.next = self.first.val();
            self.left.d.next = self.octets.val();
        }
    }
}
