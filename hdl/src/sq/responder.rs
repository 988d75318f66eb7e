// SPDX-License-Identifier: MIT OR Apache-2.0
//! Read Requests of the peers, kept as slots of the send queue until their responses are
//! acknowledged.
use crate::gen::consts::opcode;
use crate::gen::{PackSendWqe, PackSge, SendWqe, Sge};
use crate::prelude::*;
use crate::record::ReadRequest;
use crate::stream::ItemSink;

/// Where a Request is.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Keep {
    /// There is none.
    Idle,
    /// Its slot is being written.
    Write,
    /// The scheduler is told.
    Tell,
}

/// How far the responses of a queue pair are; modulo 32.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Progress {
    /// Responses sent whole.
    pub sent: Bits<5>,
    /// Requests that were given back to the receive side.
    pub freed: Bits<5>,
    /// Responses acknowledged.
    pub acked: Bits<5>,
}

/// Slots of a queue pair, so many responses may be under way.
pub(super) const RESPONSES: usize = 16;
const SLOTS_SHIFT: usize = 6;
const SECOND: usize = 2;
const THIRD: usize = 3;
const FOURTH: usize = 4;
const MOST_AHEAD: usize = 8;

/// Keeps each Read Request as four words, and shows the slot of its response: six words in the form
/// of a `SendWqe` with one SGE, the source. 16 slots a queue pair, used in turn. Octets 8 to 11 of
/// a slot are the MSN of its Request, the lowest first; what the form has besides is the same in
/// each slot, or has no meaning. `CR` = `C` + 6, address of a word that is kept: queue pair, slot,
/// word. Words are in the order of octets that the slot has.
///
/// | kept | bits 63:32 | bits 31:0 |
/// |---|---|---|
/// | 0 | sink's STag | MSN |
/// | 1 | sink's tagged offset | |
/// | 2 | source's tagged offset | |
/// | 3 | source's STag | length |
///
/// With an IRD of 8 or less 16 slots are enough (D2): a Request counts against the peer until its
/// response was sent, and is given back no more than 8 ahead of the acknowledgements, so that those
/// given back and those still allowed never need more than the slots there are.
#[block]
pub struct SqResponder<const C: usize, const CR: usize> {
    /// Read Request, in the order of its stream.
    pub rr: ItemSink<ReadRequest>,
    /// Queue pair that has a response to send.
    pub came_qp: Signal<Out, Bits<C>>,
    /// The queue pair is offered to the scheduler.
    pub came_valid: Signal<Out, Bit>,
    /// The scheduler takes the queue pair.
    pub came_take: Signal<In, Bit>,
    /// Loads `word` at the next edge.
    pub word_enable: Signal<In, Bit>,
    /// Queue pair of the word.
    pub word_qp: Signal<In, Bits<C>>,
    /// Its slot.
    pub word_slot: Signal<In, Bits<4>>,
    /// Its number in the slot, 0 to 5.
    pub word_index: Signal<In, Bits<3>>,
    /// The word last read, octet 0 in bits 7:0.
    pub word: Signal<Out, Bits<64>>,
    /// Queue pair whose oldest unsent response was made into its last FPDU; 2 cycles apart or more.
    pub sent_qp: Signal<In, Bits<C>>,
    /// Pulse: it was.
    pub sent: Signal<In, Bit>,
    /// Queue pair whose oldest response is acknowledged; 2 cycles apart or more.
    pub acked_qp: Signal<In, Bits<C>>,
    /// Pulse: it is.
    pub acked: Signal<In, Bit>,
    /// Queue pair that may take one Request more.
    pub free_qp: Signal<Out, Bits<C>>,
    /// Pulse: it may.
    pub free_valid: Signal<Out, Bit>,
    /// Connection that is inserted: no Request of it is under way.
    pub fresh_qp: Signal<In, Bits<C>>,
    /// In this cycle, which `fresh_ready` allows.
    pub fresh: Signal<In, Bit>,
    /// Nothing is counted or told in this cycle.
    pub fresh_ready: Signal<Out, Bit>,
    store: Sdp<Bits<64>, CR>,
    /// Read Requests so far: slot of the next one.
    heads: LutRam<Bits<32>, C>,
    progress: LutRam<Progress, C>,
    state: Reg<Keep>,
    at: Reg<Bits<2>>,
    /// Word of the slot that was asked for last.
    shown: Flop<Bits<3>>,
    acked_q: Reg<Bit>,
    acked_who: Flop<Bits<C>>,
    sent_q: Reg<Bit>,
    sent_who: Flop<Bits<C>>,
    free_q: Reg<Bit>,
    free_who: Flop<Bits<C>>,
    pack_head: PackSendWqe,
    pack_sge: PackSge,
    blank: Const<SendWqe>,
    /// Opcode, no flags, one SGE, one block.
    form: Const<Bits<32>>,
    no_progress: Const<Progress>,
    no_heads: Const<Bits<32>>,
    item: Signal<Local, ReadRequest>,
    kept: Signal<Local, Bits<2>>,
    low: Signal<Local, Bits<32>>,
    high: Signal<Local, Bits<32>>,
    head: Signal<Local, SendWqe>,
    sge: Signal<Local, Sge>,
    written: Signal<Local, Bits<64>>,
    keeps: Signal<Local, Bit>,
    who: Signal<Local, Bits<C>>,
    looked: Signal<Local, Bits<C>>,
    now: Signal<Local, Progress>,
    after: Signal<Local, Progress>,
}

