// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whose row is read: the port of the rows, one row a cycle.
use crate::prelude::*;
use crate::record::MrAsk;
use crate::stream::ItemSink;

const TO_INDEX: usize = 8;

/// Gives the port of the rows to what reads back, else to what a peer invalidates, else to the
/// check of a client whose answer has a place, clients in turns. While a change is stored no row is
/// read.
///
/// A check a cycle; `valid`, `ask`, `client` and `exists` come one cycle later, with the row.
#[block]
pub struct MrPick<const A: usize> {
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
    asked: Signal<Local, MrAsk>,
}

#[kernel]
impl<const A: usize> Logic for MrPick<A> {
    fn update(&mut self) {
        regs!(turn, r_valid);
        flops!(r_ask, r_client, r_in_range);

        let peer: Bit =
            self.peer_wants.val() && self.scrubbed.val() && !self.stores.val() && !self.looks.val();
        let may0: Bit = self.ask0.valid.val() && self.some0.val();
        let may1: Bit = self.ask1.valid.val() && self.some1.val();
        let pick1: Bit = may1 && (!may0 || self.turn.q.val());
        let issue: Bit =
            (may0 || may1) && self.scrubbed.val() && !self.stores.val() && !self.looks.val() && !peer;
        self.ask0.ready.next = issue && !pick1;
        self.ask1.ready.next = issue && pick1;
        if issue {
            self.turn.d.next = !pick1;
        }
        self.asked.next = self.ask0.item.val();
        if pick1 {
            self.asked.next = self.ask1.item.val();
        }

        let stag: Bits<32> = self.asked.val().stag;
        let beyond: Bits<32> = stag >> lit::<6>(8 + A);
        self.peer_looks.next = peer;
        self.read_enable.next = issue || self.looks.val() || peer;
        self.read_address.next = bit_cast::<A, 32>(stag >> lit::<6>(TO_INDEX));
        if self.looks.val() {
            self.read_address.next = self.mrr_index.val();
        }
        if peer {
            self.read_address.next = self.peer_index.val();
        }
        self.r_valid.d.next = issue;
        self.r_ask.d.next = self.asked.val();
        self.r_client.d.next = pick1;
        self.r_in_range.d.next = !beyond.any();
        self.valid.next = self.r_valid.q.val();
        self.ask.next = self.r_ask.q.val();
        self.client.next = self.r_client.q.val();
        self.exists.next = self.live.val() && self.r_in_range.q.val();
    }
}
