//! Puts each FPDU to its queue pair's rows, in order: which buffer it names, and which regions are to be checked.
use super::rx_fill::RxFill;
use super::rx_look::RxLook;
use super::rx_row::{RxConf, RxFpdu, RxJob, RxLooked, RxMessage};
use crate::cell::{Const, Flop, Reg, ScrubbedRam};
use crate::gen::consts::{qp_state, term_error, wc_status};
use crate::gen::QpRow;
use crate::mpa::verdict;
use crate::mr::MrAsk;
use crate::queue::Rqe;
use rust_hdl::prelude::*;

/// Step of the one FPDU under way.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Takes an FPDU and asks for the rows of its queue pair; rows are written.
    Idle,
    /// Takes the rows over.
    Rows,
    /// Judges headers and MSN.
    Judge,
    /// Asks for a receive.
    Take,
    /// Waits for it.
    Wait,
    /// Reports that there is none.
    Missing,
    /// Adds up its scatters.
    Sum,
    /// Judges MO and length.
    Fit,
    /// Asks for the check of a piece.
    Piece,
    /// Hands the FPDU on and writes the message back.
    Done,
}

/// One FPDU at a time; what it changes counts at once, since after a fault the rows of its queue pair count no more.
///
/// Four cycles for a tagged segment, eight or nine for an untagged one and what the answer to `take` takes.
/// `NC` = `2^C` queue pairs.
#[derive(LogicBlock, Default)]
pub struct RxResolve<const C: usize, const NC: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Rows are scrubbed.
    pub scrubbed: Signal<Out, Bit>,
    /// Queue pair whose row is written.
    pub qpw_qp: Signal<In, Bits<C>>,
    /// The row.
    pub qpw_row: Signal<In, QpRow>,
    /// Offered.
    pub qpw_valid: Signal<In, Bit>,
    /// Taken.
    pub qpw_ready: Signal<Out, Bit>,
    /// Queue pair whose stream begins anew.
    pub ins_qp: Signal<In, Bits<C>>,
    /// Offered.
    pub ins_valid: Signal<In, Bit>,
    /// Taken.
    pub ins_ready: Signal<Out, Bit>,
    /// A queue pair's row or stream is new: no fault of it counts any longer.
    pub clear: Signal<Out, Bit>,
    /// Which.
    pub clear_qp: Signal<Out, Bits<C>>,
    /// Queue pairs in error.
    pub dead: Signal<In, Bits<NC>>,
    /// Queue pairs in which a fault was found.
    pub stopped: Signal<In, Bits<NC>>,
    /// FPDU.
    pub fpdu: Signal<In, RxFpdu>,
    /// Offered.
    pub fpdu_valid: Signal<In, Bit>,
    /// Taken.
    pub fpdu_ready: Signal<Out, Bit>,
    /// First octets of the oldest ULPDU.
    pub head: Signal<In, Bits<144>>,
    /// Offered.
    pub head_valid: Signal<In, Bit>,
    /// Taken.
    pub head_ready: Signal<Out, Bit>,
    /// Check of a region.
    pub ask: Signal<Out, MrAsk>,
    /// Offered.
    pub ask_valid: Signal<Out, Bit>,
    /// Taken.
    pub ask_ready: Signal<In, Bit>,
    /// Queue pair that needs a receive.
    pub take_qp: Signal<Out, Bits<C>>,
    /// Offered.
    pub take_valid: Signal<Out, Bit>,
    /// Taken.
    pub take_ready: Signal<In, Bit>,
    /// The receive.
    pub rqe: Signal<In, Rqe>,
    /// Offered.
    pub rqe_valid: Signal<In, Bit>,
    /// Taken.
    pub rqe_ready: Signal<Out, Bit>,
    /// FPDU, resolved.
    pub job: Signal<Out, RxJob>,
    /// Offered.
    pub job_valid: Signal<Out, Bit>,
    /// Taken.
    pub job_ready: Signal<In, Bit>,

    look: RxLook,
    fill: RxFill,
    confs: ScrubbedRam<RxConf, C>,
    messages: ScrubbedRam<RxMessage, C>,
    state: Reg<St>,
    /// In the next idle cycle a stream, not a row, may be written.
    turn: Reg<Bit>,
    item: Flop<RxFpdu>,
    looked: Flop<RxLooked>,
    conf: Flop<RxConf>,
    message: Flop<RxMessage>,
    /// Messages finished and this one.
    msn: Flop<Bits<32>>,
    /// Octets of the payload without a piece, and the pieces so far.
    left: Flop<Bits<16>>,
    pieces: Flop<Bits<2>>,
    n0: Flop<Bits<16>>,
    n1: Flop<Bits<16>>,
    n2: Flop<Bits<16>>,

    good: Const<Bits<3>>,
    works: Const<Bits<8>>,
    fatal: Const<Bits<8>>,
    e_range: Const<Bits<16>>,
    e_no_buffer: Const<Bits<16>>,
    blank: Const<RxMessage>,
    rows_write: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    has_frame: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    qp: Signal<Local, Bits<C>>,
    silent: Signal<Local, Bit>,
    gap: Signal<Local, Bits<32>>,
    remote: Signal<Local, MrAsk>,
    job_out: Signal<Local, RxJob>,
    back: Signal<Local, RxMessage>,
}

