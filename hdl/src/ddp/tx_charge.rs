// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pieces of ULPDUs under way: how many places a queue pair leaves to others when it begins one
//! more.
use crate::cell::{Const, Flop, LutRam, Reg};
use crate::record::TxRange;
use rust_hdl::prelude::*;

/// Counts the pieces of ULPDUs that have not left: those of a range from its entry on, whether it
/// has places or not.
///
/// A range counts one piece for each cut at an address divisible by 512, and one. One that ends at
/// such an address counts one too many. A first ULPDU of a queue pair is not judged here. A second
/// one may begin while few pieces count, or not many and the first has at most four. A third one
/// may while few do. So late payload leaves four of the 28 places or more: that of three queue
/// pairs whose ULPDUs have as many pieces, up to six, and of two with up to eight.
#[derive(LogicBlock, Default)]
pub struct TxCharge {
    /// Clock, rising edge.
    pub clock: Signal<In, Clock>,
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
    four: Const<Bits<8>>,
    eight: Const<Bits<8>>,
    sixteen: Const<Bits<8>>,
    item: Signal<Local, TxRange>,
    from: Signal<Local, Bits<64>>,
    upto: Signal<Local, Bits<17>>,
    sum: Signal<Local, Bits<8>>,
    more: Signal<Local, Bits<8>>,
    less: Signal<Local, Bits<8>>,
    narrow: Signal<Local, Bit>,
    some: Signal<Local, Bit>,
}

impl TxCharge {
    /// Nothing is under way.
    pub fn new() -> Self {
        Self { four: Const::of(4), eight: Const::of(8), sixteen: Const::of(16), ..Default::default() }
    }
}

impl Logic for TxCharge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, total, entered, pieces, many);
        clock!(self, clock, counts, counts_too);
        self.total.reset.next = self.reset.val();
        self.entered.reset.next = self.reset.val();

        // Pieces of a range, then of its ULPDU.
        self.item.next = self.range.val();
        self.from.next = self.item.val().addr;
        self.upto.next =
            bit_cast::<17, 9>(self.from.val().get_bits::<9>(0)) + bit_cast::<17, 16>(self.item.val().octets);
        self.pieces.d.next = bit_cast::<8, 8>(self.upto.val().get_bits::<8>(9)) + 1;
        self.entered.d.next = self.enters.val();
        self.sum.next = self.many.q.val() + self.pieces.q.val();
        self.more.next = 0.into();
        if self.entered.q.val() {
            self.many.d.next = self.sum.val();
            self.more.next = self.pieces.q.val();
        }
        if self.begins.val() {
            self.many.d.next = 0.into();
        }
        self.counts.write_enable.next = self.entered.q.val();
        self.counts.write_address.next = self.slot.val();
        self.counts.write_data.next = self.sum.val();
        self.counts_too.write_enable.next = self.entered.q.val();
        self.counts_too.write_address.next = self.slot.val();
        self.counts_too.write_data.next = self.sum.val();
        self.counts.read_address.next = self.leaves_slot.val();
        self.less.next = 0.into();
        if self.leaves.val() {
            self.less.next = self.counts.read_data.val();
        }
        self.total.d.next = (self.total.q.val() + self.more.val()) - self.less.val();

        // Who may begin.
        self.counts_too.read_address.next = self.ask_slot.val();
        self.narrow.next = self.counts_too.read_data.val() <= self.four.val();
        self.some.next = self.total.q.val() <= self.eight.val();
        self.second.next = self.narrow.val() && self.some.val();
        if !self.under.val() {
            self.second.next =
                self.some.val() || (self.narrow.val() && (self.total.q.val() <= self.sixteen.val()));
        }
        self.third.next = self.some.val() && !self.under.val();
    }
}
