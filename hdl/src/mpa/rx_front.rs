// SPDX-License-Identifier: MIT OR Apache-2.0
//! Segment descriptors meet their context row: request by connection, answer after two cycles.
use super::rx_row::{RxRow, RxSetup};
use crate::cell::{Const, Flop, Reg, Sdp};
use rust_hdl::prelude::*;

/// Fetches the row of the next segment's connection while the present segment still runs.
///
/// Holds the columns of the context row: set-up (written by set-up), framing state and buffer start
/// (written by the framer), first unread row (written by the reader). The framer forwards its own
/// registers when two segments of one connection follow each other; a segment is fetched only after
/// the one before it was taken, so no row is read between its change and its write-back. `C` = log2
/// of the connections.
#[derive(LogicBlock, Default)]
pub struct RxFront<const C: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset; the columns are then scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// The scrub is over.
    pub scrubbed: Signal<Out, Bit>,

    /// Connection to set up.
    pub setup_conn: Signal<In, Bits<C>>,
    /// Its set-up.
    pub setup: Signal<In, RxSetup>,
    /// Set-up offered; taken when the framing column's write port is free.
    pub setup_valid: Signal<In, Bit>,
    /// Set-up taken.
    pub setup_ready: Signal<Out, Bit>,
    /// Pulse: connection `setup_conn` is set up.
    pub given: Signal<Out, Bit>,

    /// Connection of a segment.
    pub seg_conn: Signal<In, Bits<C>>,
    /// Sequence number of its first octet.
    pub seg_seq: Signal<In, Bits<32>>,
    /// It has no octets.
    pub seg_empty: Signal<In, Bit>,
    /// The stream ends after it.
    pub seg_end: Signal<In, Bit>,
    /// It tells of octets behind the end of the stream.
    pub seg_late: Signal<In, Bit>,
    /// Cuts of its connection that the announcement knows of.
    pub seg_side: Signal<In, Bit>,
    /// Segment offered.
    pub seg_valid: Signal<In, Bit>,
    /// Segment taken.
    pub seg_ready: Signal<Out, Bit>,

    /// Row after those that the reader freed last.
    pub free_row: Signal<In, Bits<12>>,
    /// Connection it did so for.
    pub free_conn: Signal<In, Bits<C>>,
    /// It does so in this cycle.
    pub free_valid: Signal<In, Bit>,

    /// Framing state to write back.
    pub back_row: Signal<In, RxRow>,
    /// Buffer start to write back.
    pub back_start: Signal<In, Bits<12>>,
    /// Connection they belong to.
    pub back_conn: Signal<In, Bits<C>>,
    /// Write-back in this cycle.
    pub back_valid: Signal<In, Bit>,

    /// A segment with its row stands ready.
    pub next_valid: Signal<Out, Bit>,
    /// The framer takes it.
    pub next_take: Signal<In, Bit>,
    /// Its connection.
    pub next_conn: Signal<Out, Bits<C>>,
    /// Sequence number of its first octet.
    pub next_seq: Signal<Out, Bits<32>>,
    /// Stream offset of its first octet, modulo 2^32.
    pub next_offset: Signal<Out, Bits<32>>,
    /// It has no octets.
    pub next_empty: Signal<Out, Bit>,
    /// The stream ends after it.
    pub next_end: Signal<Out, Bit>,
    /// As `seg_late`.
    pub next_late: Signal<Out, Bit>,
    /// As `seg_side`.
    pub next_side: Signal<Out, Bit>,
    /// Set-up column.
    pub next_setup: Signal<Out, RxSetup>,
    /// Framing column.
    pub next_row: Signal<Out, RxRow>,
    /// Buffer start column.
    pub next_start: Signal<Out, Bits<12>>,
    /// First unread row of the buffer.
    pub next_unread: Signal<Out, Bits<12>>,

    setups: Sdp<RxSetup, C>,
    rows: Sdp<RxRow, C>,
    starts: Sdp<Bits<12>, C>,
    unread: Sdp<Bits<12>, C>,
    scrub: Reg<Bits<C>>,
    done: Reg<Bit>,
    asked: Reg<Bit>,
    ready: Reg<Bit>,
    conn: Flop<Bits<C>>,
    seq: Flop<Bits<32>>,
    offset: Flop<Bits<32>>,
    empty: Flop<Bit>,
    fin: Flop<Bit>,
    side: Flop<Bit>,
    late: Flop<Bit>,
    row: Flop<RxRow>,
    setup_q: Flop<RxSetup>,
    start: Flop<Bits<12>>,
    unread_q: Flop<Bits<12>>,
    freed: Flop<Bits<12>>,
    was_freed: Reg<Bit>,
    blank_row: Const<RxRow>,
    fresh: Signal<Local, RxRow>,
    zero: Const<Bits<12>>,
    accept: Signal<Local, Bit>,
    hit: Signal<Local, Bit>,
}

