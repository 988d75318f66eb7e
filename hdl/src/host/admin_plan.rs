// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a command asks of which stage.
use super::row_tap::{holding, RowTap};
use super::step;
use crate::gen::consts::{
    admin_opcode, admin_row, admin_status, mpa, opcode, qp_state, read_limit, work_opcode,
};
use crate::gen::{
    AdminCommand, ConnAck, ConnRow, CqRow, MrRow, QpRow, Ring, UnpackConnAck, UnpackConnRow, UnpackCqRow,
    UnpackMrRow, UnpackQpRow, UnpackRing,
};
use crate::prelude::*;
use ferrowarp_abi::consts::admin_opcode as op;

/// Kinds of commands.
const COMMANDS: usize = 15;

/// Fields of a connection row that are judged, or shown to stages that need no more of it.
pub(super) const JUDGED: &[&str] = &[
    "emss",
    "mulpdu",
    "tx_markers",
    "rx_markers",
    "rx_crc",
    "snd_scale",
    "rcv_scale",
    "timestamps",
    "sack",
    "ecn",
    "rx_seq_start",
    "snd_una",
    "tx_seq_start",
];

/// Steps of `conn_insert`, `conn_remove` and `qp_write`.
const INSERT: &[usize] = &[
    step::NET_RX_LOOK,
    step::TCP_TX_INSERT,
    step::SQ_INSERT,
    step::DDP_INSERT,
    step::MPA_SETUP,
    step::NET_RX_INSERT,
];
const REMOVE: &[usize] = &[
    step::NET_RX_REMOVE,
    step::TCP_TX_REMOVE,
    step::MPA_TOKEN,
    step::DDP_TOKEN,
    step::SQ_TOKEN,
    step::TCP_TX_TOKEN,
    step::WRITTEN,
];
const QP: &[usize] = &[
    step::RQ_WRITE,
    step::SQ_WRITE,
    step::DDP_WRITE,
    step::FAULT_WRITE,
    step::MPA_TOKEN,
    step::DDP_TOKEN,
    step::SQ_TOKEN,
    step::WRITTEN,
];

/// Of a connection row these, and the first four words whole: other rows are no longer, and a slot
/// begins with its opcode.
fn kept() -> [u64; 18] {
    let mut words = holding(JUDGED);
    words[..4].fill(u64::MAX);
    words
}

const FIRST_BEYOND: usize = 14;

