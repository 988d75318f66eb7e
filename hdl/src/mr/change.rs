// SPDX-License-Identifier: MIT OR Apache-2.0
//! What changes a region: the writer, the revoker, what a peer invalidated.
use crate::cell::{Const, Flop, Reg};
use crate::gen::MrRow;
use crate::record::MrWrite;
use crate::stream::ItemSink;
use rust_hdl::prelude::*;

/// Takes a row of the writer or an index of the revoker, in turns while one of them offers, and
/// stores the change in the cycle after. The port of the rows is not read in this cycle, so that no
/// check meets a row half written.
///
/// A row every other cycle of each.
#[derive(LogicBlock, Default)]
pub struct MrChange<const A: usize> {
    /// Clock of all state.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// The rows are scrubbed.
    pub scrubbed: Signal<In, Bit>,
    /// Rows to write.
    pub mrw: ItemSink<MrWrite>,
    /// Regions that are no longer valid.
    pub revoke: ItemSink<Bits<A>>,
    /// A peer's invalidation is under way: neither writer nor revoker may change a row.
    pub locks: Signal<In, Bit>,
    /// Pulse: the peer makes region `dead` invalid.
    pub kills: Signal<In, Bit>,
    /// Region that the peer makes invalid; with `kills`.
    pub dead: Signal<In, Bits<A>>,
    /// A change is stored in this cycle.
    pub stores: Signal<Out, Bit>,
    /// The change has a row; else the row stays, and the region becomes invalid.
    pub keeps: Signal<Out, Bit>,
    /// Region that changes; with `stores`.
    pub index: Signal<Out, Bits<A>>,
    /// Its row; with `keeps`.
    pub row: Signal<Out, MrRow>,
    /// The region is valid from now on; with `stores`.
    pub live: Signal<Out, Bit>,

    /// Writer, not revoker, may offer.
    writes: Reg<Bit>,
    valid: Reg<Bit>,
    to: Flop<Bits<A>>,
    item: Flop<MrRow>,
    has_row: Flop<Bit>,
    lives: Flop<Bit>,
    no_row: Const<Bits<A>>,
    wished: Signal<Local, MrRow>,
    wished_index: Signal<Local, Bits<A>>,
    may: Signal<Local, Bit>,
    takes_write: Signal<Local, Bit>,
    takes_revoke: Signal<Local, Bit>,
}

impl<const A: usize> MrChange<A> {
    /// For `2^A` rows.
    pub fn new() -> Self {
        Self { no_row: Const::of(0), ..Default::default() }
    }
}

impl<const A: usize> Logic for MrChange<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, writes, valid, to, item, has_row, lives);
        self.writes.reset.next = self.reset.val();
        self.valid.reset.next = self.reset.val();
        if self.mrw.valid.val() || self.revoke.valid.val() {
            self.writes.d.next = !self.writes.q.val();
        }
        self.wished.next = self.mrw.item.val().row;
        self.wished_index.next = bit_cast::<A, 16>(self.mrw.item.val().index);
        self.may.next = self.scrubbed.val() && !self.locks.val();
        self.mrw.ready.next = self.may.val() && self.writes.q.val();
        self.revoke.ready.next = self.may.val() && !self.writes.q.val();
        self.takes_write.next = self.may.val() && self.writes.q.val() && self.mrw.valid.val();
        self.takes_revoke.next = self.may.val() && !self.writes.q.val() && self.revoke.valid.val();

        self.valid.d.next = self.takes_write.val() || self.takes_revoke.val() || self.kills.val();
        self.has_row.d.next = self.takes_write.val();
        self.lives.d.next = self.takes_write.val()
            && self.wished.val().is_valid
            && (self.wished_index.val() != self.no_row.val());
        self.to.d.next = self.revoke.item.val();
        if self.writes.q.val() {
            self.to.d.next = self.wished_index.val();
        }
        if self.kills.val() {
            self.to.d.next = self.dead.val();
        }
        self.item.d.next = self.wished.val();
        self.stores.next = self.valid.q.val();
        self.keeps.next = self.valid.q.val() && self.has_row.q.val();
        self.index.next = self.to.q.val();
        self.row.next = self.item.q.val();
        self.live.next = self.lives.q.val();
    }
}