impl<const C: usize> Logic for RxFront<C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, scrub, done, asked, ready, conn, seq, offset, empty, fin, side, late);
        dff_setup!(self, clock, row, setup_q, start, unread_q, freed, was_freed);
        clock!(self, clock, setups, rows, starts, unread);
        self.scrub.reset.next = self.reset.val();
        self.done.reset.next = self.reset.val();
        self.asked.reset.next = self.reset.val();
        self.ready.reset.next = self.reset.val();
        self.was_freed.reset.next = self.reset.val();
        self.scrubbed.next = self.done.q.val();

        // One segment at a time: taken, asked for, ready, taken over by the framer.
        self.seg_ready.next = self.done.q.val() && !self.asked.q.val() && !self.ready.q.val();
        self.accept.next =
            self.done.q.val() && !self.asked.q.val() && !self.ready.q.val() && self.seg_valid.val();
        self.setups.read_enable.next = self.accept.val();
        self.setups.read_address.next = self.seg_conn.val();
        self.rows.read_enable.next = self.accept.val();
        self.rows.read_address.next = self.seg_conn.val();
        self.starts.read_enable.next = self.accept.val();
        self.starts.read_address.next = self.seg_conn.val();
        self.unread.read_enable.next = self.accept.val();
        self.unread.read_address.next = self.seg_conn.val();
        if self.accept.val() {
            self.asked.d.next = true;
            self.conn.d.next = self.seg_conn.val();
            self.seq.d.next = self.seg_seq.val();
            self.empty.d.next = self.seg_empty.val();
            self.fin.d.next = self.seg_end.val();
            self.side.d.next = self.seg_side.val();
            self.late.d.next = self.seg_late.val();
            self.was_freed.d.next = self.free_valid.val() && (self.free_conn.val() == self.seg_conn.val());
            self.freed.d.next = self.free_row.val();
        }
        // What the reader frees from the request on is newer than what the RAM answers.
        self.hit.next = self.free_valid.val() && (self.free_conn.val() == self.conn.q.val());
        if self.asked.q.val() {
            self.asked.d.next = false;
            self.ready.d.next = true;
            self.row.d.next = self.rows.read_data.val();
            self.setup_q.d.next = self.setups.read_data.val();
            self.start.d.next = self.starts.read_data.val();
            self.offset.d.next = self.seq.q.val() - self.setups.read_data.val().seq_start;
            self.unread_q.d.next = self.unread.read_data.val();
            if self.was_freed.q.val() {
                self.unread_q.d.next = self.freed.q.val();
            }
            if self.hit.val() {
                self.unread_q.d.next = self.free_row.val();
            }
        }
        if self.ready.q.val() && self.hit.val() {
            self.unread_q.d.next = self.free_row.val();
        }
        if self.next_take.val() {
            self.ready.d.next = false;
        }
        self.next_valid.next = self.ready.q.val();
        self.next_conn.next = self.conn.q.val();
        self.next_seq.next = self.seq.q.val();
        self.next_offset.next = self.offset.q.val();
        self.next_empty.next = self.empty.q.val();
        self.next_end.next = self.fin.q.val();
        self.next_side.next = self.side.q.val();
        self.next_late.next = self.late.q.val();
        self.next_setup.next = self.setup_q.q.val();
        self.next_row.next = self.row.q.val();
        self.next_start.next = self.start.q.val();
        self.next_unread.next = self.unread_q.q.val();

        // Columns: scrub, then write-back before set-up on the framing column.
        self.fresh.next = self.blank_row.val();
        self.fresh.next.due = self.setup.val().seq_start;
        self.setup_ready.next = self.done.q.val() && !self.back_valid.val();
        self.given.next = self.setup_valid.val() && self.done.q.val() && !self.back_valid.val();
        self.setups.write_enable.next = self.setup_valid.val() && self.done.q.val() && !self.back_valid.val();
        self.setups.write_address.next = self.setup_conn.val();
        self.setups.write_data.next = self.setup.val();
        self.rows.write_enable.next = self.back_valid.val() || (self.setup_valid.val() && self.done.q.val());
        self.rows.write_address.next = self.setup_conn.val();
        self.rows.write_data.next = self.fresh.val();
        self.starts.write_enable.next = self.back_valid.val();
        self.starts.write_address.next = self.back_conn.val();
        self.starts.write_data.next = self.back_start.val();
        self.unread.write_enable.next = self.free_valid.val();
        self.unread.write_address.next = self.free_conn.val();
        self.unread.write_data.next = self.free_row.val();
        if self.back_valid.val() {
            self.rows.write_address.next = self.back_conn.val();
            self.rows.write_data.next = self.back_row.val();
        }
        if !self.done.q.val() {
            self.rows.write_enable.next = true;
            self.rows.write_address.next = self.scrub.q.val();
            self.rows.write_data.next = self.blank_row.val();
            self.starts.write_enable.next = true;
            self.starts.write_address.next = self.scrub.q.val();
            self.starts.write_data.next = self.zero.val();
            self.unread.write_enable.next = true;
            self.unread.write_address.next = self.scrub.q.val();
            self.unread.write_data.next = self.zero.val();
            self.scrub.d.next = self.scrub.q.val() + 1;
            self.done.d.next = self.scrub.q.val().all();
        }
    }
}
