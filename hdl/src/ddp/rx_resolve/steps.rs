// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps of an FPDU.
use super::{RxResolve, St};
use crate::gen::consts::{opcode, term_error, wc_status};
use crate::mpa::verdict;
use crate::prelude::*;

#[kernel]
impl<const C: usize, const NC: usize, const R: usize, const A: usize> Logic for RxResolve<C, NC, R, A> {
    fn update(&mut self) {
        regs!(state, took);
        flops!(
            item, hushed, body, slot, kept, out, looked, conf, message, reads, msn, left, pieces, n0, n1, n2
        );
        parts!(other, columns, rest);
        self.scrubbed.next = self.columns.scrubbed.val();
        let qp: Bits<C> = bit_cast::<C, 8>(self.item.q.val().qp);

        // Rows: set up between two FPDUs.
        let idle: Bit = self.state.q.val() == St::Idle;
        self.columns.idle.next = idle;
        self.between.next = idle;
        self.columns.qpw_qp.next = self.qpw_qp.val();
        self.columns.qpw_row.next = self.qpw_row.val();
        self.columns.qpw_valid.next = self.qpw_valid.val();
        self.qpw_ready.next = self.columns.qpw_ready.val();
        self.columns.ins_qp.next = self.ins_qp.val();
        self.columns.ins_valid.next = self.ins_valid.val();
        self.ins_ready.next = self.columns.ins_ready.val();
        self.clear.next = self.columns.clear.val();
        self.clear_qp.next = self.columns.clear_qp.val();

        // The next FPDU, its head and its rows; before it a Read of ours.
        let takes_out: Bit = idle && self.columns.scrubbed.val() && self.ro.valid.val();
        self.ro.ready.next = idle && self.columns.scrubbed.val();
        let head_octets: Bits<368> = self.head.item.val().octets;
        self.look.fpdu.next = self.fpdu.item.val();
        self.look.head.next = head_octets.get_bits::<144>(0);
        let has_frame: Bit = self.fpdu.item.val().verdict == lit::<3>(verdict::GOOD);
        let accept: Bit = idle
            && self.columns.scrubbed.val()
            && !self.ro.valid.val()
            && self.fpdu.valid.val()
            && (!has_frame || self.head.valid.val());
        self.fpdu.ready.next = accept;
        self.head.ready.next = accept && has_frame;
        self.columns.read.next = accept || takes_out;
        self.columns.read_qp.next = bit_cast::<C, 8>(self.fpdu.item.val().qp);
        if self.ro.valid.val() {
            self.columns.read_qp.next = bit_cast::<C, 8>(self.ro.item.val().qp);
        }
        self.finished.next = self.columns.message.val().done;
        if self.looked.q.val().queue == 1 {
            self.finished.next = self.columns.reads.val().requests;
        }
        if self.looked.q.val().queue == 2 {
            // one Terminate, which is the last message
            self.finished.next = self.none.val();
        }

        // Reads, of the peer and ours, and the Terminate.
        self.other.looked.next = self.looked.q.val();
        self.other.body.next = self.body.q.val();
        self.other.qp.next = self.item.q.val().qp;
        self.other.conf.next = self.conf.q.val();
        self.other.reads.next = self.reads.q.val();
        self.other.msn.next = self.msn.q.val();
        self.other.get.next = self.state.q.val() == St::Judge;
        self.other.out.next = self.out.q.val();
        self.other.put.next = self.state.q.val() == St::OutPut;
        self.other.free_qp.next = self.free_qp.val();
        self.other.free.next = self.free.val();
        self.other.clear.next = self.columns.clear.val();
        self.other.clear_qp.next = self.columns.clear_qp.val();
        self.request.item.next = self.other.request.val();
        let is_response: Bit =
            self.looked.q.val().is_tagged && (self.looked.q.val().opcode == opcode::read_response().val());
        let holds: Bit = self.looked.q.val().is_last && self.looked.q.val().invalidates;
        let noted: Bit = self.request.ready.val() || !self.other.verdict.val().is_request;
        let may_ask: Bit = self.ask.ready.val() || !self.other.verdict.val().asks;
        let hands: Bit = (self.state.q.val() == St::Other) && self.job.ready.val() && noted && may_ask;
        self.took.d.next = hands && self.other.verdict.val().is_request;
        self.other.take.next = self.took.q.val();
        self.request.valid.next = hands && self.other.verdict.val().is_request;

        // What the receive has beside the scatter under way.
        self.rest.fresh.next = accept;
        self.rest.fresh_qp.next = bit_cast::<C, 8>(self.fpdu.item.val().qp);
        self.rest.qp.next = qp;
        self.rest.rqe.next = self.rqe.item.val();
        self.rest.keep.next = (self.state.q.val() == St::Wait) && self.rqe.valid.val();
        self.rqe.ready.next = self.rest.rqe_ready.val();
        self.rest.turn.next = (self.state.q.val() == St::Piece) && self.fill.full.val();
        self.rest.is_third.next = self.message.q.val().is_third;
        self.rest.again.next = self.state.q.val() == St::Turn;

        // Where its payload goes in the receive.
        self.fill.after.next = self.rest.after.val();
        self.fill.message.next = self.message.q.val();
        self.fill.rqe.next = self.rqe.item.val();
        self.fill.mo.next = self.looked.q.val().mo;
        self.fill.payload.next = self.looked.q.val().payload;
        self.fill.left.next = self.left.q.val();
        self.fill.qp.next = self.item.q.val().qp;
        self.fill.pd.next = self.conf.q.val().pd;
        self.remote.next.stag = self.looked.q.val().stag;
        self.remote.next.addr = self.looked.q.val().to;
        self.remote.next.length = bit_cast::<32, 16>(self.looked.q.val().payload);
        self.remote.next.qp = self.item.q.val().qp;
        self.remote.next.pd = self.conf.q.val().pd;
        self.remote.next.remote_write = true;
        self.remote.next.remote_read = false;
        self.remote.next.local_write = false;

        // What is handed on, as far as it is the same in every step.
        let hushed_now: Bit = self.dead.val().get_bit(qp.index()) || self.stopped.val().get_bit(qp.index());
        self.hushed.d.next = hushed_now;
        let silent: Bit = !self.conf.q.val().is_ready || self.hushed.q.val();
        self.good_qp.next = self.item.q.val().qp;
        self.good_valid.next = (self.state.q.val() == St::Judge)
            && self.conf.q.val().is_ready
            && !hushed_now
            && (self.item.q.val().verdict == lit::<3>(verdict::GOOD));
        let gap: Bits<32> = self.looked.q.val().msn - self.msn.q.val();
        self.job_out.next.qp = self.item.q.val().qp;
        self.job_out.next.has_frame = self.item.q.val().verdict == lit::<3>(verdict::GOOD);
        self.job_out.next.length = self.item.q.val().length;
        self.job_out.next.silent = false;
        self.job_out.next.has_error = false;
        self.job_out.next.error = self.looked.q.val().error;
        self.job_out.next.status = wc_status::fatal_err().val();
        if self.looked.q.val().is_terminate {
            // nobody answers a Terminate, whatever is wrong with it: the status tells
            self.job_out.next.status = wc_status::rem_op_err().val();
        }
        self.job_out.next.is_tagged = self.looked.q.val().is_tagged;
        self.job_out.next.is_request = false;
        self.job_out.next.is_terminate = false;
        self.job_out.next.invalidates = false;
        self.job_out.next.stag = self.looked.q.val().stag;
        self.job_out.next.pieces = self.pieces.q.val();
        self.job_out.next.n0 = self.n0.q.val();
        self.job_out.next.n1 = self.n1.q.val();
        self.job_out.next.n2 = self.n2.q.val();
        self.job_out.next.has_wr =
            self.message.q.val().open && !self.looked.q.val().is_tagged && (self.looked.q.val().queue == 0);
        self.job_out.next.index = self.rest.index.val();
        self.job_out.next.delivers = false;
        self.job_out.next.byte_len = self.message.q.val().got;
        self.job_out.next.opcode = self.looked.q.val().opcode;
        self.job_out.next.recv_cq = self.conf.q.val().recv_cq;
        self.job_out.next.slot = self.slot.q.val();
        self.job_out.next.kept = self.kept.q.val();
        self.offers.next = false;
        self.ask.item.next = self.fill.ask.val();
        self.ask.valid.next = false;
        self.take.item.next = qp;
        self.take.valid.next = self.state.q.val() == St::Take;

        match self.state.q.val() {
            St::Idle => {
                self.item.d.next = self.fpdu.item.val();
                self.looked.d.next = self.look.looked.val();
                self.body.d.next = head_octets.get_bits::<224>(144);
                self.slot.d.next = self.head.item.val().slot;
                self.kept.d.next = self.head.item.val().kept;
                self.out.d.next = self.ro.item.val();
                if takes_out {
                    self.state.d.next = St::OutRow;
                }
                if accept {
                    self.state.d.next = St::Rows;
                }
            }
            St::Rows => {
                self.conf.d.next = self.columns.conf.val();
                self.message.d.next = self.columns.message.val();
                self.reads.d.next = self.columns.reads.val();
                self.msn.d.next = self.finished.val() + 1;
                self.left.d.next = self.looked.q.val().payload;
                self.pieces.d.next = 0.into();
                self.state.d.next = St::Judge;
            }
            St::Judge => {
                self.ask.item.next = self.remote.val();
                if silent || self.looked.q.val().has_error {
                    self.job_out.next.silent = silent;
                    self.job_out.next.has_error = true;
                    self.job_out.next.has_wr = false;
                    self.offers.next = true;
                } else if is_response {
                    self.state.d.next = St::Oldest;
                } else if self.looked.q.val().is_tagged {
                    // a segment without payload names no buffer: neither STag nor TO is looked at
                    self.job_out.next.n0 = self.looked.q.val().payload;
                    self.offers.next = self.ask.ready.val() || !self.looked.q.val().payload.any();
                    if self.looked.q.val().payload.any() {
                        self.job_out.next.pieces = 1.into();
                        self.ask.valid.next = self.job.ready.val();
                    }
                } else if gap.any() {
                    self.job_out.next.has_error = true;
                    self.job_out.next.error = term_error::ddp_no_buffer().val();
                    if gap.get_bit(31) {
                        self.job_out.next.error = term_error::ddp_msn_range().val();
                    }
                    self.offers.next = true;
                } else if self.looked.q.val().queue != 0 {
                    self.state.d.next = St::Oldest;
                } else if self.message.q.val().open {
                    self.state.d.next = St::Fit;
                } else {
                    self.state.d.next = St::Take;
                }
            }
            St::Take => {
                if self.take.ready.val() {
                    self.state.d.next = St::Wait;
                }
            }
            St::Wait => {
                if self.rqe.valid.val() && self.rqe.item.val().found {
                    self.message.d.next = self.fill.taken.val();
                    self.state.d.next = St::Sum;
                } else if self.rqe.valid.val() {
                    self.state.d.next = St::Missing;
                }
            }
            St::Missing => {
                self.job_out.next.has_error = true;
                self.job_out.next.error = term_error::ddp_no_buffer().val();
                self.offers.next = true;
            }
            St::Sum => {
                self.message.d.next = self.fill.summed.val();
                self.state.d.next = St::Fit;
            }
            St::Fit => {
                if self.fill.unfit.val() {
                    self.job_out.next.has_error = true;
                    self.job_out.next.error = self.fill.error.val();
                    self.job_out.next.status = self.fill.status.val();
                    self.offers.next = true;
                } else if self.looked.q.val().payload.any() {
                    self.state.d.next = St::Piece;
                } else {
                    self.state.d.next = St::Done;
                }
            }
            St::Piece => {
                if self.fill.full.val() {
                    self.state.d.next = St::Turn;
                } else {
                    self.ask.valid.next = true;
                    if self.ask.ready.val() {
                        if self.fill.is_all.val() {
                            self.state.d.next = St::Done;
                        }
                        self.message.d.next = self.fill.filled.val();
                        self.left.d.next = self.left.q.val() - self.fill.octets.val();
                        self.pieces.d.next = self.pieces.q.val() + 1;
                        if self.pieces.q.val() == 0 {
                            self.n0.d.next = self.fill.octets.val();
                        }
                        if self.pieces.q.val() == 1 {
                            self.n1.d.next = self.fill.octets.val();
                        }
                        if self.pieces.q.val() == 2 {
                            self.n2.d.next = self.fill.octets.val();
                        }
                    }
                }
            }
            St::Turn => {
                self.message.d.next = self.fill.shifted.val();
                self.state.d.next = St::Piece;
            }
            St::Done => {
                self.job_out.next.delivers = self.looked.q.val().is_last;
                self.job_out.next.invalidates = holds;
                self.offers.next = true;
            }
            St::Oldest => {
                self.state.d.next = St::Other;
            }
            St::Other => {
                self.ask.item.next = self.other.ask.val();
                self.ask.valid.next = self.other.verdict.val().asks && self.job.ready.val() && noted;
                self.job_out.next.has_error = self.other.verdict.val().has_error;
                self.job_out.next.error = self.other.verdict.val().error;
                self.job_out.next.status = self.other.verdict.val().status;
                self.job_out.next.is_request = self.other.verdict.val().is_request;
                self.job_out.next.is_terminate = self.other.verdict.val().is_terminate;
                self.job_out.next.delivers = self.other.verdict.val().delivers;
                self.job_out.next.byte_len = self.other.verdict.val().info;
                self.job_out.next.n0 = self.looked.q.val().payload;
                if self.other.verdict.val().asks {
                    self.job_out.next.pieces = 1.into();
                }
                self.offers.next = noted && may_ask;
            }
            St::Hold => {
                if self.settled.val() {
                    self.state.d.next = St::Idle;
                }
            }
            St::OutRow => {
                self.reads.d.next = self.columns.reads.val();
                self.state.d.next = St::OutPut;
            }
            St::OutPut => {
                self.state.d.next = St::Idle;
            }
            _ => {}
        }
        // The FPDU is handed on with its job.
        self.job.item.next = self.job_out.val();
        self.job.valid.next = self.offers.val();
        if self.offers.val() && self.job.ready.val() {
            self.state.d.next = St::Idle;
            if (self.state.q.val() == St::Done) && holds {
                self.state.d.next = St::Hold;
            }
        }

        // The message goes back when its segment is handed on.
        self.back.next = self.message.q.val();
        if self.looked.q.val().is_last {
            self.back.next.done = self.msn.q.val();
            self.back.next.open = false;
        }
        self.columns.back.next = self.back.val();
        self.columns.back_valid.next = (self.state.q.val() == St::Done) && self.job.ready.val();
        self.columns.back_qp.next = qp;
        if self.state.q.val() == St::OutPut {
            self.columns.back_qp.next = bit_cast::<C, 8>(self.out.q.val().qp);
        }
        self.columns.back_reads.next = self.other.back.val();
        self.columns.back_reads_valid.next = hands || (self.state.q.val() == St::OutPut);
    }
}
