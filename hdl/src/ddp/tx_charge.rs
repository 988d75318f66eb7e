// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pieces of ULPDUs under way: how many places a queue pair leaves to others when it begins one
//! more.
use crate::prelude::*;
use crate::record::TxRange;

/// Counts the pieces of ULPDUs that have not left: those of a range from its entry on, whether it
/// has places or not.
///
/// A range counts one piece for each cut at an address divisible by 512, and one. One that ends at
/// such an address counts one too many. A first ULPDU of a queue pair is not judged here. A second
/// one may begin while few pieces count, or not many and the first has at most four. A third one
/// may while few do. So late payload leaves four of the 28 places or more: that of three queue
/// pairs whose ULPDUs have as many pieces, up to six, and of two with up to eight.
#[block(clock)]
pub struct TxCharge {
    /// Synchronous reset: nothing counts.
    pub reset: Signal<In, Bit>,
    /// A ULPDU begins.
    pub begins: Signal<In, Bit>,
    /// Slot of the one that began last.
    pub slot: Signal<In, Bits<3>>,
    /// A range of it.
    pub range: Signal<In, TxRange>,
    /// It enters, in a later cycle than `begins`.
    pub enters: Signal<In, Bit>,
    /// A ULPDU with payload leaves: its pieces do not count any more.
    pub leaves: Signal<In, Bit>,
    /// Its slot.
    pub leaves_slot: Signal<In, Bits<3>>,
    /// A turn is under way whose pieces may not count yet.
    pub under: Signal<In, Bit>,
    /// Slot of the oldest ULPDU of a queue pair that wants one more.
    pub ask_slot: Signal<In, Bits<3>>,
    /// It may have a second one.
    pub second: Signal<Out, Bit>,
    /// It may have a third one.
    pub third: Signal<Out, Bit>,
    /// Pieces of each slot, to be given back and to be asked for.
    counts: LutRam<Bits<8>, 3>,
    counts_too: LutRam<Bits<8>, 3>,
    total: Reg<Bits<8>>,
    entered: Reg<Bit>,
    pieces: Flop<Bits<8>>,
    /// Pieces of the ULPDU that began last.
    many: Flop<Bits<8>>,
    item: Signal<Local, TxRange>,
    more: Signal<Local, Bits<8>>,
    less: Signal<Local, Bits<8>>,
}

#[kernel]
impl Logic for TxCharge {
    fn update(&mut self) {
        regs!(total, entered);
        flops!(pieces, many);
        clocked!(counts, counts_too);

        // Pieces of a range, then of its ULPDU.
        self.item.next = self.range.val();
        let from: Bits<64> = self.item.val().addr;
        let upto: Bits<17> =
            bit_cast::<17, 9>(from.get_bits::<9>(0)) + bit_cast::<17, 16>(self.item.val().octets);
        self.pieces.d.next = bit_cast::<8, 8>(upto.get_bits::<8>(9)) + 1;
        self.entered.d.next = self.enters.val();
        let sum: Bits<8> = self.many.q.val() + self.pieces.q.val();
        self.more.next = 0.into();
        if self.entered.q.val() {
            self.many.d.next = sum;
            self.more.next = self.pieces.q.val();
        }
        if self.begins.val() {
            self.many.d.next = 0.into();
        }
        self.counts.write_enable.next = self.entered.q.val();
        self.counts.write_address.next = self.slot.val();
        self.counts.write_data.next = sum;
        self.counts_too.write_enable.next = self.entered.q.val();
        self.counts_too.write_address.next = self.slot.val();
        self.counts_too.write_data.next = sum;
        self.counts.read_address.next = self.leaves_slot.val();
        self.less.next = 0.into();
        if self.leaves.val() {
            self.less.next = self.counts.read_data.val();
        }
        self.total.d.next = (self.total.q.val() + self.more.val()) - self.less.val();

        // Who may begin.
        self.counts_too.read_address.next = self.ask_slot.val();
        let narrow: Bit = self.counts_too.read_data.val() <= lit::<8>(4);
        let some: Bit = self.total.q.val() <= lit::<8>(8);
        self.second.next = narrow && some;
        if !self.under.val() {
            self.second.next = some || (narrow && (self.total.q.val() <= lit::<8>(16)));
        }
        self.third.next = some && !self.under.val();
    }
}
