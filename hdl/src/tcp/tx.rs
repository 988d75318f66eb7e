// SPDX-License-Identifier: MIT OR Apache-2.0
//! TCP transmit: FPDUs to segments, ACKs, and the sequence state behind them.
use super::tx_ack::TxAck;
use super::tx_cc::Congestion;
use super::tx_head::TxHead;
use super::tx_insert::TxInsert;
use super::tx_pad::TxPad;
use super::tx_row::TxSetup;
use super::tx_rto::TxRto;
use super::tx_seq::TxSeq;
use super::tx_sum::TxSum;
use super::tx_token::TxToken;
use super::tx_weave::TxWeave;
use crate::gen::ConnRow;
use crate::record::{Fault, Grant, Reserve, TxBack, TxFact, TxFpdu, TxSeen};
use crate::stream::{
    Arbiter, ItemSink, ItemSource, OffsetSource, OnFull, PacketFifo, Queue, Realign, StreamSink, StreamSource,
};
use rust_hdl::prelude::*;

/// The transmit stage for `NC` = `2^C` connections. `2^A` beats of 8 octets hold FPDUs until their
/// checksum is known, `2^R` beats hold raw frames until they are whole. `H` = `C + 4`.
///
/// **Contract.** A reservation comes before its FPDU; FPDUs and their items come in the order of
/// the grants of a connection, so that SND.NXT moves without gaps. `seg` and `rx` pair in order and
/// may come in any relation of time. Frames on `tx` have at least 60 octets, never `err`, and once
/// begun are offered without a pause. `wake`, `una` and `pub` are pulses; `pub` comes before the
/// first beat of its segment. `done` is taken in its cycle.
///
/// **Timing.** See [`TcpTx::LATENCY`] and [`TcpTx::ACK_LATENCY`]; a beat a cycle on `tx`, with at
/// most one idle cycle between two data frames and none between ACKs.
#[derive(LogicBlock, Default)]
pub struct TcpTx<const C: usize, const NC: usize, const A: usize, const R: usize, const H: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset; the columns are then scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// Connection to insert.
    pub ins_qp: Signal<In, Bits<C>>,
    /// Its row.
    pub ins_row: Signal<In, ConnRow>,
    /// The connection lives: of its row the headers, EMSS and an open gate count. With `ins_valid`.
    pub ins_update: Signal<In, Bit>,
    /// An insert or update is offered.
    pub ins_valid: Signal<In, Bit>,
    /// All columns hold it.
    pub ins_ready: Signal<Out, Bit>,
    /// Connection to remove.
    pub rem_qp: Signal<In, Bits<C>>,
    /// A removal is offered.
    pub rem_valid: Signal<In, Bit>,
    /// Nothing more is granted to it or acknowledged for it.
    pub rem_ready: Signal<Out, Bit>,
    /// Connection whose row is asked for.
    pub look_qp: Signal<In, Bits<C>>,
    /// Asked for; not together with a row.
    pub look_valid: Signal<In, Bit>,
    /// Answered.
    pub look_ready: Signal<Out, Bit>,
    /// With `look_ready`: the answer.
    pub seen: Signal<Out, TxSeen>,
    /// What a received segment means for this side, in the order of the segments.
    pub fact: ItemSink<TxFact>,
    /// Connection of a segment that MPA has judged and stored, or dropped since the connection has
    /// stopped.
    pub done_conn: Signal<In, Bits<C>>,
    /// Sequence number after its last octet.
    pub done_seq: Signal<In, Bits<32>>,
    /// The peer's stream ends with it.
    pub done_ends: Signal<In, Bit>,
    /// Pulse, at most one a cycle.
    pub done_valid: Signal<In, Bit>,
    /// Pulse: time moves on by 10 us (D8).
    pub fine: Signal<In, Bit>,
    /// Units of 10 us so far, modulo 2^24: steps in the cycle behind `fine`.
    pub fine_now: Signal<In, Bits<24>>,
    /// Units of 10 us that an ACK may wait, 0 to 32767.
    pub ack_delay: Signal<In, Bits<16>>,
    /// Shares of 16 of our window that are not offered, 0 to 16, see [`super::tx_right::TxRight`].
    pub pressed: Signal<In, Bits<5>>,
    /// Units of 10 us that the retransmission timer waits beyond the smoothed round trip, at least.
    /// 0: neither it nor a probe expires.
    pub rto_min: Signal<In, Bits<16>>,
    /// Waits in a row without an acknowledgment after which the connection is lost.
    pub retry_limit: Signal<In, Bits<8>>,
    /// Bits of the register `recovery`: a congestion window bounds what is granted, duplicates make
    /// octets leave again, so do probes, idle time ends a large window.
    pub recovery: Signal<In, Bits<4>>,
    /// Connection whose unacknowledged octets have to leave again.
    pub rto_qp: Signal<Out, Bits<C>>,
    /// Pulse.
    pub rto_valid: Signal<Out, Bit>,
    /// Connection whose timer tells something.
    pub timer_qp: Signal<Out, Bits<C>>,
    /// One of [`super::tx_rto::timer_kind`].
    pub timer_kind: Signal<Out, Bits<2>>,
    /// Pulse.
    pub timer_valid: Signal<Out, Bit>,
    /// A connection that is lost, once.
    pub lost: ItemSource<Fault>,
    /// Connection whose first FPDU came: its own may leave from now on.
    pub open_qp: Signal<In, Bits<C>>,
    /// Pulse.
    pub open_valid: Signal<In, Bit>,
    /// Connection to reset.
    pub rst_qp: Signal<In, Bits<C>>,
    /// Offered.
    pub rst_valid: Signal<In, Bit>,
    /// Its RST leaves, and nothing after it until it is inserted again.
    pub rst_ready: Signal<Out, Bit>,
    /// Connections in error, a bit each.
    pub dead: Signal<In, Bits<NC>>,
    /// Octets of the stream that a segment wants.
    pub res: ItemSink<Reserve>,
    /// Answer, one a reservation.
    pub grant: ItemSource<Grant>,
    /// Room of a segment that never leaves.
    pub back: ItemSink<TxBack>,
    /// Connection whose refused reservation may be tried again.
    pub wake_qp: Signal<Out, Bits<C>>,
    /// Pulse.
    pub wake_valid: Signal<Out, Bit>,
    /// Connection whose SND.UNA advanced.
    pub una_qp: Signal<Out, Bits<C>>,
    /// Octets acknowledged since the insert's SND.UNA.
    pub una_offset: Signal<Out, Bits<40>>,
    /// Pulse.
    pub una_valid: Signal<Out, Bit>,
    /// Connection whose SND.NXT moves.
    pub pub_qp: Signal<Out, Bits<C>>,
    /// Its new value.
    pub pub_snd_nxt: Signal<Out, Bits<32>>,
    /// Pulse.
    pub pub_valid: Signal<Out, Bit>,
    /// Pulse: a segment was announced, which comes here behind those before it.
    pub announced: Signal<In, Bit>,
    /// A connection ends: offered until `tok_ready`.
    pub tok_valid: Signal<In, Bit>,
    /// In this cycle: what was announced before has its header, or was dropped.
    pub tok_ready: Signal<Out, Bit>,
    /// What the next segment is.
    pub seg: ItemSink<TxFpdu>,
    /// FPDUs and raw octets.
    pub rx: StreamSink<64, 4>,
    /// Frames that pass as they are, but for padding.
    pub raw: StreamSink<64, 4>,
    /// Frames to the MAC.
    pub tx: StreamSource<64, 4>,
    /// Pulse: a reservation that can never be granted.
    pub bad_res: Signal<Out, Bit>,
    /// Pulse: an FPDU came with `err` and was dropped; its connection is silent until it is
    /// inserted again.
    pub spoilt: Signal<Out, Bit>,
    /// Pulse: a segment or ACK of a connection that was reset, or behind one that `spoilt` told of,
    /// was dropped.
    pub dropped: Signal<Out, Bit>,
    /// Pulse: a raw frame came with `err` or is too long, and was dropped.
    pub bad_raw: Signal<Out, Bit>,

    insert: TxInsert<C>,
    seq_facts: Queue<TxFact, 3>,
    ack_facts: Queue<Bits<8>, 3>,
    probes: Signal<Local, Bit>,
    lives: Signal<Local, Bit>,
    seqs: TxSeq<C, NC>,
    acks: TxAck<C>,
    payload: TxSum<C, NC, A>,
    token: TxToken,
    head: TxHead<C, NC>,
    timers: TxRto<C, NC>,
    weave: TxWeave<C, H>,
    realign: Realign<64, 4>,
    store: PacketFifo<64, 4, R>,
    arbiter: Arbiter<2, 64, 4>,
    pad: TxPad<64, 4>,
    fact_in: Signal<Local, TxFact>,
    setup: Signal<Local, TxSetup>,
    said: Signal<Local, TxSeen>,
    both: Signal<Local, Bit>,
}

