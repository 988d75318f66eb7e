// SPDX-License-Identifier: MIT OR Apache-2.0
//! The framer: finds where FPDUs begin and end in a connection's words, one piece a cycle.
//!
//! FPDUs and markers begin at stream offsets divisible by 4, so octets are joined into words first
//! (up to three wait in the row) and all else is counted in words. A piece is what one cycle takes
//! out of the window: everything up to the end of the window or of the FPDU, whichever comes first.
//!
//! A segment that does not begin with the octet that is due is a stray: where FPDUs begin in it
//! cannot be known, so it is dropped whole, while the registers stay those of the connection before
//! it.
//!
//! A Send that begins waits here for its receive, see `RxHold`. If that lasts and somebody waits
//! behind it, the segment is *cut*: its rest, from ULPDU_Length on, is dropped, and all that was
//! announced behind it is a stray until the cut was heard of. Nothing of the FPDU but a leading
//! marker was consumed: the row stands as if the segment ended there.
use super::rx_join::RxJoin;
use super::rx_look::RxLook;
use super::rx_room::RxRoom;
use super::rx_row::{verdict, RxRow, RxSetup};
use crate::cell::{Const, Flop, Reg};
use crate::stream::StreamSink;
use rust_hdl::prelude::*;

/// Framer of `W`-bit beats, `LN` = `W/32` words each. `LK` bits hold `0..=LN`, `S` = log2 `LN`,
/// `C` = log2 of the connections, `A` = log2 of the buffer rows a connection, `WC` = `W + 32`.
#[derive(LogicBlock, Default)]
pub struct RxFrame<
    const W: usize,
    const K: usize,
    const LN: usize,
    const LK: usize,
    const S: usize,
    const C: usize,
    const A: usize,
    const WC: usize,
> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Octets of the segments, a frame each.
    pub rx: StreamSink<W, K>,

    /// The next segment and its row, see `RxFront`.
    pub next_valid: Signal<In, Bit>,
    /// Taken in this cycle.
    pub next_take: Signal<Out, Bit>,
    /// Connection.
    pub next_conn: Signal<In, Bits<C>>,
    /// Sequence number of its first octet.
    pub next_seq: Signal<In, Bits<32>>,
    /// Stream offset of its first octet.
    pub next_offset: Signal<In, Bits<32>>,
    /// No octets.
    pub next_empty: Signal<In, Bit>,
    /// The stream ends after it.
    pub next_end: Signal<In, Bit>,
    /// Cuts that its announcement knows of.
    pub next_side: Signal<In, Bit>,
    /// Octets came behind the end.
    pub next_late: Signal<In, Bit>,
    /// Set-up column.
    pub next_setup: Signal<In, RxSetup>,
    /// Framing column.
    pub next_row: Signal<In, RxRow>,
    /// Buffer start column.
    pub next_start: Signal<In, Bits<12>>,
    /// First unread row.
    pub next_unread: Signal<In, Bits<12>>,
    /// Row after those the reader freed, connection, in this cycle.
    pub free_row: Signal<In, Bits<12>>,
    /// Connection it frees for.
    pub free_conn: Signal<In, Bits<C>>,
    /// It frees.
    pub free_valid: Signal<In, Bit>,
    /// Room for one more finished FPDU downstream (a credit).
    pub credit: Signal<In, Bit>,
    /// A connection is set up anew: its registers here are no longer its row.
    pub forget_conn: Signal<In, Bits<C>>,
    /// Set-up in this cycle.
    pub forget: Signal<In, Bit>,

    /// A Send of the connection that is framed may go on, see [`super::rx_hold::RxHold`].
    pub hold_may: Signal<In, Bit>,
    /// Its segment is cut instead.
    pub cuts: Signal<In, Bit>,
    /// One waits in this cycle.
    pub hold_waits: Signal<Out, Bit>,
    /// One goes on in this cycle.
    pub hold_passes: Signal<Out, Bit>,
    /// A segment was cut at `back_row.due` of `back_conn`, one cycle.
    pub cut: Signal<Out, Bit>,
    /// A stray was dropped, one cycle.
    pub stray: Signal<Out, Bit>,
    /// Write-back of the row, in the cycle of the segment's last piece or later.
    pub back_valid: Signal<Out, Bit>,
    /// Framing column.
    pub back_row: Signal<Out, RxRow>,
    /// The stream ends with the segment.
    pub back_ends: Signal<Out, Bit>,
    /// As `next_late`.
    pub back_late: Signal<Out, Bit>,
    /// Buffer start column.
    pub back_start: Signal<Out, Bits<12>>,
    /// Connection they belong to.
    pub back_conn: Signal<Out, Bits<C>>,

    /// A piece, registered; it is always taken.
    pub p_valid: Signal<Out, Bit>,
    /// Connection.
    pub p_conn: Signal<Out, Bits<C>>,
    /// Words, the first in bits 31:0.
    pub p_data: Signal<Out, Bits<W>>,
    /// How many; 0 for a verdict without words.
    pub p_words: Signal<Out, Bits<LK>>,
    /// One of them is a marker.
    pub p_has_marker: Signal<Out, Bit>,
    /// Which.
    pub p_marker: Signal<Out, Bits<4>>,
    /// First piece of an FPDU.
    pub p_first: Signal<Out, Bit>,
    /// First piece of a segment.
    pub p_seg_first: Signal<Out, Bit>,
    /// Last piece of an FPDU, or a verdict.
    pub p_end: Signal<Out, Bit>,
    /// Verdict as far as framing knows it.
    pub p_verdict: Signal<Out, Bits<3>>,
    /// CRC is to be checked.
    pub p_crc: Signal<Out, Bit>,
    /// Words of this FPDU already in the buffer.
    pub p_fill: Signal<Out, Bits<16>>,
    /// First row of the FPDU.
    pub p_start: Signal<Out, Bits<12>>,
    /// With `p_end`: row after its last one.
    pub p_after: Signal<Out, Bits<12>>,
    /// ULPDU_Length.
    pub p_length: Signal<Out, Bits<16>>,
    /// Sequence number of the octet after the piece.
    pub p_end_seq: Signal<Out, Bits<32>>,

    active: Reg<Bit>,
    /// The rest of a stray is dropped.
    astray: Reg<Bit>,
    strayed: Reg<Bit>,
    known: Reg<Bit>,
    back: Reg<Bit>,
    conn: Flop<Bits<C>>,
    seq: Flop<Bits<32>>,
    /// Words before the next marker.
    to_marker: Flop<Bits<7>>,
    odd: Flop<Bits<2>>,
    fin: Flop<Bit>,
    /// The peer's FIN comes after the segment: it takes a sequence number.
    closes: Flop<Bit>,
    late: Flop<Bit>,
    setup: Flop<RxSetup>,
    seg_first: Reg<Bit>,
    due: Flop<Bits<32>>,
    carry: Flop<Bits<24>>,
    /// As it was before the segment.
    begun: Flop<Bits<24>>,
    header: Reg<Bit>,
    open: Reg<Bit>,
    bad_marker: Reg<Bit>,
    lost: Reg<Bit>,
    left: Flop<Bits<16>>,
    since: Flop<Bits<16>>,
    fill: Flop<Bits<16>>,
    length: Flop<Bits<16>>,
    sending: Flop<Bit>,
    side: Flop<Bit>,
    was_cut: Flop<Bit>,
    start: Flop<Bits<12>>,
    unread: Flop<Bits<12>>,
    win: Flop<Bits<W>>,
    words: Reg<Bits<LK>>,
    win_last: Reg<Bit>,
    cut_now: Reg<Bit>,
    o_valid: Reg<Bit>,
    o_conn: Flop<Bits<C>>,
    o_data: Flop<Bits<W>>,
    o_words: Flop<Bits<LK>>,
    o_has_marker: Flop<Bit>,
    o_marker: Flop<Bits<4>>,
    o_first: Flop<Bit>,
    o_seg_first: Flop<Bit>,
    o_end: Flop<Bit>,
    o_verdict: Flop<Bits<3>>,
    o_crc: Flop<Bit>,
    o_fill: Flop<Bits<16>>,
    o_start: Flop<Bits<12>>,
    o_length: Flop<Bits<16>>,
    o_end_seq: Flop<Bits<32>>,

    v_marker: Const<Bits<3>>,
    v_length: Const<Bits<3>>,
    v_buffer: Const<Bits<3>>,
    v_ended: Const<Bits<3>>,
    no_words: Const<Bits<7>>,

    look: RxLook<W, LN, LK>,
    joiner: RxJoin<W, K, LK, WC>,
    space: RxRoom<S, A>,
    load: Signal<Local, Bit>,
    switch: Signal<Local, Bit>,
    forward: Signal<Local, Bit>,
    offered: Signal<Local, Bit>,
    is_stray: Signal<Local, Bit>,
    in_due: Signal<Local, Bits<32>>,
    stands: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    rest: Signal<Local, Bits<LK>>,
    fire: Signal<Local, Bit>,
    emptied: Signal<Local, Bit>,
    finish: Signal<Local, Bit>,
    closing: Signal<Local, Bit>,
    partial: Signal<Local, Bit>,
    drop: Signal<Local, Bit>,
    frees: Signal<Local, Bit>,
    win_shift: Signal<Local, Bits<10>>,
    seq_start: Signal<Local, Bits<32>>,
    early: Signal<Local, Bits<2>>,
    took_words: Signal<Local, Bits<7>>,
    took_octets: Signal<Local, Bits<7>>,
    seq_up: Signal<Local, Bits<32>>,
}

