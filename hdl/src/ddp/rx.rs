// SPDX-License-Identifier: MIT OR Apache-2.0
//! DDP receive: checked ULPDUs in, octets at their addresses and completions out.
use super::rx_cite::RxCite;
use super::rx_deliver::RxDeliver;
use super::rx_dice::RxDice;
use super::rx_events::RxEvents;
use super::rx_fence::RxFence;
use super::rx_head::RxHead;
use super::rx_judge::RxJudge;
use super::rx_resolve::RxResolve;
use super::rx_row::{RxFpdu, RxJob, RxPart};
use super::rx_token::RxToken;
use crate::gen::{Event, QpRow};
use crate::record::{CiteSource, CqeItem, Fault, MrAsk, MrSay, Quoted, ReadOut, ReadRequest, Rqe};
use crate::stream::{Hold, ItemSink, ItemSource, Queue, StreamSink, StreamSource, Trail};
use rust_hdl::prelude::*;

/// The receive stage at 64 bits for `NC` = `2^C` queue pairs, `R` = `C` + 4, `A` = `C` + 2; a
/// connection is a queue pair.
#[derive(LogicBlock, Default)]
pub struct DdpRx<const C: usize, const NC: usize, const R: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Rows are scrubbed: rows, streams and FPDUs are taken.
    pub scrubbed: Signal<Out, Bit>,
    /// Queue pair whose row is written; no FPDU of it may be in the stage.
    pub qpw_qp: Signal<In, Bits<C>>,
    /// The row.
    pub qpw_row: Signal<In, QpRow>,
    /// Offered.
    pub qpw_valid: Signal<In, Bit>,
    /// Taken.
    pub qpw_ready: Signal<Out, Bit>,
    /// Queue pair whose stream begins: its next MSN is 1; no FPDU of it may be in the stage.
    pub ins_qp: Signal<In, Bits<C>>,
    /// Offered.
    pub ins_valid: Signal<In, Bit>,
    /// Taken.
    pub ins_ready: Signal<Out, Bit>,
    /// Queue pairs in error: their FPDUs are dropped.
    pub dead: Signal<In, Bits<NC>>,
    /// Queue pair of an FPDU or verdict.
    pub fpdu_conn: Signal<In, Bits<C>>,
    /// One of `mpa::verdict`; only a good one has a frame on `rx`.
    pub fpdu_verdict: Signal<In, Bits<3>>,
    /// ULPDU_Length in octets: the length of the frame.
    pub fpdu_length: Signal<In, Bits<16>>,
    /// Offered no later than the frame's first beat.
    pub fpdu_valid: Signal<In, Bit>,
    /// Taken.
    pub fpdu_ready: Signal<Out, Bit>,
    /// ULPDUs, a frame each, octet 0 first.
    pub rx: StreamSink<64, 4>,
    /// Check of a region.
    pub chk: ItemSource<MrAsk>,
    /// Answer, one a check, in order.
    pub ans: ItemSink<MrSay>,
    /// Queue pair that needs a receive.
    pub take_qp: Signal<Out, Bits<C>>,
    /// Offered.
    pub take_valid: Signal<Out, Bit>,
    /// Taken.
    pub take_ready: Signal<In, Bit>,
    /// The receive, or that there is none; one a take, in order.
    pub rqe: ItemSink<Rqe>,
    /// Where the next frame of `place` goes; no frame crosses 4 KiB.
    pub place_cmd_addr: Signal<Out, Bits<64>>,
    /// Its octets, 1 to 4096.
    pub place_cmd_length: Signal<Out, Bits<13>>,
    /// Offered with or before the frame's first beat.
    pub place_cmd_valid: Signal<Out, Bit>,
    /// Taken.
    pub place_cmd_ready: Signal<In, Bit>,
    /// Octets to place.
    pub place: StreamSource<64, 4>,
    /// Completion of a receive, after all octets of its message and of earlier ones were handed
    /// over.
    pub deliver: ItemSource<CqeItem>,
    /// STag that a peer invalidates.
    pub inv_stag: Signal<Out, Bits<32>>,
    /// Queue pair of that peer.
    pub inv_qp: Signal<Out, Bits<8>>,
    /// Offered.
    pub inv_valid: Signal<Out, Bit>,
    /// Taken.
    pub inv_ready: Signal<In, Bit>,
    /// The region is no longer valid; otherwise the peer may not.
    pub invd_ok: Signal<In, Bit>,
    /// Offered.
    pub invd_valid: Signal<In, Bit>,
    /// Taken.
    pub invd_ready: Signal<Out, Bit>,
    /// Read Request of the peer, when all that was placed before it is out of the device.
    pub rr: ItemSource<ReadRequest>,
    /// Queue pair whose oldest Read Request is answered: the last octet was sent for the first
    /// time.
    pub rr_free_qp: Signal<In, Bits<C>>,
    /// In this cycle.
    pub rr_free_valid: Signal<In, Bit>,
    /// Posted writes begun, modulo 2^16.
    pub posted_accepted: Signal<In, Bits<16>>,
    /// Posted writes on the bus, modulo 2^16.
    pub posted_left: Signal<In, Bits<16>>,
    /// A region was revoked, or a queue pair ends: offered until `tok_ready`.
    pub tok_valid: Signal<In, Bit>,
    /// In this cycle: all octets whose checks were taken before are out of the device, and what
    /// came before is told.
    pub tok_ready: Signal<Out, Bit>,
    /// Read of ours, before its Request leaves.
    pub ro: ItemSink<ReadOut>,
    /// Queue pair whose oldest Read is done: its octets were handed over.
    pub rdone_qp: Signal<Out, Bits<C>>,
    /// In this cycle.
    pub rdone_valid: Signal<Out, Bit>,
    /// Queue pair with the first good FPDU of its stream.
    pub first_qp: Signal<Out, Bits<C>>,
    /// In this cycle.
    pub first_valid: Signal<Out, Bit>,
    /// The first FPDU of a stream, and a peer's Terminate.
    pub event: ItemSource<Event>,
    /// The first fault of a queue pair.
    pub fault: ItemSource<Fault>,
    /// The segment that caused it.
    pub fault_quote: Signal<Out, Quoted>,
    /// Its octets, if there is one.
    pub fault_words: CiteSource,

    fpdus: Queue<RxFpdu, 3>,
    front: RxHead,
    resolve: RxResolve<C, NC, R, A>,
    asks: Hold<MrAsk>,
    jobs: Trail<RxJob>,
    judge: RxJudge<C, NC>,
    parts: Queue<RxPart, 3>,
    dice: RxDice,
    delivery: RxDeliver<C>,
    pending: Queue<ReadRequest, 2>,
    fence: RxFence,
    token: RxToken,
    terms: Hold<Event>,
    events: RxEvents<C, NC>,
    cite: RxCite,
    faults: Hold<Fault>,
    /// In step with `faults`.
    quotes: Hold<Quoted>,
    fpdu: Signal<Local, RxFpdu>,
}

