// SPDX-License-Identifier: MIT OR Apache-2.0
//! The answer to a command: its head, then the words of a row.
use crate::gen::{
    AdminAnswer, AdminCommand, CapturedError, MrRow, PackAdminAnswer, PackCapturedError, PackMrRow,
};
use crate::prelude::*;
use crate::record::CiteSink;
use crate::stream::{ItemSink, Skid, StreamSource};

/// Makes answer frames. The words of a row come from [`super::AdminRows`], or from the row that
/// `fault` or `mr` was asked for; behind a captured error come the octets of the segment that the
/// error quotes.
#[block]
pub struct AdminReply {
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
    answer: Signal<Local, AdminAnswer>,
}

#[kernel]
impl Logic for AdminReply {
    fn update(&mut self) {
        regs!(asked, headed);
        flops!(ext, ext_left, first);
        parts!(out);
        StreamSource::<64, 4>::link(&mut self.tx, &mut self.out.tx);

        // The row is asked for once, and its answer awaited.
        let fetches_mr: Bit = self.fetches.val() && self.is_mr.val();
        let fetches_cap: Bit = self.fetches.val() && !self.is_mr.val();
        self.cap_valid.next = fetches_cap && !self.asked.q.val();
        self.capd.ready.next = fetches_cap && self.asked.q.val();
        self.mrr_valid.next = fetches_mr && !self.asked.q.val();
        self.mrd.ready.next = fetches_mr && self.asked.q.val();
        self.pack_captured.record.next = self.capd.item.val();
        self.pack_mr.record.next = self.mrd.item.val();
        if (fetches_mr && self.mrr_ready.val()) || (fetches_cap && self.cap_ready.val()) {
            self.asked.d.next = true;
        }
        self.fetched.next = false;
        if fetches_mr {
            self.ext.d.next = self.pack_mr.octets.val();
            self.ext_left.d.next = 4.into();
            self.fetched.next = self.asked.q.val() && self.mrd.valid.val();
        }
        if fetches_cap {
            self.ext.d.next = bit_cast::<256, 192>(self.pack_captured.octets.val());
            self.ext_left.d.next = 3.into();
            self.fetched.next = self.asked.q.val() && self.capd.valid.val();
        }

        // The words of an `mr` row end before `ext` is empty.
        let cites: Bit = self.headed.q.val() && self.outside.val() && !self.ext_left.q.val().any();
        self.capd_words.ready.next = self.answers.val() && cites && self.out.rx.ready.val();
        self.answer.next.status = self.status.val();
        self.answer.next.opcode = self.head.val().opcode;
        self.answer.next.index = self.head.val().index;
        self.answer.next.value = self.value.val();
        self.pack.record.next = self.answer.val();
        self.first.d.next = self.pack.octets.val();
        let goes: Bit = self.answers.val()
            && (!self.headed.q.val()
                || (self.outside.val() && (!cites || self.capd_words.valid.val()))
                || self.words.valid.val());
        let leaves: Bit = goes && self.out.rx.ready.val();
        self.out.rx.valid.next = goes;
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
            if cites {
                self.out.rx.data.next = self.capd_words.data.val();
                self.out.rx.last.next = self.capd_words.last.val();
            }
        }
        self.words.ready.next = leaves && self.headed.q.val() && !self.outside.val();
        self.done.next = leaves && self.out.rx.last.val();
        if self.rests.val() {
            self.asked.d.next = false;
            self.headed.d.next = false;
        }
        if leaves {
            self.headed.d.next = true;
            if self.headed.q.val() && !cites {
                self.ext.d.next = self.ext.q.val() >> 64;
                self.ext_left.d.next = self.ext_left.q.val() - 1;
            }
        }
    }
}
