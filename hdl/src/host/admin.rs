// SPDX-License-Identifier: MIT OR Apache-2.0
//! The admin port: command frames in, rows into the stages, answer frames out.
use super::admin_overlay::AdminOverlay;
use super::admin_plan::{step, AdminPlan};
use super::admin_rows::AdminRows;
use super::admin_take::AdminTake;
use crate::cell::{Const, Flop, Reg};
use crate::gen::consts::{admin_opcode, admin_row, admin_status};
use crate::gen::{
    AdminAnswer, CapturedError, CqRow, MrRow, PackAdminAnswer, PackCapturedError, PackMrRow, QpRow, Ring,
};
use crate::record::{CiteSink, RxSeen, RxTold, TxLimits, TxSeen, TxStart};
use crate::stream::{ItemSink, Skid, StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// Where a command is.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// There is none.
    Idle,
    /// Visits the stages.
    Steps,
    /// Lays what `conn_update` writes over the row that is kept.
    Merge,
    /// The row that results is judged.
    Plan,
    /// Keeps the row, or fetches the one asked for.
    Rows,
    /// Its answer's head is made.
    Head,
    /// Its answer leaves.
    Answer,
}

/// One command at a time. Its steps visit the stages in order, each waits for the stage's `ready`;
/// then its answer leaves.
///
/// Every stage sees the same index; the words of a connection's row go by on a bus before the first
/// step. `valid` and `ready` have a bit for each of [`step`]. `C`, `Q`, `M` = log2 of
/// the queue pairs, completion queues and memory regions, `Q` <= `C`; `NC` = `2^C`, `NQ` = `2^Q`;
/// `A` = `C + 5`.
#[derive(LogicBlock, Default)]
pub struct Admin<
    const C: usize,
    const NC: usize,
    const Q: usize,
    const NQ: usize,
    const M: usize,
    const A: usize,
> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Command frames.
    pub rx: StreamSink<64, 4>,
    /// Answer frames, one a command in their order.
    pub tx: StreamSource<64, 4>,
    /// A step is offered to its stage; at most one bit is set.
    pub valid: Signal<Out, Bits<27>>,
    /// The stage has done it.
    pub ready: Signal<In, Bits<27>>,
    /// With `ready` of `NET_RX_INSERT` and `NET_RX_REMOVE`: the hash table's answer,
    /// [`Answer`](crate::cell::Answer).
    pub inserted: Signal<In, Bits<2>>,
    /// Queue pair, which is the connection.
    pub qp: Signal<Out, Bits<C>>,
    /// A word of the row comes by on the bus.
    pub row_write: Signal<Out, Bit>,
    /// Its number.
    pub row_at: Signal<Out, Bits<5>>,
    /// The word.
    pub row_word: Signal<Out, Bits<64>>,
    /// What the connection's row says of the messages and segments that the send queue may make.
    pub limits: Signal<Out, TxLimits>,
    /// Its markers.
    pub start: Signal<Out, TxStart>,
    /// With steps of an insert: the connection lives and is updated.
    pub update: Signal<Out, Bit>,
    /// With `ready` of `NET_RX_LOOK`: what receive says of it.
    pub seen_rx: Signal<In, RxSeen>,
    /// With `ready` of `TCP_TX_LOOK`: what transmit says of it.
    pub seen_tx: Signal<In, TxSeen>,
    /// Queue pairs in error.
    pub dead: Signal<In, Bits<NC>>,
    /// Completion queues that exist and have not overrun.
    pub usable: Signal<In, Bits<NQ>>,
    /// Its SeqStart of the peer's octets.
    pub setup_seq_start: Signal<Out, Bits<32>>,
    /// The peer inserts markers.
    pub setup_markers: Signal<Out, Bit>,
    /// CRCs are checked.
    pub setup_crc: Signal<Out, Bit>,
    /// Queue pair row.
    pub qp_row: Signal<Out, QpRow>,
    /// Completion queue.
    pub cq: Signal<Out, Bits<Q>>,
    /// Its row.
    pub cq_row: Signal<Out, CqRow>,
    /// Memory region.
    pub mr: Signal<Out, Bits<M>>,
    /// Its row.
    pub mr_row: Signal<Out, MrRow>,
    /// Place of a ring.
    pub ring: Signal<Out, Ring>,
    /// A slot is of the end of the stream, else of a Terminate.
    pub slot_fin: Signal<Out, Bit>,
    /// Word of the slot that is wanted.
    pub slot_at: Signal<In, Bits<4>>,
    /// That word, a cycle later, octet 0 in bits 7:0.
    pub slot_word: Signal<Out, Bits<64>>,
    /// Acknowledgement that firmware saw.
    pub told: Signal<Out, RxTold>,
    /// Producer index of the raw receive ring.
    pub raw_index: Signal<In, Bits<32>>,
    /// Consumer index of the raw transmit ring.
    pub raw_tx_index: Signal<In, Bits<32>>,
    /// The first error of `qp` is asked for.
    pub cap_valid: Signal<Out, Bit>,
    /// Taken.
    pub cap_ready: Signal<In, Bit>,
    /// The first error of `qp`.
    pub capd: ItemSink<CapturedError>,
    /// First octets of the segment that it quotes: the row's last words.
    pub capd_words: CiteSink,
    /// The row of `mr` is asked for.
    pub mrr_valid: Signal<Out, Bit>,
    /// Taken.
    pub mrr_ready: Signal<In, Bit>,
    /// The row of `mr` as it is now.
    pub mrd: ItemSink<MrRow>,
    taker: AdminTake,
    planner: AdminPlan<C, Q, NQ, M>,
    rows: AdminRows<C, A>,
    overlay: AdminOverlay,
    out: Skid<64, 4>,
    bus_write: Reg<Bit>,
    bus_at: Flop<Bits<5>>,
    bus_word: Flop<Bits<64>>,
    pack: PackAdminAnswer,
    pack_captured: PackCapturedError,
    pack_mr: PackMrRow,
    st: Reg<St>,
    /// Steps still to take, and the one that is offered.
    todo: Reg<Bits<27>>,
    offered: Reg<Bits<27>>,
    status: Flop<Bits<8>>,
    value: Flop<Bits<32>>,
    rx_now: Flop<RxSeen>,
    tx_now: Flop<TxSeen>,
    /// The row is the merged one.
    merged: Reg<Bit>,
    /// The question to `fault` or `mr` was taken.
    asked: Reg<Bit>,
    /// Their answer, and its words that remain; behind these come the octets of a captured error.
    ext: Flop<Bits<256>>,
    ext_left: Flop<Bits<4>>,
    head: Flop<Bits<64>>,
    /// The answer's head has left.
    headed: Reg<Bit>,
    insert: Const<Bits<27>>,
    look_rx: Const<Bits<27>>,
    look_tx: Const<Bits<27>>,
    remove: Const<Bits<27>>,
    roll_back: Const<Bits<27>>,
    present: Const<Bits<8>>,
    full: Const<Bits<8>>,
    absent: Const<Bits<8>>,
    read_row: Const<Bits<8>>,
    op_cq: Const<Bits<8>>,
    op_qp: Const<Bits<8>>,
    op_insert: Const<Bits<8>>,
    op_update: Const<Bits<8>>,
    row_cq: Const<Bits<8>>,
    row_mr: Const<Bits<8>>,
    row_captured: Const<Bits<8>>,
    row_raw_tx: Const<Bits<8>>,
    row_path: Const<Bits<8>>,
    below: Signal<Local, Bits<27>>,
    rest: Signal<Local, Bits<27>>,
    stepped: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    was_absent: Signal<Local, Bit>,
    op: Signal<Local, Bits<8>>,
    index: Signal<Local, Bits<16>>,
    kind: Signal<Local, Bits<2>>,
    keeps: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    updates: Signal<Local, Bit>,
    /// `updates` a cycle later, long before the first step.
    updates_q: Flop<Bit>,
    merges: Signal<Local, Bit>,
    number: Signal<Local, Bits<C>>,
    cq_number: Signal<Local, Bits<Q>>,
    outside: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    visited: Signal<Local, Bit>,
    fetches_mr: Signal<Local, Bit>,
    fetches_cap: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    cites: Signal<Local, Bit>,
    answer: Signal<Local, AdminAnswer>,
    word: Signal<Local, RxTold>,
    allowed: Signal<Local, TxLimits>,
    begun: Signal<Local, Bits<32>>,
    start_row: Signal<Local, TxStart>,
}

