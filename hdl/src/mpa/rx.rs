// SPDX-License-Identifier: MIT OR Apache-2.0
//! MPA receive: in-order octets of many connections in, whole checked ULPDUs out.
use super::rx_check::RxCheck;
use super::rx_frame::RxFrame;
use super::rx_front::RxFront;
use super::rx_hold::RxHold;
use super::rx_out::RxOut;
use super::rx_row::{RxDone, RxSetup};
use super::rx_store::RxStore;
use super::rx_token::RxToken;
use crate::cell::Reg;
use crate::stream::{HeaderSplit, Queue, Skid, StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// The receive stage. `W` data bits, `K` = `bytes_width(W)`, `LN` = `W/32`, `LK` bits hold
/// `0..=LN`, `S` = log2 `LN`, `C` = log2 of the connections, `NC` = `2^C`, `A` = log2 of the buffer
/// rows a connection, `CA` = `C + A`, `WC` = `W + 32`.
#[derive(LogicBlock, Default)]
pub struct MpaRx<
    const W: usize,
    const K: usize,
    const LN: usize,
    const LK: usize,
    const S: usize,
    const C: usize,
    const NC: usize,
    const A: usize,
    const CA: usize,
    const WC: usize,
> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Rows are scrubbed: set-ups and segments are taken.
    pub scrubbed: Signal<Out, Bit>,
    /// Connection to set up; no segment of it may be in the stage.
    pub setup_conn: Signal<In, Bits<C>>,
    /// SeqStart of the peer's octets.
    pub setup_seq_start: Signal<In, Bits<32>>,
    /// The peer inserts markers.
    pub setup_markers: Signal<In, Bit>,
    /// CRC32c is checked.
    pub setup_crc: Signal<In, Bit>,
    /// Set-up offered.
    pub setup_valid: Signal<In, Bit>,
    /// Set-up taken.
    pub setup_ready: Signal<Out, Bit>,
    /// Connection of the next segment.
    pub seg_conn: Signal<In, Bits<C>>,
    /// Sequence number of its first octet. Only a segment that begins with the octet that is due is
    /// taken; any other is a stray.
    pub seg_seq: Signal<In, Bits<32>>,
    /// It has no octets: no frame follows on `rx`.
    pub seg_empty: Signal<In, Bit>,
    /// The stream ends after it.
    pub seg_end: Signal<In, Bit>,
    /// Cuts of its connection that the announcement knows of, as `undo` told them: a segment with
    /// another value is a stray.
    pub seg_side: Signal<In, Bit>,
    /// It is behind the end of the stream, without octets: octets came there.
    pub seg_late: Signal<In, Bit>,
    /// Segment offered.
    pub seg_valid: Signal<In, Bit>,
    /// Segment taken.
    pub seg_ready: Signal<Out, Bit>,
    /// Pulse: a segment was announced, which comes here behind those before it.
    pub announced: Signal<In, Bit>,
    /// A queue pair or connection ends: offered until `tok_ready`.
    pub tok_valid: Signal<In, Bit>,
    /// In this cycle: what was announced before was dropped, or taken as FPDUs.
    pub tok_ready: Signal<Out, Bit>,
    /// Octets of the segments, a frame each, in the order of their descriptors. `err` must be
    /// clear: a bad segment is dropped before this stage.
    pub rx: StreamSink<W, K>,
    /// Connection of an FPDU or verdict.
    pub fpdu_conn: Signal<Out, Bits<C>>,
    /// One of `verdict`; only a good one has a frame on `tx`.
    pub fpdu_verdict: Signal<Out, Bits<3>>,
    /// ULPDU_Length in octets.
    pub fpdu_length: Signal<Out, Bits<16>>,
    /// Sequence number of the octet after the FPDU.
    pub fpdu_end_seq: Signal<Out, Bits<32>>,
    /// Offered no later than the frame's first beat.
    pub fpdu_valid: Signal<Out, Bit>,
    /// Taken.
    pub fpdu_ready: Signal<In, Bit>,
    /// ULPDUs, a frame each, octet 0 first.
    pub tx: StreamSource<W, K>,
    /// A pulse for each connection that stops, bit = verdict: counters count them.
    pub bad: Signal<Out, Bits<8>>,
    /// A pulse for each stray: a segment before or after the octet that is due, dropped whole.
    pub stray: Signal<Out, Bit>,
    /// A pulse for each segment that is no stray, when all of it was judged and stored, or dropped
    /// since the connection has stopped; never waits.
    pub done_valid: Signal<Out, Bit>,
    /// Its connection.
    pub done_conn: Signal<Out, Bits<C>>,
    /// Sequence number after its last octet, and after the FIN that `seg_end` tells of.
    pub done_seq: Signal<Out, Bits<32>>,
    /// The stream ends with the segment.
    pub done_ends: Signal<Out, Bit>,
    /// It was of octets behind the end.
    pub late: Signal<Out, Bit>,

    /// A receive is in the store, by queue pair.
    pub there: Signal<In, Bits<NC>>,
    /// Two are.
    pub two: Signal<In, Bits<NC>>,
    /// One was rung that is not, and will be.
    pub to_come: Signal<In, Bits<NC>>,
    /// Queue pair whose receive is answered.
    pub took_qp: Signal<In, Bits<C>>,
    /// The answer is offered.
    pub took_valid: Signal<In, Bit>,
    /// It is taken.
    pub took_ready: Signal<In, Bit>,
    /// The row of queue pair `setup_conn` is written in this cycle: it has no receives.
    pub anew: Signal<In, Bit>,
    /// Frames wait for this stage in half of the room for them.
    pub crowded: Signal<In, Bit>,
    /// Somebody waits for the octets that this stage is given.
    pub waiting: Signal<In, Bit>,
    /// A Send waits for its receive, or goes on.
    pub hold_valid: Signal<Out, Bit>,
    /// It goes on.
    pub hold_ready: Signal<Out, Bit>,
    /// Its connection, as of the cycle before.
    pub hold_qp: Signal<Out, Bits<C>>,
    /// A pulse for each cut: connection.
    pub undo_conn: Signal<Out, Bits<C>>,
    /// Sequence number that is due again.
    pub undo_due: Signal<Out, Bits<32>>,
    /// In this cycle; not again of this connection before its segments are announced with the other
    /// `seg_side`.
    pub undo_valid: Signal<Out, Bit>,

    skid: Skid<W, K>,
    front: RxFront<C>,
    frame: RxFrame<W, K, LN, LK, S, C, A, WC>,
    hold: RxHold<C, NC>,
    store: RxStore<W, LN, LK, S, C, CA>,
    check: RxCheck<W, LK, C, NC>,
    queue: Queue<RxDone, 4>,
    out: RxOut<W, K, S, C, CA>,
    split: HeaderSplit<W, K, 16, 1>,
    token: RxToken,
    credits: Reg<Bits<5>>,
    setup: Signal<Local, RxSetup>,
    spent: Signal<Local, Bit>,
    freed: Signal<Local, Bit>,
    given: Signal<Local, Bit>,
}

