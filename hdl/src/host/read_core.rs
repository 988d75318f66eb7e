// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads of several clients under the tags of the bus.
use super::ports::{AnswerBeat, Owner, Read, ReadSink, ReadSource};
use crate::prelude::*;
use crate::stream::{Hold, Queue, Slot, StreamSink, StreamSource};

/// Tags of the bus: 2^5.
const TAG_BITS: usize = 5;

/// What [`super::ReadPort`] is, with its clients as arrays.
#[block(clock)]
pub struct ReadCore {
    /// Synchronous reset: every tag is free, 32 cycles later.
    pub reset: Signal<In, Bit>,
    /// Requests of the clients.
    pub req: [ReadSink<8>; 4],
    /// Answers to them.
    pub ans: [StreamSource<64, 4>; 4],
    /// The client's tag of the frame on `ans`.
    pub ans_tag: [Signal<Out, Bits<8>>; 4],
    /// It is the last of its request.
    pub ans_final: [Signal<Out, Bit>; 4],
    /// Requests on the bus.
    pub rd_req: ReadSource<TAG_BITS>,
    /// Answers of the bus.
    pub rd_ans: StreamSink<64, 4>,
    /// Tag of the frame on `rd_ans`.
    pub rd_ans_tag: Signal<In, Bits<TAG_BITS>>,
    /// It is the last of its request.
    pub rd_ans_final: Signal<In, Bit>,
    front: [Hold<Read>; 4],
    back: [Slot<AnswerBeat>; 4],
    asked: Hold<Read>,
    answered: Slot<AnswerBeat>,
    /// Tags that no read holds.
    free: Queue<Bits<TAG_BITS>, TAG_BITS>,
    owners: LutRam<Owner, TAG_BITS>,
    /// Tags put into `free` since reset.
    filled: Reg<Bits<6>>,
    /// Client served last.
    turn: Reg<Bits<3>>,
    ask: Signal<Local, Read>,
    out: Signal<Local, AnswerBeat>,
    pick: Signal<Local, Bits<3>>,
    passed: Signal<Local, Bit>,
    found: Signal<Local, Bit>,
    chosen: Signal<Local, Read>,
    a: Signal<Local, AnswerBeat>,
    owner: Signal<Local, Owner>,
    beat: Signal<Local, AnswerBeat>,
    moves: Signal<Local, Bit>,
}

