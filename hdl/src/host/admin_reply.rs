// SPDX-License-Identifier: MIT OR Apache-2.0
//! The answer to a command: its head, then the words of a row.
use crate::cell::{Flop, Reg};
use crate::gen::{
    AdminAnswer, AdminCommand, CapturedError, MrRow, PackAdminAnswer, PackCapturedError, PackMrRow,
};
use crate::record::CiteSink;
use crate::stream::{ItemSink, Skid, StreamSource};
use rust_hdl::prelude::*;

/// Makes answer frames. The words of a row come from [`super::AdminRows`], or from the row that
/// `fault` or `mr` was asked for; behind a captured error come the octets of the segment that the
/// error quotes.
#[derive(LogicBlock, Default)]
pub struct AdminReply {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// The command.
    pub head: Signal<In, AdminCommand>,
    /// Its status.
    pub status: Signal<In, Bits<8>>,
    /// Its value.
    pub value: Signal<In, Bits<32>>,
    /// A row follows.
    pub reads: Signal<In, Bit>,
    /// The row is one of `fault` or `mr`.
    pub outside: Signal<In, Bit>,
    /// The row is one of `mr`.
    pub is_mr: Signal<In, Bit>,
    /// There is no command.
    pub rests: Signal<In, Bit>,
    /// `fault` or `mr` is asked for the row.
    pub fetches: Signal<In, Bit>,
    /// The row has come.
    pub fetched: Signal<Out, Bit>,
    /// The answer leaves.
    pub answers: Signal<In, Bit>,
    /// Words of a row that is kept.
    pub words: CiteSink,
    /// The last beat leaves in this cycle.
    pub done: Signal<Out, Bit>,
    /// `fault` is asked.
    pub cap_valid: Signal<Out, Bit>,
    /// `fault` has taken the question.
    pub cap_ready: Signal<In, Bit>,
    /// The first error of the queue pair.
    pub capd: ItemSink<CapturedError>,
    /// First octets of the segment that the error quotes.
    pub capd_words: CiteSink,
    /// `mr` is asked.
    pub mrr_valid: Signal<Out, Bit>,
    /// `mr` has taken the question.
    pub mrr_ready: Signal<In, Bit>,
    /// The row of the memory region.
    pub mrd: ItemSink<MrRow>,
    /// Answer frames.
    pub tx: StreamSource<64, 4>,
    out: Skid<64, 4>,
    pack: PackAdminAnswer,
    pack_captured: PackCapturedError,
    pack_mr: PackMrRow,
    /// The question was taken.
    asked: Reg<Bit>,
    /// Words of the row that was fetched which remain.
    ext: Flop<Bits<256>>,
    ext_left: Flop<Bits<4>>,
    first: Flop<Bits<64>>,
    /// The answer's head has left.
    headed: Reg<Bit>,
    fetches_mr: Signal<Local, Bit>,
    fetches_cap: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    cites: Signal<Local, Bit>,
    answer: Signal<Local, AdminAnswer>,
}

impl Logic for AdminReply {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, out);
        dff_setup!(self, clock, asked, ext, ext_left, first, headed);
        self.out.reset.next = self.reset.val();
        self.asked.reset.next = self.reset.val();
        self.headed.reset.next = self.reset.val();
        StreamSource::<64, 4>::link(&mut self.tx, &mut self.out.tx);

        // The row is asked for once, and its answer awaited.
        self.fetches_mr.next = self.fetches.val() && self.is_mr.val();
        self.fetches_cap.next = self.fetches.val() && !self.is_mr.val();
        self.cap_valid.next = self.fetches_cap.val() && !self.asked.q.val();
        self.capd.ready.next = self.fetches_cap.val() && self.asked.q.val();
        self.mrr_valid.next = self.fetches_mr.val() && !self.asked.q.val();
        self.mrd.ready.next = self.fetches_mr.val() && self.asked.q.val();
        self.pack_captured.record.next = self.capd.item.val();
        self.pack_mr.record.next = self.mrd.item.val();
        if (self.fetches_mr.val() && self.mrr_ready.val()) || (self.fetches_cap.val() && self.cap_ready.val())
        {
            self.asked.d.next = true;
        }
        self.fetched.next = false;
        if self.fetches_mr.val() {
            self.ext.d.next = self.pack_mr.octets.val();
            self.ext_left.d.next = 4.into();
            self.fetched.next = self.asked.q.val() && self.mrd.valid.val();
        }
        if self.fetches_cap.val() {
            self.ext.d.next = bit_cast::<256, 192>(self.pack_captured.octets.val());
            self.ext_left.d.next = 3.into();
            self.fetched.next = self.asked.q.val() && self.capd.valid.val();
        }

        // The words of an `mr` row end before `ext` is empty.
        self.cites.next = self.headed.q.val() && self.outside.val() && !self.ext_left.q.val().any();
        self.capd_words.ready.next = self.answers.val() && self.cites.val() && self.out.rx.ready.val();
        self.answer.next.status = self.status.val();
        self.answer.next.opcode = self.head.val().opcode;
        self.answer.next.index = self.head.val().index;
        self.answer.next.value = self.value.val();
        self.pack.record.next = self.answer.val();
        self.first.d.next = self.pack.octets.val();
        self.goes.next = self.answers.val()
            && (!self.headed.q.val()
                || (self.outside.val() && (!self.cites.val() || self.capd_words.valid.val()))
                || self.words.valid.val());
        self.leaves.next = self.goes.val() && self.out.rx.ready.val();
        self.out.rx.valid.next = self.goes.val();
        self.out.rx.err.next = false;
        self.out.rx.bytes.next = 8.into();
        self.out.rx.data.next = self.first.q.val();
        self.out.rx.last.next = !self.reads.val();
        if self.headed.q.val() {
            self.out.rx.data.next = self.words.data.val();
            self.out.rx.last.next = self.words.last.val();
            if self.outside.val() {
                self.out.rx.data.next = self.ext.q.val().get_bits::<64>(0);
                self.out.rx.last.next = (self.ext_left.q.val() == 1) && self.is_mr.val();
            }
            if self.cites.val() {
                self.out.rx.data.next = self.capd_words.data.val();
                self.out.rx.last.next = self.capd_words.last.val();
            }
        }
        self.words.ready.next = self.leaves.val() && self.headed.q.val() && !self.outside.val();
        self.done.next = self.leaves.val() && self.out.rx.last.val();
        if self.rests.val() {
            self.asked.d.next = false;
            self.headed.d.next = false;
        }
        if self.leaves.val() {
            self.headed.d.next = true;
            if self.headed.q.val() && !self.cites.val() {
                self.ext.d.next = self.ext.q.val() >> 64;
                self.ext_left.d.next = self.ext_left.q.val() - 1;
            }
        }
    }
}
