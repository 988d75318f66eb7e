// SPDX-License-Identifier: MIT OR Apache-2.0
//! The admin port: command frames in, rows into the stages, answer frames out.
use super::admin_overlay::AdminOverlay;
use super::admin_plan::AdminPlan;
use super::admin_reply::AdminReply;
use super::admin_rows::AdminRows;
use super::admin_steps::AdminSteps;
use super::admin_take::AdminTake;
use super::admin_which::AdminWhich;
use super::step;
use crate::gen::consts::admin_opcode;
use crate::gen::{CapturedError, CqRow, MrRow, QpRow, Ring};
use crate::prelude::*;
use crate::record::{CiteSink, RxSeen, RxTold, TxLimits, TxSeen, TxStart};
use crate::stream::{ItemSink, StreamSink, StreamSource};

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
#[block]
pub struct Admin<
    const C: usize,
    const NC: usize,
    const Q: usize,
    const NQ: usize,
    const M: usize,
    const A: usize,
> {
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
    /// `fault` takes the question.
    pub cap_ready: Signal<In, Bit>,
    /// The first error of `qp`.
    pub capd: ItemSink<CapturedError>,
    /// First octets of the segment that it quotes: the row's last words.
    pub capd_words: CiteSink,
    /// The row of `mr` is asked for.
    pub mrr_valid: Signal<Out, Bit>,
    /// `mr` takes the question.
    pub mrr_ready: Signal<In, Bit>,
    /// The row of `mr` as it is now.
    pub mrd: ItemSink<MrRow>,
    taker: AdminTake,
    planner: AdminPlan<C, Q, NQ, M>,
    steps: AdminSteps,
    which: AdminWhich,
    rows: AdminRows<C, Q, A>,
    overlay: AdminOverlay,
    reply: AdminReply,
    bus_write: Reg<Bit>,
    bus_at: Flop<Bits<5>>,
    bus_word: Flop<Bits<64>>,
    st: Reg<St>,
    value: Flop<Bits<32>>,
    rx_now: Flop<RxSeen>,
    tx_now: Flop<TxSeen>,
    /// The row is the merged one.
    merged: Reg<Bit>,
    /// `updates` a cycle later, long before the first step.
    updates_q: Flop<Bit>,
}

