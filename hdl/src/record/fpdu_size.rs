// SPDX-License-Identifier: MIT OR Apache-2.0
//! Check of a transmit command, and the size of its FPDU before the first octet. TCP needs the size
//! to grant room in the stream, MPA to make the FPDU; neither stage imports the other.
use super::{TxCommand, TxSized};
use crate::prelude::*;
use crate::stream::{ItemSink, ItemSource, Slot};

/// Checks commands and computes the size of their FPDUs; three steps, one command a cycle.
///
/// Refused are: ULPDU_Length 0 or above 64768 (RFC 5044 bounds MULPDU there; a longer FPDU could
/// overflow FPDUPTR), and a phase that is no multiple of 4 (no FPDU can begin there). The cut
/// passes as it is.
#[block]
pub struct FpduSize {
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
    head: Signal<Local, TxCommand>,
    gap: Signal<Local, Bits<7>>,
    count: Signal<Local, Bits<8>>,
    sized: Signal<Local, TxSized>,
}

impl FpduSize {
    /// A checker without commands.
    pub fn new() -> Self {
        Self { longest: Const::of(64_768), ..Default::default() }
    }
}

#[kernel]
impl Logic for FpduSize {
    fn update(&mut self) {
        regs!(one_valid, two_valid, three_valid);
        flops!(one, one_gap, one_words, one_beyond, one_none, one_bad, two, two_gap, two_words, two_count);
        flops!(two_bad, three);
        parts!(slot);
        ItemSink::<TxCommand>::link(&mut self.rx, &mut self.slot.rx);
        self.tx.item.next = self.three.q.val();
        self.tx.valid.next = self.three_valid.q.val();
        let go: Bit = self.tx.ready.val() || !self.three_valid.q.val();
        self.slot.tx.ready.next = go;

        // Step 1. Words: ULPDU_Length, ULPDU, pad and CRC make (length + 9) / 4.
        self.head.next = self.slot.tx.item.val();
        let phase: Bits<9> = self.head.val().phase;
        self.gap.next = 0.into();
        self.gap.next = self.gap.val() - phase.get_bits::<7>(2);
        let gap_wide: Bits<15> = bit_cast::<15, 7>(self.gap.val());
        let nine: Bits<17> = bit_cast::<17, 16>(self.head.val().length) + 9;
        let words: Bits<15> = nine.get_bits::<15>(2);
        let beyond: Bits<15> = words - gap_wide - 1;

        // Step 2. A marker after every 127 words beyond the first one's place; beyond / 127 from
        // the digits of base 128, as 128 q + r = 127 q + (q + r) and q + r < 254.
        let quotient: Bits<7> = self.one_beyond.q.val().get_bits::<7>(7);
        let remainder: Bits<7> = self.one_beyond.q.val().get_bits::<7>(0);
        let sum: Bits<8> = bit_cast::<8, 7>(quotient) + bit_cast::<8, 7>(remainder);
        self.count.next = bit_cast::<8, 7>(quotient) + 1;
        if sum >= 127 {
            self.count.next = bit_cast::<8, 7>(quotient) + 2;
        }
        if self.one_none.q.val() {
            self.count.next = 0.into();
        }

        // Step 3.
        let total_words: Bits<15> = self.two_words.q.val() + bit_cast::<15, 8>(self.two_count.q.val());
        self.sized.next.length = self.two.q.val().length;
        self.sized.next.gap = self.two_gap.q.val();
        self.sized.next.markers = self.two.q.val().markers;
        self.sized.next.crc = self.two.q.val().crc;
        self.sized.next.from = self.two.q.val().from;
        self.sized.next.octets = self.two.q.val().octets;
        self.sized.next.total = bit_cast::<17, 15>(total_words) << 2;
        self.sized.next.refused = self.two_bad.q.val();
        if self.two_bad.q.val() {
            self.sized.next.total = 0.into();
        }

        if go {
            self.one.d.next = self.head.val();
            self.one_gap.d.next = self.gap.val();
            self.one_words.d.next = words;
            self.one_beyond.d.next = beyond;
            self.one_none.d.next = !self.head.val().markers || (words <= gap_wide);
            self.one_bad.d.next = (self.head.val().length > self.longest.val())
                || !self.head.val().length.any()
                || phase.get_bit(0)
                || phase.get_bit(1);
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