/// Reads a command: the steps it takes, its row as each kind of record, or why it is refused. It
/// keeps what these need of the row.
///
/// `C`, `Q`, `M` = log2 of the queue pairs, completion queues and memory regions, `NQ` = `2^Q`.
#[block(clock)]
pub struct AdminPlan<const C: usize, const Q: usize, const NQ: usize, const M: usize> {
    /// Head of the command.
    pub head: Signal<In, AdminCommand>,
    /// A word of the row comes by, as [`super::AdminTake`] tells.
    pub write: Signal<In, Bit>,
    /// Its number.
    pub at: Signal<In, Bits<5>>,
    /// The word.
    pub word: Signal<In, Bits<64>>,
    /// Words of the row.
    pub words: Signal<In, Bits<5>>,
    /// The frame was bad.
    pub bad: Signal<In, Bit>,
    /// Completion queues that exist and have not overrun.
    pub usable: Signal<In, Bits<NQ>>,
    /// The opcode is known, the index is one of a row, and the row has its length.
    pub whole: Signal<Out, Bit>,
    /// Steps to take, bits of [`step`]; none if refused.
    pub steps: Signal<Out, Bits<27>>,
    /// Answer's status, if all steps go well.
    pub status: Signal<Out, Bits<8>>,
    /// As a connection row, as far as it is judged here or has a use in few bits: `JUDGED`.
    pub conn: Signal<Out, ConnRow>,
    /// As a queue pair row.
    pub qp: Signal<Out, QpRow>,
    /// As a completion queue row.
    pub cq: Signal<Out, CqRow>,
    /// As a memory region row.
    pub mr: Signal<Out, MrRow>,
    /// As a ring.
    pub ring: Signal<Out, Ring>,
    /// As an acknowledgement.
    pub ack: Signal<Out, ConnAck>,
    /// As a slot of the send queue: it is the end of the stream, not a Terminate.
    pub slot_fin: Signal<Out, Bit>,
    tap: RowTap,
    /// A word beyond the fields of a connection row is not zero.
    beyond: Flop<Bit>,
    misfit: Flop<Bit>,
    un_conn: UnpackConnRow,
    un_qp: UnpackQpRow,
    un_cq: UnpackCqRow,
    un_mr: UnpackMrRow,
    un_ring: UnpackRing,
    un_ack: UnpackConnAck,
    qps: Const<Bits<17>>,
    cqs: Const<Bits<17>>,
    mrs: Const<Bits<17>>,
    most_emss: Const<Bits<16>>,
    on_look: Const<Bits<27>>,
    on_captured: Const<Bits<27>>,
    /// By kind of command: its opcode, words of its row, how many rows there are, its steps.
    opcode: [Const<Bits<8>>; COMMANDS],
    words_due: [Const<Bits<5>>; COMMANDS],
    rows: [Const<Bits<17>>; COMMANDS],
    plans: [Const<Bits<27>>; COMMANDS],
    need: Signal<Local, Bits<5>>,
    most: Signal<Local, Bits<17>>,
    plan: Signal<Local, Bits<27>>,
    known: Signal<Local, Bit>,
    wrong: Signal<Local, Bit>,
    broken: Signal<Local, Bit>,
    refusal: Signal<Local, Bits<8>>,
    op: Signal<Local, Bits<8>>,
    emss: Signal<Local, Bits<16>>,
    framed: Signal<Local, Bits<18>>,
    no_fit: Signal<Local, Bit>,
    no_cq: Signal<Local, Bit>,
}

