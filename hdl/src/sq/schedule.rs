// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who may send next: doorbells, a fair run queue, wake-ups.
use super::choose::{SqChoose, SqOutcome};
use super::rows::{turn_kind, SqConf, SqFetchJob, SqLanded, SqResult, SqRow, SqTurn};
use crate::cell::{BlankRam, Const, Flop, Reg};
use crate::gen::consts::{qp_state, wc_status};
use crate::gen::{Doorbell, QpRow};
use crate::record::Fault;
use crate::stream::{ItemSink, Queue};
use rust_hdl::prelude::*;

/// Scheduler of `NC = 2^C` queue pairs.
///
/// Everything that changes the state of a queue pair is an event, and one event at a time is worked
/// off: its row is read, changed and written back, two cycles each. A queue pair stands at most
/// once in the run queue; a turn is good for one segment, see [`SqChoose`]. A wake-up beside the
/// turn is kept in the row. A queue pair that has its share of the slots for FPDUs under way waits
/// for the wire, and others behind it. If it waits for its payload, or its end for what is under
/// way, it goes to the end of the run queue instead.
#[derive(LogicBlock, Default)]
pub struct SqSched<const C: usize, const NC: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset; rows are then scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// Queue pairs in error.
    pub dead: Signal<In, Bits<NC>>,
    /// Queue pairs in reset whose connection is not new: they send nothing again.
    pub mute: Signal<In, Bits<NC>>,
    /// Queue pair to set up; the work of its life before must have ended, or its `dead` bit be set.
    pub qpw_qp: Signal<In, Bits<C>>,
    /// Its row.
    pub qpw_row: Signal<In, QpRow>,
    /// Offered.
    pub qpw_valid: Signal<In, Bit>,
    /// Written.
    pub qpw_ready: Signal<Out, Bit>,
    /// Doorbell of a send queue.
    pub db: ItemSink<Doorbell>,
    /// Queue pair to wake.
    pub wake_qp: Signal<In, Bits<C>>,
    /// Offered.
    pub wake_valid: Signal<In, Bit>,
    /// Taken.
    pub wake_take: Signal<Out, Bit>,
    /// Queue pair that has one response more to send.
    pub came_qp: Signal<In, Bits<C>>,
    /// Offered.
    pub came_valid: Signal<In, Bit>,
    /// Taken.
    pub came_take: Signal<Out, Bit>,
    /// Queue pair that has a Terminate or the end of its stream to send.
    pub asked_qp: Signal<In, Bits<C>>,
    /// It is the end.
    pub asked_fin: Signal<In, Bit>,
    /// Offered.
    pub asked_valid: Signal<In, Bit>,
    /// Taken.
    pub asked_take: Signal<Out, Bit>,
    /// Queue pair of which everything that is not acknowledged has to leave again.
    pub rto_qp: Signal<In, Bits<C>>,
    /// Offered.
    pub rto_valid: Signal<In, Bit>,
    /// Taken.
    pub rto_take: Signal<Out, Bit>,
    /// Connection that is inserted: what waited for the old one is forgotten. No turn is taken in
    /// this cycle, and none is offered until it is worked off.
    pub fresh_qp: Signal<In, Bits<C>>,
    /// In this cycle.
    pub fresh: Signal<In, Bit>,
    /// WQE that has come.
    pub landed: Signal<In, SqLanded>,
    /// Offered.
    pub landed_valid: Signal<In, Bit>,
    /// Taken.
    pub landed_take: Signal<Out, Bit>,
    /// What became of the turn.
    pub result: Signal<In, SqResult>,
    /// Offered.
    pub result_valid: Signal<In, Bit>,
    /// Taken.
    pub result_take: Signal<Out, Bit>,
    /// WQE to fetch.
    pub fetch: Signal<Out, SqFetchJob>,
    /// Offered.
    pub fetch_valid: Signal<Out, Bit>,
    /// Taken.
    pub fetch_take: Signal<In, Bit>,
    /// Who has the turn.
    pub turn: Signal<Out, SqTurn>,
    /// Offered.
    pub turn_valid: Signal<Out, Bit>,
    /// Taken.
    pub turn_take: Signal<In, Bit>,
    /// A slot is free for the FPDU of a turn.
    pub room: Signal<In, Bit>,
    /// Queue pair whose turn would come.
    pub ask_qp: Signal<Out, Bits<C>>,
    /// That turn is for a Terminate or the end of the stream.
    pub last: Signal<Out, Bit>,
    /// It may have it.
    pub share: Signal<In, Bit>,
    /// If not: it goes back to the end of the run queue.
    pub late: Signal<In, Bit>,
    /// A producer index that the ring cannot have.
    pub fault: Signal<Out, Fault>,
    /// Offered.
    pub fault_valid: Signal<Out, Bit>,
    /// Taken.
    pub fault_take: Signal<In, Bit>,
    /// Pulse: a doorbell was ignored.
    pub bad: Signal<Out, Bit>,
    // never read in the cycle of a write: an event reads in its first cycle, writes in its second
    confs: BlankRam<SqConf, C>,
    rows: BlankRam<SqRow, C>,
    run: Queue<Bits<C>, C>,
    choose: SqChoose,
    outcome: SqOutcome,
    /// An event's row was asked for.
    busy: Reg<Bit>,
    qp: Flop<Bits<C>>,
    is_fresh: Flop<Bit>,
    is_came: Flop<Bit>,
    is_asked: Flop<Bit>,
    is_rto: Flop<Bit>,
    is_result: Flop<Bit>,
    is_landed: Flop<Bit>,
    is_turn: Flop<Bit>,
    is_wake: Flop<Bit>,
    is_qpw: Flop<Bit>,
    is_db: Flop<Bit>,
    /// No turn was given: other events have a cycle. The queue pair returns to the run queue.
    rests: Reg<Bit>,
    passed: Reg<Bit>,
    passed_qp: Flop<Bits<C>>,
    fresh_q: Flop<Bits<C>>,
    fresh_full: Reg<Bit>,
    fetch_q: Flop<SqFetchJob>,
    fetch_full: Reg<Bit>,
    turn_q: Flop<SqTurn>,
    turn_full: Reg<Bit>,
    fault_q: Flop<Fault>,
    fault_full: Reg<Bit>,
    bad_q: Reg<Bit>,
    state_ready: Const<Bits<8>>,
    beyond: Const<Bits<17>>,
    one: Const<Bits<16>>,
    block_mask: Const<Bits<64>>,
    op_err: Const<Bits<8>>,
    blank: Const<SqRow>,
    most_ird: Const<Bits<8>>,
    response: Const<Bits<2>>,
    go: Signal<Local, Bit>,
    event_qp: Signal<Local, Bits<C>>,
    number: Signal<Local, Bits<17>>,
    off_range: Signal<Local, Bit>,
    conf: Signal<Local, SqConf>,
    row: Signal<Local, SqRow>,
    new_conf: Signal<Local, SqConf>,
    new_row: Signal<Local, SqRow>,
    job: Signal<Local, SqFetchJob>,
    item: Signal<Local, SqTurn>,
    wrong: Signal<Local, Fault>,
    shown: Signal<Local, SqTurn>,
    pending: Signal<Local, Bit>,
    cancels: Signal<Local, Bit>,
    gone: Signal<Local, Bit>,
    enqueue: Signal<Local, Bit>,
    size: Signal<Local, Bits<16>>,
    mask: Signal<Local, Bits<16>>,
    place: Signal<Local, Bits<16>>,
    wanted: Signal<Local, Bits<16>>,
    slot: Signal<Local, Bits<16>>,
    for_replay: Signal<Local, Bit>,
    /// The second block of the WQE is to be read.
    follows: Signal<Local, Bit>,
    base: Signal<Local, Bits<64>>,
    ahead: Signal<Local, Bits<32>>,
    had: Signal<Local, Bits<16>>,
    ahead16: Signal<Local, Bits<16>>,
    log2: Signal<Local, Bits<8>>,
    /// More blocks were rung than those that were read, and what has come or the next one.
    rung: Signal<Local, Bit>,
    latest: Signal<Local, Bits<32>>,
    after: Signal<Local, Bits<32>>,
    blocks: Signal<Local, Bits<32>>,
    came_blocks: Signal<Local, Bits<32>>,
}

