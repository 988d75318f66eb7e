// SPDX-License-Identifier: MIT OR Apache-2.0
//! The columns of the receive side, each written here alone (D12).
use super::rx_row::{RxConf, RxMessage, RxReads};
use crate::cell::ScrubbedRam;
use crate::gen::consts::qp_state;
use crate::gen::QpRow;
use crate::prelude::*;

/// Rows of all queue pairs: set up by the admin port between two FPDUs, read for one and written
/// back.
///
/// A new row and a new stream both make the queue pair begin anew.
#[block]
pub struct RxColumns<const C: usize> {
    /// Rows are scrubbed.
    pub scrubbed: Signal<Out, Bit>,
    /// No FPDU is under way: rows may be set up.
    pub idle: Signal<In, Bit>,
    /// Queue pair whose row is written.
    pub qpw_qp: Signal<In, Bits<C>>,
    /// The row.
    pub qpw_row: Signal<In, QpRow>,
    /// The row is offered.
    pub qpw_valid: Signal<In, Bit>,
    /// The row is taken.
    pub qpw_ready: Signal<Out, Bit>,
    /// Queue pair whose stream begins anew.
    pub ins_qp: Signal<In, Bits<C>>,
    /// The stream is offered.
    pub ins_valid: Signal<In, Bit>,
    /// The stream is taken.
    pub ins_ready: Signal<Out, Bit>,
    /// A queue pair begins anew: nothing of before counts any longer.
    pub clear: Signal<Out, Bit>,
    /// Queue pair that begins anew; with `clear`.
    pub clear_qp: Signal<Out, Bits<C>>,
    /// Rows are read.
    pub read: Signal<In, Bit>,
    /// Of this queue pair.
    pub read_qp: Signal<In, Bits<C>>,
    /// In the next cycle, until the next read.
    pub conf: Signal<Out, RxConf>,
    /// As `conf`; beyond `done` and `open` without meaning unless it is open.
    pub message: Signal<Out, RxMessage>,
    /// As `conf`.
    pub reads: Signal<Out, RxReads>,
    /// Queue pair of what is written back, not while `idle`.
    pub back_qp: Signal<In, Bits<C>>,
    /// Its message.
    pub back: Signal<In, RxMessage>,
    /// Pulse: `back` is written.
    pub back_valid: Signal<In, Bit>,
    /// Its queue 1 and Reads.
    pub back_reads: Signal<In, RxReads>,
    /// Pulse: `back_reads` is written.
    pub back_reads_valid: Signal<In, Bit>,

    confs: ScrubbedRam<RxConf, C>,
    // Written while no row is read; a queue pair that begins anew loses the bits that say that they
    // count.
    messages: Sdp<RxMessage, C>,
    links: Sdp<RxReads, C>,
    has_message: ScrubbedRam<Bit, C>,
    has_links: ScrubbedRam<Bit, C>,
    /// In the next idle cycle a stream, not a row, may be written.
    turn: Reg<Bit>,
    none: Const<Bits<32>>,
    no_reads: Const<RxReads>,
    m: Signal<Local, RxMessage>,
    clears_qp: Signal<Local, Bits<C>>,
}

impl<const C: usize> RxColumns<C> {
    /// For `2^C` queue pairs.
    pub fn new() -> Self {
        Self { messages: Sdp::block(), ..Default::default() }
    }
}

#[kernel]
impl<const C: usize> Logic for RxColumns<C> {
    fn update(&mut self) {
        regs!(turn);
        parts!(confs, has_message, has_links);
        clocked!(messages, links);
        self.scrubbed.next = self.has_message.ready.val();

        // Set up in turns, while somebody asks.
        let may: Bit = self.idle.val() && self.has_message.ready.val();
        if self.idle.val() && (self.qpw_valid.val() || self.ins_valid.val()) {
            self.turn.d.next = !self.turn.q.val();
        }
        self.qpw_ready.next = may && !self.turn.q.val();
        self.ins_ready.next = may && self.turn.q.val();
        let clears: Bit = may
            && ((self.qpw_valid.val() && !self.turn.q.val()) || (self.ins_valid.val() && self.turn.q.val()));
        self.clears_qp.next = self.qpw_qp.val();
        if self.turn.q.val() {
            self.clears_qp.next = self.ins_qp.val();
        }
        self.clear.next = clears;
        self.clear_qp.next = self.clears_qp.val();
        self.confs.write_enable.next = clears && !self.turn.q.val();
        self.confs.write_address.next = self.qpw_qp.val();
        self.confs.write_data.next.is_ready = self.qpw_row.val().state == qp_state::ready().val();
        self.confs.write_data.next.pd = self.qpw_row.val().pd;
        self.confs.write_data.next.recv_cq = self.qpw_row.val().recv_cq;
        self.confs.write_data.next.ird = self.qpw_row.val().ird;

        // Read.
        self.confs.read_enable.next = self.read.val();
        self.confs.read_address.next = self.read_qp.val();
        self.messages.read_enable.next = self.read.val();
        self.messages.read_address.next = self.read_qp.val();
        self.links.read_enable.next = self.read.val();
        self.links.read_address.next = self.read_qp.val();
        self.has_message.read_enable.next = self.read.val();
        self.has_message.read_address.next = self.read_qp.val();
        self.has_links.read_enable.next = self.read.val();
        self.has_links.read_address.next = self.read_qp.val();
        self.conf.next = self.confs.read_data.val();
        self.m.next = self.messages.read_data.val();
        if !self.has_message.read_data.val() {
            self.m.next.done = self.none.val();
            self.m.next.open = false;
        }
        self.message.next = self.m.val();
        self.reads.next = self.no_reads.val();
        if self.has_links.read_data.val() {
            self.reads.next = self.links.read_data.val();
        }

        // Written back, or begun anew.
        self.messages.write_enable.next = self.back_valid.val();
        self.messages.write_address.next = self.back_qp.val();
        self.messages.write_data.next = self.back.val();
        self.links.write_enable.next = self.back_reads_valid.val();
        self.links.write_address.next = self.back_qp.val();
        self.links.write_data.next = self.back_reads.val();
        self.has_message.write_enable.next = self.back_valid.val();
        self.has_message.write_address.next = self.back_qp.val();
        self.has_message.write_data.next = !self.idle.val();
        self.has_links.write_enable.next = self.back_reads_valid.val();
        self.has_links.write_address.next = self.back_qp.val();
        self.has_links.write_data.next = !self.idle.val();
        if self.idle.val() {
            self.has_message.write_enable.next = clears;
            self.has_message.write_address.next = self.clears_qp.val();
            self.has_links.write_enable.next = clears;
            self.has_links.write_address.next = self.clears_qp.val();
        }
    }
}