impl<const C: usize, const NC: usize, const R: usize, const A: usize> DdpRx<C, NC, R, A> {
    /// A receive stage for `NC` queue pairs.
    pub fn new() -> Self {
        assert!(NC == 1 << C && (1..=8).contains(&C), "{NC} queue pairs with numbers of {C} bits");
        assert!(R == C + 4, "rings of 16 Reads for 2^{C} queue pairs have 2^{} slots, not 2^{R}", C + 4);
        Self {
            front: RxHead::new(),
            resolve: RxResolve::new(),
            judge: RxJudge::new(),
            cite: RxCite::new(),
            dice: RxDice::new(),
            delivery: RxDeliver::new(),
            events: RxEvents::new(),
            ..Default::default()
        }
    }
}

impl<const C: usize, const NC: usize, const R: usize, const A: usize> Logic for DdpRx<C, NC, R, A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, fpdus, front, resolve, asks, jobs, judge, parts, dice, delivery, faults);
        clock!(self, clock, pending, fence, token, terms, events, quotes, cite);
        self.fpdus.reset.next = self.reset.val();
        self.front.reset.next = self.reset.val();
        self.resolve.reset.next = self.reset.val();
        self.asks.reset.next = self.reset.val();
        self.jobs.reset.next = self.reset.val();
        self.judge.reset.next = self.reset.val();
        self.parts.reset.next = self.reset.val();
        self.dice.reset.next = self.reset.val();
        self.delivery.reset.next = self.reset.val();
        self.faults.reset.next = self.reset.val();
        self.quotes.reset.next = self.reset.val();
        self.cite.reset.next = self.reset.val();
        self.pending.reset.next = self.reset.val();
        self.fence.reset.next = self.reset.val();
        self.token.reset.next = self.reset.val();
        self.terms.reset.next = self.reset.val();
        self.events.reset.next = self.reset.val();
        self.scrubbed.next = self.resolve.scrubbed.val();

        // Rows.
        self.resolve.qpw_qp.next = self.qpw_qp.val();
        self.resolve.qpw_row.next = self.qpw_row.val();
        self.resolve.qpw_valid.next = self.qpw_valid.val();
        self.qpw_ready.next = self.resolve.qpw_ready.val();
        self.resolve.ins_qp.next = self.ins_qp.val();
        self.resolve.ins_valid.next = self.ins_valid.val();
        self.ins_ready.next = self.resolve.ins_ready.val();
        self.resolve.dead.next = self.dead.val();
        self.resolve.stopped.next = self.judge.stopped.val();
        self.judge.dead.next = self.dead.val();
        self.judge.clear.next = self.resolve.clear.val();
        self.judge.clear_qp.next = self.resolve.clear_qp.val();

        // FPDUs and their heads.
        self.fpdu.next.qp = bit_cast::<8, C>(self.fpdu_conn.val());
        self.fpdu.next.verdict = self.fpdu_verdict.val();
        self.fpdu.next.length = self.fpdu_length.val();
        self.fpdus.rx.item.next = self.fpdu.val();
        self.fpdus.rx.valid.next = self.fpdu_valid.val();
        self.fpdu_ready.next = self.fpdus.rx.ready.val();
        self.resolve.fpdu.item.next = self.fpdus.tx.item.val();
        self.resolve.fpdu.valid.next = self.fpdus.tx.valid.val();
        self.fpdus.tx.ready.next = self.resolve.fpdu.ready.val();
        StreamSink::<64, 4>::link(&mut self.rx, &mut self.front.rx);
        self.resolve.head.item.next = self.front.head.item.val();
        self.resolve.head.valid.next = self.front.head.valid.val();
        self.front.head.ready.next = self.resolve.head.ready.val();

        // What the headers name: regions and receives.
        self.asks.rx.item.next = self.resolve.ask.item.val();
        self.asks.rx.valid.next = self.resolve.ask.valid.val();
        self.resolve.ask.ready.next = self.asks.rx.ready.val();
        self.chk.item.next = self.asks.tx.item.val();
        self.chk.valid.next = self.asks.tx.valid.val();
        self.asks.tx.ready.next = self.chk.ready.val();
        self.take_qp.next = self.resolve.take_qp.val();
        self.take_valid.next = self.resolve.take_valid.val();
        self.resolve.take_ready.next = self.take_ready.val();
        self.resolve.rqe.item.next = self.rqe.item.val();
        self.resolve.rqe.valid.next = self.rqe.valid.val();
        self.rqe.ready.next = self.resolve.rqe.ready.val();

        // The verdict.
        self.jobs.rx.item.next = self.resolve.job.item.val();
        self.jobs.rx.valid.next = self.resolve.job.valid.val();
        self.resolve.job.ready.next = self.jobs.rx.ready.val();
        self.judge.job.item.next = self.jobs.tx.item.val();
        self.judge.job.valid.next = self.jobs.tx.valid.val();
        self.jobs.tx.ready.next = self.judge.job.ready.val();
        self.judge.ans.item.next = self.ans.item.val();
        self.judge.ans.valid.next = self.ans.valid.val();
        self.ans.ready.next = self.judge.ans.ready.val();
        self.faults.rx.item.next = self.judge.fault.item.val();
        self.faults.rx.valid.next = self.judge.fault.valid.val();
        self.quotes.rx.item.next = self.judge.quote.val();
        self.quotes.rx.valid.next = self.judge.fault.valid.val();
        self.judge.fault.ready.next =
            self.faults.rx.ready.val() && self.quotes.rx.ready.val() && self.cite.ready.val();
        self.cite.slot.next = self.judge.slot.val();
        self.cite.kept.next = self.judge.kept.val();
        self.cite.start.next = self.judge.fault.valid.val() && self.judge.quote.val().is_there;
        self.front.word_enable.next = self.cite.word_enable.val();
        self.front.word_address.next = self.cite.word_address.val();
        self.cite.word.next = self.front.word.val();
        CiteSource::link(&mut self.fault_words, &mut self.cite.q);
        self.fault.item.next = self.faults.tx.item.val();
        self.fault_quote.next = self.quotes.tx.item.val();
        self.fault.valid.next = self.faults.tx.valid.val() && self.quotes.tx.valid.val();
        self.faults.tx.ready.next = self.fault.ready.val();
        self.quotes.tx.ready.next = self.fault.ready.val();

        // Placement, and delivery behind it.
        self.parts.rx.item.next = self.judge.part.item.val();
        self.parts.rx.valid.next = self.judge.part.valid.val();
        self.judge.part.ready.next = self.parts.rx.ready.val();
        self.dice.part.item.next = self.parts.tx.item.val();
        self.dice.part.valid.next = self.parts.tx.valid.val();
        self.parts.tx.ready.next = self.dice.part.ready.val();
        self.dice.beat.item.next = self.front.beat.item.val();
        self.dice.beat.valid.next = self.front.beat.valid.val();
        self.front.beat.ready.next = self.dice.beat.ready.val();
        self.place_cmd_addr.next = self.dice.cmd_addr.val();
        self.place_cmd_length.next = self.dice.cmd_length.val();
        self.place_cmd_valid.next = self.dice.cmd_valid.val();
        self.dice.cmd_ready.next = self.place_cmd_ready.val();
        StreamSource::<64, 4>::link(&mut self.place, &mut self.dice.tx);
        self.delivery.rx.item.next = self.judge.delivery.item.val();
        self.delivery.rx.valid.next = self.judge.delivery.valid.val();
        self.judge.delivery.ready.next = self.delivery.rx.ready.val();
        self.delivery.delivered.next = self.dice.delivered.val();
        self.deliver.item.next = self.delivery.tx.item.val();
        self.deliver.valid.next = self.delivery.tx.valid.val();
        self.delivery.tx.ready.next = self.deliver.ready.val();
        self.rdone_qp.next = self.delivery.rdone_qp.val();
        self.rdone_valid.next = self.delivery.rdone_valid.val();

        // STags that peers invalidate.
        self.inv_stag.next = self.judge.inv_stag.val();
        self.inv_qp.next = self.judge.inv_qp.val();
        self.inv_valid.next = self.judge.inv_valid.val();
        self.judge.inv_ready.next = self.inv_ready.val();
        self.judge.invd_ok.next = self.invd_ok.val();
        self.judge.invd_valid.next = self.invd_valid.val();
        self.invd_ready.next = self.judge.invd_ready.val();
        self.resolve.settled.next = self.judge.settled.val();

        // What a revoked region is still used for, or a queue pair that ends.
        self.token.fpdu_in.next = self.fpdu_valid.val() && self.fpdus.rx.ready.val();
        self.token.fpdu_out.next = self.fpdus.tx.valid.val() && self.resolve.fpdu.ready.val();
        self.token.delivery_in.next = self.judge.delivery.valid.val();
        self.token.delivery_out.next = self.delivery.told.val();
        self.token.request_in.next = self.judge.wanted.valid.val();
        self.token.request_out.next = self.fence.tx.valid.val() && self.rr.ready.val();
        self.token.quiet.next = self.events.quiet.val() && !self.faults.tx.valid.val();
        self.token.valid.next = self.tok_valid.val();
        self.tok_ready.next = self.token.ready.val();
        self.token.between.next = self.resolve.between.val();
        self.token.job_in.next = self.resolve.job.valid.val() && self.jobs.rx.ready.val();
        self.token.job_out.next = self.judge.passed.val();
        self.token.part_in.next =
            self.judge.part.valid.val() && self.parts.rx.ready.val() && !self.judge.part.item.val().drop;
        self.token.part_out.next = self.dice.placed.val();
        self.token.accepted.next = self.posted_accepted.val();
        self.token.left.next = self.posted_left.val();

        // Read Requests: beside their job to the judge, then to the fence.
        self.pending.rx.item.next = self.resolve.request.item.val();
        self.pending.rx.valid.next = self.resolve.request.valid.val();
        self.resolve.request.ready.next = self.pending.rx.ready.val();
        self.judge.request.next = self.pending.tx.item.val();
        self.pending.tx.ready.next = self.judge.request_ready.val();
        self.fence.rx.item.next = self.judge.wanted.item.val();
        self.fence.rx.valid.next = self.judge.wanted.valid.val();
        self.judge.wanted.ready.next = self.fence.rx.ready.val();
        self.fence.mark.next = self.delivery.request.val();
        self.delivery.request_ready.next = self.fence.mark_ready.val();
        self.fence.accepted.next = self.posted_accepted.val();
        self.fence.left.next = self.posted_left.val();
        self.rr.item.next = self.fence.tx.item.val();
        self.rr.valid.next = self.fence.tx.valid.val();
        self.fence.tx.ready.next = self.rr.ready.val();
        self.resolve.free_qp.next = self.rr_free_qp.val();
        self.resolve.free.next = self.rr_free_valid.val();
        self.resolve.ro.item.next = self.ro.item.val();
        self.resolve.ro.valid.next = self.ro.valid.val();
        self.ro.ready.next = self.resolve.ro.ready.val();

        // What the host is told beside.
        self.events.qp.next = self.resolve.good_qp.val();
        self.events.good.next = self.resolve.good_valid.val();
        self.events.clear.next = self.resolve.clear.val();
        self.events.clear_qp.next = self.resolve.clear_qp.val();
        self.terms.rx.item.next = self.judge.term.item.val();
        self.terms.rx.valid.next = self.judge.term.valid.val();
        self.judge.term.ready.next = self.terms.rx.ready.val();
        self.events.term.item.next = self.terms.tx.item.val();
        self.events.term.valid.next = self.terms.tx.valid.val();
        self.terms.tx.ready.next = self.events.term.ready.val();
        self.first_qp.next = self.events.first_qp.val();
        self.first_valid.next = self.events.first_valid.val();
        self.event.item.next = self.events.event.item.val();
        self.event.valid.next = self.events.event.valid.val();
        self.events.event.ready.next = self.event.ready.val();
    }
}
