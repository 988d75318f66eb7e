// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of memory regions: rows, their writer and revoker, two clients who ask, one who
//! invalidates.
use super::check::MrCheck;
use super::invalidate::MrInvalidate;
use crate::cell::{Const, Flop, Reg, ScrubbedRam, Sdp};
use crate::gen::MrRow;
use crate::record::{MrAsk, MrSay};
use crate::stream::{ItemSink, ItemSource, Queue, Slot};
use rust_hdl::prelude::*;

/// Regions of index 1 to `2^A` - 1; index 0 can be written and is never valid.
///
/// **Order.** A check that is taken after a write or revoke was taken, or an invalidation answered,
/// sees it. Answers come in the order in which a client asked; clients take turns. Nine cycles from
/// a check to its answer, a check a cycle in all. Writer and revoker may move a row at every other
/// cycle each, and each row costs the clients one cycle. Their turn changes only while one of them
/// offers.
#[derive(LogicBlock, Default)]
pub struct MrTable<const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// All regions are invalid after reset: rows and checks are taken.
    pub scrubbed: Signal<Out, Bit>,
    /// Region to write.
    pub mrw_index: Signal<In, Bits<A>>,
    /// Its row.
    pub mrw_row: Signal<In, MrRow>,
    /// Offered.
    pub mrw_valid: Signal<In, Bit>,
    /// Taken.
    pub mrw_ready: Signal<Out, Bit>,
    /// Region that is no longer valid.
    pub revoke_index: Signal<In, Bits<A>>,
    /// Offered.
    pub revoke_valid: Signal<In, Bit>,
    /// Taken.
    pub revoke_ready: Signal<Out, Bit>,
    /// STag that a peer invalidates.
    pub inv_stag: Signal<In, Bits<32>>,
    /// Queue pair of that peer.
    pub inv_qp: Signal<In, Bits<8>>,
    /// Offered.
    pub inv_valid: Signal<In, Bit>,
    /// Taken.
    pub inv_ready: Signal<Out, Bit>,
    /// The region is no longer valid; otherwise the peer may not, and nothing changed.
    pub invd_ok: Signal<Out, Bit>,
    /// Offered.
    pub invd_valid: Signal<Out, Bit>,
    /// Taken.
    pub invd_ready: Signal<In, Bit>,
    /// Check of client 0.
    pub c0_ask: ItemSink<MrAsk>,
    /// Answer to client 0.
    pub c0_say: ItemSource<MrSay>,
    /// Check of client 1.
    pub c1_ask: ItemSink<MrAsk>,
    /// Answer to client 1.
    pub c1_say: ItemSource<MrSay>,

    /// Region to read back.
    pub mrr_index: Signal<In, Bits<A>>,
    /// Asked for.
    pub mrr_valid: Signal<In, Bit>,
    /// Taken.
    pub mrr_ready: Signal<Out, Bit>,
    /// Its row; all zero if it is not valid.
    pub mrd: ItemSource<MrRow>,

    rows: Sdp<MrRow, A>,
    lives: ScrubbedRam<Bit, A>,
    slot0: Slot<MrAsk>,
    slot1: Slot<MrAsk>,
    says0: Queue<MrSay, 4>,
    says1: Queue<MrSay, 4>,
    check: MrCheck,
    peers: MrInvalidate<A>,
    /// Places in the answer queues that no check under way will fill.
    credit0: Reg<Bits<5>>,
    credit1: Reg<Bits<5>>,
    /// Client 1 is next; writer, not revoker, may offer.
    turn: Reg<Bit>,
    writes: Reg<Bit>,
    /// A row to store, in the cycle after it was taken.
    w_valid: Reg<Bit>,
    w_index: Flop<Bits<A>>,
    w_row: Flop<MrRow>,
    w_keeps: Flop<Bit>,
    w_live: Flop<Bit>,
    /// A check whose row is being read.
    r_valid: Reg<Bit>,
    r_ask: Flop<MrAsk>,
    r_client: Flop<Bit>,
    r_in_range: Flop<Bit>,
    /// A row being read back.
    looked: Reg<Bit>,
    seen: Flop<MrRow>,
    shown: Reg<Bit>,

    blank: Const<MrRow>,
    no_row: Const<Bits<A>>,
    to_index: Const<Bits<6>>,
    above: Const<Bits<6>>,
    may0: Signal<Local, Bit>,
    may1: Signal<Local, Bit>,
    pick1: Signal<Local, Bit>,
    issue: Signal<Local, Bit>,
    asked: Signal<Local, MrAsk>,
    stag: Signal<Local, Bits<32>>,
    index: Signal<Local, Bits<A>>,
    beyond: Signal<Local, Bits<32>>,
    gone0: Signal<Local, Bit>,
    gone1: Signal<Local, Bit>,
    back0: Signal<Local, Bit>,
    back1: Signal<Local, Bit>,
    takes_write: Signal<Local, Bit>,
    takes_revoke: Signal<Local, Bit>,
    looks: Signal<Local, Bit>,
    peer_looks: Signal<Local, Bit>,
    may_change: Signal<Local, Bit>,
}