impl<
        const W: usize,
        const K: usize,
        const LN: usize,
        const LK: usize,
        const S: usize,
        const C: usize,
        const NC: usize,
        const A: usize,
        const CA: usize,
        const WC: usize,
    > MpaRx<W, K, LN, LK, S, C, NC, A, CA, WC>
{
    /// A receive stage whose buffers hold FPDUs of up to `most` octets (markers not counted); a
    /// Send that waits for its receive delays other connections for `patience` cycles.
    pub fn new(most: usize, patience: usize) -> Self {
        assert!(CA == C + A);
        Self {
            frame: RxFrame::new(most / 4),
            hold: RxHold::new(patience),
            store: RxStore::new(),
            check: RxCheck::new(),
            out: RxOut::new(),
            split: HeaderSplit::new(),
            credits: Reg::new(16_u64.into()),
            ..Default::default()
        }
    }
}

impl<
        const W: usize,
        const K: usize,
        const LN: usize,
        const LK: usize,
        const S: usize,
        const C: usize,
        const NC: usize,
        const A: usize,
        const CA: usize,
        const WC: usize,
    > Logic for MpaRx<W, K, LN, LK, S, C, NC, A, CA, WC>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, credits);
        clock!(self, clock, skid, front, frame, hold, store, check, queue, out, split, token);
        self.credits.reset.next = self.reset.val();
        self.skid.reset.next = self.reset.val();
        self.front.reset.next = self.reset.val();
        self.frame.reset.next = self.reset.val();
        self.hold.reset.next = self.reset.val();
        self.store.reset.next = self.reset.val();
        self.check.reset.next = self.reset.val();
        self.queue.reset.next = self.reset.val();
        self.out.reset.next = self.reset.val();
        self.split.reset.next = self.reset.val();
        self.token.reset.next = self.reset.val();

        // Segments and set-ups to the row port.
        self.scrubbed.next = self.front.scrubbed.val();
        self.setup.next.seq_start = self.setup_seq_start.val();
        self.setup.next.markers = self.setup_markers.val();
        self.setup.next.crc = self.setup_crc.val();
        self.front.setup_conn.next = self.setup_conn.val();
        self.front.setup.next = self.setup.val();
        self.front.setup_valid.next = self.setup_valid.val();
        self.setup_ready.next = self.front.setup_ready.val();
        self.given.next = self.setup_valid.val() && self.front.setup_ready.val();
        self.frame.forget.next = self.given.val();
        self.frame.forget_conn.next = self.setup_conn.val();
        self.check.clear.next = self.given.val();
        self.check.clear_conn.next = self.setup_conn.val();
        self.front.seg_conn.next = self.seg_conn.val();
        self.front.seg_seq.next = self.seg_seq.val();
        self.front.seg_empty.next = self.seg_empty.val();
        self.front.seg_end.next = self.seg_end.val();
        self.front.seg_side.next = self.seg_side.val();
        self.front.seg_late.next = self.seg_late.val();
        self.front.seg_valid.next = self.seg_valid.val();
        self.seg_ready.next = self.front.seg_ready.val();
        StreamSink::<W, K>::link(&mut self.rx, &mut self.skid.rx);
        StreamSource::<W, K>::join(&mut self.skid.tx, &mut self.frame.rx);

        // The row port and the framer.
        self.frame.next_valid.next = self.front.next_valid.val();
        self.front.next_take.next = self.frame.next_take.val();
        self.frame.next_conn.next = self.front.next_conn.val();
        self.frame.next_seq.next = self.front.next_seq.val();
        self.frame.next_offset.next = self.front.next_offset.val();
        self.frame.next_empty.next = self.front.next_empty.val();
        self.frame.next_end.next = self.front.next_end.val();
        self.frame.next_side.next = self.front.next_side.val();
        self.frame.next_late.next = self.front.next_late.val();
        self.frame.next_setup.next = self.front.next_setup.val();
        self.frame.next_row.next = self.front.next_row.val();
        self.frame.next_start.next = self.front.next_start.val();
        self.frame.next_unread.next = self.front.next_unread.val();
        self.front.back_valid.next = self.frame.back_valid.val();
        self.front.back_row.next = self.frame.back_row.val();
        self.front.back_start.next = self.frame.back_start.val();
        self.front.back_conn.next = self.frame.back_conn.val();
        self.front.free_row.next = self.out.free_row.val();
        self.front.free_conn.next = self.out.free_conn.val();
        self.front.free_valid.next = self.out.free_valid.val();
        self.frame.free_row.next = self.out.free_row.val();
        self.frame.free_conn.next = self.out.free_conn.val();
        self.frame.free_valid.next = self.out.free_valid.val();

        // What holds it, and what it cuts.
        self.hold.there.next = self.there.val();
        self.hold.two.next = self.two.val();
        self.hold.to_come.next = self.to_come.val();
        self.hold.stopped.next = self.check.stops.val();
        self.hold.took_qp.next = self.took_qp.val();
        self.hold.took.next = self.took_valid.val() && self.took_ready.val();
        self.hold.anew_qp.next = self.setup_conn.val();
        self.hold.anew.next = self.given.val() || self.anew.val();
        self.hold.conn.next = self.frame.back_conn.val();
        self.hold.waits.next = self.frame.hold_waits.val();
        self.hold.passes.next = self.frame.hold_passes.val();
        self.frame.hold_may.next = self.hold.may.val();
        self.hold.again.next = self.frame.back_row.val().was_cut;
        self.hold.others.next = self.crowded.val()
            || self.tok_valid.val()
            || (self.front.next_valid.val() && (self.front.next_conn.val() != self.frame.back_conn.val()));
        self.hold.waiting.next = self.waiting.val();
        self.hold.own.next = self.front.next_valid.val();
        self.frame.cuts.next = self.hold.cuts.val();
        self.hold_valid.next = self.hold.shows.val();
        self.hold_ready.next = self.hold.moves.val();
        self.hold_qp.next = self.frame.back_conn.val();
        self.undo_conn.next = self.frame.back_conn.val();
        self.undo_due.next = self.frame.back_row.val().due;
        self.undo_valid.next = self.frame.cut.val();

        // Pieces to the buffers and to the CRC.
        self.store.p_valid.next = self.frame.p_valid.val();
        self.store.p_conn.next = self.frame.p_conn.val();
        self.store.p_data.next = self.frame.p_data.val();
        self.store.p_words.next = self.frame.p_words.val();
        self.store.p_has_marker.next = self.frame.p_has_marker.val();
        self.store.p_marker.next = self.frame.p_marker.val();
        self.store.p_fill.next = self.frame.p_fill.val();
        self.store.p_start.next = self.frame.p_start.val();
        self.check.p_valid.next = self.frame.p_valid.val();
        self.check.p_conn.next = self.frame.p_conn.val();
        self.check.p_data.next = self.frame.p_data.val();
        self.check.p_words.next = self.frame.p_words.val();
        self.check.p_first.next = self.frame.p_first.val();
        self.check.p_seg_first.next = self.frame.p_seg_first.val();
        self.check.p_end.next = self.frame.p_end.val();
        self.check.p_verdict.next = self.frame.p_verdict.val();
        self.check.p_crc.next = self.frame.p_crc.val();
        self.check.p_start.next = self.frame.p_start.val();
        self.check.p_after.next = self.frame.p_after.val();
        self.check.p_length.next = self.frame.p_length.val();
        self.check.p_end_seq.next = self.frame.p_end_seq.val();
        self.bad.next = self.check.bad.val();
        self.stray.next = self.frame.stray.val();
        self.check.stray.next = self.frame.stray.val();

        // The row's write-back is the end of a segment.
        self.check.seg_valid.next = self.frame.back_valid.val();
        self.check.seg_conn.next = self.frame.back_conn.val();
        self.check.seg_seq.next = self.frame.back_row.val().due;
        self.check.seg_ends.next = self.frame.back_ends.val();
        self.check.seg_late.next = self.frame.back_late.val();
        self.done_valid.next = self.check.past_valid.val();
        self.done_conn.next = bit_cast::<C, 8>(self.check.past.val().conn);
        self.done_seq.next = self.check.past.val().seq;
        self.done_ends.next = self.check.past.val().ends;
        self.late.next = self.check.past.val().late;

        // A place in the queue is taken before the FPDU's last piece leaves the framer; the credit
        // seen there is two cycles old, hence the margin.
        self.spent.next = self.frame.p_valid.val() && self.frame.p_end.val();
        self.freed.next = self.queue.tx.valid.val() && self.out.done.ready.val();
        if self.spent.val() && !self.freed.val() {
            self.credits.d.next = self.credits.q.val() - 1;
        } else if self.freed.val() && !self.spent.val() {
            self.credits.d.next = self.credits.q.val() + 1;
        }
        self.frame.credit.next = self.credits.q.val() > 2;
        self.queue.rx.item.next = self.check.done.val();
        self.queue.rx.valid.next = self.check.done_valid.val();
        self.out.done.item.next = self.queue.tx.item.val();
        self.out.done.valid.next = self.queue.tx.valid.val();
        self.queue.tx.ready.next = self.out.done.ready.val();

        // The reader; ULPDU_Length is split off and the ULPDU realigned.
        self.store.read_enable.next = self.out.read_enable.val();
        self.store.read_address.next = self.out.read_address.val();
        self.out.read_data.next = self.store.read_data.val();
        StreamSource::<W, K>::join(&mut self.out.tx, &mut self.split.rx);
        StreamSource::<W, K>::link(&mut self.tx, &mut self.split.tx);
        self.split.hdr.ready.next = true;
        self.fpdu_conn.next = bit_cast::<C, 8>(self.out.meta.item.val().conn);
        self.fpdu_verdict.next = self.out.meta.item.val().verdict;
        self.fpdu_length.next = self.out.meta.item.val().length;
        self.fpdu_end_seq.next = self.out.meta.item.val().end_seq;
        self.fpdu_valid.next = self.out.meta.valid.val();
        self.out.meta.ready.next = self.fpdu_ready.val();

        // What a queue pair or connection that ends still has here.
        self.token.valid.next = self.tok_valid.val();
        self.tok_ready.next = self.token.ready.val();
        self.token.seg_in.next = self.announced.val();
        self.token.seg_out.next = self.check.over.val();
        self.token.fpdu_in.next = self.check.done_valid.val();
        self.token.fpdu_out.next = self.freed.val();
        self.token.gone.next = !self.out.meta.valid.val() || self.fpdu_ready.val();
    }
}