impl<const C: usize, const CR: usize> SqResponder<C, CR> {
    /// No Request; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        assert!(CR == C + 6, "16 slots of 8 words, 4 of them kept, for 2^{C} queue pairs");
        let head = 1 << 24 | 1 << 16 | opcode::read_response().val().to_u64() as usize;
        Self { form: Const::of(head), ..Default::default() }
    }
}

#[kernel]
impl<const C: usize, const CR: usize> Logic for SqResponder<C, CR> {
    fn update(&mut self) {
        regs!(state, at, acked_q, sent_q, free_q);
        flops!(acked_who, sent_who, free_who, shown);
        clocked!(store, heads, progress);

        self.heads.read_address.next = bit_cast::<C, 8>(self.rr.item.val().qp);
        let count: Bits<32> = self.heads.read_data.val();
        let count_up: Bits<32> = count + 1;
        let slot: Bits<4> = count.get_bits::<4>(0);

        // What is kept of it. The first of a stream has MSN 1.
        self.item.next = self.rr.item.val();
        let qp: Bits<C> = bit_cast::<C, 8>(self.item.val().qp);
        self.head.next = self.blank.val();
        self.head.next.remote_stag = self.item.val().sink_stag;
        self.head.next.remote_to = self.item.val().sink_to;
        self.pack_head.record.next = self.head.val();
        self.sge.next.to = self.item.val().src_to;
        self.sge.next.length = self.item.val().length;
        self.sge.next.key = self.item.val().src_stag;
        self.pack_sge.record.next = self.sge.val();
        self.written.next = self.pack_sge.octets.val().get_bits::<64>(64);
        if self.at.q.val() == 0 {
            self.written.next =
                (self.pack_head.octets.val().get_bits::<64>(128) << 32) | bit_cast::<64, 32>(count_up);
        } else if self.at.q.val() == 1 {
            self.written.next = self.pack_head.octets.val().get_bits::<64>(192);
        } else if self.at.q.val() == lit::<2>(2) {
            self.written.next = self.pack_sge.octets.val().get_bits::<64>(0);
        }
        self.store.write_enable.next = self.state.q.val() == Keep::Write;
        self.store.write_address.next = (bit_cast::<CR, C>(qp) << lit::<8>(SLOTS_SHIFT))
            | (bit_cast::<CR, 4>(slot) << 2)
            | bit_cast::<CR, 2>(self.at.q.val());
        self.store.write_data.next = self.written.val();

        // A word of the slot: what the response answers is its sink, where it reads is its SGE.
        let asked: Bits<3> = self.word_index.val();
        self.kept.next = lit::<2>(3);
        if (asked == 1) || (asked == lit::<3>(SECOND)) {
            self.kept.next = 0.into();
        } else if asked == lit::<3>(THIRD) {
            self.kept.next = 1.into();
        } else if asked == lit::<3>(FOURTH) {
            self.kept.next = lit::<2>(2);
        }
        self.store.read_enable.next = self.word_enable.val();
        self.store.read_address.next = (bit_cast::<CR, C>(self.word_qp.val()) << lit::<8>(SLOTS_SHIFT))
            | (bit_cast::<CR, 4>(self.word_slot.val()) << 2)
            | bit_cast::<CR, 2>(self.kept.val());
        if self.word_enable.val() {
            self.shown.d.next = asked;
        }
        self.low.next = self.store.read_data.val().get_bits::<32>(0);
        self.high.next = self.store.read_data.val().get_bits::<32>(32);
        if !self.shown.q.val().any() {
            self.high.next = self.store.read_data.val().get_bits::<32>(0);
            self.low.next = self.form.val();
        } else if self.shown.q.val() == lit::<3>(SECOND) {
            self.low.next = self.store.read_data.val().get_bits::<32>(32);
        }
        self.word.next = (bit_cast::<64, 32>(self.high.val()) << 32) | bit_cast::<64, 32>(self.low.val());

        self.came_qp.next = qp;
        self.came_valid.next = self.state.q.val() == Keep::Tell;
        self.keeps.next = false;
        match self.state.q.val() {
            Keep::Idle => {
                self.at.d.next = 0.into();
                if self.rr.valid.val() {
                    self.state.d.next = Keep::Write;
                }
            }
            Keep::Write => {
                self.at.d.next = self.at.q.val() + 1;
                if self.at.q.val().all() {
                    self.state.d.next = Keep::Tell;
                }
            }
            Keep::Tell => {
                if self.came_take.val() {
                    self.keeps.next = true;
                    self.state.d.next = Keep::Idle;
                }
            }
            _ => {}
        }
        self.rr.ready.next = self.keeps.val();
        self.heads.write_enable.next = self.keeps.val() || self.fresh.val();
        self.heads.write_address.next = qp;
        self.heads.write_data.next = count_up;

        // What is given back: an acknowledgement is counted a cycle after it, what was sent in a
        // cycle without one.
        let counts: Bit = self.acked_q.q.val() || self.sent_q.q.val();
        self.who.next = self.sent_who.q.val();
        if self.acked_q.q.val() {
            self.who.next = self.acked_who.q.val();
        }
        self.looked.next = self.sent_who.q.val();
        if self.acked_q.q.val() {
            self.looked.next = self.acked_who.q.val();
        }
        self.progress.read_address.next = self.looked.val();
        self.now.next = self.progress.read_data.val();
        self.after.next = self.now.val();
        if self.acked_q.q.val() {
            self.after.next.acked = self.now.val().acked + 1;
        } else {
            self.after.next.sent = self.now.val().sent + 1;
        }
        let ahead: Bits<5> = self.after.val().freed - self.after.val().acked;
        let frees: Bit = (self.after.val().freed != self.after.val().sent) && (ahead < lit::<5>(MOST_AHEAD));
        if frees {
            self.after.next.freed = self.now.val().freed + 1;
        }
        if !self.acked_q.q.val() {
            self.sent_q.d.next = false;
        }
        if self.sent.val() {
            self.sent_q.d.next = true;
            self.sent_who.d.next = self.sent_qp.val();
        }
        self.acked_q.d.next = self.acked.val();
        self.acked_who.d.next = self.acked_qp.val();
        self.free_q.d.next = counts && frees;
        self.free_who.d.next = self.who.val();
        self.free_qp.next = self.free_who.q.val();
        self.free_valid.next = self.free_q.q.val();
        self.fresh_ready.next =
            !self.acked_q.q.val() && !self.sent_q.q.val() && (self.state.q.val() != Keep::Tell);
        self.progress.write_enable.next = counts || self.fresh.val();
        self.progress.write_address.next = self.who.val();
        self.progress.write_data.next = self.after.val();
        if self.fresh.val() {
            self.heads.write_address.next = self.fresh_qp.val();
            self.heads.write_data.next = self.no_heads.val();
            self.progress.write_address.next = self.fresh_qp.val();
            self.progress.write_data.next = self.no_progress.val();
        }
    }
}
