// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whose row is read: the port of the rows, one row a cycle.
use crate::cell::{Const, Flop, Reg};
use crate::record::MrAsk;
use crate::stream::ItemSink;
use rust_hdl::prelude::*;

/// Gives the port of the rows to what reads back, else to what a peer invalidates, else to the
/// check of a client whose answer has a place, clients in turns. While a change is stored no row is
/// read.
///
/// A check a cycle; `valid`, `ask`, `client` and `exists` come one cycle later, with the row.
#[derive(LogicBlock, Default)]
pub struct MrPick<const A: usize> {
    /// Clock of all state.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Checks of client 0.
    pub ask0: ItemSink<MrAsk>,
    /// The answer to a check of client 0 has a place.
    pub some0: Signal<In, Bit>,
    /// Checks of client 1.
    pub ask1: ItemSink<MrAsk>,
    /// The answer to a check of client 1 has a place.
    pub some1: Signal<In, Bit>,
    /// The rows are scrubbed.
    pub scrubbed: Signal<In, Bit>,
    /// A change is stored in this cycle.
    pub stores: Signal<In, Bit>,
    /// Row `mrr_index` is read back in this cycle.
    pub looks: Signal<In, Bit>,
    /// Row to read back; with `looks`.
    pub mrr_index: Signal<In, Bits<A>>,
    /// The invalidation wants to read row `peer_index`.
    pub peer_wants: Signal<In, Bit>,
    /// Row that the invalidation reads; with `peer_wants`.
    pub peer_index: Signal<In, Bits<A>>,
    /// The invalidation reads in this cycle.
    pub peer_looks: Signal<Out, Bit>,
    /// A row is read in this cycle.
    pub read_enable: Signal<Out, Bit>,
    /// The row; with `read_enable`.
    pub read_address: Signal<Out, Bits<A>>,
    /// The region that was read is valid.
    pub live: Signal<In, Bit>,
    /// A check, and its row was read in the cycle before.
    pub valid: Signal<Out, Bit>,
    /// The check; with `valid`.
    pub ask: Signal<Out, MrAsk>,
    /// Client 1 asks; with `valid`.
    pub client: Signal<Out, Bit>,
    /// The region of the check is in the table and valid; with `valid`.
    pub exists: Signal<Out, Bit>,

    /// Client 1 is next.
    turn: Reg<Bit>,
    r_valid: Reg<Bit>,
    r_ask: Flop<MrAsk>,
    r_client: Flop<Bit>,
    r_in_range: Flop<Bit>,
    to_index: Const<Bits<6>>,
    above: Const<Bits<6>>,
    may0: Signal<Local, Bit>,
    may1: Signal<Local, Bit>,
    pick1: Signal<Local, Bit>,
    peer: Signal<Local, Bit>,
    issue: Signal<Local, Bit>,
    asked: Signal<Local, MrAsk>,
    stag: Signal<Local, Bits<32>>,
    beyond: Signal<Local, Bits<32>>,
}

impl<const A: usize> MrPick<A> {
    /// For `2^A` rows.
    pub fn new() -> Self {
        Self { to_index: Const::of(8), above: Const::of(8 + A), ..Default::default() }
    }
}

impl<const A: usize> Logic for MrPick<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, turn, r_valid, r_ask, r_client, r_in_range);
        self.turn.reset.next = self.reset.val();
        self.r_valid.reset.next = self.reset.val();

        self.peer.next =
            self.peer_wants.val() && self.scrubbed.val() && !self.stores.val() && !self.looks.val();
        self.may0.next = self.ask0.valid.val() && self.some0.val();
        self.may1.next = self.ask1.valid.val() && self.some1.val();
        self.pick1.next = self.may1.val() && (!self.may0.val() || self.turn.q.val());
        self.issue.next = (self.may0.val() || self.may1.val())
            && self.scrubbed.val()
            && !self.stores.val()
            && !self.looks.val()
            && !self.peer.val();
        self.ask0.ready.next = self.issue.val() && !self.pick1.val();
        self.ask1.ready.next = self.issue.val() && self.pick1.val();
        if self.issue.val() {
            self.turn.d.next = !self.pick1.val();
        }
        self.asked.next = self.ask0.item.val();
        if self.pick1.val() {
            self.asked.next = self.ask1.item.val();
        }

        self.stag.next = self.asked.val().stag;
        self.beyond.next = self.stag.val() >> self.above.val();
        self.peer_looks.next = self.peer.val();
        self.read_enable.next = self.issue.val() || self.looks.val() || self.peer.val();
        self.read_address.next = bit_cast::<A, 32>(self.stag.val() >> self.to_index.val());
        if self.looks.val() {
            self.read_address.next = self.mrr_index.val();
        }
        if self.peer.val() {
            self.read_address.next = self.peer_index.val();
        }
        self.r_valid.d.next = self.issue.val();
        self.r_ask.d.next = self.asked.val();
        self.r_client.d.next = self.pick1.val();
        self.r_in_range.d.next = !self.beyond.val().any();
        self.valid.next = self.r_valid.q.val();
        self.ask.next = self.r_ask.q.val();
        self.client.next = self.r_client.q.val();
        self.exists.next = self.live.val() && self.r_in_range.q.val();
    }
}
