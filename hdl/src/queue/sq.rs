// SPDX-License-Identifier: MIT OR Apache-2.0
//! Send queue: from doorbells to ULPDUs, and from acknowledged octets to completions.
use super::sq_control::SqControl;
use super::sq_faults::SqFaults;
use super::sq_fetch::SqFetch;
use super::sq_mute::SqMute;
use super::sq_pulses::SqPulses;
use super::sq_reads::SqReads;
use super::sq_responder::SqResponder;
use super::sq_ring::SqRing;
use super::sq_rows::{turn_kind, SqTurn};
use super::sq_sched::SqSched;
use super::sq_token::SqToken;
use super::sq_work::SqWork;
use crate::cell::Const;
use crate::ddp::{TxPath, TxRequest};
use crate::gen::{Doorbell, Event, QpRow};
use crate::record::{
    CiteSource, CqeItem, Fault, Grant, MrAsk, MrSay, Quoted, ReadOut, ReadRequest, Reserve, TxBack, TxFpdu,
    TxLimits, TxStart,
};
use crate::stream::{ItemSink, ItemSource, Slot, StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// The send queues of `NC = 2^C` queue pairs, with in-flight rings of `2^R` messages. `CW` =
/// `C + 4`, `CR` = `C + 6`, `RI` = `R + 1`, `RA` = `C + R`.
///
/// **Contract.** ULPDU frames on `tx` and items on `fpdu` are in one order, for each queue pair
/// that of the reservations; an item may be taken long before its frame. Both DMA read clients take
/// answers in any order, in pieces that end at addresses divisible by 64, at any time. Every
/// channel may wait; while `fault`, `done` or `tx` wait, so does what is behind them.
#[derive(LogicBlock, Default)]
pub struct Sq<
    const C: usize,
    const NC: usize,
    const CW: usize,
    const CR: usize,
    const R: usize,
    const RI: usize,
    const RA: usize,
> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset; rows are then scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// Queue pairs in error: they get no turn, and nothing of them completes.
    pub dead: Signal<In, Bits<NC>>,
    /// Queue pair to set up; nothing of it is under way, or it is in error.
    pub qpw_qp: Signal<In, Bits<C>>,
    /// Its row.
    pub qpw_row: Signal<In, QpRow>,
    /// Offered.
    pub qpw_valid: Signal<In, Bit>,
    /// Written.
    pub qpw_ready: Signal<Out, Bit>,
    /// Connection to insert: MULPDU counts; MSN, stream offset and in-flight ring begin anew.
    pub ins_qp: Signal<In, Bits<C>>,
    /// What its row says of messages and segments.
    pub ins_limits: Signal<In, TxLimits>,
    /// Its markers.
    pub ins_start: Signal<In, TxStart>,
    /// The connection lives: MULPDU alone counts, from the next message on.
    pub ins_update: Signal<In, Bit>,
    /// Offered.
    pub ins_valid: Signal<In, Bit>,
    /// Written.
    pub ins_ready: Signal<Out, Bit>,
    /// Doorbell of a send queue.
    pub db: ItemSink<Doorbell>,
    /// Pulse: a doorbell was ignored.
    pub bad_db: Signal<Out, Bit>,
    /// Read Request of a peer, delivered.
    pub rr: ItemSink<ReadRequest>,
    /// Queue pair that may take one Read Request more.
    pub rr_free_qp: Signal<Out, Bits<C>>,
    /// Pulse: it may.
    pub rr_free_valid: Signal<Out, Bit>,
    /// RDMA Read of our own that is about to be asked for.
    pub ro: ItemSource<ReadOut>,
    /// Queue pair whose oldest outstanding RDMA Read has its whole response.
    pub rdone_qp: Signal<In, Bits<C>>,
    /// Pulse: it has.
    pub rdone_valid: Signal<In, Bit>,
    /// Queue pair that is to send a Terminate, or end its stream.
    pub ctl_qp: Signal<In, Bits<C>>,
    /// It ends, else there is a slot: a Terminate inline.
    pub ctl_fin: Signal<In, Bit>,
    /// Word of the slot, which is in the form of a `SendWqe`, that is wanted.
    pub cmd_at: Signal<Out, Bits<4>>,
    /// That word, a cycle later, octet 0 in bits 7:0.
    pub cmd_word: Signal<In, Bits<64>>,
    /// Offered.
    pub ctl_valid: Signal<In, Bit>,
    /// Kept.
    pub ctl_ready: Signal<Out, Bit>,
    /// Read of a WQE: IOVA.
    pub wqe_req_addr: Signal<Out, Bits<64>>,
    /// Its octets: 128.
    pub wqe_req_length: Signal<Out, Bits<13>>,
    /// Its tag: the queue pair.
    pub wqe_req_tag: Signal<Out, Bits<8>>,
    /// Offered.
    pub wqe_req_valid: Signal<Out, Bit>,
    /// Taken.
    pub wqe_req_ready: Signal<In, Bit>,
    /// Answers.
    pub wqe_ans: StreamSink<64, 4>,
    /// Tag of the frame.
    pub wqe_ans_tag: Signal<In, Bits<8>>,
    /// The frame is the last of its read.
    pub wqe_ans_final: Signal<In, Bit>,
    /// Read of payload: IOVA.
    pub pay_req_addr: Signal<Out, Bits<64>>,
    /// Its octets, 1 to 512.
    pub pay_req_length: Signal<Out, Bits<13>>,
    /// Its tag, 0 to 27.
    pub pay_req_tag: Signal<Out, Bits<8>>,
    /// Offered.
    pub pay_req_valid: Signal<Out, Bit>,
    /// Taken.
    pub pay_req_ready: Signal<In, Bit>,
    /// Answers.
    pub pay_ans: StreamSink<64, 4>,
    /// Tag of the frame.
    pub pay_ans_tag: Signal<In, Bits<8>>,
    /// The frame is the last of its read.
    pub pay_ans_final: Signal<In, Bit>,
    /// Check of local memory.
    pub mr_ask: ItemSource<MrAsk>,
    /// Its answer.
    pub mr_say: ItemSink<MrSay>,
    /// Octets of the stream that a segment wants.
    pub res: ItemSource<Reserve>,
    /// Its answer.
    pub grant: ItemSink<Grant>,
    /// Queue pair for which there is room again after a refusal.
    pub wake_qp: Signal<In, Bits<C>>,
    /// Pulse: there is.
    pub wake_valid: Signal<In, Bit>,
    /// A region was revoked, or queue pair `qpw_qp` ends: offered until `tok_ready`.
    pub tok_valid: Signal<In, Bit>,
    /// In this cycle: no payload is being read whose check was taken before; nothing of a queue
    /// pair that is in reset is read or told.
    pub tok_ready: Signal<Out, Bit>,
    /// ULPDUs.
    pub tx: StreamSource<64, 4>,
    /// Room of a segment that never leaves.
    pub back: ItemSource<TxBack>,
    /// Pulse: an item was taken on `fpdu`. The token of an end waits for all items that were
    /// reserved before.
    pub announced: Signal<Out, Bit>,
    /// An FPDU is under way.
    pub owes: Signal<Out, Bit>,
    /// Its queue pair; while no FPDU can leave, that of one that waits.
    pub owed_qp: Signal<Out, Bits<C>>,
    /// What MPA and TCP need of each.
    pub fpdu: ItemSource<TxFpdu>,
    /// Queue pair of which octets were acknowledged.
    pub una_qp: Signal<In, Bits<C>>,
    /// Octets acknowledged since the insert, modulo 2^40.
    pub una_offset: Signal<In, Bits<40>>,
    /// Pulse: they are.
    pub una_valid: Signal<In, Bit>,
    /// Queue pair of which everything that is not acknowledged has to leave again.
    pub rto_qp: Signal<In, Bits<C>>,
    /// Pulse: it has.
    pub rto_valid: Signal<In, Bit>,
    /// Completion of a signaled work request.
    pub done: ItemSource<CqeItem>,
    /// `fin_acked`: the end of our side of a stream is acknowledged.
    pub event: ItemSource<Event>,
    /// What went wrong.
    pub fault: ItemSource<Fault>,
    /// The Read Request that it quotes.
    pub fault_quote: Signal<Out, Quoted>,
    /// Its octets, if there is one.
    pub fault_words: CiteSource,
    sched: SqSched<C, NC>,
    fetch: SqFetch<C, NC, CW>,
    work: SqWork<C, CW>,
    ring: SqRing<C, NC, R, RI, RA>,
    responder: SqResponder<C, CR>,
    control: SqControl<C, NC, CW>,
    reads: SqReads<C>,
    request: TxRequest,
    wakes: SqPulses<C, NC>,
    rtos: SqPulses<C, NC>,
    faults: SqFaults,
    path: TxPath<C, NC, CW>,
    token: SqToken,
    mute: SqMute<C, NC>,
    woken: Slot<Bits<C>>,
    first_word: Const<Bits<CW>>,
    wqe: Const<Bits<2>>,
    response: Const<Bits<2>>,
    at_work: Signal<Local, SqTurn>,
    set_row: Signal<Local, QpRow>,
    word_address: Signal<Local, Bits<CW>>,
    word_enable: Signal<Local, Bit>,
    slot_word: Signal<Local, Bits<64>>,
    may_insert: Signal<Local, Bit>,
    fresh: Signal<Local, Bit>,
    renewed: Signal<Local, Bit>,
}

