// SPDX-License-Identifier: MIT OR Apache-2.0
//! What changes a region: the writer, the revoker, what a peer invalidated.
use crate::gen::MrRow;
use crate::prelude::*;
use crate::record::MrWrite;
use crate::stream::ItemSink;

const NO_ROW: usize = 0;

/// Takes a row of the writer or an index of the revoker, in turns while one of them offers, and
/// stores the change in the cycle after. The port of the rows is not read in this cycle, so that no
/// check meets a row half written.
///
/// A row every other cycle of each.
#[block]
pub struct MrChange<const A: usize> {
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
    wished: Signal<Local, MrRow>,
}

#[kernel]
impl<const A: usize> Logic for MrChange<A> {
    fn update(&mut self) {
        regs!(writes, valid);
        flops!(to, item, has_row, lives);
        if self.mrw.valid.val() || self.revoke.valid.val() {
            self.writes.d.next = !self.writes.q.val();
        }
        self.wished.next = self.mrw.item.val().row;
        let wished_index: Bits<A> = bit_cast::<A, 16>(self.mrw.item.val().index);
        let may: Bit = self.scrubbed.val() && !self.locks.val();
        self.mrw.ready.next = may && self.writes.q.val();
        self.revoke.ready.next = may && !self.writes.q.val();
        let takes_write: Bit = may && self.writes.q.val() && self.mrw.valid.val();
        let takes_revoke: Bit = may && !self.writes.q.val() && self.revoke.valid.val();

        self.valid.d.next = takes_write || takes_revoke || self.kills.val();
        self.has_row.d.next = takes_write;
        self.lives.d.next = takes_write && self.wished.val().is_valid && (wished_index != lit::<A>(NO_ROW));
        self.to.d.next = self.revoke.item.val();
        if self.writes.q.val() {
            self.to.d.next = wished_index;
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
