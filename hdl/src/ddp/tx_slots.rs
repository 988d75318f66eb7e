// SPDX-License-Identifier: MIT OR Apache-2.0
//! ULPDUs under way: which of them leaves next, and who may begin one more.
use super::tx_await::TxAwait;
use super::tx_charge::TxCharge;
use super::tx_order::TxOrder;
use super::tx_pick::TxPick;
use crate::prelude::*;
use crate::record::{seg_kind, TxBack, TxFpdu, TxHead, TxMade, TxRange, TxTaken, TxTicket};
use crate::stream::{ItemSource, Slot};

const ONE_QP: usize = 1;

/// Eight slots, each for one ULPDU or end of a stream from its reservation until its frame has
/// left.
///
/// A slot is whole when all pieces of its payload were asked for and have come. Of the whole slots
/// the next in turn leaves whose queue pair has no older one: its item first, then its frame. So
/// the order of each connection's FPDUs is that of its reservations, and payload that is read late
/// delays its own queue pair only.
///
/// If payload of a ULPDU cannot be read, the ULPDU never leaves, nor does what was reserved behind
/// it before TCP knew. Each of these gives its room back to TCP instead of its item, and its
/// payload is read away. The first one of a connection makes a fault.
///
/// A queue pair may have one slot, a second one while three are free, a third one while five are:
/// three of them whose payload is late leave two slots to the others. A turn that is under way and
/// may have no slot yet counts as one that has. For a second and a third one places must be left
/// too ([`TxCharge`]'s), unless all payload of the first has come.
#[block(clock)]
pub struct TxSlots<const C: usize, const NC: usize> {
    /// Synchronous reset: no slot is free for `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// A slot is free.
    pub room: Signal<Out, Bit>,
    /// The one that is taken next.
    pub slot: Signal<Out, Bits<3>>,
    /// It is taken, which `room` allows.
    pub claim: Signal<In, Bit>,
    /// Head of its ULPDU.
    pub claim_head: Signal<In, TxHead>,
    /// What MPA and TCP need of it.
    pub claim_fpdu: Signal<In, TxFpdu>,
    /// Slot of the ULPDU that was claimed last.
    pub latest: Signal<In, Bits<3>>,
    /// Range of its payload.
    pub range: Signal<In, TxRange>,
    /// It enters.
    pub enters: Signal<In, Bit>,
    /// A turn is under way: its claim, or ranges of it, may be still to come.
    pub under: Signal<In, Bit>,
    /// Queue pair that wants a slot.
    pub ask_qp: Signal<In, Bits<C>>,
    /// It may have one.
    pub share: Signal<Out, Bit>,
    /// It has slots, and payload of the oldest has not come.
    pub late: Signal<Out, Bit>,
    /// It has none, and nobody's room is being given back.
    pub none: Signal<Out, Bit>,
    /// A place is taken for a piece.
    pub take: Signal<In, Bit>,
    /// Which piece.
    pub taken: Signal<In, TxTaken>,
    /// Slot of a piece.
    pub came_slot: Signal<In, Bits<3>>,
    /// Pulse: all of it has come.
    pub came: Signal<In, Bit>,
    /// Pulse: its read failed.
    pub failed: Signal<In, Bit>,
    /// Item of the next one that leaves.
    pub fpdu: ItemSource<TxFpdu>,
    /// Room of one that never leaves.
    pub back: ItemSource<TxBack>,
    /// Connection that is inserted.
    pub fresh_qp: Signal<In, Bits<C>>,
    /// In this cycle.
    pub fresh: Signal<In, Bit>,
    /// Slots whose payload is read next, taken when all of it was read.
    pub read: ItemSource<Bits<3>>,
    /// The ULPDU whose frame is made next, taken when the frame was made.
    pub weld: ItemSource<TxMade>,
    /// Its head; with `weld.valid`.
    pub weld_head: Signal<Out, TxHead>,
    /// Queue pair of a ULPDU under way; while no ULPDU can leave, of one that waits.
    pub owed_qp: Signal<Out, Bits<C>>,
    /// Slots in use.
    pub used: Signal<Out, Bits<8>>,
    /// Those of them that end in this cycle.
    pub over: Signal<Out, Bits<8>>,
    heads: LutRam<TxHead, 3>,
    items: Sdp<TxFpdu, 3>,
    owners: LutRam<Bits<C>, 3>,
    tickets: LutRam<TxTicket, 3>,
    order: TxOrder<C>,
    waits: [TxAwait; 8],
    charge: TxCharge,
    find: TxPick,
    choose: TxPick,
    reads: Slot<Bits<3>>,
    welds: Slot<TxMade>,
    busy: Reg<Bits<8>>,
    /// They leave.
    chosen: Flop<Bits<8>>,
    cut: Flop<Bits<8>>,
    /// One that may leave was there in the cycle before; all of them, or else all in use.
    ready: Reg<Bit>,
    shown: Flop<Bits<8>>,
    /// Payload of them could not be read.
    spoilt: Flop<Bits<8>>,
    /// Queue pairs with payload that could not be read.
    lost: Reg<Bits<NC>>,
    free: Reg<Bits<4>>,
    newest: Reg<Bits<3>>,
    turn: Reg<Bits<3>>,
    told: Reg<Bit>,
    told_slot: Flop<Bits<3>>,
    told_what: Flop<TxTicket>,
    /// In the cycle before one left that has payload; one of which payload could not be read.
    left: Reg<Bit>,
    broke: Reg<Bit>,
    /// It never leaves; and a fault tells of that.
    drops: Flop<Bit>,
    blames: Flop<Bit>,
    marks: [Const<Bits<8>>; 8],
    numbers: [Const<Bits<3>>; 8],
    item: Signal<Local, TxFpdu>,
    heading: Signal<Local, TxHead>,
    ticket: Signal<Local, TxTicket>,
    claims: Signal<Local, Bits<8>>,
    piece: Signal<Local, TxTaken>,
    kept: Signal<Local, Bits<8>>,
    closes: Signal<Local, Bits<8>>,
    spoils: Signal<Local, Bits<8>>,
    whole: Signal<Local, Bits<8>>,
    soon: Signal<Local, Bits<8>>,
    telling: Signal<Local, Bits<8>>,
    what: Signal<Local, TxTicket>,
    still_lost: Signal<Local, Bits<NC>>,
    room_of: Signal<Local, TxFpdu>,
    made: Signal<Local, TxMade>,
    ended: Signal<Local, Bits<8>>,
    welded: Signal<Local, Bits<8>>,
    more: Signal<Local, Bits<4>>,
    less: Signal<Local, Bits<4>>,
}