impl<const C: usize, const NC: usize, const Q: usize, const NQ: usize, const M: usize, const A: usize>
    Admin<C, NC, Q, NQ, M, A>
{
    /// An idle port of a device that sends segments of up to `most_emss` octets.
    pub fn new(most_emss: usize) -> Self {
        assert!(NC == 1 << C, "{NC} queue pairs under indices of {C} bits");
        assert!(Q <= C && A == C + 5, "a completion queue's row shares its words with the queue pair's");
        Self {
            planner: AdminPlan::new(most_emss),
            rows: AdminRows::new(),
            overlay: AdminOverlay::new(),
            look_rx: Const::of(1 << step::NET_RX_LOOK),
            look_tx: Const::of(1 << step::TCP_TX_LOOK),
            insert: Const::of(1 << step::NET_RX_INSERT),
            remove: Const::of(1 << step::NET_RX_REMOVE),
            roll_back: Const::of(1 << step::TCP_TX_REMOVE),
            present: admin_status::present(),
            full: admin_status::full(),
            absent: admin_status::absent(),
            read_row: admin_opcode::read_row(),
            op_cq: admin_opcode::cq_write(),
            op_qp: admin_opcode::qp_write(),
            op_insert: admin_opcode::conn_insert(),
            op_update: admin_opcode::conn_update(),
            row_cq: admin_row::cq(),
            row_mr: admin_row::mr(),
            row_captured: admin_row::captured(),
            row_raw_tx: admin_row::raw_tx(),
            row_path: admin_row::path(),
            ..Default::default()
        }
    }
}