impl<const C: usize, const NC: usize, const A: usize, const R: usize, const H: usize> TcpTx<C, NC, A, R, H> {
    /// Cycles from the transfer of an FPDU's last beat to the offer of its frame's first one, if
    /// nothing else leaves.
    pub const LATENCY: u64 = 25;
    /// Cycles from the transfer of a fact with `ack_now` to the offer of the ACK's first beat, if
    /// nothing else leaves.
    pub const ACK_LATENCY: u64 = 19;

    /// An idle stage that advertises a window of `2^window_log2` octets; panics at elaboration if
    /// the parameters do not belong together.
    pub fn new(window_log2: usize, congestion: Congestion) -> Self {
        assert!(NC == 1 << C && C >= 1 && C <= 8, "{NC} connections under indices of {C} bits");
        assert!(A <= 12, "segments of more than 32 KiB do not exist");
        Self {
            insert: TxInsert::new(8 << A),
            seqs: TxSeq::new(congestion),
            acks: TxAck::new(window_log2),
            payload: TxSum::new(),
            head: TxHead::new(),
            timers: TxRto::new(A + 3),
            weave: TxWeave::new(),
            realign: Realign::new(),
            store: PacketFifo::new(OnFull::Wait),
            pad: TxPad::new(),
            ..Default::default()
        }
    }
}

