// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the framer does in a cycle.
use super::RxFrame;
use crate::prelude::*;

#[kernel]
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
    fn update(&mut self) {
        regs!(active, astray, strayed, known, back, seg_first, row, words, win_last, cut_now, o_valid);
        flops!(conn, seq, to_marker, odd, fin, closes, late, setup, begun, start, unread, win, o_data, o);

        self.look.win.next = self.win.q.val();
        self.look.words.next = self.words.q.val();
        self.look.to_marker.next = self.to_marker.q.val();
        self.look.markers.next = self.setup.q.val().markers;
        self.look.header.next = self.row.q.val().header;
        self.look.left.next = self.row.q.val().left;
        self.look.since.next = self.row.q.val().since;

        self.space.start.next = self.start.q.val();
        self.space.unread.next = self.unread.q.val();
        self.space.fill.next = self.row.q.val().fill;
        self.space.net.next = self.look.net.val();
        // octets of earlier segments in the window's first word
        let seq_start: Bits<32> = self.setup.q.val().seq_start;
        let early: Bits<2> = self.seq.q.val().get_bits::<2>(0) - seq_start.get_bits::<2>(0);

        // A Send that begins, before anything of it but its leading marker is taken.
        let stands: Bit = self.active.q.val()
            && self.look.has_header.val()
            && self.look.is_send.val()
            && !self.row.q.val().sending
            && !self.row.q.val().lost;
        let waits: Bit = stands && !self.hold_may.val();
        let fire: Bit = self.active.q.val()
            && self.look.some.val()
            && !self.row.q.val().lost
            && !waits
            && self.space.room.val()
            && self.credit.val();
        self.hold_waits.next = waits;
        self.hold_passes.next = stands && fire;
        let drop: Bit = self.active.q.val() && self.look.some.val() && self.row.q.val().lost;
        let emptied: Bit =
            drop || (fire && (self.look.refuse.val() || (self.look.take.val() == self.words.q.val())));
        let partial: Bit = !self.row.q.val().lost && (self.row.q.val().open || self.odd.q.val().any());
        let closing: Bit = self.active.q.val()
            && !self.look.some.val()
            && self.win_last.q.val()
            && self.fin.q.val()
            && partial
            && self.credit.val();
        let finish: Bit = self.win_last.q.val()
            && ((emptied && !self.fin.q.val())
                || (self.active.q.val() && !self.look.some.val() && (!self.fin.q.val() || !partial)));

        // The window moves on.
        let rest: Bits<LK> = self.words.q.val() - self.look.take.val();
        let win_shift: Bits<10> = bit_cast::<10, LK>(self.look.take.val()) << 5;
        let took_words: Bits<7> = bit_cast::<7, LK>(self.look.take.val()) << 2;
        let took_octets: Bits<7> = took_words - bit_cast::<7, 2>(early);
        let seq_up: Bits<32> = self.seq.q.val() + bit_cast::<32, 7>(took_octets);
        if emptied {
            self.words.d.next = 0.into();
        }
        if fire {
            self.win.d.next = self.win.q.val() >> win_shift;
            self.words.d.next = rest;
            self.to_marker.d.next = self.to_marker.q.val() - self.look.take16.val().get_bits::<7>(0);
            self.seq.d.next = seq_up;
            self.seg_first.d.next = false;
            self.row.d.next.open = true;
            self.row.d.next.fill = self.space.fill_up.val();
            self.row.d.next.left = self.look.left_now.val() - self.look.net.val();
            self.row.d.next.since = self.row.q.val().since + self.look.take16.val();
            self.row.d.next.bad_marker = self.row.q.val().bad_marker || self.look.disagrees.val();
            if self.look.has_header.val() {
                self.row.d.next.header = true;
                self.row.d.next.length = self.look.len_now.val();
                self.row.d.next.since = self.look.take16.val() - self.look.lead16.val();
                self.row.d.next.was_cut = false;
                if self.look.is_send.val() {
                    self.row.d.next.sending = !self.look.is_last.val();
                }
            }
            if self.look.ends.val() {
                self.row.d.next.header = false;
                self.row.d.next.open = false;
                self.row.d.next.bad_marker = false;
                self.row.d.next.fill = 0.into();
                self.start.d.next = self.space.start_up.val();
            }
            if self.look.refuse.val() {
                self.words.d.next = 0.into();
                self.row.d.next.header = false;
                self.row.d.next.open = false;
                self.row.d.next.lost = true;
                self.row.d.next.fill = 0.into();
                self.start.d.next = self.start.q.val();
            }
        }
        if closing {
            self.row.d.next.lost = true;
            self.row.d.next.open = false;
            self.row.d.next.header = false;
            self.row.d.next.fill = 0.into();
        }
        self.back.d.next = finish;
        if finish {
            self.active.d.next = false;
            if self.closes.q.val() {
                self.row.d.next.due = self.row.q.val().due + 1;
            }
        }

        // A cut: what is due is the next octet, and what is before it in its word stays.
        self.cut_now.d.next = self.cuts.val();
        self.cut.next = self.cut_now.q.val();
        if self.cuts.val() {
            self.active.d.next = false;
            self.back.d.next = true;
            self.closes.d.next = false;
            self.row.d.next.due = self.seq.q.val();
            self.row.d.next.carry = 0.into();
            if early.any() {
                self.row.d.next.carry = self.begun.q.val();
            }
            self.row.d.next.side = !self.row.q.val().side;
            self.row.d.next.was_cut = true;
            self.astray.d.next = !self.win_last.q.val();
        }

        // The piece, or a verdict without words.
        self.o_valid.d.next = fire || closing;
        self.piece.next.conn = bit_cast::<8, C>(self.conn.q.val());
        self.o_data.d.next = self.win.q.val();
        self.piece.next.words = bit_cast::<5, LK>(self.look.take.val());
        self.piece.next.has_marker = self.look.counts.val();
        self.piece.next.marker = self.to_marker.q.val().get_bits::<4>(0);
        self.piece.next.first = !self.row.q.val().open;
        self.piece.next.seg_first = self.seg_first.q.val();
        self.piece.next.ends = self.look.ends.val();
        self.piece.next.verdict = 0.into();
        self.piece.next.crc = self.setup.q.val().crc;
        self.piece.next.fill = self.row.q.val().fill;
        self.piece.next.start = self.start.q.val();
        self.piece.next.length = self.row.q.val().length;
        self.piece.next.end_seq = seq_up;
        if self.look.has_header.val() {
            self.piece.next.length = self.look.len_now.val();
        }
        if self.row.q.val().bad_marker || self.look.disagrees.val() {
            self.piece.next.verdict = self.v_marker.val();
        }
        if self.look.refuse.val() {
            self.piece.next.verdict = self.v_buffer.val();
        }
        if self.look.refuse.val() && self.look.is_length.val() {
            self.piece.next.verdict = self.v_length.val();
        }
        if closing {
            self.piece.next.verdict = self.v_ended.val();
        }
        if self.look.refuse.val() || closing {
            self.piece.next.words = 0.into();
            self.piece.next.ends = true;
            self.piece.next.end_seq = self.seq.q.val();
        }
        self.piece.next.after = 0.into();
        self.o.d.next = self.piece.val();

        // A new segment brings its row, unless the registers hold it already.
        self.in_row.next = self.coming.item.val().row;
        let coming_conn: Bits<C> = bit_cast::<C, 8>(self.coming.item.val().conn);
        self.in_setup.next = self.coming.item.val().setup;
        let offset: Bits<32> = self.coming.item.val().offset;
        let offered: Bit = !self.active.q.val() && !self.astray.q.val() && self.coming.valid.val();
        self.coming.ready.next = offered;
        let forward: Bit = self.known.q.val() && (self.conn.q.val() == coming_conn);
        self.is_stray.next = (self.in_row.val().due != self.coming.item.val().seq)
            || (self.in_row.val().side != self.coming.item.val().side);
        if forward {
            self.is_stray.next = (self.row.q.val().due != self.coming.item.val().seq)
                || (self.row.q.val().side != self.coming.item.val().side);
        }
        let switch: Bit = offered && !self.is_stray.val();
        self.strayed.d.next = offered && self.is_stray.val();
        if offered && self.is_stray.val() && !self.coming.item.val().empty {
            self.astray.d.next = true;
        }
        if self.astray.q.val() && self.rx.valid.val() && self.rx.last.val() {
            self.astray.d.next = false;
        }
        self.in_due.next = self.row.q.val().due;
        let frees: Bit = self.free_valid.val() && (self.free_conn.val() == self.conn.q.val());
        if frees {
            self.unread.d.next = self.free_row.val();
        }
        // Before the switch: the row that comes in with it is not the one that is forgotten.
        if self.forget.val() && (self.forget_conn.val() == self.conn.q.val()) {
            self.known.d.next = false;
        }
        if switch {
            self.active.d.next = true;
            self.known.d.next = true;
            self.conn.d.next = coming_conn;
            self.in_due.next = self.coming.item.val().seq;
            self.odd.d.next = offset.get_bits::<2>(0);
            self.to_marker.d.next = self.no_words.val() - offset.get_bits::<7>(2);
            self.seq.d.next = self.coming.item.val().seq;
            self.fin.d.next = self.coming.item.val().ends;
            self.closes.d.next = self.coming.item.val().ends;
            self.late.d.next = self.coming.item.val().late;
            self.setup.d.next = self.in_setup.val();
            self.seg_first.d.next = true;
            self.begun.d.next = self.joiner.waited.val();
            self.words.d.next = 0.into();
            self.win_last.d.next = self.coming.item.val().empty;
            if !forward {
                self.row.d.next = self.in_row.val();
                self.start.d.next = self.coming.item.val().start;
                self.unread.d.next = self.coming.item.val().unread;
                if self.free_valid.val() && (self.free_conn.val() == coming_conn) {
                    self.unread.d.next = self.free_row.val();
                }
            }
        }

        // Octets of the next beat join those that wait; whole words enter the window.
        let load: Bit = (switch && !self.coming.item.val().empty)
            || (self.active.q.val() && !self.win_last.q.val() && (!self.look.some.val() || emptied));
        self.rx.ready.next = load || self.astray.q.val();
        // Straight from registers: through `forward`, Verilator sees a loop through the joiner.
        self.joiner.runs.next = self.active.q.val();
        self.joiner.forward.next = self.known.q.val() && (self.conn.q.val() == coming_conn);
        self.joiner.carry.next = self.row.q.val().carry;
        self.joiner.odd.next = self.odd.q.val();
        self.joiner.next_carry.next = self.in_row.val().carry;
        self.joiner.next_odd.next = offset.get_bits::<2>(0);
        self.joiner.data.next = self.rx.data.val();
        self.joiner.bytes.next = self.rx.bytes.val();
        if load && self.rx.valid.val() {
            self.win.d.next = self.joiner.win.val();
            self.words.d.next = self.joiner.words.val();
            self.win_last.d.next = self.rx.last.val();
            self.row.d.next.carry = self.joiner.carry_up.val();
            self.odd.d.next = self.joiner.odd_up.val();
            self.row.d.next.due = self.in_due.val() + bit_cast::<32, K>(self.rx.bytes.val());
            // A segment that turns out bad has no place here; if it comes, the stream ends with it.
            if self.rx.last.val() && self.rx.err.val() {
                self.fin.d.next = true;
            }
        }

        self.stray.next = self.strayed.q.val();
        self.back_valid.next = self.back.q.val();
        self.back_ends.next = self.closes.q.val();
        self.back_late.next = self.late.q.val();
        self.back_row.next = self.row.q.val();
        self.back_start.next = self.start.q.val();
        self.back_conn.next = self.conn.q.val();
        self.p_valid.next = self.o_valid.q.val();
        self.p_data.next = self.o_data.q.val();
        self.p_item.next = self.o.q.val();
        self.p_item.next.after = self.start.q.val();
    }
}