impl<const C: usize, const NC: usize> SqSched<C, NC> {
    /// All queue pairs idle and not ready; panics at elaboration if `NC` is not `2^C`.
    pub fn new() -> Self {
        assert!(NC == 1 << C && C <= 8, "{NC} queue pairs: 2^{C}, and at most 256");
        Self {
            rows: BlankRam::block(),
            state_ready: qp_state::ready(),
            beyond: Const::of(NC),
            one: Const::of(1),
            block_mask: Const::new((!63_u64).into()),
            op_err: wc_status::loc_qp_op_err(),
            choose: SqChoose::new(),
            outcome: SqOutcome::new(),
            most_ird: Const::of(8),
            response: Const::of(turn_kind::RESPONSE),
            ..Default::default()
        }
    }
}

impl<const C: usize, const NC: usize> Logic for SqSched<C, NC> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, busy, qp, is_result, is_landed, is_turn, is_wake, is_qpw, is_db);
        dff_setup!(
            self, clock, is_fresh, is_came, is_asked, is_rto, fresh_q, fresh_full, rests, passed, passed_qp
        );
        dff_setup!(self, clock, fetch_q, fetch_full, turn_q, turn_full, fault_q, fault_full, bad_q);
        clock!(self, clock, confs, rows, run);
        self.busy.reset.next = self.reset.val();
        self.fresh_full.reset.next = self.reset.val();
        self.rests.reset.next = self.reset.val();
        self.passed.reset.next = self.reset.val();
        self.fetch_full.reset.next = self.reset.val();
        self.turn_full.reset.next = self.reset.val();
        self.fault_full.reset.next = self.reset.val();
        self.bad_q.reset.next = self.reset.val();
        self.confs.reset.next = self.reset.val();
        self.rows.reset.next = self.reset.val();
        self.run.reset.next = self.reset.val();
        self.fetch.next = self.fetch_q.q.val();
        self.fetch_valid.next = self.fetch_full.q.val();
        self.turn.next = self.turn_q.q.val();
        self.turn_valid.next = self.turn_full.q.val() && !self.fresh_full.q.val();
        self.fault.next = self.fault_q.q.val();
        self.fault_valid.next = self.fault_full.q.val();
        self.bad.next = self.bad_q.q.val();
        self.bad_q.d.next = false;
        if self.fetch_take.val() {
            self.fetch_full.d.next = false;
        }
        if self.turn_take.val() {
            self.turn_full.d.next = false;
        }
        if self.fresh.val() {
            self.fresh_q.d.next = self.fresh_qp.val();
        }
        if self.fault_take.val() {
            self.fault_full.d.next = false;
        }

        // First cycle: choose an event. What frees others comes first; what needs room waits.
        self.number.next = bit_cast::<17, 16>(self.db.item.val().number);
        self.off_range.next = self.number.val() >= self.beyond.val();
        self.go.next = false;
        self.event_qp.next = bit_cast::<C, 16>(self.db.item.val().number);
        self.is_fresh.d.next = false;
        self.is_came.d.next = false;
        self.is_asked.d.next = false;
        self.is_rto.d.next = false;
        self.is_result.d.next = false;
        self.is_landed.d.next = false;
        self.is_turn.d.next = false;
        self.is_wake.d.next = false;
        self.is_qpw.d.next = false;
        self.is_db.d.next = false;
        if !self.busy.q.val() && self.rows.ready.val() {
            if self.fresh_full.q.val() {
                self.go.next = true;
                self.is_fresh.d.next = true;
                self.event_qp.next = self.fresh_q.q.val();
            } else if self.result_valid.val() {
                self.go.next = true;
                self.is_result.d.next = true;
                self.event_qp.next = bit_cast::<C, 8>(self.result.val().qp);
            } else if self.landed_valid.val() && !self.fetch_full.q.val() {
                self.go.next = true;
                self.is_landed.d.next = true;
                self.event_qp.next = bit_cast::<C, 8>(self.landed.val().qp);
            } else if self.wake_valid.val() {
                self.go.next = true;
                self.is_wake.d.next = true;
                self.event_qp.next = self.wake_qp.val();
            } else if self.came_valid.val() {
                self.go.next = true;
                self.is_came.d.next = true;
                self.event_qp.next = self.came_qp.val();
            } else if self.asked_valid.val() {
                self.go.next = true;
                self.is_asked.d.next = true;
                self.event_qp.next = self.asked_qp.val();
            } else if self.rto_valid.val() {
                self.go.next = true;
                self.is_rto.d.next = true;
                self.event_qp.next = self.rto_qp.val();
            } else if self.run.tx.valid.val()
                && self.room.val()
                && !self.rests.q.val()
                && !self.turn_full.q.val()
                && !self.fetch_full.q.val()
            {
                self.go.next = true;
                self.is_turn.d.next = true;
                self.event_qp.next = self.run.tx.item.val();
            } else if self.qpw_valid.val() {
                self.go.next = true;
                self.is_qpw.d.next = true;
                self.event_qp.next = self.qpw_qp.val();
            } else if self.db.valid.val() && !self.fault_full.q.val() {
                self.go.next = true;
                self.is_db.d.next = true;
            }
        }
        self.rests.d.next = false;
        self.passed.d.next = false;
        self.passed_qp.d.next = self.qp.q.val();
        self.ask_qp.next = self.qp.q.val();
        self.busy.d.next = self.go.val();
        self.qp.d.next = self.event_qp.val();
        self.confs.read_enable.next = self.go.val();
        self.confs.read_address.next = self.event_qp.val();
        self.rows.read_enable.next = self.go.val();
        self.rows.read_address.next = self.event_qp.val();

        // Second cycle: the row is there.
        self.result_take.next = self.busy.q.val() && self.is_result.q.val();
        self.landed_take.next = self.busy.q.val() && self.is_landed.q.val();
        self.run.tx.ready.next = self.busy.q.val()
            && self.is_turn.q.val()
            && (!self.choose.turn.val() || self.share.val() || self.late.val());
        self.came_take.next = self.busy.q.val() && self.is_came.q.val();
        self.asked_take.next = self.busy.q.val() && self.is_asked.q.val();
        self.rto_take.next = self.busy.q.val() && self.is_rto.q.val();
        self.wake_take.next = self.busy.q.val() && self.is_wake.q.val();
        self.qpw_ready.next = self.busy.q.val() && self.is_qpw.q.val();
        self.db.ready.next = self.busy.q.val() && self.is_db.q.val();
        self.conf.next = self.confs.word.val();
        self.conf.next.ready = self.confs.live.val() && self.confs.word.val().ready;
        self.row.next = self.rows.read_data.val();
        self.choose.conf.next = self.conf.val();
        self.choose.row.next = self.rows.read_data.val();
        self.gone.next = !self.conf.val().ready || self.dead.val().get_bit(self.qp.q.val().index());
        self.choose.dead.next = self.dead.val().get_bit(self.qp.q.val().index());
        self.choose.mute.next = self.mute.val().get_bit(self.qp.q.val().index());
        self.outcome.result.next = self.result.val();
        self.outcome.row.next = self.rows.read_data.val();
        self.outcome.dead.next = self.dead.val().get_bit(self.qp.q.val().index());
        self.pending.next = self.row.val().producer != self.row.val().consumer;
        self.size.next = self.one.val() << self.conf.val().log2;
        self.mask.next = self.size.val() - 1;
        // the block to be read: the first of a WQE, or what follows it
        self.last.next = self.choose.last.val();
        self.for_replay.next = self.choose.again.val();
        if self.is_landed.q.val() {
            self.for_replay.next = self.row.val().lacks;
        }
        self.wanted.next = bit_cast::<16, 32>(self.row.val().consumer);
        if self.for_replay.val() {
            self.wanted.next = bit_cast::<16, 32>(self.row.val().again);
        }
        self.place.next = self.wanted.val() + bit_cast::<16, 1>(self.is_landed.q.val().into());
        self.slot.next = self.place.val() & self.mask.val();
        self.ahead.next = self.db.item.val().value - self.row.val().consumer;
        // no more than the ring has
        self.ahead16.next = bit_cast::<16, 32>(self.ahead.val());
        self.had.next =
            bit_cast::<16, 32>(self.row.val().producer) - bit_cast::<16, 32>(self.row.val().consumer);
        self.blocks.next = 1.into();
        if self.row.val().two {
            self.blocks.next = 2.into();
        }
        self.latest.next = self.row.val().consumer - self.blocks.val();
        self.came_blocks.next = 1.into();
        if self.is_landed.q.val() && self.landed.val().both {
            self.came_blocks.next = 2.into();
        }
        self.after.next = self.row.val().consumer + self.came_blocks.val();
        self.rung.next = self.after.val() != self.row.val().producer;
        // nothing is read behind the answer that gave the ring back
        self.follows.next = self.landed.val().more && self.conf.val().ready && !self.row.val().stale;
        self.job.next.qp = bit_cast::<8, C>(self.qp.q.val());
        self.job.next.second = self.is_landed.q.val();
        // after a WQE of two blocks comes another one, as a rule
        self.job.next.both = self.row.val().two
            && !self.is_landed.q.val()
            && !self.choose.again.val()
            && self.rung.val()
            && (self.slot.val() != self.mask.val());
        self.job.next.again = self.for_replay.val();
        self.base.next = self.conf.val().base & self.block_mask.val();
        self.job.next.addr = self.base.val() + (bit_cast::<64, 16>(self.slot.val()) << 6);
        self.item.next.qp = bit_cast::<8, C>(self.qp.q.val());
        self.item.next.kind = self.choose.kind.val();
        self.item.next.started = self.choose.started.val();
        self.item.next.broken = self.row.val().broken;
        self.item.next.two = self.row.val().two;
        self.item.next.replay = self.choose.again.val();
        self.item.next.restart = self.row.val().restart;
        self.item.next.image = self.row.val().image;
        if self.choose.again.val() {
            self.item.next.broken = self.row.val().torn;
        }
        self.item.next.index = self.latest.val();
        if self.choose.kind.val() == self.response.val() {
            self.item.next.index = bit_cast::<32, 4>(self.row.val().response);
        }
        self.item.next.pd = self.conf.val().pd;
        self.item.next.ord = self.conf.val().ord;
        self.shown.next = self.turn_q.q.val();
        self.cancels.next =
            self.turn_full.q.val() && (bit_cast::<C, 8>(self.shown.val().qp) == self.qp.q.val());
        self.wrong.next.qp = bit_cast::<8, C>(self.qp.q.val());
        self.wrong.next.error = 0.into();
        self.wrong.next.status = self.op_err.val();
        self.wrong.next.is_local = true;
        self.wrong.next.index = 0.into();
        self.wrong.next.has_wr = false;
        self.log2.next = self.qpw_row.val().sq_log2;
        self.new_conf.next.ready = (self.qpw_row.val().state == self.state_ready.val())
            && (self.qpw_row.val().ird <= self.most_ird.val())
            && (self.log2.val() < 16);
        self.new_conf.next.ord = self.qpw_row.val().ord;
        self.new_conf.next.log2 = self.log2.val().get_bits::<4>(0);
        self.new_conf.next.base = self.qpw_row.val().sq_base;
        self.new_conf.next.pd = self.qpw_row.val().pd;
        self.new_row.next = self.row.val();
        if !self.fetch_full.q.val() {
            self.fetch_q.d.next = self.job.val();
        }
        self.enqueue.next = false;
        if self.busy.q.val() {
            if self.is_result.q.val() {
                self.new_row.next = self.outcome.after.val();
                self.enqueue.next = self.outcome.more.val();
            }
            if self.is_fresh.q.val() {
                self.fresh_full.d.next = false;
                self.new_row.next.responses = 0.into();
                self.new_row.next.response = 0.into();
                self.new_row.next.responding = false;
                self.new_row.next.answered = false;
                self.new_row.next.term = false;
                self.new_row.next.fin = false;
                self.new_row.next.closing = false;
                self.new_row.next.finished = false;
                self.new_row.next.started = false;
                self.new_row.next.half = false;
                self.new_row.next.held = false;
                self.new_row.next.parked = false;
                // a read that is under way for a replay is known by `lacks` when it lands
                self.new_row.next.replay = false;
                self.new_row.next.restart = false;
                self.new_row.next.image = false;
                self.new_row.next.lacks = self.row.val().lacks && self.row.val().away;
                if self.cancels.val() {
                    self.turn_full.d.next = false;
                    self.new_row.next.away = false;
                }
                self.enqueue.next = (!self.row.val().away || self.cancels.val())
                    && (self.row.val().has || self.pending.val());
            }
            if self.is_came.q.val() {
                self.new_row.next.responses = self.row.val().responses + 1;
                self.enqueue.next = !self.row.val().away && !self.row.val().parked;
            }
            // who is refused now may ask again: a Terminate needs no open gate
            if self.is_asked.q.val() {
                self.new_row.next.term = self.row.val().term || !self.asked_fin.val();
                self.new_row.next.fin = self.row.val().fin || self.asked_fin.val();
                self.new_row.next.woken = self.row.val().away;
                self.new_row.next.parked = false;
                self.enqueue.next = !self.row.val().away;
            }
            if self.is_rto.q.val() {
                self.new_row.next.replay = true;
                self.new_row.next.restart = true;
                self.new_row.next.woken = self.row.val().away;
                self.new_row.next.parked = false;
                self.enqueue.next = !self.row.val().away;
            }
            if self.is_landed.q.val() && self.row.val().lacks {
                if self.follows.val() {
                    self.fetch_full.d.next = true;
                } else {
                    self.new_row.next.away = false;
                    self.new_row.next.lacks = false;
                    self.new_row.next.image = self.row.val().replay;
                    self.new_row.next.torn = self.landed.val().failed;
                    self.enqueue.next = true;
                }
            }
            if self.is_landed.q.val() && !self.row.val().lacks {
                self.new_row.next.consumer = self.after.val();
                if self.landed.val().both {
                    self.new_row.next.two = true;
                }
                if self.follows.val() && self.rung.val() {
                    self.new_row.next.two = true;
                    self.fetch_full.d.next = true;
                } else {
                    self.new_row.next.away = false;
                    self.new_row.next.has = true;
                    self.new_row.next.started = false;
                    self.new_row.next.broken = self.landed.val().failed;
                    self.enqueue.next = true;
                }
            }
            if (self.is_result.q.val() || self.is_landed.q.val()) && self.row.val().stale {
                self.new_row.next = self.row.val();
                self.new_row.next.away = false;
                self.new_row.next.stale = false;
                self.new_row.next.woken = false;
                self.new_row.next.lacks = false;
                self.enqueue.next = self.pending.val() || self.row.val().replay;
            }
            if self.is_turn.q.val() {
                self.new_row.next.queued = false;
                if self.choose.turn.val() && !self.share.val() {
                    self.new_row.next.queued = true;
                    self.rests.d.next = true;
                    self.passed.d.next = self.late.val();
                } else if self.choose.turn.val() {
                    self.new_row.next.away = true;
                    self.new_row.next.restart = self.row.val().restart && !self.choose.again.val();
                    self.turn_q.d.next = self.item.val();
                    self.turn_full.d.next = true;
                } else if self.choose.fetch.val() {
                    self.new_row.next.away = true;
                    self.new_row.next.two = self.row.val().two && self.choose.again.val();
                    self.fetch_full.d.next = true;
                } else if self.gone.val() {
                    self.new_row.next.halted = true;
                }
            }
            if self.is_wake.q.val() {
                self.new_row.next.woken = self.row.val().away;
                self.new_row.next.parked = false;
                self.new_row.next.held = false;
                // held beside a response's turn, which says what follows
                self.enqueue.next = self.row.val().parked || (self.row.val().held && !self.row.val().away);
            }
            if self.is_qpw.q.val() && self.new_conf.val().ready {
                self.new_row.next = self.blank.val();
                self.new_row.next.queued = self.row.val().queued;
                self.new_row.next.away = self.row.val().away;
                self.new_row.next.stale = self.row.val().away;
                // what belongs to the connection stays
                self.new_row.next.responses = self.row.val().responses;
                self.new_row.next.response = self.row.val().response;
                self.new_row.next.responding = self.row.val().responding;
                self.new_row.next.half =
                    self.row.val().half && (self.row.val().responding || self.row.val().closing);
                self.new_row.next.term = self.row.val().term;
                self.new_row.next.fin = self.row.val().fin;
                self.new_row.next.closing = self.row.val().closing;
                self.new_row.next.finished = self.row.val().finished;
                self.new_row.next.replay = self.row.val().replay;
                self.new_row.next.restart = self.row.val().replay;
                self.new_row.next.lacks = self.row.val().lacks && self.row.val().away;
            }
            if self.is_db.q.val() {
                if self.off_range.val() || !self.conf.val().ready {
                    self.bad_q.d.next = true;
                } else if (self.ahead.val() >> 16).any()
                    || (self.ahead16.val() > self.size.val())
                    || (self.ahead16.val() < self.had.val())
                {
                    self.bad_q.d.next = true;
                    self.fault_q.d.next = self.wrong.val();
                    self.fault_full.d.next = true;
                    self.new_row.next.halted = true;
                } else {
                    self.new_row.next.producer = self.db.item.val().value;
                    self.enqueue.next = !self.row.val().away
                        && !self.row.val().parked
                        && !self.row.val().halted
                        && (self.db.item.val().value != self.row.val().consumer);
                }
            }
        }
        self.confs.write_enable.next = self.busy.q.val() && self.is_qpw.q.val();
        self.confs.write_address.next = self.qp.q.val();
        self.confs.write_data.next = self.new_conf.val();
        self.rows.write_enable.next = self.busy.q.val() && !(self.is_db.q.val() && self.off_range.val());
        self.rows.write_address.next = self.qp.q.val();
        if self.enqueue.val() {
            self.new_row.next.queued = true;
        }
        self.rows.write_data.next = self.new_row.val();
        if self.fresh.val() {
            self.fresh_full.d.next = true;
        }
        self.run.rx.item.next = self.qp.q.val();
        self.run.rx.valid.next = self.enqueue.val() && !self.row.val().queued;
        if self.passed.q.val() {
            self.run.rx.item.next = self.passed_qp.q.val();
            self.run.rx.valid.next = true;
        }
    }
}