impl<const C: usize, const NC: usize, const Q: usize, const NQ: usize, const M: usize, const A: usize> Logic
    for Admin<C, NC, Q, NQ, M, A>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, taker, planner, rows, overlay, out);
        dff_setup!(
            self, clock, updates_q, st, todo, offered, status, value, asked, ext, ext_left, head, headed
        );
        dff_setup!(self, clock, rx_now, tx_now, merged, bus_write, bus_at, bus_word);
        self.bus_write.reset.next = self.reset.val();
        self.merged.reset.next = self.reset.val();
        self.taker.reset.next = self.reset.val();
        self.rows.reset.next = self.reset.val();
        self.out.reset.next = self.reset.val();
        self.st.reset.next = self.reset.val();
        self.todo.reset.next = self.reset.val();
        self.offered.reset.next = self.reset.val();
        self.asked.reset.next = self.reset.val();
        self.headed.reset.next = self.reset.val();
        StreamSink::<64, 4>::link(&mut self.rx, &mut self.taker.rx);
        StreamSource::<64, 4>::link(&mut self.tx, &mut self.out.tx);

        self.planner.head.next = self.taker.head.val();
        self.planner.write.next = self.taker.write.val();
        self.planner.at.next = self.taker.at.val();
        self.planner.word.next = self.taker.word.val();
        self.planner.words.next = self.taker.count.val();
        self.planner.bad.next = self.taker.bad.val();
        self.planner.usable.next = self.usable.val();
        self.op.next = self.taker.head.val().opcode;
        self.index.next = self.taker.head.val().index;
        self.number.next = self.index.val().get_bits::<C>(0);
        self.cq_number.next = self.index.val().get_bits::<Q>(0);
        self.qp.next = self.number.val();
        self.cq.next = self.cq_number.val();
        self.mr.next = self.index.val().get_bits::<M>(0);
        self.updates.next = self.op.val() == self.op_update.val();
        self.updates_q.d.next = self.updates.val();
        self.update.next = self.updates_q.q.val();
        self.bus_write.d.next = self.taker.write.val();
        self.bus_at.d.next = self.taker.at.val();
        self.bus_word.d.next = self.taker.word.val();
        self.row_write.next = self.bus_write.q.val();
        self.row_at.next = self.bus_at.q.val();
        self.row_word.next = self.bus_word.q.val();
        self.allowed.next.mulpdu = self.planner.conn.val().mulpdu;
        self.allowed.next.emss = self.planner.conn.val().emss;
        self.limits.next = self.allowed.val();
        // SND.UNA of an insert is its SND.NXT. Raw octets may come before SeqStart: FPDUs stand in
        // words from there on, so it rounds up
        self.begun.next = (self.planner.conn.val().snd_una - self.planner.conn.val().tx_seq_start) + 3;
        self.start_row.next.markers = self.planner.conn.val().tx_markers;
        self.start_row.next.phase = self.begun.val().get_bits::<7>(2);
        self.start.next = self.start_row.val();
        self.setup_seq_start.next = self.planner.conn.val().rx_seq_start;
        self.setup_markers.next = self.planner.conn.val().rx_markers;
        self.setup_crc.next = self.planner.conn.val().rx_crc;
        self.qp_row.next = self.planner.qp.val();
        self.cq_row.next = self.planner.cq.val();
        self.mr_row.next = self.planner.mr.val();
        self.ring.next = self.planner.ring.val();
        self.slot_fin.next = self.planner.slot_fin.val();
        self.slot_word.next = self.taker.read.val();
        self.word.next.qp = self.index.val().get_bits::<8>(0);
        self.word.next.seq = self.planner.ack.val().wl1;
        self.word.next.ack = self.planner.ack.val().ack;
        self.word.next.window = self.planner.ack.val().wnd;
        self.word.next.ack_now = self.planner.ack.val().ack_now;
        self.told.next = self.word.val();

        // The lowest step that remains is offered, from a register.
        self.below.next = self.todo.q.val() - 1;
        self.rest.next = self.todo.q.val() & self.below.val();
        self.valid.next = self.offered.q.val();
        self.stepped.next = (self.offered.q.val() & self.ready.val()).any();
        self.was_absent.next = (self.offered.q.val() == self.remove.val()) && self.inserted.val().any();
        self.refused.next = (self.offered.q.val() == self.insert.val()) && self.inserted.val().any();
        if !self.offered.q.val().any() && self.todo.q.val().any() {
            self.offered.d.next = self.todo.q.val() & !self.below.val();
            self.todo.d.next = self.rest.val();
        }
        if self.stepped.val() {
            self.offered.d.next = 0.into();
            if self.was_absent.val() {
                self.status.d.next = self.absent.val();
            }
            if self.offered.q.val() == self.look_rx.val() {
                self.rx_now.d.next = self.seen_rx.val();
                // An insert over a connection that lives would spoil its transmit side.
                if (self.op.val() == self.op_insert.val()) && self.seen_rx.val().is_valid {
                    self.todo.d.next = 0.into();
                    self.status.d.next = self.present.val();
                }
                if self.updates.val() && !self.seen_rx.val().is_valid {
                    self.status.d.next = self.absent.val();
                }
            }
            if self.offered.q.val() == self.look_tx.val() {
                self.tx_now.d.next = self.seen_tx.val();
            }
            // The 4-tuple found no place: nothing of the connection may stay.
            if self.refused.val() {
                self.todo.d.next = self.roll_back.val();
                self.status.d.next = self.full.val();
                if self.inserted.val() == 1 {
                    self.status.d.next = self.present.val();
                }
            }
        }

        // Rows that are kept here, and rows that are asked for elsewhere.
        self.kind.next = 0.into();
        if (self.op.val() == self.op_qp.val()) || (self.taker.head.val().row == 1) {
            self.kind.next = 1.into();
        }
        if (self.op.val() == self.op_cq.val()) || (self.taker.head.val().row == self.row_cq.val()) {
            self.kind.next = 2.into();
        }
        if (self.op.val() == self.read_row.val()) && (self.taker.head.val().row == self.row_path.val()) {
            self.kind.next = 3.into();
        }
        if (self.op.val() == self.op_insert.val()) || self.updates.val() {
            self.kind.next = 0.into();
        }
        self.keeps.next = !self.status.q.val().any()
            && ((self.updates.val() && self.merged.q.val())
                || (self.op.val() == self.op_qp.val())
                || (self.op.val() == self.op_cq.val())
                || (self.op.val() == self.op_insert.val()));
        self.reads.next = !self.status.q.val().any()
            && (self.op.val() == self.read_row.val())
            && (self.taker.head.val().row != self.row_raw_tx.val());
        self.outside.next = self.reads.val()
            && ((self.taker.head.val().row == self.row_mr.val())
                || (self.taker.head.val().row == self.row_captured.val()));
        self.rows.kind.next = self.kind.val();
        self.rows.index.next = self.index.val().get_bits::<C>(0);
        self.rows.word.next = self.taker.read.val();
        self.visited.next =
            (self.st.q.val() == St::Steps) && !self.todo.q.val().any() && !self.offered.q.val().any();
        self.rows.store.next = self.visited.val() && self.keeps.val();
        self.merges.next =
            self.visited.val() && self.updates.val() && !self.merged.q.val() && !self.status.q.val().any();
        self.rows.read.next =
            (self.visited.val() && self.reads.val() && !self.outside.val()) || self.merges.val();
        self.overlay.restart.next = self.visited.val();
        self.overlay.kind.next = self.kind.val();
        self.overlay.merges.next = self.st.q.val() == St::Merge;
        self.overlay.kept.next = self.rows.out.val();
        self.overlay.given.next = self.taker.read.val();
        self.overlay.rx.next = self.rx_now.q.val();
        self.overlay.tx.next = self.tx_now.q.val();
        self.overlay.dead.next = self.dead.val().get_bit(self.number.val().index());
        self.overlay.usable.next = self.usable.val().get_bit(self.cq_number.val().index());
        self.taker.merge.next = (self.st.q.val() == St::Merge) && self.rows.out_valid.val();
        self.taker.merge_at.next = self.overlay.nth.val();
        self.taker.merged.next = self.overlay.word.val();
        self.taker.read_at.next = bit_cast::<5, 4>(self.slot_at.val());
        if self.st.q.val() == St::Merge {
            self.taker.read_at.next = self.overlay.nth.val();
        }
        if self.st.q.val() == St::Rows {
            self.taker.read_at.next = self.rows.wants.val();
        }
        self.fetches_mr.next = (self.st.q.val() == St::Rows)
            && self.outside.val()
            && (self.taker.head.val().row == self.row_mr.val());
        self.fetches_cap.next = (self.st.q.val() == St::Rows)
            && self.outside.val()
            && (self.taker.head.val().row == self.row_captured.val());
        self.cap_valid.next = self.fetches_cap.val() && !self.asked.q.val();
        self.capd.ready.next = self.fetches_cap.val() && self.asked.q.val();
        self.mrr_valid.next = self.fetches_mr.val() && !self.asked.q.val();
        self.mrd.ready.next = self.fetches_mr.val() && self.asked.q.val();
        self.pack_captured.record.next = self.capd.item.val();
        self.pack_mr.record.next = self.mrd.item.val();

        // The answer: its head, then the words of a row. Those of an `mr` row end before `ext` is
        // empty.
        self.cites.next = self.headed.q.val() && self.outside.val() && !self.ext_left.q.val().any();
        self.capd_words.ready.next =
            (self.st.q.val() == St::Answer) && self.cites.val() && self.out.rx.ready.val();
        self.answer.next.status = self.status.q.val();
        self.answer.next.opcode = self.op.val();
        self.answer.next.index = self.taker.head.val().index;
        self.answer.next.value = self.value.q.val();
        self.pack.record.next = self.answer.val();
        self.head.d.next = self.pack.octets.val();
        self.goes.next = (self.st.q.val() == St::Answer)
            && (!self.headed.q.val()
                || (self.outside.val() && (!self.cites.val() || self.capd_words.valid.val()))
                || self.rows.out_valid.val());
        self.leaves.next = self.goes.val() && self.out.rx.ready.val();
        self.out.rx.valid.next = self.goes.val();
        self.out.rx.err.next = false;
        self.out.rx.bytes.next = 8.into();
        self.out.rx.data.next = self.head.q.val();
        self.out.rx.last.next = !self.reads.val();
        if self.headed.q.val() {
            self.out.rx.data.next = self.overlay.word.val();
            self.out.rx.last.next = self.rows.out_last.val();
            if self.outside.val() {
                self.out.rx.data.next = self.ext.q.val().get_bits::<64>(0);
                self.out.rx.last.next =
                    (self.ext_left.q.val() == 1) && (self.taker.head.val().row == self.row_mr.val());
            }
            if self.cites.val() {
                self.out.rx.data.next = self.capd_words.data.val();
                self.out.rx.last.next = self.capd_words.last.val();
            }
        }

        self.rows.out_take.next = (self.leaves.val() && self.headed.q.val() && !self.outside.val())
            || ((self.st.q.val() == St::Merge) && self.rows.out_valid.val());
        self.overlay.step.next = self.rows.out_take.val();
        self.taker.take.next = self.leaves.val() && self.out.rx.last.val();

        self.starts.next = self.taker.valid.val() && self.rows.scrubbed.val();
        match self.st.q.val() {
            St::Idle => {
                self.headed.d.next = false;
                self.asked.d.next = false;
                self.value.d.next = 0.into();
                self.merged.d.next = false;
                if self.starts.val() {
                    self.todo.d.next = self.planner.steps.val();
                    self.status.d.next = self.planner.status.val();
                    // An update's row is judged when it is merged.
                    if self.updates.val() && self.planner.whole.val() {
                        self.todo.d.next = self.look_rx.val();
                        self.status.d.next = 0.into();
                    }
                    self.st.d.next = St::Steps;
                }
            }
            St::Steps => {
                if self.visited.val() {
                    self.st.d.next = St::Head;
                    if (self.op.val() == self.op_insert.val()) && self.keeps.val() {
                        self.value.d.next = self.raw_index.val();
                    }
                    if (self.op.val() == self.read_row.val())
                        && (self.taker.head.val().row == self.row_raw_tx.val())
                        && !self.status.q.val().any()
                    {
                        self.value.d.next = self.raw_tx_index.val();
                    }
                    if self.keeps.val() || self.outside.val() {
                        self.st.d.next = St::Rows;
                    }
                    if self.merges.val() {
                        self.st.d.next = St::Merge;
                    }
                }
            }
            St::Merge => {
                if self.rows.out_valid.val() && self.rows.out_last.val() {
                    self.merged.d.next = true;
                    self.st.d.next = St::Plan;
                }
            }
            St::Plan => {
                self.todo.d.next = self.planner.steps.val();
                self.status.d.next = self.planner.status.val();
                self.st.d.next = St::Steps;
            }
            St::Rows => {
                if self.rows.done.val() {
                    self.st.d.next = St::Head;
                }
                if (self.fetches_mr.val() && self.mrr_ready.val())
                    || (self.fetches_cap.val() && self.cap_ready.val())
                {
                    self.asked.d.next = true;
                }
                if self.fetches_mr.val() {
                    self.ext.d.next = self.pack_mr.octets.val();
                    self.ext_left.d.next = 4.into();
                    if self.asked.q.val() && self.mrd.valid.val() {
                        self.st.d.next = St::Head;
                    }
                }
                if self.fetches_cap.val() {
                    self.ext.d.next = bit_cast::<256, 192>(self.pack_captured.octets.val());
                    self.ext_left.d.next = 3.into();
                    if self.asked.q.val() && self.capd.valid.val() {
                        self.st.d.next = St::Head;
                    }
                }
            }
            St::Head => {
                self.st.d.next = St::Answer;
            }
            St::Answer => {
                if self.leaves.val() {
                    self.headed.d.next = true;
                    if self.headed.q.val() && !self.cites.val() {
                        self.ext.d.next = self.ext.q.val() >> 64;
                        self.ext_left.d.next = self.ext_left.q.val() - 1;
                    }
                    if self.out.rx.last.val() {
                        self.st.d.next = St::Idle;
                    }
                }
            }
            _ => {}
        }
    }
}