impl<
        const W: usize,
        const K: usize,
        const LN: usize,
        const LK: usize,
        const S: usize,
        const C: usize,
        const A: usize,
        const WC: usize,
    > RxFrame<W, K, LN, LK, S, C, A, WC>
{
    /// A framer for connections whose buffer holds FPDUs of up to `most` words (CRC counted,
    /// markers not).
    pub fn new(most: usize) -> Self {
        assert!(LN == W / 32 && LN == 1 << S && LK == S + 1 && WC == W + 32 && A <= 12 && C <= 8);
        assert!(most.div_ceil(LN) + 4 <= 1 << A, "{most} words do not fit a buffer of 2^{A} rows");
        Self {
            look: RxLook::new(most),
            space: RxRoom::new(),
            v_marker: Const::of(verdict::MARKER),
            v_length: Const::of(verdict::LENGTH),
            v_buffer: Const::of(verdict::BUFFER),
            v_ended: Const::of(verdict::ENDED),
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
        const A: usize,
        const WC: usize,
    > Logic for RxFrame<W, K, LN, LK, S, C, A, WC>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, astray, strayed, due, known, back, conn, seq, to_marker, odd, fin);
        dff_setup!(self, clock, closes, late, setup, seg_first, carry, begun, header, open, bad_marker);
        dff_setup!(self, clock, fill, length, start, unread, sending, side, was_cut, cut_now);
        dff_setup!(self, clock, win, words, win_last, o_valid, o_conn, o_data, o_words, o_has_marker);
        dff_setup!(self, clock, o_marker, o_first, o_seg_first, o_end, o_verdict, o_crc, o_fill, o_start);
        dff_setup!(self, clock, lost, left, since, o_length, o_end_seq);
        self.active.reset.next = self.reset.val();
        self.astray.reset.next = self.reset.val();
        self.strayed.reset.next = self.reset.val();
        self.known.reset.next = self.reset.val();
        self.back.reset.next = self.reset.val();
        self.seg_first.reset.next = self.reset.val();
        self.header.reset.next = self.reset.val();
        self.open.reset.next = self.reset.val();
        self.bad_marker.reset.next = self.reset.val();
        self.lost.reset.next = self.reset.val();
        self.words.reset.next = self.reset.val();
        self.win_last.reset.next = self.reset.val();
        self.o_valid.reset.next = self.reset.val();
        self.cut_now.reset.next = self.reset.val();

        self.look.win.next = self.win.q.val();
        self.look.words.next = self.words.q.val();
        self.look.to_marker.next = self.to_marker.q.val();
        self.look.markers.next = self.setup.q.val().markers;
        self.look.header.next = self.header.q.val();
        self.look.left.next = self.left.q.val();
        self.look.since.next = self.since.q.val();

        self.space.start.next = self.start.q.val();
        self.space.unread.next = self.unread.q.val();
        self.space.fill.next = self.fill.q.val();
        self.space.net.next = self.look.net.val();
        // octets of earlier segments in the window's first word
        self.seq_start.next = self.setup.q.val().seq_start;
        self.early.next = self.seq.q.val().get_bits::<2>(0) - self.seq_start.val().get_bits::<2>(0);

        // A Send that begins, before anything of it but its leading marker is taken.
        self.stands.next = self.active.q.val()
            && self.look.has_header.val()
            && self.look.is_send.val()
            && !self.sending.q.val()
            && !self.lost.q.val();
        self.waits.next = self.stands.val() && !self.hold_may.val();
        self.fire.next = self.active.q.val()
            && self.look.some.val()
            && !self.lost.q.val()
            && !self.waits.val()
            && self.space.room.val()
            && self.credit.val();
        self.hold_waits.next = self.waits.val();
        self.hold_passes.next = self.stands.val() && self.fire.val();
        self.drop.next = self.active.q.val() && self.look.some.val() && self.lost.q.val();
        self.emptied.next = self.drop.val()
            || (self.fire.val() && (self.look.refuse.val() || (self.look.take.val() == self.words.q.val())));
        self.partial.next = !self.lost.q.val() && (self.open.q.val() || self.odd.q.val().any());
        self.closing.next = self.active.q.val()
            && !self.look.some.val()
            && self.win_last.q.val()
            && self.fin.q.val()
            && self.partial.val()
            && self.credit.val();
        self.finish.next = self.win_last.q.val()
            && ((self.emptied.val() && !self.fin.q.val())
                || (self.active.q.val()
                    && !self.look.some.val()
                    && (!self.fin.q.val() || !self.partial.val())));

        // The window moves on.
        self.rest.next = self.words.q.val() - self.look.take.val();
        self.win_shift.next = bit_cast::<10, LK>(self.look.take.val()) << 5;
        self.took_words.next = bit_cast::<7, LK>(self.look.take.val()) << 2;
        self.took_octets.next = self.took_words.val() - bit_cast::<7, 2>(self.early.val());
        self.seq_up.next = self.seq.q.val() + bit_cast::<32, 7>(self.took_octets.val());
        if self.emptied.val() {
            self.words.d.next = 0.into();
        }
        if self.fire.val() {
            self.win.d.next = self.win.q.val() >> self.win_shift.val();
            self.words.d.next = self.rest.val();
            self.to_marker.d.next = self.to_marker.q.val() - self.look.take16.val().get_bits::<7>(0);
            self.seq.d.next = self.seq_up.val();
            self.seg_first.d.next = false;
            self.open.d.next = true;
            self.fill.d.next = self.space.fill_up.val();
            self.left.d.next = self.look.left_now.val() - self.look.net.val();
            self.since.d.next = self.since.q.val() + self.look.take16.val();
            self.bad_marker.d.next = self.bad_marker.q.val() || self.look.disagrees.val();
            if self.look.has_header.val() {
                self.header.d.next = true;
                self.length.d.next = self.look.len_now.val();
                self.since.d.next = self.look.take16.val() - self.look.lead16.val();
                self.was_cut.d.next = false;
                if self.look.is_send.val() {
                    self.sending.d.next = !self.look.is_last.val();
                }
            }
            if self.look.ends.val() {
                self.header.d.next = false;
                self.open.d.next = false;
                self.bad_marker.d.next = false;
                self.fill.d.next = 0.into();
                self.start.d.next = self.space.start_up.val();
            }
            if self.look.refuse.val() {
                self.words.d.next = 0.into();
                self.header.d.next = false;
                self.open.d.next = false;
                self.lost.d.next = true;
                self.fill.d.next = 0.into();
                self.start.d.next = self.start.q.val();
            }
        }
        if self.closing.val() {
            self.lost.d.next = true;
            self.open.d.next = false;
            self.header.d.next = false;
            self.fill.d.next = 0.into();
        }
        self.back.d.next = self.finish.val();
        if self.finish.val() {
            self.active.d.next = false;
            if self.closes.q.val() {
                self.due.d.next = self.due.q.val() + 1;
            }
        }

        // A cut: what is due is the next octet, and what is before it in its word stays.
        self.cut_now.d.next = self.cuts.val();
        self.cut.next = self.cut_now.q.val();
        if self.cuts.val() {
            self.active.d.next = false;
            self.back.d.next = true;
            self.closes.d.next = false;
            self.due.d.next = self.seq.q.val();
            self.carry.d.next = 0.into();
            if self.early.val().any() {
                self.carry.d.next = self.begun.q.val();
            }
            self.side.d.next = !self.side.q.val();
            self.was_cut.d.next = true;
            self.astray.d.next = !self.win_last.q.val();
        }

        // The piece, or a verdict without words.
        self.o_valid.d.next = self.fire.val() || self.closing.val();
        self.o_conn.d.next = self.conn.q.val();
        self.o_data.d.next = self.win.q.val();
        self.o_words.d.next = self.look.take.val();
        self.o_has_marker.d.next = self.look.counts.val();
        self.o_marker.d.next = self.to_marker.q.val().get_bits::<4>(0);
        self.o_first.d.next = !self.open.q.val();
        self.o_seg_first.d.next = self.seg_first.q.val();
        self.o_end.d.next = self.look.ends.val();
        self.o_verdict.d.next = 0.into();
        self.o_crc.d.next = self.setup.q.val().crc;
        self.o_fill.d.next = self.fill.q.val();
        self.o_start.d.next = self.start.q.val();
        self.o_length.d.next = self.length.q.val();
        self.o_end_seq.d.next = self.seq_up.val();
        if self.look.has_header.val() {
            self.o_length.d.next = self.look.len_now.val();
        }
        if self.bad_marker.q.val() || self.look.disagrees.val() {
            self.o_verdict.d.next = self.v_marker.val();
        }
        if self.look.refuse.val() {
            self.o_verdict.d.next = self.v_buffer.val();
        }
        if self.look.refuse.val() && self.look.is_length.val() {
            self.o_verdict.d.next = self.v_length.val();
        }
        if self.closing.val() {
            self.o_verdict.d.next = self.v_ended.val();
        }
        if self.look.refuse.val() || self.closing.val() {
            self.o_words.d.next = 0.into();
            self.o_end.d.next = true;
            self.o_end_seq.d.next = self.seq.q.val();
        }

        // A new segment brings its row, unless the registers hold it already.
        self.offered.next = !self.active.q.val() && !self.astray.q.val() && self.next_valid.val();
        self.next_take.next = self.offered.val();
        self.forward.next = self.known.q.val() && (self.conn.q.val() == self.next_conn.val());
        self.is_stray.next = (self.next_row.val().due != self.next_seq.val())
            || (self.next_row.val().side != self.next_side.val());
        if self.forward.val() {
            self.is_stray.next =
                (self.due.q.val() != self.next_seq.val()) || (self.side.q.val() != self.next_side.val());
        }
        self.switch.next = self.offered.val() && !self.is_stray.val();
        self.strayed.d.next = self.offered.val() && self.is_stray.val();
        if self.offered.val() && self.is_stray.val() && !self.next_empty.val() {
            self.astray.d.next = true;
        }
        if self.astray.q.val() && self.rx.valid.val() && self.rx.last.val() {
            self.astray.d.next = false;
        }
        self.in_due.next = self.due.q.val();
        self.frees.next = self.free_valid.val() && (self.free_conn.val() == self.conn.q.val());
        if self.frees.val() {
            self.unread.d.next = self.free_row.val();
        }
        // Before the switch: the row that comes in with it is not the one that is forgotten.
        if self.forget.val() && (self.forget_conn.val() == self.conn.q.val()) {
            self.known.d.next = false;
        }
        if self.switch.val() {
            self.active.d.next = true;
            self.known.d.next = true;
            self.conn.d.next = self.next_conn.val();
            self.in_due.next = self.next_seq.val();
            self.due.d.next = self.next_seq.val();
            self.odd.d.next = self.next_offset.val().get_bits::<2>(0);
            self.to_marker.d.next = self.no_words.val() - self.next_offset.val().get_bits::<7>(2);
            self.seq.d.next = self.next_seq.val();
            self.fin.d.next = self.next_end.val();
            self.closes.d.next = self.next_end.val();
            self.late.d.next = self.next_late.val();
            self.setup.d.next = self.next_setup.val();
            self.seg_first.d.next = true;
            self.begun.d.next = self.joiner.waited.val();
            self.words.d.next = 0.into();
            self.win_last.d.next = self.next_empty.val();
            if !self.forward.val() {
                self.carry.d.next = self.next_row.val().carry;
                self.header.d.next = self.next_row.val().header;
                self.open.d.next = self.next_row.val().open;
                self.bad_marker.d.next = self.next_row.val().bad_marker;
                self.lost.d.next = self.next_row.val().lost;
                self.left.d.next = self.next_row.val().left;
                self.since.d.next = self.next_row.val().since;
                self.fill.d.next = self.next_row.val().fill;
                self.length.d.next = self.next_row.val().length;
                self.sending.d.next = self.next_row.val().sending;
                self.side.d.next = self.next_row.val().side;
                self.was_cut.d.next = self.next_row.val().was_cut;
                self.start.d.next = self.next_start.val();
                self.unread.d.next = self.next_unread.val();
                if self.free_valid.val() && (self.free_conn.val() == self.next_conn.val()) {
                    self.unread.d.next = self.free_row.val();
                }
            }
        }

        // Octets of the next beat join those that wait; whole words enter the window.
        self.load.next = (self.switch.val() && !self.next_empty.val())
            || (self.active.q.val()
                && !self.win_last.q.val()
                && (!self.look.some.val() || self.emptied.val()));
        self.rx.ready.next = self.load.val() || self.astray.q.val();
        // Straight from registers: through `forward`, Verilator sees a loop through the joiner.
        self.joiner.runs.next = self.active.q.val();
        self.joiner.forward.next = self.known.q.val() && (self.conn.q.val() == self.next_conn.val());
        self.joiner.carry.next = self.carry.q.val();
        self.joiner.odd.next = self.odd.q.val();
        self.joiner.next_carry.next = self.next_row.val().carry;
        self.joiner.next_odd.next = self.next_offset.val().get_bits::<2>(0);
        self.joiner.data.next = self.rx.data.val();
        self.joiner.bytes.next = self.rx.bytes.val();
        if self.load.val() && self.rx.valid.val() {
            self.win.d.next = self.joiner.win.val();
            self.words.d.next = self.joiner.words.val();
            self.win_last.d.next = self.rx.last.val();
            self.carry.d.next = self.joiner.carry_up.val();
            self.odd.d.next = self.joiner.odd_up.val();
            self.due.d.next = self.in_due.val() + bit_cast::<32, K>(self.rx.bytes.val());
            // A segment that turns out bad has no place here; if it comes, the stream ends with it.
            if self.rx.last.val() && self.rx.err.val() {
                self.fin.d.next = true;
            }
        }

        self.stray.next = self.strayed.q.val();
        self.back_valid.next = self.back.q.val();
        self.back_ends.next = self.closes.q.val();
        self.back_late.next = self.late.q.val();
        self.back_row.next.due = self.due.q.val();
        self.back_row.next.carry = self.carry.q.val();
        self.back_row.next.header = self.header.q.val();
        self.back_row.next.open = self.open.q.val();
        self.back_row.next.bad_marker = self.bad_marker.q.val();
        self.back_row.next.lost = self.lost.q.val();
        self.back_row.next.left = self.left.q.val();
        self.back_row.next.since = self.since.q.val();
        self.back_row.next.fill = self.fill.q.val();
        self.back_row.next.length = self.length.q.val();
        self.back_row.next.sending = self.sending.q.val();
        self.back_row.next.side = self.side.q.val();
        self.back_row.next.was_cut = self.was_cut.q.val();
        self.back_start.next = self.start.q.val();
        self.back_conn.next = self.conn.q.val();

        self.p_valid.next = self.o_valid.q.val();
        self.p_conn.next = self.o_conn.q.val();
        self.p_data.next = self.o_data.q.val();
        self.p_words.next = self.o_words.q.val();
        self.p_has_marker.next = self.o_has_marker.q.val();
        self.p_marker.next = self.o_marker.q.val();
        self.p_first.next = self.o_first.q.val();
        self.p_seg_first.next = self.o_seg_first.q.val();
        self.p_end.next = self.o_end.q.val();
        self.p_verdict.next = self.o_verdict.q.val();
        self.p_crc.next = self.o_crc.q.val();
        self.p_fill.next = self.o_fill.q.val();
        self.p_start.next = self.o_start.q.val();
        self.p_after.next = self.start.q.val();
        self.p_length.next = self.o_length.q.val();
        self.p_end_seq.next = self.o_end_seq.q.val();
    }
}
