// SPDX-License-Identifier: MIT OR Apache-2.0
//! CRC32c of the FPDUs and the verdict on each; the first bad one stops its connection.
use super::rx_row::{verdict, RxDone, RxPast, RxPiece};
use crate::prelude::*;
use crate::stream::CrcWords;

/// Runs the CRC over the pieces, marker words and CRC field included: a whole FPDU leaves a known
/// remainder.
///
/// Holds the running-CRC column of the context row and a stopped bit a connection. Three cycles
/// from the last piece to the verdict. `NC` = `2^C` connections.
#[block]
pub struct RxCheck<const W: usize, const LK: usize, const C: usize, const NC: usize> {
    /// Pulse: a piece.
    pub p_valid: Signal<In, Bit>,
    /// Words of the piece.
    pub p_data: Signal<In, Bits<W>>,
    /// What the piece is.
    pub p_item: Signal<In, RxPiece>,
    /// A connection is set up anew: it runs again.
    pub clear_conn: Signal<In, Bits<C>>,
    /// Set-up in this cycle.
    pub clear: Signal<In, Bit>,
    /// What became of an FPDU; always taken (the framer held a credit).
    pub done: Signal<Out, RxDone>,
    /// There is one.
    pub done_valid: Signal<Out, Bit>,
    /// One pulse a verdict that is not good and not silent, by number.
    pub bad: Signal<Out, Bits<8>>,
    /// The framer is through with a segment: its last piece comes in this cycle or came before.
    pub seg_valid: Signal<In, Bit>,
    /// Connection of the segment; with `seg_valid`, as the three below.
    pub seg_conn: Signal<In, Bits<C>>,
    /// Sequence number after its last octet.
    pub seg_seq: Signal<In, Bits<32>>,
    /// The stream ends with it.
    pub seg_ends: Signal<In, Bit>,
    /// It tells of octets behind the end.
    pub seg_late: Signal<In, Bit>,
    /// The framer dropped a stray.
    pub stray: Signal<In, Bit>,
    /// Pulse: all pieces of segment `past` were judged.
    pub past_valid: Signal<Out, Bit>,
    /// The segment; with `past_valid`.
    pub past: Signal<Out, RxPast>,
    /// Connections that have stopped.
    pub stops: Signal<Out, Bits<NC>>,
    /// A segment is over in the order in which they came, stray or not, one cycle.
    pub over: Signal<Out, Bit>,

    sum: CrcWords<W, LK>,
    step: CrcWords<W, LK>,
    column: Sdp<Bits<32>, C>,
    // data summed
    s_valid: Reg<Bit>,
    s_sum: Flop<Bits<32>>,
    s: Flop<RxPiece>,
    // state advanced
    crc: Flop<Bits<32>>,
    crc_conn: Flop<Bits<C>>,
    crc_known: Reg<Bit>,
    t_end: Reg<Bit>,
    t: Flop<RxPiece>,
    // verdict
    stopped: Reg<Bits<NC>>,
    v_valid: Reg<Bit>,
    v_item: Flop<RxDone>,
    v_bad: Reg<Bits<8>>,
    // end of a segment
    s_over: Reg<Bit>,
    s_past: Flop<RxPast>,
    t_over: Reg<Bit>,
    t_past: Flop<RxPast>,
    v_over: Reg<Bit>,
    v_past: Flop<RxPast>,
    // a stray beside it: never in the cycle of another segment's end
    s_stray: Reg<Bit>,
    t_stray: Reg<Bit>,
    v_stray: Reg<Bit>,

    ones: Const<Bits<32>>,
    remainder: Const<Bits<32>>,
    zero_words: Const<Bits<W>>,
    judged: Signal<Local, RxDone>,
    ending: Signal<Local, RxPast>,
    from: Signal<Local, Bits<32>>,
    judge: Signal<Local, Bits<3>>,
    now_stopped: Signal<Local, Bits<NC>>,
}