impl<const C: usize, const Q: usize, const NQ: usize, const M: usize> AdminPlan<C, Q, NQ, M> {
    /// A reader for `2^C` queue pairs, `2^Q` completion queues and `2^M` memory regions; transmit
    /// sends segments of up to `most_emss` octets, whatever EMSS is.
    pub fn new(most_emss: usize) -> Self {
        assert!(C <= 8 && Q <= 16 && M <= 16, "an index has 16 bits, a queue pair's eight in the stages");
        assert!(NQ == 1 << Q, "{NQ} completion queues under numbers of {Q} bits");
        let (qps, cqs, mrs) = (1 << C, 1 << Q, 1 << M);
        let commands: [(u8, usize, usize, &[usize]); COMMANDS] = [
            (op::NOTHING, 0, qps, &[]),
            (op::CONN_INSERT, 18, qps, INSERT),
            (op::CONN_REMOVE, 0, qps, REMOVE),
            (op::CONN_ACK, 2, qps, &[step::NET_RX_TOLD]),
            (op::CONN_UPDATE, 18, qps, &[step::TCP_TX_INSERT, step::SQ_INSERT]),
            (op::MR_WRITE, 4, mrs, &[step::MR_WRITE]),
            (op::MR_REVOKE, 0, mrs, &[step::MR_REVOKE, step::DDP_TOKEN, step::SQ_TOKEN]),
            (op::QP_WRITE, 4, qps, QP),
            (op::CQ_WRITE, 2, cqs, &[step::CQ_WRITE, step::WRITTEN]),
            (op::READ_ROW, 0, qps, &[]),
            (op::EVENT_RING, 2, qps, &[step::EVENT_RING, step::WRITTEN]),
            (op::RAW_RX_RING, 2, qps, &[step::RAW_RX_RING, step::WRITTEN]),
            (op::RAW_TX_RING, 2, qps, &[step::RAW_TX_RING]),
            (op::CONN_CONTROL, 16, qps, &[step::SQ_CONTROL]),
            (op::CONN_RESET, 0, qps, &[step::TCP_TX_RESET]),
        ];
        let steps = |list: &[usize]| Const::of(list.iter().map(|&s| 1 << s).sum());
        Self {
            tap: RowTap::new(kept()),
            qps: Const::of(qps),
            cqs: Const::of(cqs),
            mrs: Const::of(mrs),
            most_emss: Const::of(most_emss),
            on_look: steps(&[step::NET_RX_LOOK, step::TCP_TX_LOOK]),
            on_captured: steps(&[step::MPA_TOKEN, step::DDP_TOKEN, step::WRITTEN]),
            opcode: commands.map(|(opcode, ..)| Const::of(opcode.into())),
            words_due: commands.map(|(_, words, ..)| Const::of(words)),
            rows: commands.map(|(_, _, rows, _)| Const::of(rows)),
            plans: commands.map(|(.., list)| steps(list)),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const C: usize, const Q: usize, const NQ: usize, const M: usize> Logic for AdminPlan<C, Q, NQ, M> {
    fn update(&mut self) {
        flops!(beyond, misfit);
        clocked!(tap);
        self.tap.write.next = self.write.val();
        self.tap.at.next = self.at.val();
        self.tap.word.next = self.word.val();
        if self.write.val() {
            if self.at.val() == 0 {
                self.beyond.d.next = false;
            }
            if (self.at.val() >= lit::<5>(FIRST_BEYOND)) && self.word.val().any() {
                self.beyond.d.next = true;
            }
        }
        self.un_conn.octets.next = self.tap.octets.val();
        let slot_opcode: Bits<8> = self.tap.octets.val().get_bits::<8>(0);
        self.slot_fin.next = slot_opcode == work_opcode::fin().val();
        self.un_qp.octets.next = self.tap.octets.val().get_bits::<256>(0);
        self.un_mr.octets.next = self.tap.octets.val().get_bits::<256>(0);
        self.un_cq.octets.next = self.tap.octets.val().get_bits::<128>(0);
        self.un_ring.octets.next = self.tap.octets.val().get_bits::<128>(0);
        self.un_ack.octets.next = self.tap.octets.val().get_bits::<128>(0);
        self.ack.next = self.un_ack.record.val();
        self.conn.next = self.un_conn.record.val();
        self.qp.next = self.un_qp.record.val();
        self.cq.next = self.un_cq.record.val();
        self.mr.next = self.un_mr.record.val();
        self.ring.next = self.un_ring.record.val();

        // The FPDU of a ULPDU of MULPDU octets must fit into a segment at every marker phase:
        // MULPDU of RFC 5044 section 4.5, with the segment that transmit can store in the place of
        // a larger EMSS.
        self.emss.next = self.un_conn.record.val().emss;
        if self.un_conn.record.val().emss > self.most_emss.val() {
            self.emss.next = self.most_emss.val();
        }
        let blocks: Bits<17> = bit_cast::<17, 16>(self.emss.val()) + 511;
        self.framed.next = bit_cast::<18, 16>(self.un_conn.record.val().mulpdu)
            + bit_cast::<18, 2>(self.emss.val().get_bits::<2>(0))
            + 6;
        if self.un_conn.record.val().tx_markers {
            self.framed.next = self.framed.val() + (bit_cast::<18, 8>(blocks.get_bits::<8>(9)) << 2);
        }
        // a cycle late: words of a row follow
        self.misfit.d.next = (self.un_conn.record.val().mulpdu < mpa::mulpdu_min().val())
            || (self.framed.val() > bit_cast::<18, 16>(self.emss.val()));

        // Both completion queues of a queue pair must be there.
        let send: Bits<Q> = bit_cast::<Q, 16>(self.un_qp.record.val().send_cq);
        let recv: Bits<Q> = bit_cast::<Q, 16>(self.un_qp.record.val().recv_cq);
        let cqs_there: Bit = (bit_cast::<17, 16>(self.un_qp.record.val().send_cq) < self.cqs.val())
            && (bit_cast::<17, 16>(self.un_qp.record.val().recv_cq) < self.cqs.val())
            && self.usable.val().get_bit(send.index())
            && self.usable.val().get_bit(recv.index());

        // By opcode: the steps, words of the row, how many rows there are; `wrong` is a field that
        // cannot be.
        self.op.next = self.head.val().opcode;
        let index: Bits<17> = bit_cast::<17, 16>(self.head.val().index);
        self.plan.next = 0.into();
        self.need.next = 0.into();
        self.most.next = self.qps.val();
        self.known.next = false;
        self.wrong.next = false;
        self.no_fit.next = false;
        self.no_cq.next = false;
        for i in 0..15 {
            if self.op.val() == self.opcode[i].val() {
                self.known.next = true;
                self.plan.next = self.plans[i].val();
                self.need.next = self.words_due[i].val();
                self.most.next = self.rows[i].val();
            }
        }
        if self.op.val() == admin_opcode::conn_insert().val() {
            self.wrong.next = (self.un_conn.record.val().snd_scale > 14)
                || (self.un_conn.record.val().rcv_scale > 14)
                || self.un_conn.record.val().timestamps
                || self.un_conn.record.val().sack
                || self.un_conn.record.val().ecn
                || self.beyond.q.val();
        }
        if (self.op.val() == admin_opcode::conn_insert().val())
            || (self.op.val() == admin_opcode::conn_update().val())
        {
            self.no_fit.next = self.misfit.q.val();
        }
        if self.op.val() == admin_opcode::conn_control().val() {
            self.wrong.next = (slot_opcode != bit_cast::<8, 4>(opcode::terminate().val()))
                && (slot_opcode != work_opcode::fin().val());
        }
        if self.op.val() == admin_opcode::qp_write().val() {
            self.wrong.next = (self.un_qp.record.val().state > 2)
                || (self.un_qp.record.val().sq_log2 > 15)
                || (self.un_qp.record.val().rq_log2 > 15)
                || (self.un_qp.record.val().ird > read_limit::ird().val())
                || (self.un_qp.record.val().ord > read_limit::ord().val())
                || self.un_qp.record.val().use_srq;
            self.no_cq.next = (self.un_qp.record.val().state != qp_state::reset().val()) && !cqs_there;
        }
        if self.op.val() == admin_opcode::cq_write().val() {
            self.wrong.next = self.un_cq.record.val().log2 > 16;
        }
        if self.op.val() == admin_opcode::read_row().val() {
            if (self.head.val().row == admin_row::conn().val())
                || (self.head.val().row == admin_row::path().val())
            {
                self.plan.next = self.on_look.val();
            }
            if self.head.val().row == admin_row::captured().val() {
                self.plan.next = self.on_captured.val();
            }
            if self.head.val().row == 2 {
                self.most.next = self.cqs.val();
            }
            if self.head.val().row == 3 {
                self.most.next = self.mrs.val();
            }
            if self.head.val().row == admin_row::raw_tx().val() {
                self.most.next = lit::<17>(1);
            }
            self.wrong.next = self.head.val().row > admin_row::path().val();
        }
        if (self.op.val() >= admin_opcode::event_ring().val())
            && (self.op.val() <= admin_opcode::raw_tx_ring().val())
        {
            self.wrong.next = self.un_ring.record.val().log2 > 16;
        }

        self.broken.next = self.bad.val() || (self.words.val() != self.need.val());
        self.refusal.next = 0.into();
        if self.no_fit.val() {
            self.refusal.next = admin_status::bad_mulpdu().val();
        }
        if self.no_cq.val() {
            self.refusal.next = admin_status::bad_cq().val();
        }
        if self.wrong.val() || self.broken.val() {
            self.refusal.next = admin_status::bad_row().val();
        }
        if index >= self.most.val() {
            self.broken.next = true;
            self.refusal.next = admin_status::bad_index().val();
        }
        if !self.known.val() {
            self.broken.next = true;
            self.refusal.next = admin_status::bad_opcode().val();
        }
        self.status.next = self.refusal.val();
        self.whole.next = !self.broken.val();
        self.steps.next = 0.into();
        if !self.refusal.val().any() {
            self.steps.next = self.plan.val();
        }
    }
}