impl<const C: usize, const NC: usize> TxSlots<C, NC> {
    /// No slot is in use; panics at elaboration if `NC` is not `2^C`.
    pub fn new() -> Self {
        assert!(NC == 1 << C, "{NC} queue pairs have no index of {C} bits");
        Self {
            waits: std::array::from_fn(|_| TxAwait::default()),
            find: TxPick::new(),
            choose: TxPick::new(),
            items: Sdp::block(),
            free: Reg::new(8.into()),
            order: TxOrder::new(),
            marks: std::array::from_fn(|i| Const::of(1 << i)),
            numbers: std::array::from_fn(Const::of),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const C: usize, const NC: usize> Logic for TxSlots<C, NC> {
    fn update(&mut self) {
        regs!(busy, ready, free, newest, turn, told, left, broke, lost);
        flops!(chosen, cut, shown, spoilt, told_slot, told_what, drops, blames);
        parts!(order, reads, welds, charge);
        clocked!(heads, items, owners, tickets);
        self.used.next = self.busy.q.val();

        // A slot is taken.
        self.item.next = self.claim_fpdu.val();
        self.heading.next = self.claim_head.val();
        let qp: Bits<C> = bit_cast::<C, 8>(self.item.val().qp);
        let vacant: Bits<8> = !self.busy.q.val();
        self.find.mask.next = vacant;
        self.find.from.next = self.newest.q.val();
        self.room.next = self.find.any.val() && self.order.ready.val();
        self.slot.next = self.find.index.val();
        self.claims.next = 0.into();
        if self.claim.val() {
            self.claims.next = lit::<8>(1) << self.find.index.val();
            self.newest.d.next = self.find.index.val() + 1;
        }
        self.order.begins.next = self.claim.val();
        self.order.begin_qp.next = qp;
        self.order.begin_slot.next = self.find.index.val();
        self.ticket.next.order = self.order.number.val();
        self.ticket.next.fin = self.item.val().kind == lit::<2>(seg_kind::FIN);
        self.ticket.next.empty =
            self.heading.val().empty || (self.item.val().kind == lit::<2>(seg_kind::FIN));
        self.ticket.next.sure = self.heading.val().sure;
        self.heads.write_enable.next = self.claim.val();
        self.heads.write_address.next = self.find.index.val();
        self.heads.write_data.next = self.claim_head.val();
        self.items.write_enable.next = self.claim.val();
        self.items.write_address.next = self.find.index.val();
        self.items.write_data.next = self.claim_fpdu.val();
        self.owners.write_enable.next = self.claim.val();
        self.owners.write_address.next = self.find.index.val();
        self.owners.write_data.next = qp;
        self.tickets.write_enable.next = self.claim.val();
        self.tickets.write_address.next = self.find.index.val();
        self.tickets.write_data.next = self.ticket.val();

        // Its pieces are asked for, and come.
        self.piece.next = self.taken.val();
        self.closes.next = 0.into();
        if self.take.val() && self.piece.val().ends {
            self.closes.next = lit::<8>(1) << self.piece.val().slot;
        }
        self.spoils.next = 0.into();
        if self.failed.val() {
            self.spoils.next = lit::<8>(1) << self.came_slot.val();
        }
        self.kept.next = self.cut.q.val() & (!self.claims.val());
        if self.ticket.val().empty {
            self.kept.next = self.cut.q.val() | self.claims.val();
        }
        self.cut.d.next = self.kept.val() | self.closes.val();
        self.spoilt.d.next = (self.spoilt.q.val() & (!self.claims.val())) | self.spoils.val();
        self.whole.next = 0.into();
        self.soon.next = 0.into();
        for i in 0..8 {
            self.waits[i].clock.next = self.clock.val();
            self.waits[i].reset.next = self.reset.val();
            self.waits[i].asked.next = self.take.val() && (self.piece.val().slot == self.numbers[i].val());
            self.waits[i].came.next = self.came.val() && (self.came_slot.val() == self.numbers[i].val());
            if self.waits[i].none.val() && self.cut.q.val().get_bit(i) {
                self.whole.next = self.whole.val() | self.marks[i].val();
            }
            if self.waits[i].soon.val() && self.cut.q.val().get_bit(i) {
                self.soon.next = self.soon.val() | self.marks[i].val();
            }
        }

        // One leaves that is whole: the oldest of its queue pair.
        self.telling.next = 0.into();
        if self.told.q.val() {
            self.telling.next = lit::<8>(1) << self.told_slot.q.val();
        }
        let may: Bits<8> =
            self.soon.val() & self.busy.q.val() & (!(self.chosen.q.val() | self.telling.val()));
        self.ready.d.next = may.any();
        self.shown.d.next = may;
        if !may.any() {
            // nobody leaves: the one that is shown is one that waits
            self.shown.d.next = self.busy.q.val();
        }
        self.choose.mask.next = self.shown.q.val();
        self.choose.from.next = self.turn.q.val();
        self.owners.read_address.next = self.choose.index.val();
        self.owed_qp.next = self.owners.read_data.val();
        self.tickets.read_address.next = self.choose.index.val();
        self.order.leave_qp.next = self.owners.read_data.val();
        self.what.next = self.tickets.read_data.val();
        let its_turn: Bit = self.what.val().order == self.order.first.val();
        let leaves: Bit = self.ready.q.val() && its_turn && !self.told.q.val();
        let fails: Bit = self.spoilt.q.val().get_bit(self.choose.index.val().index());
        let was_lost: Bit = self.lost.q.val().get_bit(self.owners.read_data.val().index());
        self.room_of.next = self.items.read_data.val();
        self.still_lost.next = self.lost.q.val();
        if self.broke.q.val() {
            self.still_lost.next =
                self.lost.q.val() | (lit::<NC>(ONE_QP) << bit_cast::<C, 8>(self.room_of.val().qp));
        }
        self.lost.d.next = self.still_lost.val();
        if self.fresh.val() {
            self.lost.d.next = self.still_lost.val() & (!(lit::<NC>(ONE_QP) << self.fresh_qp.val()));
        }
        self.broke.d.next = leaves && fails;
        self.left.d.next = leaves && !self.what.val().empty;
        self.items.read_enable.next = leaves;
        self.items.read_address.next = self.choose.index.val();
        self.order.leaves.next = leaves;
        if self.ready.q.val() && (!its_turn || !self.told.q.val()) {
            self.turn.d.next = self.choose.index.val() + 1;
        }
        if leaves {
            self.told.d.next = true;
            self.told_slot.d.next = self.choose.index.val();
            self.told_what.d.next = self.tickets.read_data.val();
            self.drops.d.next = fails || (was_lost && !self.what.val().sure);
            self.blames.d.next = fails && !was_lost;
        }
        self.chosen.d.next = (self.chosen.q.val() & (!self.claims.val())) | self.telling.val();

        // Its item is told, then its frame is made; or its room is given back.
        self.fpdu.item.next = self.items.read_data.val();
        let offers: Bit = self.told.q.val()
            && (self.told_what.q.val().fin
                || (self.welds.rx.ready.val()
                    && (self.told_what.q.val().empty || self.reads.rx.ready.val())));
        self.fpdu.valid.next = offers && !self.drops.q.val();
        self.back.item.next.qp = self.room_of.val().qp;
        self.back.item.next.seq = self.room_of.val().seq;
        self.back.item.next.replay = self.room_of.val().replay;
        self.back.valid.next = offers && self.drops.q.val();
        let tells: Bit = offers
            && ((self.fpdu.ready.val() && !self.drops.q.val())
                || (self.back.ready.val() && self.drops.q.val()));
        self.ended.next = 0.into();
        if tells {
            self.told.d.next = false;
            if self.told_what.q.val().fin {
                self.ended.next = self.telling.val();
            }
        }
        self.welds.rx.item.next.slot = self.told_slot.q.val();
        self.welds.rx.item.next.drops = self.drops.q.val();
        self.welds.rx.item.next.blames = self.blames.q.val();
        self.welds.rx.valid.next = tells && !self.told_what.q.val().fin;
        self.reads.rx.item.next = self.told_slot.q.val();
        self.reads.rx.valid.next = tells && !self.told_what.q.val().empty;
        ItemSource::<Bits<3>>::link(&mut self.read, &mut self.reads.tx);
        self.made.next = self.welds.tx.item.val();
        self.heads.read_address.next = self.made.val().slot;
        self.weld.item.next = self.made.val();
        self.weld_head.next = self.heads.read_data.val();
        self.weld.valid.next = self.welds.tx.valid.val();
        self.welds.tx.ready.next = self.weld.ready.val();
        self.welded.next = 0.into();
        if self.weld.ready.val() {
            self.welded.next = lit::<8>(1) << self.made.val().slot;
        }
        self.over.next = self.ended.val() | self.welded.val();
        self.busy.d.next =
            (self.busy.q.val() | self.claims.val()) & (!(self.ended.val() | self.welded.val()));

        // How many a queue pair has, and how many are free.
        self.more.next = self.free.q.val();
        if tells && self.told_what.q.val().fin {
            self.more.next = self.free.q.val() + 1;
        }
        self.less.next = self.more.val();
        if self.weld.ready.val() && !self.claim.val() {
            self.less.next = self.more.val() + 1;
        }
        if self.claim.val() && !self.weld.ready.val() {
            self.less.next = self.more.val() - 1;
        }
        self.free.d.next = self.less.val();
        self.order.ask_qp.next = self.ask_qp.val();
        let first_waits: Bit = !self.whole.val().get_bit(self.order.oldest.val().index());
        self.late.next = self.order.held.val().any() && first_waits;
        // Room is being given back.
        let gives: Bit = self.told.q.val() && self.drops.q.val();
        self.none.next = !self.order.held.val().any() && !gives;

        // One more: of slots and places others have their part, and so has a turn that is under
        // way.
        self.charge.begins.next = self.claim.val();
        self.charge.slot.next = self.latest.val();
        self.charge.range.next = self.range.val();
        self.charge.enters.next = self.enters.val();
        self.charge.leaves.next = self.left.q.val();
        self.charge.leaves_slot.next = self.told_slot.q.val();
        self.charge.under.next = self.under.val();
        self.charge.ask_slot.next = self.order.oldest.val();
        self.share.next = false;
        if self.order.held.val() == 0 {
            self.share.next = self.find.any.val();
        }
        if self.order.held.val() == 1 {
            self.share.next = (self.charge.second.val() || !first_waits)
                && ((self.free.q.val() >= lit::<4>(4))
                    || (!self.under.val() && (self.free.q.val() >= lit::<4>(3))));
        }
        if self.order.held.val() == 2 {
            self.share.next = self.charge.third.val() && (self.free.q.val() >= lit::<4>(5));
        }
    }
}