impl<const C: usize, const NC: usize, const Q: usize, const NQ: usize, const M: usize, const A: usize>
    Admin<C, NC, Q, NQ, M, A>
{
    /// An idle port of a device that sends segments of up to `most_emss` octets.
    pub fn new(most_emss: usize) -> Self {
        assert!(NC == 1 << C, "{NC} queue pairs under indices of {C} bits");
        Self {
            planner: AdminPlan::new(most_emss),
            rows: AdminRows::new(),
            overlay: AdminOverlay::new(),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const C: usize, const NC: usize, const Q: usize, const NQ: usize, const M: usize, const A: usize> Logic
    for Admin<C, NC, Q, NQ, M, A>
{
    fn update(&mut self) {
        regs!(st, merged, bus_write);
        flops!(updates_q, value, rx_now, tx_now, bus_at, bus_word);
        parts!(taker, steps, rows, reply);
        clocked!(planner, overlay);
        StreamSink::<64, 4>::link(&mut self.rx, &mut self.taker.rx);
        StreamSource::<64, 4>::link(&mut self.tx, &mut self.reply.tx);

        self.planner.head.next = self.taker.head.val();
        self.planner.write.next = self.taker.write.val();
        self.planner.at.next = self.taker.at.val();
        self.planner.word.next = self.taker.word.val();
        self.planner.words.next = self.taker.count.val();
        self.planner.bad.next = self.taker.bad.val();
        self.planner.usable.next = self.usable.val();
        let op: Bits<8> = self.taker.head.val().opcode;
        let index: Bits<16> = self.taker.head.val().index;
        self.qp.next = index.get_bits::<C>(0);
        self.cq.next = index.get_bits::<Q>(0);
        self.mr.next = index.get_bits::<M>(0);
        let updates: Bit = op == admin_opcode::conn_update().val();
        self.updates_q.d.next = updates;
        self.update.next = self.updates_q.q.val();
        self.bus_write.d.next = self.taker.write.val();
        self.bus_at.d.next = self.taker.at.val();
        self.bus_word.d.next = self.taker.word.val();
        self.row_write.next = self.bus_write.q.val();
        self.row_at.next = self.bus_at.q.val();
        self.row_word.next = self.bus_word.q.val();
        self.limits.next.mulpdu = self.planner.conn.val().mulpdu;
        self.limits.next.emss = self.planner.conn.val().emss;
        // SND.UNA of an insert is its SND.NXT. Raw octets may come before SeqStart: FPDUs stand in
        // words from there on, so it rounds up
        let begun: Bits<32> = (self.planner.conn.val().snd_una - self.planner.conn.val().tx_seq_start) + 3;
        self.start.next.markers = self.planner.conn.val().tx_markers;
        self.start.next.phase = begun.get_bits::<7>(2);
        self.setup_seq_start.next = self.planner.conn.val().rx_seq_start;
        self.setup_markers.next = self.planner.conn.val().rx_markers;
        self.setup_crc.next = self.planner.conn.val().rx_crc;
        self.qp_row.next = self.planner.qp.val();
        self.cq_row.next = self.planner.cq.val();
        self.mr_row.next = self.planner.mr.val();
        self.ring.next = self.planner.ring.val();
        self.slot_fin.next = self.planner.slot_fin.val();
        self.slot_word.next = self.taker.read.val();
        self.told.next.qp = index.get_bits::<8>(0);
        self.told.next.seq = self.planner.ack.val().wl1;
        self.told.next.ack = self.planner.ack.val().ack;
        self.told.next.window = self.planner.ack.val().wnd;
        self.told.next.ack_now = self.planner.ack.val().ack_now;

        let starts: Bit = self.taker.valid.val() && self.rows.scrubbed.val();
        self.steps.plan.next = self.planner.steps.val();
        self.steps.planned.next = self.planner.status.val();
        // An update's row is judged when it is merged.
        if (self.st.q.val() == St::Idle) && updates && self.planner.whole.val() {
            self.steps.plan.next = lit::<27>(1 << step::NET_RX_LOOK);
            self.steps.planned.next = 0.into();
        }
        self.steps.load.next = ((self.st.q.val() == St::Idle) && starts) || (self.st.q.val() == St::Plan);
        self.steps.inserts.next = op == admin_opcode::conn_insert().val();
        self.steps.updates.next = updates;
        self.valid.next = self.steps.valid.val();
        self.steps.ready.next = self.ready.val();
        self.steps.inserted.next = self.inserted.val();
        self.steps.lives.next = self.seen_rx.val().is_valid;
        if self.steps.saw_rx.val() {
            self.rx_now.d.next = self.seen_rx.val();
        }
        if self.steps.saw_tx.val() {
            self.tx_now.d.next = self.seen_tx.val();
        }

        // Rows that are kept here, and rows that are asked for elsewhere.
        self.which.head.next = self.taker.head.val();
        let keeps: Bit =
            !self.steps.status.val().any() && self.which.keeps.val() && (!updates || self.merged.q.val());
        let reads: Bit = !self.steps.status.val().any() && self.which.reads.val();
        let outside: Bit = reads && self.which.outside.val();
        self.rows.kind.next = self.which.kind.val();
        self.rows.index.next = index.get_bits::<Q>(0);
        self.rows.word.next = self.taker.read.val();
        let visited: Bit = (self.st.q.val() == St::Steps) && self.steps.over.val();
        self.rows.store.next = visited && keeps;
        let merges: Bit = visited && updates && !self.merged.q.val() && !self.steps.status.val().any();
        self.rows.read.next = (visited && reads && !outside) || merges;
        self.overlay.restart.next = visited;
        self.overlay.kind.next = self.which.kind.val();
        self.overlay.merges.next = self.st.q.val() == St::Merge;
        self.overlay.kept.next = self.rows.out.data.val();
        self.overlay.given.next = self.taker.read.val();
        self.overlay.rx.next = self.rx_now.q.val();
        self.overlay.tx.next = self.tx_now.q.val();
        self.overlay.dead.next = self.dead.val().get_bit(self.qp.val().index());
        self.overlay.usable.next = self.usable.val().get_bit(self.cq.val().index());
        self.taker.merge.next = (self.st.q.val() == St::Merge) && self.rows.out.valid.val();
        self.taker.merge_at.next = self.overlay.nth.val();
        self.taker.merged.next = self.overlay.word.val();
        self.taker.read_at.next = bit_cast::<5, 4>(self.slot_at.val());
        if self.st.q.val() == St::Merge {
            self.taker.read_at.next = self.overlay.nth.val();
        }
        if self.st.q.val() == St::Rows {
            self.taker.read_at.next = self.rows.wants.val();
        }

        // The answer.
        self.reply.head.next = self.taker.head.val();
        self.reply.status.next = self.steps.status.val();
        self.reply.value.next = self.value.q.val();
        self.reply.reads.next = reads;
        self.reply.outside.next = outside;
        self.reply.is_mr.next = self.which.is_mr.val();
        self.reply.rests.next = self.st.q.val() == St::Idle;
        self.reply.fetches.next = (self.st.q.val() == St::Rows) && outside;
        self.reply.answers.next = self.st.q.val() == St::Answer;
        self.reply.words.data.next = self.overlay.word.val();
        self.reply.words.valid.next = self.rows.out.valid.val();
        self.reply.words.last.next = self.rows.out.last.val();
        self.cap_valid.next = self.reply.cap_valid.val();
        self.reply.cap_ready.next = self.cap_ready.val();
        ItemSink::<CapturedError>::link(&mut self.capd, &mut self.reply.capd);
        CiteSink::link(&mut self.capd_words, &mut self.reply.capd_words);
        self.mrr_valid.next = self.reply.mrr_valid.val();
        self.reply.mrr_ready.next = self.mrr_ready.val();
        ItemSink::<MrRow>::link(&mut self.mrd, &mut self.reply.mrd);

        self.rows.out.ready.next =
            self.reply.words.ready.val() || ((self.st.q.val() == St::Merge) && self.rows.out.valid.val());
        self.overlay.step.next = self.rows.out.ready.val();
        self.taker.take.next = self.reply.done.val();

        match self.st.q.val() {
            St::Idle => {
                self.value.d.next = 0.into();
                self.merged.d.next = false;
                if starts {
                    self.st.d.next = St::Steps;
                }
            }
            St::Steps => {
                if visited {
                    self.st.d.next = St::Head;
                    if (op == admin_opcode::conn_insert().val()) && keeps {
                        self.value.d.next = self.raw_index.val();
                    }
                    if self.which.is_index.val() && !self.steps.status.val().any() {
                        self.value.d.next = self.raw_tx_index.val();
                    }
                    if keeps || outside {
                        self.st.d.next = St::Rows;
                    }
                    if merges {
                        self.st.d.next = St::Merge;
                    }
                }
            }
            St::Merge => {
                if self.rows.out.valid.val() && self.rows.out.last.val() {
                    self.merged.d.next = true;
                    self.st.d.next = St::Plan;
                }
            }
            St::Plan => {
                self.st.d.next = St::Steps;
            }
            St::Rows => {
                if self.rows.done.val() || self.reply.fetched.val() {
                    self.st.d.next = St::Head;
                }
            }
            St::Head => {
                self.st.d.next = St::Answer;
            }
            St::Answer => {
                if self.reply.done.val() {
                    self.st.d.next = St::Idle;
                }
            }
            _ => {}
        }
    }
}