#[kernel]
impl Logic for ReadCore {
    fn update(&mut self) {
        regs!(filled, turn);
        parts!(asked, answered, free);
        clocked!(owners);
        for i in 0..4 {
            self.front[i].clock.next = self.clock.val();
            self.front[i].reset.next = self.reset.val();
            self.back[i].clock.next = self.clock.val();
            self.back[i].reset.next = self.reset.val();
            self.ask.next.addr = self.req[i].addr.val();
            self.ask.next.length = self.req[i].length.val();
            self.ask.next.tag = self.req[i].tag.val();
            self.front[i].rx.item.next = self.ask.val();
            self.front[i].rx.valid.next = self.req[i].valid.val();
            self.req[i].ready.next = self.front[i].rx.ready.val();
        }

        // Whose request: first the clients after `turn`, then those up to it.
        self.pick.next = self.turn.q.val();
        self.found.next = false;
        self.passed.next = false;
        for i in 0..4 {
            if self.passed.val() && self.front[i].tx.valid.val() && !self.found.val() {
                self.pick.next = i.to_bits();
                self.found.next = true;
            }
            if self.turn.q.val() == i.to_bits() {
                self.passed.next = true;
            }
        }
        for i in 0..4 {
            if self.front[i].tx.valid.val() && !self.found.val() {
                self.pick.next = i.to_bits();
                self.found.next = true;
            }
        }
        let filling: Bit = self.filled.q.val() != 32;
        let issue: Bit =
            self.found.val() && self.free.tx.valid.val() && self.asked.rx.ready.val() && !filling;
        self.chosen.next = self.front[0].tx.item.val();
        for i in 0..4 {
            self.front[i].tx.ready.next = false;
            if self.pick.val() == i.to_bits() {
                self.front[i].tx.ready.next = issue;
                self.chosen.next = self.front[i].tx.item.val();
            }
        }
        if issue {
            self.turn.d.next = self.pick.val();
        }

        // Under a free tag to the bus.
        self.free.tx.ready.next = issue;
        self.owners.write_enable.next = issue;
        self.owners.write_address.next = self.free.tx.item.val();
        self.owners.write_data.next.client = self.pick.val();
        self.owners.write_data.next.tag = self.chosen.val().tag;
        self.asked.rx.item.next.addr = self.chosen.val().addr;
        self.asked.rx.item.next.length = self.chosen.val().length;
        self.asked.rx.item.next.tag = bit_cast::<8, 5>(self.free.tx.item.val());
        self.asked.rx.valid.next = issue;
        self.rd_req.addr.next = self.asked.tx.item.val().addr;
        self.rd_req.length.next = self.asked.tx.item.val().length;
        self.rd_req.tag.next = bit_cast::<5, 8>(self.asked.tx.item.val().tag);
        self.rd_req.valid.next = self.asked.tx.valid.val();
        self.asked.tx.ready.next = self.rd_req.ready.val();

        // Answers back to whom the tag belongs.
        self.answered.rx.item.next.data = self.rd_ans.data.val();
        self.answered.rx.item.next.bytes = self.rd_ans.bytes.val();
        self.answered.rx.item.next.last = self.rd_ans.last.val();
        self.answered.rx.item.next.err = self.rd_ans.err.val();
        self.answered.rx.item.next.tag = bit_cast::<8, 5>(self.rd_ans_tag.val());
        self.answered.rx.item.next.is_final = self.rd_ans_final.val();
        self.answered.rx.valid.next = self.rd_ans.valid.val();
        self.rd_ans.ready.next = self.answered.rx.ready.val();
        self.a.next = self.answered.tx.item.val();
        self.owners.read_address.next = bit_cast::<5, 8>(self.answered.tx.item.val().tag);
        self.owner.next = self.owners.read_data.val();
        self.beat.next = self.a.val();
        self.beat.next.tag = self.owner.val().tag;
        self.moves.next = false;
        for i in 0..4 {
            self.back[i].rx.item.next = self.beat.val();
            self.back[i].rx.valid.next =
                self.answered.tx.valid.val() && (self.owner.val().client == i.to_bits());
            if self.owner.val().client == i.to_bits() {
                self.moves.next = self.answered.tx.valid.val() && self.back[i].rx.ready.val();
            }
        }
        self.answered.tx.ready.next = self.moves.val();
        for i in 0..4 {
            self.out.next = self.back[i].tx.item.val();
            self.ans[i].data.next = self.out.val().data;
            self.ans[i].bytes.next = self.out.val().bytes;
            self.ans[i].last.next = self.out.val().last;
            self.ans[i].err.next = self.out.val().err;
            self.ans[i].valid.next = self.back[i].tx.valid.val();
            self.ans_tag[i].next = self.out.val().tag;
            self.ans_final[i].next = self.out.val().is_final;
            self.back[i].tx.ready.next = self.ans[i].ready.val();
        }

        // Tags come back with the end of the final frame, and all of them after reset.
        let releases: Bit = self.moves.val() && self.a.val().last && self.a.val().is_final;
        let filled_up: Bits<6> = self.filled.q.val() + 1;
        self.free.rx.item.next = bit_cast::<5, 8>(self.a.val().tag);
        self.free.rx.valid.next = releases;
        if filling {
            self.free.rx.item.next = bit_cast::<5, 6>(self.filled.q.val());
            self.free.rx.valid.next = true;
            self.filled.d.next = filled_up;
        }
    }
}