impl<const A: usize> MrTable<A> {
    /// A table of `2^A` rows.
    pub fn new() -> Self {
        assert!((1..=16).contains(&A), "2^{A} regions: the tables of the host interface number 2^16");
        Self {
            check: MrCheck::new(),
            peers: MrInvalidate::new(),
            credit0: Reg::new(16_u64.into()),
            credit1: Reg::new(16_u64.into()),
            no_row: Const::of(0),
            to_index: Const::of(8),
            above: Const::of(8 + A),
            ..Default::default()
        }
    }
}

impl<const A: usize> Logic for MrTable<A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rows, lives, slot0, slot1, says0, says1, check, peers);
        dff_setup!(self, clock, credit0, credit1, turn, writes, w_valid, w_index, w_row, w_keeps, w_live);
        dff_setup!(self, clock, r_valid, r_ask, r_client, r_in_range, looked, seen, shown);
        self.lives.reset.next = self.reset.val();
        self.slot0.reset.next = self.reset.val();
        self.slot1.reset.next = self.reset.val();
        self.says0.reset.next = self.reset.val();
        self.says1.reset.next = self.reset.val();
        self.check.reset.next = self.reset.val();
        self.peers.reset.next = self.reset.val();
        self.credit0.reset.next = self.reset.val();
        self.credit1.reset.next = self.reset.val();
        self.turn.reset.next = self.reset.val();
        self.writes.reset.next = self.reset.val();
        self.w_valid.reset.next = self.reset.val();
        self.r_valid.reset.next = self.reset.val();
        self.looked.reset.next = self.reset.val();
        self.shown.reset.next = self.reset.val();
        self.scrubbed.next = self.lives.ready.val();

        // Writer and revoker, in turns while one of them asks; the row is stored while no check
        // reads, so that none meets it half written.
        if self.mrw_valid.val() || self.revoke_valid.val() {
            self.writes.d.next = !self.writes.q.val();
        }
        self.may_change.next = self.lives.ready.val() && !self.peers.locks.val();
        self.mrw_ready.next = self.may_change.val() && self.writes.q.val();
        self.revoke_ready.next = self.may_change.val() && !self.writes.q.val();
        self.takes_write.next = self.may_change.val() && self.writes.q.val() && self.mrw_valid.val();
        self.takes_revoke.next = self.may_change.val() && !self.writes.q.val() && self.revoke_valid.val();
        self.w_valid.d.next = self.takes_write.val() || self.takes_revoke.val() || self.peers.kills.val();
        self.w_keeps.d.next = self.takes_write.val();
        self.w_live.d.next = self.takes_write.val()
            && self.mrw_row.val().is_valid
            && (self.mrw_index.val() != self.no_row.val());
        self.w_index.d.next = self.revoke_index.val();
        if self.writes.q.val() {
            self.w_index.d.next = self.mrw_index.val();
        }
        if self.peers.kills.val() {
            self.w_index.d.next = self.peers.index.val();
        }
        self.w_row.d.next = self.mrw_row.val();
        self.rows.write_enable.next = self.w_valid.q.val() && self.w_keeps.q.val();
        self.rows.write_address.next = self.w_index.q.val();
        self.rows.write_data.next = self.w_row.q.val();
        self.lives.write_enable.next = self.w_valid.q.val();
        self.lives.write_address.next = self.w_index.q.val();
        self.lives.write_data.next = self.w_live.q.val();

        // Reading back takes the row port for one cycle, what a peer invalidates another one.
        self.mrr_ready.next =
            self.lives.ready.val() && !self.w_valid.q.val() && !self.looked.q.val() && !self.shown.q.val();
        self.looks.next = self.lives.ready.val()
            && !self.w_valid.q.val()
            && !self.looked.q.val()
            && !self.shown.q.val()
            && self.mrr_valid.val();
        self.peers.stag.next = self.inv_stag.val();
        self.peers.qp.next = self.inv_qp.val();
        self.peers.valid.next = self.inv_valid.val();
        self.inv_ready.next = self.peers.ready.val();
        self.invd_ok.next = self.peers.ok.val();
        self.invd_valid.next = self.peers.said.val();
        self.peers.said_ready.next = self.invd_ready.val();
        self.peer_looks.next =
            self.peers.wants.val() && self.lives.ready.val() && !self.w_valid.q.val() && !self.looks.val();
        self.peers.looks.next = self.peer_looks.val();
        self.peers.row.next = self.rows.read_data.val();
        self.peers.live.next = self.lives.read_data.val();
        self.looked.d.next = self.looks.val();
        if self.looked.q.val() {
            self.shown.d.next = true;
            self.seen.d.next = self.blank.val();
            if self.lives.read_data.val() {
                self.seen.d.next = self.rows.read_data.val();
            }
        }
        if self.shown.q.val() && self.mrd.ready.val() {
            self.shown.d.next = false;
        }
        self.mrd.item.next = self.seen.q.val();
        self.mrd.valid.next = self.shown.q.val();

        // Whose check: one whose answer has a place, in turns.
        self.slot0.rx.item.next = self.c0_ask.item.val();
        self.slot0.rx.valid.next = self.c0_ask.valid.val();
        self.c0_ask.ready.next = self.slot0.rx.ready.val();
        self.slot1.rx.item.next = self.c1_ask.item.val();
        self.slot1.rx.valid.next = self.c1_ask.valid.val();
        self.c1_ask.ready.next = self.slot1.rx.ready.val();
        self.may0.next = self.slot0.tx.valid.val() && self.credit0.q.val().any();
        self.may1.next = self.slot1.tx.valid.val() && self.credit1.q.val().any();
        self.pick1.next = self.may1.val() && (!self.may0.val() || self.turn.q.val());
        self.issue.next = (self.may0.val() || self.may1.val())
            && self.lives.ready.val()
            && !self.w_valid.q.val()
            && !self.looks.val()
            && !self.peer_looks.val();
        self.gone0.next = self.issue.val() && !self.pick1.val();
        self.gone1.next = self.issue.val() && self.pick1.val();
        self.slot0.tx.ready.next = self.gone0.val();
        self.slot1.tx.ready.next = self.gone1.val();
        if self.issue.val() {
            self.turn.d.next = !self.pick1.val();
        }
        self.asked.next = self.slot0.tx.item.val();
        if self.pick1.val() {
            self.asked.next = self.slot1.tx.item.val();
        }

        // Its row.
        self.stag.next = self.asked.val().stag;
        self.index.next = bit_cast::<A, 32>(self.stag.val() >> self.to_index.val());
        self.beyond.next = self.stag.val() >> self.above.val();
        self.rows.read_enable.next = self.issue.val() || self.looks.val() || self.peer_looks.val();
        self.rows.read_address.next = self.index.val();
        self.lives.read_enable.next = self.issue.val() || self.looks.val() || self.peer_looks.val();
        self.lives.read_address.next = self.index.val();
        if self.looks.val() {
            self.rows.read_address.next = self.mrr_index.val();
            self.lives.read_address.next = self.mrr_index.val();
        }
        if self.peer_looks.val() {
            self.rows.read_address.next = self.peers.index.val();
            self.lives.read_address.next = self.peers.index.val();
        }
        self.r_valid.d.next = self.issue.val();
        self.r_ask.d.next = self.asked.val();
        self.r_client.d.next = self.pick1.val();
        self.r_in_range.d.next = !self.beyond.val().any();
        self.check.valid.next = self.r_valid.q.val();
        self.check.ask.next = self.r_ask.q.val();
        self.check.client.next = self.r_client.q.val();
        self.check.row.next = self.rows.read_data.val();
        self.check.exists.next = self.lives.read_data.val() && self.r_in_range.q.val();

        // Answers.
        self.says0.rx.item.next = self.check.say.val();
        self.says0.rx.valid.next = self.check.say_valid.val() && !self.check.say_client.val();
        self.c0_say.item.next = self.says0.tx.item.val();
        self.c0_say.valid.next = self.says0.tx.valid.val();
        self.says0.tx.ready.next = self.c0_say.ready.val();
        self.says1.rx.item.next = self.check.say.val();
        self.says1.rx.valid.next = self.check.say_valid.val() && self.check.say_client.val();
        self.c1_say.item.next = self.says1.tx.item.val();
        self.c1_say.valid.next = self.says1.tx.valid.val();
        self.says1.tx.ready.next = self.c1_say.ready.val();
        self.back0.next = self.says0.tx.valid.val() && self.c0_say.ready.val();
        self.back1.next = self.says1.tx.valid.val() && self.c1_say.ready.val();
        if self.gone0.val() && !self.back0.val() {
            self.credit0.d.next = self.credit0.q.val() - 1;
        } else if self.back0.val() && !self.gone0.val() {
            self.credit0.d.next = self.credit0.q.val() + 1;
        }
        if self.gone1.val() && !self.back1.val() {
            self.credit1.d.next = self.credit1.q.val() - 1;
        } else if self.back1.val() && !self.gone1.val() {
            self.credit1.d.next = self.credit1.q.val() + 1;
        }
    }
}