impl<
        const C: usize,
        const NC: usize,
        const CW: usize,
        const CR: usize,
        const R: usize,
        const RI: usize,
        const RA: usize,
    > Sq<C, NC, CW, CR, R, RI, RA>
{
    /// No queue pair is set up; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        Self {
            sched: SqSched::new(),
            fetch: SqFetch::new(),
            work: SqWork::new(),
            ring: SqRing::new(),
            responder: SqResponder::new(),
            control: SqControl::new(),
            mute: SqMute::new(),
            wqe: Const::of(turn_kind::WQE),
            response: Const::of(turn_kind::RESPONSE),
            wakes: SqPulses::new(),
            rtos: SqPulses::new(),
            path: TxPath::new(),
            first_word: Const::of(4),
            faults: SqFaults::new(),
            ..Default::default()
        }
    }
}

impl<
        const C: usize,
        const NC: usize,
        const CW: usize,
        const CR: usize,
        const R: usize,
        const RI: usize,
        const RA: usize,
    > Logic for Sq<C, NC, CW, CR, R, RI, RA>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, sched, fetch, work, ring, wakes, rtos, woken, faults, path);
        clock!(self, clock, token, mute, responder, control, reads, request);
        self.woken.reset.next = self.reset.val();
        self.sched.reset.next = self.reset.val();
        self.fetch.reset.next = self.reset.val();
        self.work.reset.next = self.reset.val();
        self.ring.reset.next = self.reset.val();
        self.responder.reset.next = self.reset.val();
        self.control.reset.next = self.reset.val();
        self.wakes.reset.next = self.reset.val();
        self.rtos.reset.next = self.reset.val();
        self.faults.reset.next = self.reset.val();
        self.path.reset.next = self.reset.val();
        self.token.reset.next = self.reset.val();
        self.mute.reset.next = self.reset.val();

        self.at_work.next = self.work.at_work.val();

        // Set-up and doorbells.
        self.sched.dead.next = self.dead.val();
        self.sched.mute.next = self.mute.q.val();
        self.sched.qpw_qp.next = self.qpw_qp.val();
        self.sched.qpw_row.next = self.qpw_row.val();
        self.mute.qp.next = self.qpw_qp.val();
        self.mute.row.next = self.qpw_row.val();
        self.mute.written.next = self.qpw_valid.val() && self.sched.qpw_ready.val();
        self.sched.qpw_valid.next = self.qpw_valid.val();
        self.qpw_ready.next = self.sched.qpw_ready.val();
        self.sched.db.item.next = self.db.item.val();
        self.sched.db.valid.next = self.db.valid.val();
        self.db.ready.next = self.sched.db.ready.val();
        self.bad_db.next = self.sched.bad.val();
        // An insert is written everywhere in one cycle, between two turns.
        self.may_insert.next =
            self.work.fresh_ready.val() && self.ring.fresh_ready.val() && self.responder.fresh_ready.val();
        self.ins_ready.next = self.may_insert.val();
        self.renewed.next = self.ins_valid.val() && self.may_insert.val();
        self.fresh.next = self.renewed.val() && !self.ins_update.val();
        self.work.renewed.next = self.renewed.val();
        self.work.fresh.next = self.fresh.val();
        self.work.fresh_qp.next = self.ins_qp.val();
        self.work.fresh_limits.next = self.ins_limits.val();
        self.sched.fresh.next = self.fresh.val();
        self.sched.fresh_qp.next = self.ins_qp.val();
        self.ring.fresh.next = self.fresh.val();
        self.ring.fresh_qp.next = self.ins_qp.val();
        self.ring.fresh_start.next = self.ins_start.val();
        self.path.fresh.next = self.fresh.val();
        self.path.fresh_qp.next = self.ins_qp.val();
        self.responder.fresh.next = self.fresh.val();
        self.responder.fresh_qp.next = self.ins_qp.val();
        self.control.fresh.next = self.fresh.val();
        self.control.fresh_qp.next = self.ins_qp.val();
        self.mute.fresh.next = self.fresh.val();
        self.mute.fresh_qp.next = self.ins_qp.val();
        self.reads.fresh.next = self.fresh.val();
        self.reads.fresh_qp.next = self.ins_qp.val();

        // What others than the host want to be sent.
        self.responder.rr.item.next = self.rr.item.val();
        self.responder.rr.valid.next = self.rr.valid.val();
        self.rr.ready.next = self.responder.rr.ready.val();
        self.rr_free_qp.next = self.responder.free_qp.val();
        self.rr_free_valid.next = self.responder.free_valid.val();
        self.sched.came_qp.next = self.responder.came_qp.val();
        self.sched.came_valid.next = self.responder.came_valid.val();
        self.responder.came_take.next = self.sched.came_take.val();
        self.responder.sent_qp.next = self.work.ring_qp.val();
        self.responder.sent.next = self.work.response_sent.val();
        self.responder.acked_qp.next = self.ring.retire_qp.val();
        self.responder.acked.next = self.ring.response_retires.val();
        self.control.ctl_qp.next = self.ctl_qp.val();
        self.control.ctl_fin.next = self.ctl_fin.val();
        self.cmd_at.next = self.control.cmd_at.val();
        self.control.cmd_word.next = self.cmd_word.val();
        self.control.ctl_valid.next = self.ctl_valid.val();
        self.ctl_ready.next = self.control.ctl_ready.val();
        self.sched.asked_qp.next = self.control.asked_qp.val();
        self.sched.asked_fin.next = self.control.asked_fin.val();
        self.sched.asked_valid.next = self.control.asked_valid.val();
        self.control.asked_take.next = self.sched.asked_take.val();

        // RDMA Reads of our own.
        self.reads.turn_qp.next = self.work.ring_qp.val();
        self.work.outstanding.next = self.reads.outstanding.val();
        self.reads.sent.next = self.work.read_sent.val();
        self.reads.rdone_qp.next = self.rdone_qp.val();
        self.reads.rdone.next = self.rdone_valid.val();
        self.reads.ring_qp.next = self.ring.retire_qp.val();
        self.ring.finished.next = self.reads.finished.val();
        self.reads.retires.next = self.ring.read_retires.val();
        self.ring.rdone_qp.next = self.rdone_qp.val();
        self.ring.rdone.next = self.rdone_valid.val();
        self.request.wr.next = self.work.wr.val();
        self.request.sge.next = self.work.sge.val();
        self.request.on.next = self.work.is_read.val();
        self.request.qp.next = self.at_work.val().qp;
        self.ro.item.next = self.request.read.val();
        self.ro.valid.next = self.work.offer_valid.val();
        self.work.offer_ready.next = self.ro.ready.val();

        // What leaves again.
        self.rtos.pulse_qp.next = self.rto_qp.val();
        self.rtos.pulse_valid.next = self.rto_valid.val();
        self.sched.rto_qp.next = self.rtos.qp.val();
        self.sched.rto_valid.next = self.rtos.valid.val();
        self.rtos.take.next = self.sched.rto_take.val();
        self.ring.replays.next = self.work.replays.val();
        self.ring.look.next = self.work.look.val();
        self.ring.restart.next = self.work.restart.val();
        self.work.again_ready.next = self.ring.ready.val();
        self.work.again_over.next = self.ring.over.val();
        self.work.again_reach.next = self.ring.again_reach.val();
        self.work.again_moved.next = self.ring.moved.val();
        self.work.again_entry.next = self.ring.again.val();
        self.work.again_row.next = self.ring.row.val();
        self.ring.after.next = self.work.again_after.val();
        self.ring.step.next = self.work.again_step.val();
        self.ring.last.next = self.work.again_last.val();
        self.work.again_ends.next = self.ring.ends.val();

        // Who is woken: by TCP, or by a ring that has room again.
        self.wakes.pulse_qp.next = self.wake_qp.val();
        self.wakes.pulse_valid.next = self.wake_valid.val();
        self.woken.rx.item.next = self.wakes.qp.val();
        self.woken.rx.valid.next = self.wakes.valid.val() || self.ring.freed_valid.val();
        self.wakes.take.next = self.woken.rx.ready.val() && !self.ring.freed_valid.val();
        self.ring.freed_take.next = self.woken.rx.ready.val();
        if self.ring.freed_valid.val() {
            self.woken.rx.item.next = self.ring.freed_qp.val();
        }
        self.sched.wake_qp.next = self.woken.tx.item.val();
        self.sched.wake_valid.next = self.woken.tx.valid.val();
        self.woken.tx.ready.next = self.sched.wake_take.val();

        // WQEs.
        self.fetch.job.next = self.sched.fetch.val();
        self.fetch.job_valid.next = self.sched.fetch_valid.val();
        self.sched.fetch_take.next = self.fetch.job_take.val();
        self.wqe_req_addr.next = self.fetch.req_addr.val();
        self.wqe_req_length.next = self.fetch.req_length.val();
        self.wqe_req_tag.next = self.fetch.req_tag.val();
        self.wqe_req_valid.next = self.fetch.req_valid.val();
        self.fetch.req_ready.next = self.wqe_req_ready.val();
        StreamSink::<64, 4>::link(&mut self.wqe_ans, &mut self.fetch.ans);
        self.fetch.ans_tag.next = self.wqe_ans_tag.val();
        self.fetch.ans_final.next = self.wqe_ans_final.val();
        self.sched.landed.next = self.fetch.landed.val();
        self.sched.landed_valid.next = self.fetch.landed_valid.val();
        self.fetch.landed_take.next = self.sched.landed_take.val();

        // A word of the slot at work: the WQE's, the response's or the Terminate's.
        self.word_enable.next = self.work.word_enable.val() || self.path.word_enable.val();
        self.word_address.next = self.work.word_address.val();
        if self.path.word_enable.val() {
            self.word_address.next = self.path.word_address.val();
        }
        self.fetch.word_enable.next = self.word_enable.val();
        self.fetch.word_address.next = self.word_address.val();
        self.fetch.word_again.next = self.at_work.val().replay;
        self.control.word_enable.next = self.word_enable.val();
        self.control.word_address.next = self.word_address.val();
        self.responder.word_enable.next = self.word_enable.val();
        self.responder.word_qp.next = bit_cast::<C, 8>(self.at_work.val().qp);
        self.responder.word_slot.next = bit_cast::<4, 32>(self.at_work.val().index);
        self.responder.word_index.next = self.word_address.val().get_bits::<3>(0);
        self.slot_word.next = self.control.word.val();
        if self.at_work.val().kind == self.wqe.val() {
            self.slot_word.next = self.fetch.word.val();
        }
        if self.at_work.val().kind == self.response.val() {
            self.slot_word.next = self.responder.word.val();
        }
        self.work.word.next = self.slot_word.val();
        self.request.word_enable.next = self.word_enable.val();
        self.request.word_index.next = self.word_address.val().get_bits::<2>(0);
        self.request.slot_word.next = self.slot_word.val();
        self.path.word.next = self.request.word.val();
        self.path.copy.next = self.work.inline_start.val();
        self.path.copy_octets.next = self.work.inline_octets.val();
        self.path.copy_first.next = (bit_cast::<CW, C>(self.work.ring_qp.val()) << 4) | self.first_word.val();
        self.work.inline_busy.next = self.path.copies.val();

        // Turns.
        self.work.turn.next = self.sched.turn.val();
        self.work.turn_valid.next = self.sched.turn_valid.val();
        self.sched.turn_take.next = self.work.turn_take.val();
        self.sched.result.next = self.work.result.val();
        self.sched.result_valid.next = self.work.result_valid.val();
        self.work.result_take.next = self.sched.result_take.val();
        self.mr_ask.item.next = self.work.ask.item.val();
        self.mr_ask.valid.next = self.work.ask.valid.val();
        self.work.ask.ready.next = self.mr_ask.ready.val();
        self.work.say.item.next = self.mr_say.item.val();
        self.work.say.valid.next = self.mr_say.valid.val();
        self.mr_say.ready.next = self.work.say.ready.val();
        self.res.item.next = self.work.res.item.val();
        self.res.valid.next = self.work.res.valid.val();
        self.work.res.ready.next = self.res.ready.val();
        self.work.grant.item.next = self.grant.item.val();
        self.work.grant.valid.next = self.grant.valid.val();
        self.grant.ready.next = self.work.grant.ready.val();
        self.work.hand_ready.next = self.path.room.val();
        self.path.claim.next = self.work.hand.val();
        self.path.head.next = self.work.head.val();
        self.path.fpdu.next = self.work.fpdu.val();
        self.path.ask_qp.next = self.sched.ask_qp.val();
        self.path.under.next = !self.work.fresh_ready.val();
        self.sched.room.next = self.path.room.val();
        // an end begins when all before it has left or given its room back
        self.sched.share.next = self.path.share.val() && (self.path.none.val() || !self.sched.last.val());
        self.sched.late.next = self.path.late.val() || self.sched.last.val();
        self.announced.next = self.path.fpdu_valid.val() && self.fpdu.ready.val();
        self.owes.next = self.path.used.val().any();
        self.owed_qp.next = self.path.owed_qp.val();
        self.fpdu.item.next = self.path.fpdu_item.val();
        self.fpdu.valid.next = self.path.fpdu_valid.val();
        self.path.fpdu_ready.next = self.fpdu.ready.val();
        self.back.item.next = self.path.back.item.val();
        self.back.valid.next = self.path.back.valid.val();
        self.path.back.ready.next = self.back.ready.val();

        // In flight.
        self.ring.dead.next = self.dead.val() | self.mute.q.val();
        self.ring.turn_qp.next = self.work.ring_qp.val();
        self.work.ring_full.next = self.ring.full.val();
        self.ring.starve.next = self.work.starve.val();
        self.ring.entry.next = self.work.entry.val();
        self.ring.push.next = self.work.push.val();
        self.ring.first.next = self.work.first.val();
        self.ring.cut.next = self.work.cut.val();
        self.ring.start.next = self.work.start.val();
        self.ring.set_qp.next = self.qpw_qp.val();
        self.set_row.next = self.qpw_row.val();
        self.ring.set_cq.next = self.set_row.val().send_cq;
        self.ring.set_valid.next = self.qpw_valid.val() && self.sched.qpw_ready.val();
        self.ring.una_qp.next = self.una_qp.val();
        self.ring.una_offset.next = self.una_offset.val();
        self.ring.una_valid.next = self.una_valid.val();
        self.done.item.next = self.ring.done.item.val();
        self.done.valid.next = self.ring.done.valid.val();
        self.ring.done.ready.next = self.done.ready.val();
        self.event.item.next = self.ring.event.item.val();
        self.event.valid.next = self.ring.event.valid.val();
        self.ring.event.ready.next = self.event.ready.val();

        // Payload.
        self.path.range.item.next = self.work.range.item.val();
        self.path.range.valid.next = self.work.range.valid.val();
        self.work.range.ready.next = self.path.range.ready.val();
        self.pay_req_addr.next = self.path.req_addr.val();
        self.pay_req_length.next = self.path.req_length.val();
        self.pay_req_tag.next = self.path.req_tag.val();
        self.pay_req_valid.next = self.path.req_valid.val();
        self.path.req_ready.next = self.pay_req_ready.val();
        StreamSink::<64, 4>::link(&mut self.pay_ans, &mut self.path.ans);
        self.path.ans_tag.next = self.pay_ans_tag.val();
        self.path.ans_final.next = self.pay_ans_final.val();
        StreamSource::<64, 4>::link(&mut self.tx, &mut self.path.tx);

        // What a revoked region is still read for, or a queue pair that ends.
        self.token.given.next = !self.sched.turn_valid.val() || self.work.turn_take.val();
        self.token.quiet.next = !self.sched.fetch_valid.val()
            && !self.fetch.under.val().get_bit(self.qpw_qp.val().index())
            && (!self.ring.done.valid.val() || self.done.ready.val())
            && (!self.ring.event.valid.val() || self.event.ready.val())
            && !self.sched.fault_valid.val()
            && !self.work.fault_valid.val()
            && !self.path.fault_valid.val()
            && !self.faults.tx.valid.val();
        self.token.valid.next = self.tok_valid.val();
        self.tok_ready.next = self.token.ready.val();
        self.token.between.next = self.work.fresh_ready.val();
        self.token.used.next = self.path.used.val();
        self.token.over.next = self.path.over.val();

        // Faults: of a doorbell, of a WQE, of a read.
        self.faults.a.item.next = self.sched.fault.val();
        self.faults.a.valid.next = self.sched.fault_valid.val();
        self.sched.fault_take.next = self.faults.a.ready.val();
        self.faults.b.next = self.work.fault.val();
        self.faults.b_quote.next = self.work.fault_quote.val();
        self.faults.b_request.next = self.work.fault_request.val();
        self.faults.b_valid.next = self.work.fault_valid.val();
        self.work.fault_take.next = self.faults.b_ready.val();
        self.faults.c.item.next = self.path.fault.val();
        self.faults.c.valid.next = self.path.fault_valid.val();
        self.path.fault_take.next = self.faults.c.ready.val();
        self.fault.item.next = self.faults.tx.item.val();
        self.fault_quote.next = self.faults.tx_quote.val();
        CiteSource::link(&mut self.fault_words, &mut self.faults.tx_words);
        self.fault.valid.next = self.faults.tx.valid.val();
        self.faults.tx.ready.next = self.fault.ready.val();
    }
}