impl<const W: usize, const LK: usize, const C: usize, const NC: usize> RxCheck<W, LK, C, NC> {
    /// A checker for `NC` connections.
    pub fn new() -> Self {
        assert!(NC == 1 << C && C <= 8);
        Self {
            column: Sdp::block(),
            sum: CrcWords::new(),
            step: CrcWords::new(),
            ones: Const::of(0xFFFF_FFFF),
            // What the register holds after an FPDU and its right CRC field (mpa-rfc5044-notes
            // section 4).
            remainder: Const::of(0xB798_B438),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const LK: usize, const C: usize, const NC: usize> Logic for RxCheck<W, LK, C, NC> {
    fn update(&mut self) {
        regs!(s_valid, crc_known, t_end, stopped, v_valid, v_bad, s_over, t_over, v_over, s_stray, t_stray);
        regs!(v_stray);
        flops!(s_sum, s, crc, crc_conn, t, v_item, s_past, t_past, v_past);
        clocked!(column);

        // First step: the words alone.
        self.sum.state.next = 0.into();
        self.sum.data.next = self.p_data.val();
        let p_words: Bits<LK> = bit_cast::<LK, 5>(self.p_item.val().words);
        let p_conn: Bits<C> = bit_cast::<C, 8>(self.p_item.val().conn);
        self.sum.words.next = p_words;
        self.s_valid.d.next = self.p_valid.val();
        self.s_sum.d.next = self.sum.out.val();
        self.s.d.next = self.p_item.val();
        self.column.read_enable.next = self.p_valid.val();
        self.column.read_address.next = p_conn;

        // Second step: the register runs on from where this connection's FPDU stood.
        let s_words: Bits<LK> = bit_cast::<LK, 5>(self.s.q.val().words);
        let s_conn: Bits<C> = bit_cast::<C, 8>(self.s.q.val().conn);
        self.from.next = self.crc.q.val();
        if self.s.q.val().seg_first && !(self.crc_known.q.val() && (self.crc_conn.q.val() == s_conn)) {
            self.from.next = self.column.read_data.val();
        }
        if self.s.q.val().first {
            self.from.next = self.ones.val();
        }
        self.step.state.next = self.from.val();
        self.step.data.next = self.zero_words.val();
        self.step.words.next = s_words;
        if self.s_valid.q.val() && s_words.any() {
            self.crc.d.next = self.step.out.val() ^ self.s_sum.q.val();
            self.crc_conn.d.next = s_conn;
            self.crc_known.d.next = true;
        }
        self.t_end.d.next = self.s_valid.q.val() && self.s.q.val().ends;
        self.t.d.next = self.s.q.val();
        // The column follows every step; it is read again four cycles later at the soonest (see
        // `RxFront`).
        self.column.write_enable.next = self.crc_known.q.val();
        self.column.write_address.next = self.crc_conn.q.val();
        self.column.write_data.next = self.crc.q.val();

        // Third step: the verdict. CRC before marker: a marker is only trusted under a good CRC.
        self.judge.next = self.t.q.val().verdict;
        if self.t.q.val().crc
            && (self.crc.q.val() != self.remainder.val())
            && ((self.t.q.val().verdict == lit::<3>(verdict::GOOD))
                || (self.t.q.val().verdict == lit::<3>(verdict::MARKER)))
        {
            self.judge.next = lit::<3>(verdict::CRC);
        }
        let t_conn: Bits<C> = bit_cast::<C, 8>(self.t.q.val().conn);
        let was_stopped: Bit = self.stopped.q.val().get_bit(t_conn.index());
        self.judged.next.conn = self.t.q.val().conn;
        self.judged.next.start = self.t.q.val().start;
        self.judged.next.after = self.t.q.val().after;
        self.judged.next.length = self.t.q.val().length;
        self.judged.next.end_seq = self.t.q.val().end_seq;
        self.judged.next.verdict = self.judge.val();
        self.judged.next.silent = was_stopped;
        self.v_valid.d.next = self.t_end.q.val();
        self.v_item.d.next = self.judged.val();
        self.v_bad.d.next = 0.into();
        // A set-up and a verdict in one cycle are of two connections: both count.
        self.now_stopped.next = self.stopped.q.val();
        if self.clear.val() {
            self.now_stopped.next = self.now_stopped.val().replace_bit(self.clear_conn.val().index(), false);
        }
        if self.t_end.q.val() && (self.judge.val() != lit::<3>(verdict::GOOD)) {
            self.now_stopped.next = self.now_stopped.val().replace_bit(t_conn.index(), true);
            if !was_stopped {
                self.v_bad.d.next = lit::<8>(1) << self.judge.val();
            }
        }
        self.stopped.d.next = self.now_stopped.val();
        self.stops.next = self.stopped.q.val();
        self.done_valid.next = self.v_valid.q.val();
        self.done.next = self.v_item.q.val();
        self.bad.next = self.v_bad.q.val();

        // A segment's end walks beside its last piece until that is judged. It says nothing of the
        // verdict: a connection that has stopped is drained, and what is drained is acknowledged.
        self.ending.next.conn = bit_cast::<8, C>(self.seg_conn.val());
        self.ending.next.seq = self.seg_seq.val();
        self.ending.next.ends = self.seg_ends.val();
        self.ending.next.late = self.seg_late.val();
        self.s_over.d.next = self.seg_valid.val();
        self.s_past.d.next = self.ending.val();
        self.t_over.d.next = self.s_over.q.val();
        self.t_past.d.next = self.s_past.q.val();
        self.v_over.d.next = self.t_over.q.val();
        self.v_past.d.next = self.t_past.q.val();
        self.past_valid.next = self.v_over.q.val();
        self.past.next = self.v_past.q.val();
        self.s_stray.d.next = self.stray.val();
        self.t_stray.d.next = self.s_stray.q.val();
        self.v_stray.d.next = self.t_stray.q.val();
        self.over.next = self.v_over.q.val() || self.v_stray.q.val();
    }
}