impl<const C: usize, const NC: usize> RxResolve<C, NC> {
    /// For `NC` queue pairs.
    pub fn new() -> Self {
        Self {
            look: RxLook::new(),
            fill: RxFill::new(),
            good: Const::of(verdict::GOOD),
            works: qp_state::ready(),
            fatal: wc_status::fatal_err(),
            e_range: term_error::ddp_msn_range(),
            e_no_buffer: term_error::ddp_no_buffer(),
            ..Default::default()
        }
    }
}

impl<const C: usize, const NC: usize> Logic for RxResolve<C, NC> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, confs, messages);
        dff_setup!(self, clock, state, turn, item, looked, conf, message, msn, left, pieces, n0, n1, n2);
        self.confs.reset.next = self.reset.val();
        self.messages.reset.next = self.reset.val();
        self.state.reset.next = self.reset.val();
        self.turn.reset.next = self.reset.val();
        self.scrubbed.next = self.confs.ready.val() && self.messages.ready.val();
        self.qp.next = bit_cast::<C, 8>(self.item.q.val().qp);

        // Rows: written between two FPDUs, so that the message column has one writer.
        self.rows_write.next =
            (self.state.q.val() == St::Idle) && self.messages.ready.val() && !self.turn.q.val();
        self.starts.next = (self.state.q.val() == St::Idle) && self.messages.ready.val() && self.turn.q.val();
        self.qpw_ready.next = self.rows_write.val();
        self.ins_ready.next = self.starts.val();
        self.clear.next =
            (self.rows_write.val() && self.qpw_valid.val()) || (self.starts.val() && self.ins_valid.val());
        self.clear_qp.next = self.qpw_qp.val();
        if self.turn.q.val() {
            self.clear_qp.next = self.ins_qp.val();
        }
        self.confs.write_enable.next = self.rows_write.val() && self.qpw_valid.val();
        self.confs.write_address.next = self.qpw_qp.val();
        self.confs.write_data.next.is_ready = self.qpw_row.val().state == self.works.val();
        self.confs.write_data.next.pd = self.qpw_row.val().pd;
        self.confs.write_data.next.recv_cq = self.qpw_row.val().recv_cq;

        // The next FPDU, its head and its rows.
        self.look.fpdu.next = self.fpdu.val();
        self.look.head.next = self.head.val();
        self.has_frame.next = self.fpdu.val().verdict == self.good.val();
        self.accept.next = (self.state.q.val() == St::Idle)
            && self.messages.ready.val()
            && self.fpdu_valid.val()
            && (!self.has_frame.val() || self.head_valid.val());
        self.fpdu_ready.next = self.accept.val();
        self.head_ready.next = self.accept.val() && self.has_frame.val();
        self.confs.read_enable.next = self.accept.val();
        self.confs.read_address.next = bit_cast::<C, 8>(self.fpdu.val().qp);
        self.messages.read_enable.next = self.accept.val();
        self.messages.read_address.next = bit_cast::<C, 8>(self.fpdu.val().qp);

        // Where its payload goes in the receive.
        self.fill.message.next = self.message.q.val();
        self.fill.rqe.next = self.rqe.val();
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
        self.remote.next.is_remote = true;
        self.remote.next.remote_write = true;
        self.remote.next.remote_read = false;
        self.remote.next.local_write = false;

        // What is handed on, as far as it is the same in every step.
        self.silent.next = !self.conf.q.val().is_ready
            || self.dead.val().get_bit(self.qp.val().index())
            || self.stopped.val().get_bit(self.qp.val().index());
        self.gap.next = self.looked.q.val().msn - self.msn.q.val();
        self.job_out.next.qp = self.item.q.val().qp;
        self.job_out.next.has_frame = self.item.q.val().verdict == self.good.val();
        self.job_out.next.length = self.item.q.val().length;
        self.job_out.next.silent = false;
        self.job_out.next.has_error = false;
        self.job_out.next.error = self.looked.q.val().error;
        self.job_out.next.status = self.fatal.val();
        self.job_out.next.is_tagged = self.looked.q.val().is_tagged;
        self.job_out.next.pieces = self.pieces.q.val();
        self.job_out.next.n0 = self.n0.q.val();
        self.job_out.next.n1 = self.n1.q.val();
        self.job_out.next.n2 = self.n2.q.val();
        self.job_out.next.has_wr = self.message.q.val().open && !self.looked.q.val().is_tagged;
        self.job_out.next.wr_id = self.message.q.val().wr_id;
        self.job_out.next.delivers = false;
        self.job_out.next.byte_len = self.message.q.val().got;
        self.job_out.next.opcode = self.looked.q.val().opcode;
        self.job_out.next.recv_cq = self.conf.q.val().recv_cq;
        self.job_valid.next = false;
        self.ask.next = self.fill.ask.val();
        self.ask_valid.next = false;
        self.take_qp.next = self.qp.val();
        self.take_valid.next = self.state.q.val() == St::Take;
        self.rqe_ready.next = self.state.q.val() == St::Wait;

        match self.state.q.val() {
            St::Idle => {
                self.turn.d.next = !self.turn.q.val();
                self.item.d.next = self.fpdu.val();
                self.looked.d.next = self.look.looked.val();
                if self.accept.val() {
                    self.state.d.next = St::Rows;
                }
            }
            St::Rows => {
                self.conf.d.next = self.confs.read_data.val();
                self.message.d.next = self.messages.read_data.val();
                self.msn.d.next = self.messages.read_data.val().done + 1;
                self.left.d.next = self.looked.q.val().payload;
                self.pieces.d.next = 0.into();
                self.state.d.next = St::Judge;
            }
            St::Judge => {
                self.ask.next = self.remote.val();
                if self.silent.val() || self.looked.q.val().has_error {
                    self.job_out.next.silent = self.silent.val();
                    self.job_out.next.has_error = true;
                    self.job_out.next.has_wr = false;
                    self.job_valid.next = true;
                    if self.job_ready.val() {
                        self.state.d.next = St::Idle;
                    }
                } else if self.looked.q.val().is_tagged {
                    // a segment without payload names no buffer: neither STag nor TO is looked at
                    self.job_out.next.n0 = self.looked.q.val().payload;
                    if self.looked.q.val().payload.any() {
                        self.job_out.next.pieces = 1.into();
                        self.ask_valid.next = self.job_ready.val();
                        self.job_valid.next = self.ask_ready.val();
                    } else {
                        self.job_valid.next = true;
                    }
                    if self.job_ready.val() && (self.ask_ready.val() || !self.looked.q.val().payload.any()) {
                        self.state.d.next = St::Idle;
                    }
                } else if self.gap.val().any() {
                    self.job_out.next.has_error = true;
                    self.job_out.next.error = self.e_no_buffer.val();
                    if self.gap.val().get_bit(31) {
                        self.job_out.next.error = self.e_range.val();
                    }
                    self.job_valid.next = true;
                    if self.job_ready.val() {
                        self.state.d.next = St::Idle;
                    }
                } else if self.message.q.val().open {
                    self.state.d.next = St::Fit;
                } else {
                    self.state.d.next = St::Take;
                }
            }
            St::Take => {
                if self.take_ready.val() {
                    self.state.d.next = St::Wait;
                }
            }
            St::Wait => {
                if self.rqe_valid.val() && self.rqe.val().found {
                    self.message.d.next = self.fill.taken.val();
                    self.state.d.next = St::Sum;
                } else if self.rqe_valid.val() {
                    self.state.d.next = St::Missing;
                }
            }
            St::Missing => {
                self.job_out.next.has_error = true;
                self.job_out.next.error = self.e_no_buffer.val();
                self.job_valid.next = true;
                if self.job_ready.val() {
                    self.state.d.next = St::Idle;
                }
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
                    self.job_valid.next = true;
                    if self.job_ready.val() {
                        self.state.d.next = St::Idle;
                    }
                } else {
                    self.state.d.next = St::Piece;
                }
            }
            St::Piece => {
                if !self.left.q.val().any() {
                    self.state.d.next = St::Done;
                } else if self.fill.full.val() {
                    self.message.d.next = self.fill.shifted.val();
                } else {
                    self.ask_valid.next = true;
                    if self.ask_ready.val() {
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
            St::Done => {
                self.job_out.next.delivers = self.looked.q.val().is_last;
                self.job_valid.next = true;
                if self.job_ready.val() {
                    self.state.d.next = St::Idle;
                }
            }
            _ => {}
        }
        self.job.next = self.job_out.val();

        // The message goes back when its segment is handed on.
        self.back.next = self.message.q.val();
        if self.looked.q.val().is_last {
            self.back.next.done = self.msn.q.val();
            self.back.next.open = false;
        }
        self.messages.write_enable.next = (self.state.q.val() == St::Done) && self.job_ready.val();
        self.messages.write_address.next = self.qp.val();
        self.messages.write_data.next = self.back.val();
        if self.state.q.val() == St::Idle {
            self.messages.write_enable.next = self.clear.val();
            self.messages.write_address.next = self.clear_qp.val();
            self.messages.write_data.next = self.blank.val();
        }
    }
}