impl<const C: usize, const NC: usize, const A: usize, const R: usize, const H: usize> Logic
    for TcpTx<C, NC, A, R, H>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, insert, seq_facts, ack_facts, seqs, acks, payload, head, weave, realign);
        clock!(self, clock, timers, store, arbiter, pad, token);
        self.token.reset.next = self.reset.val();
        self.insert.reset.next = self.reset.val();
        self.seq_facts.reset.next = self.reset.val();
        self.ack_facts.reset.next = self.reset.val();
        self.seqs.reset.next = self.reset.val();
        self.acks.reset.next = self.reset.val();
        self.payload.reset.next = self.reset.val();
        self.head.reset.next = self.reset.val();
        self.timers.reset.next = self.reset.val();
        self.weave.reset.next = self.reset.val();
        self.realign.reset.next = self.reset.val();
        self.store.reset.next = self.reset.val();
        self.arbiter.reset.next = self.reset.val();
        self.pad.reset.next = self.reset.val();

        // Rows.
        self.insert.ins_qp.next = self.ins_qp.val();
        self.insert.ins_row.next = self.ins_row.val();
        self.insert.ins_update.next = self.ins_update.val();
        self.insert.ins_valid.next = self.ins_valid.val();
        self.ins_ready.next = self.insert.ins_ready.val();
        self.insert.rem_qp.next = self.rem_qp.val();
        self.insert.rem_valid.next = self.rem_valid.val();
        self.rem_ready.next = self.insert.rem_ready.val();
        self.setup.next = self.insert.setup.val();
        self.seqs.set_qp.next = self.insert.qp.val();
        self.seqs.set.next = self.insert.setup.val();
        self.seqs.set_valid.next = self.insert.tell[0].val();
        self.insert.take[0].next = self.seqs.set_take.val();
        self.seqs.look_qp.next = self.look_qp.val();
        self.timers.look_valid.next = self.look_valid.val();
        self.seqs.look_valid.next = self.look_valid.val() && self.timers.look_there.val();
        self.timers.look_over.next = self.seqs.look_take.val();
        self.look_ready.next = self.seqs.look_take.val();
        self.said.next = self.seqs.seen.val();
        self.said.next.srtt = self.timers.srtt.val();
        self.said.next.is_known = self.timers.is_known.val();
        self.said.next.rto = self.timers.waits_for.val();
        self.seen.next = self.said.val();
        self.timers.look_qp.next = self.look_qp.val();
        self.acks.set_qp.next = self.insert.qp.val();
        self.acks.set_ack.next = self.setup.val().rcv_nxt;
        self.acks.set_now.next = self.setup.val().ack_now;
        self.acks.set_scale.next = self.setup.val().scale;
        self.acks.set_valid.next = self.insert.tell[1].val();
        self.insert.take[1].next = self.acks.set_take.val();
        self.head.set_qp.next = self.insert.qp.val();
        self.head.set_row.next = self.insert.head.val();
        self.head.set_write.next = self.insert.head_write.val();
        self.head.hold.next = self.insert.hold.val();
        self.insert.held.next = self.head.held.val() && self.weave.still.val();
        self.weave.set_qp.next = self.insert.qp.val();
        self.weave.set_word.next = self.insert.word.val();
        self.weave.set_place.next = self.insert.place.val();
        self.weave.set_write.next = self.insert.word_write.val();
        self.head.set_nxt.next = self.setup.val().nxt;
        self.head.set_valid.next = self.insert.tell[2].val();
        self.insert.take[2].next = self.head.set_take.val();

        // Facts: what moves the window, and what asks for an ACK.
        self.fact_in.next = self.fact.item.val();
        self.both.next = self.seq_facts.rx.ready.val() && self.ack_facts.rx.ready.val();
        self.fact.ready.next = self.both.val();
        self.seq_facts.rx.item.next = self.fact.item.val();
        self.seq_facts.rx.valid.next = self.fact.valid.val()
            && self.both.val()
            && (self.fact_in.val().has_ack || self.fact_in.val().has_window || self.fact_in.val().is_dup);
        self.ack_facts.rx.item.next = self.fact_in.val().qp;
        self.ack_facts.rx.valid.next = self.fact.valid.val() && self.both.val() && self.fact_in.val().ack_now;
        self.seqs.fact.next = self.seq_facts.tx.item.val();
        self.seqs.fact_valid.next = self.seq_facts.tx.valid.val();
        self.seq_facts.tx.ready.next = self.seqs.fact_take.val();
        // a probe comes behind the facts that wait
        self.probes.next = self.timers.probe_valid.val() && !self.ack_facts.tx.valid.val();
        self.acks.fact_qp.next = bit_cast::<C, 8>(self.ack_facts.tx.item.val());
        if self.probes.val() {
            self.acks.fact_qp.next = self.timers.probe_qp.val();
        }
        self.acks.fact_probes.next = self.probes.val();
        self.acks.fact_valid.next = self.ack_facts.tx.valid.val() || self.timers.probe_valid.val();
        self.ack_facts.tx.ready.next = self.acks.fact_take.val() && self.ack_facts.tx.valid.val();
        self.timers.probe_take.next = self.probes.val() && self.acks.fact_take.val();

        // Sequence state.
        self.seqs.dead.next = self.dead.val();
        self.seqs.congestion.next = self.recovery.val().get_bit(0);
        self.seqs.fast.next = self.recovery.val().get_bit(1);
        self.timers.fast.next = self.recovery.val().get_bit(1);
        self.timers.tail.next = self.recovery.val().get_bit(2);
        self.timers.restart.next = self.recovery.val().get_bit(3);
        self.seqs.loss_qp.next = self.timers.rto_qp.val();
        self.seqs.loss_timed.next = self.timers.rto_timed.val();
        self.seqs.loss_rested.next = self.timers.loss_rested.val();
        self.seqs.loss_valid.next = self.timers.loss_valid.val();
        self.seqs.back_item.next = self.back.item.val();
        self.seqs.back_valid.next = self.back.valid.val();
        self.back.ready.next = self.seqs.back_take.val();
        self.seqs.res.item.next = self.res.item.val();
        self.seqs.res.valid.next = self.res.valid.val();
        self.res.ready.next = self.seqs.res.ready.val();
        self.grant.item.next = self.seqs.grant.item.val();
        self.grant.valid.next = self.seqs.grant.valid.val();
        self.seqs.grant.ready.next = self.grant.ready.val();
        self.wake_qp.next = self.seqs.wake_qp.val();
        self.wake_valid.next = self.seqs.wake_valid.val();
        self.una_qp.next = self.seqs.una_qp.val();
        self.una_offset.next = self.seqs.una_offset.val();
        self.una_valid.next = self.seqs.una_valid.val();
        self.bad_res.next = self.seqs.bad_res.val();
        self.seqs.open_qp.next = self.open_qp.val();
        self.seqs.open_valid.next = self.open_valid.val();
        self.seqs.force_qp.next = self.timers.probe_qp.val();
        self.seqs.force_valid.next = self.timers.forces.val();

        // ACK state.
        self.acks.done_conn.next = self.done_conn.val();
        self.acks.done_seq.next = self.done_seq.val();
        self.acks.done_ends.next = self.done_ends.val();
        self.acks.done_valid.next = self.done_valid.val();
        self.acks.now.next = bit_cast::<16, 24>(self.fine_now.val());
        self.acks.walk_qp.next = self.timers.walk_qp.val();
        self.acks.walk_valid.next = self.timers.walk_valid.val();
        self.timers.walk_busy.next = self.acks.walk_busy.val();
        self.timers.renew.next = self.acks.renew.val();
        self.acks.scrubbed.next = self.timers.scrubbed.val();
        self.acks.blank_row.next = self.timers.blank_row.val();
        self.acks.delay.next = self.ack_delay.val();
        self.acks.pressed.next = self.pressed.val();
        self.acks.ask_qp.next = self.head.ask_qp.val();
        self.acks.ask_list.next = self.head.ask_list.val();
        self.acks.ask_valid.next = self.head.ask_valid.val();
        self.head.some.next = self.acks.some.val();
        self.head.say_qp.next = self.acks.say_qp.val();
        self.head.say_ack.next = self.acks.say_ack.val();
        self.head.say_span.next = self.acks.say_span.val();
        self.head.say_shut.next = self.acks.say_shut.val();
        self.head.say_scale.next = self.acks.say_scale.val();
        self.head.say_owes.next = self.acks.say_owes.val();
        self.head.say_probes.next = self.acks.say_probes.val();
        self.head.say_valid.next = self.acks.say_valid.val();

        // Segments.
        self.payload.seg.item.next = self.seg.item.val();
        self.payload.seg.valid.next = self.seg.valid.val();
        self.seg.ready.next = self.payload.seg.ready.val();
        StreamSink::<64, 4>::link(&mut self.rx, &mut self.payload.rx);
        self.spoilt.next = self.payload.spoilt.val();
        self.payload.set_qp.next = self.insert.qp.val();
        self.payload.set_valid.next = self.head.set_take.val();
        self.head.job.item.next = self.payload.job.item.val();
        self.head.job.valid.next = self.payload.job.valid.val();
        self.payload.job.ready.next = self.head.job.ready.val();
        self.token.valid.next = self.tok_valid.val();
        self.tok_ready.next = self.token.ready.val();
        self.token.seg_in.next = self.announced.val();
        self.token.seg_out.next = self.payload.given.val();
        self.token.job_in.next = self.payload.made_job.val();
        self.token.job_out.next = self.payload.job.valid.val() && self.head.job.ready.val();
        self.head.silent.next = self.payload.stopped.val();
        self.head.rst_qp.next = self.rst_qp.val();
        self.head.rst_valid.next = self.rst_valid.val();
        self.rst_ready.next = self.head.rst_ready.val();
        self.payload.mute_qp.next = self.head.mute_qp.val();
        self.payload.mute_valid.next = self.head.mute_valid.val();
        self.pub_qp.next = self.head.pub_qp.val();
        self.pub_snd_nxt.next = self.head.pub_snd_nxt.val();
        self.pub_valid.next = self.head.pub_valid.val();
        self.dropped.next = self.head.dropped.val();
        self.weave.item.next = self.head.item.val();
        self.weave.qp.next = self.head.item_qp.val();
        self.weave.skip.next = self.head.skip.val();
        self.weave.gone.next = self.head.gone.val();
        self.weave.valid.next = self.head.valid.val();
        self.head.take.next = self.weave.take.val();
        StreamSource::<64, 4>::join(&mut self.payload.tx, &mut self.weave.rx);
        StreamSource::<64, 4>::join(&mut self.weave.tx, &mut self.realign.rx);
        OffsetSource::join(&mut self.weave.cut, &mut self.realign.skip);
        // every frame is longer than its pad
        self.realign.parts.ready.next = true;

        // Timers.
        self.timers.set_qp.next = self.insert.qp.val();
        self.timers.set.next = self.insert.setup.val();
        self.timers.set_valid.next = self.head.set_take.val();
        self.timers.nxt_qp.next = self.head.pub_qp.val();
        self.timers.nxt.next = self.head.pub_snd_nxt.val();
        self.timers.nxt_valid.next = self.head.pub_valid.val();
        self.timers.again_valid.next = self.head.again_valid.val();
        self.timers.una_qp.next = self.seqs.una_qp.val();
        self.timers.una.next = self.seqs.una.val();
        self.timers.una_valid.next = self.seqs.una_valid.val();
        self.timers.dup_valid.next = self.seqs.dup_valid.val();
        // a sign of life: a pure ACK of nothing new, or octets
        self.lives.next = self.fact.valid.val()
            && self.both.val()
            && self.fact_in.val().has_window
            && !self.fact_in.val().has_ack;
        self.timers.alive_qp.next = self.done_conn.val();
        if self.lives.val() {
            self.timers.alive_qp.next = bit_cast::<C, 8>(self.fact_in.val().qp);
        }
        self.timers.alive_valid.next = self.lives.val();
        self.timers.octets_valid.next = self.done_valid.val();
        self.timers.stall_qp.next = self.seqs.stall_qp.val();
        self.timers.stall_valid.next = self.seqs.stall_valid.val();
        self.timers.tick.next = self.fine.val();
        self.timers.now.next = self.fine_now.val();
        self.timers.rto_min.next = self.rto_min.val();
        self.timers.retry_limit.next = self.retry_limit.val();
        self.timers.silent.next = self.payload.stopped.val();
        self.rto_qp.next = self.timers.rto_qp.val();
        self.rto_valid.next = self.timers.rto_valid.val();
        self.timer_qp.next = self.timers.timer_qp.val();
        self.timer_kind.next = self.timers.timer_kind.val();
        self.timer_valid.next = self.timers.timer_valid.val();
        self.lost.item.next = self.timers.lost.item.val();
        self.lost.valid.next = self.timers.lost.valid.val();
        self.timers.lost.ready.next = self.lost.ready.val();

        // Out. Raw frames enter the turn when they are whole, since their source may pause.
        StreamSink::<64, 4>::link(&mut self.raw, &mut self.store.rx);
        self.store.discard.next = false;
        self.bad_raw.next = self.store.dropped_err.val() || self.store.dropped_long.val();
        StreamSource::<64, 4>::join(&mut self.realign.tx, &mut self.arbiter.rx[0]);
        StreamSource::<64, 4>::join(&mut self.store.tx, &mut self.arbiter.rx[1]);
        StreamSource::<64, 4>::join(&mut self.arbiter.tx, &mut self.pad.rx);
        StreamSource::<64, 4>::link(&mut self.tx, &mut self.pad.tx);
    }
}
