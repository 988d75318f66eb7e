// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows read back by the admin port.
use crate::gen::MrRow;
use crate::prelude::*;
use crate::stream::ItemSource;

/// Reads one row at a time, before any check, in a cycle in which no change is stored; shows the
/// row until it is taken.
#[block]
pub struct MrReadBack {
    /// The rows are scrubbed.
    pub scrubbed: Signal<In, Bit>,
    /// A change is stored in this cycle.
    pub stores: Signal<In, Bit>,
    /// A row is asked for.
    pub mrr_valid: Signal<In, Bit>,
    /// The question is taken.
    pub mrr_ready: Signal<Out, Bit>,
    /// The row is read in this cycle.
    pub looks: Signal<Out, Bit>,
    /// The row read, in the cycle after `looks`.
    pub row: Signal<In, MrRow>,
    /// The region is valid; with `row`.
    pub live: Signal<In, Bit>,
    /// The row; all zero if the region is not valid.
    pub mrd: ItemSource<MrRow>,

    looked: Reg<Bit>,
    seen: Flop<MrRow>,
    shown: Reg<Bit>,
    blank: Const<MrRow>,
}

#[kernel]
impl Logic for MrReadBack {
    fn update(&mut self) {
        regs!(looked, shown);
        flops!(seen);
        let may: Bit =
            self.scrubbed.val() && !self.stores.val() && !self.looked.q.val() && !self.shown.q.val();
        self.mrr_ready.next = may;
        self.looks.next = may && self.mrr_valid.val();
        self.looked.d.next = may && self.mrr_valid.val();
        if self.looked.q.val() {
            self.shown.d.next = true;
            self.seen.d.next = self.blank.val();
            if self.live.val() {
                self.seen.d.next = self.row.val();
            }
        }
        if self.shown.q.val() && self.mrd.ready.val() {
            self.shown.d.next = false;
        }
        self.mrd.item.next = self.seen.q.val();
        self.mrd.valid.next = self.shown.q.val();
    }
}
