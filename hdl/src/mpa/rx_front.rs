// SPDX-License-Identifier: MIT OR Apache-2.0
//! Segment descriptors meet their context row: request by connection, answer after two cycles.
use super::rx_row::{RxComing, RxRow, RxSetup};
use crate::prelude::*;
use crate::stream::ItemSource;

/// Fetches the row of the next segment's connection while the present segment still runs.
///
/// Holds the columns of the context row: set-up (written by set-up), framing state and buffer start
/// (written by the framer), first unread row (written by the reader). The framer forwards its own
/// registers when two segments of one connection follow each other; a segment is fetched only after
/// the one before it was taken, so no row is read between its change and its write-back. `C` = log2
/// of the connections.
#[block(clock)]
pub struct RxFront<const C: usize> {
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

    /// A segment with its row, for the framer.
    pub coming: ItemSource<RxComing>,

    setups: Sdp<RxSetup, C>,
    rows: Sdp<RxRow, C>,
    starts: Sdp<Bits<12>, C>,
    unread: Sdp<Bits<12>, C>,
    scrub: Reg<Bits<C>>,
    done: Reg<Bit>,
    asked: Reg<Bit>,
    ready: Reg<Bit>,
    held: Flop<RxComing>,
    freed: Flop<Bits<12>>,
    was_freed: Reg<Bit>,
    blank_row: Const<RxRow>,
    fresh: Signal<Local, RxRow>,
    zero: Const<Bits<12>>,
}

#[kernel]
impl<const C: usize> Logic for RxFront<C> {
    fn update(&mut self) {
        regs!(scrub, done, asked, ready, was_freed);
        flops!(held, freed);
        clocked!(setups, rows, starts, unread);
        self.scrubbed.next = self.done.q.val();

        // One segment at a time: taken, asked for, ready, taken over by the framer.
        self.seg_ready.next = self.done.q.val() && !self.asked.q.val() && !self.ready.q.val();
        let accept: Bit =
            self.done.q.val() && !self.asked.q.val() && !self.ready.q.val() && self.seg_valid.val();
        self.setups.read_enable.next = accept;
        self.setups.read_address.next = self.seg_conn.val();
        self.rows.read_enable.next = accept;
        self.rows.read_address.next = self.seg_conn.val();
        self.starts.read_enable.next = accept;
        self.starts.read_address.next = self.seg_conn.val();
        self.unread.read_enable.next = accept;
        self.unread.read_address.next = self.seg_conn.val();
        if accept {
            self.asked.d.next = true;
            self.held.d.next.conn = bit_cast::<8, C>(self.seg_conn.val());
            self.held.d.next.seq = self.seg_seq.val();
            self.held.d.next.empty = self.seg_empty.val();
            self.held.d.next.ends = self.seg_end.val();
            self.held.d.next.side = self.seg_side.val();
            self.held.d.next.late = self.seg_late.val();
            self.was_freed.d.next = self.free_valid.val() && (self.free_conn.val() == self.seg_conn.val());
            self.freed.d.next = self.free_row.val();
        }
        // What the reader frees from the request on is newer than what the RAM answers.
        let conn: Bits<C> = bit_cast::<C, 8>(self.held.q.val().conn);
        let hit: Bit = self.free_valid.val() && (self.free_conn.val() == conn);
        if self.asked.q.val() {
            self.asked.d.next = false;
            self.ready.d.next = true;
            self.held.d.next.row = self.rows.read_data.val();
            self.held.d.next.setup = self.setups.read_data.val();
            self.held.d.next.start = self.starts.read_data.val();
            self.held.d.next.offset = self.held.q.val().seq - self.setups.read_data.val().seq_start;
            self.held.d.next.unread = self.unread.read_data.val();
            if self.was_freed.q.val() {
                self.held.d.next.unread = self.freed.q.val();
            }
            if hit {
                self.held.d.next.unread = self.free_row.val();
            }
        }
        if self.ready.q.val() && hit {
            self.held.d.next.unread = self.free_row.val();
        }
        if self.coming.ready.val() {
            self.ready.d.next = false;
        }
        self.coming.item.next = self.held.q.val();
        self.coming.valid.next = self.ready.q.val();

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
