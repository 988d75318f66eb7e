// SPDX-License-Identifier: MIT OR Apache-2.0
//! Check of a transmit command, and the size of its FPDU before the first octet. TCP needs the size
//! to grant room in the stream, MPA to make the FPDU; neither stage imports the other.
use super::{TxCommand, TxSized};
use crate::cell::{Const, Flop, Reg};
use crate::stream::{ItemSink, ItemSource, Slot};
use rust_hdl::prelude::*;

/// Checks commands and computes the size of their FPDUs; three steps, one command a cycle.
///
/// Refused are: ULPDU_Length 0 or above 64768 (RFC 5044 bounds MULPDU there; a longer FPDU could
/// overflow FPDUPTR), and a phase that is no multiple of 4 (no FPDU can begin there). The cut
/// passes as it is.
#[derive(LogicBlock, Default)]
pub struct FpduSize {
    /// Clock, rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Commands.
    pub rx: ItemSink<TxCommand>,
    /// The same with the size of their FPDUs.
    pub tx: ItemSource<TxSized>,
    slot: Slot<TxCommand>,
    // Step 1: words without markers, words beyond the first marker's place less one.
    one: Flop<TxCommand>,
    one_gap: Flop<Bits<7>>,
    one_words: Flop<Bits<15>>,
    one_beyond: Flop<Bits<15>>,
    one_none: Flop<Bit>,
    one_bad: Flop<Bit>,
    one_valid: Reg<Bit>,
    // Step 2: markers.
    two: Flop<TxCommand>,
    two_gap: Flop<Bits<7>>,
    two_words: Flop<Bits<15>>,
    two_count: Flop<Bits<8>>,
    two_bad: Flop<Bit>,
    two_valid: Reg<Bit>,
    // Step 3: octets with markers.
    three: Flop<TxSized>,
    three_valid: Reg<Bit>,
    longest: Const<Bits<16>>,
    go: Signal<Local, Bit>,
    head: Signal<Local, TxCommand>,
    phase: Signal<Local, Bits<9>>,
    gap: Signal<Local, Bits<7>>,
    gap_wide: Signal<Local, Bits<15>>,
    nine: Signal<Local, Bits<17>>,
    words: Signal<Local, Bits<15>>,
    beyond: Signal<Local, Bits<15>>,
    quotient: Signal<Local, Bits<7>>,
    remainder: Signal<Local, Bits<7>>,
    sum: Signal<Local, Bits<8>>,
    count: Signal<Local, Bits<8>>,
    total_words: Signal<Local, Bits<15>>,
    sized: Signal<Local, TxSized>,
}

impl FpduSize {
    /// A checker without commands.
    pub fn new() -> Self {
        Self { longest: Const::of(64_768), ..Default::default() }
    }
}

impl Logic for FpduSize {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, slot);
        dff_setup!(self, clock, one, one_gap, one_words, one_beyond, one_none, one_bad, one_valid);
        dff_setup!(self, clock, two, two_gap, two_words, two_count, two_bad, two_valid, three, three_valid);
        self.slot.reset.next = self.reset.val();
        self.one_valid.reset.next = self.reset.val();
        self.two_valid.reset.next = self.reset.val();
        self.three_valid.reset.next = self.reset.val();
        ItemSink::<TxCommand>::link(&mut self.rx, &mut self.slot.rx);
        self.tx.item.next = self.three.q.val();
        self.tx.valid.next = self.three_valid.q.val();
        self.go.next = self.tx.ready.val() || !self.three_valid.q.val();
        self.slot.tx.ready.next = self.go.val();

        // Step 1. Words: ULPDU_Length, ULPDU, pad and CRC make (length + 9) / 4.
        self.head.next = self.slot.tx.item.val();
        self.phase.next = self.head.val().phase;
        self.gap.next = 0.into();
        self.gap.next = self.gap.val() - self.phase.val().get_bits::<7>(2);
        self.gap_wide.next = bit_cast::<15, 7>(self.gap.val());
        self.nine.next = bit_cast::<17, 16>(self.head.val().length) + 9;
        self.words.next = self.nine.val().get_bits::<15>(2);
        self.beyond.next = self.words.val() - self.gap_wide.val() - 1;

        // Step 2. A marker after every 127 words beyond the first one's place; beyond / 127 from
        // the digits of base 128, as 128 q + r = 127 q + (q + r) and q + r < 254.
        self.quotient.next = self.one_beyond.q.val().get_bits::<7>(7);
        self.remainder.next = self.one_beyond.q.val().get_bits::<7>(0);
        self.sum.next = bit_cast::<8, 7>(self.quotient.val()) + bit_cast::<8, 7>(self.remainder.val());
        self.count.next = bit_cast::<8, 7>(self.quotient.val()) + 1;
        if self.sum.val() >= 127 {
            self.count.next = bit_cast::<8, 7>(self.quotient.val()) + 2;
        }
        if self.one_none.q.val() {
            self.count.next = 0.into();
        }

        // Step 3.
        self.total_words.next = self.two_words.q.val() + bit_cast::<15, 8>(self.two_count.q.val());
        self.sized.next.length = self.two.q.val().length;
        self.sized.next.gap = self.two_gap.q.val();
        self.sized.next.markers = self.two.q.val().markers;
        self.sized.next.crc = self.two.q.val().crc;
        self.sized.next.from = self.two.q.val().from;
        self.sized.next.octets = self.two.q.val().octets;
        self.sized.next.total = bit_cast::<17, 15>(self.total_words.val()) << 2;
        self.sized.next.refused = self.two_bad.q.val();
        if self.two_bad.q.val() {
            self.sized.next.total = 0.into();
        }

        if self.go.val() {
            self.one.d.next = self.head.val();
            self.one_gap.d.next = self.gap.val();
            self.one_words.d.next = self.words.val();
            self.one_beyond.d.next = self.beyond.val();
            self.one_none.d.next = !self.head.val().markers || (self.words.val() <= self.gap_wide.val());
            self.one_bad.d.next = (self.head.val().length > self.longest.val())
                || !self.head.val().length.any()
                || self.phase.val().get_bit(0)
                || self.phase.val().get_bit(1);
            self.one_valid.d.next = self.slot.tx.valid.val();
            self.two.d.next = self.one.q.val();
            self.two_gap.d.next = self.one_gap.q.val();
            self.two_words.d.next = self.one_words.q.val();
            self.two_count.d.next = self.count.val();
            self.two_bad.d.next = self.one_bad.q.val();
            self.two_valid.d.next = self.one_valid.q.val();
            self.three.d.next = self.sized.val();
            self.three_valid.d.next = self.two_valid.q.val();
        }
    }
}
