//! Read Requests of the peers, kept as slots of the send queue until their responses are acknowledged.
use crate::cell::{Const, Flop, LutRam, Reg, Sdp};
use crate::gen::consts::opcode;
use crate::gen::{PackSendWqe, PackSge, SendWqe, Sge};
use crate::rdmap::ReadRequest;
use rust_hdl::prelude::*;

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

/// Writes each Read Request as the slot of its response: six words in the form of a `SendWqe` with one SGE, the source. 16
/// slots a queue pair, used in turn; octets 8 to 11 are the MSN of its Request, the lowest first. `CR` = `C` + 7, address of a word: queue pair, slot, word.
///
/// With an IRD of 8 or less 16 slots are enough (D2): a Request counts against the peer until its response was sent, and
/// is given back no more than 8 ahead of the acknowledgements, so that those given back and those still allowed never
/// need more than the slots there are.
#[derive(LogicBlock, Default)]
pub struct SqResponder<const C: usize, const CR: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Read Request, in the order of its stream.
    pub rr_item: Signal<In, ReadRequest>,
    /// Offered.
    pub rr_valid: Signal<In, Bit>,
    /// Taken.
    pub rr_ready: Signal<Out, Bit>,
    /// Queue pair that has a response to send.
    pub came_qp: Signal<Out, Bits<C>>,
    /// Offered.
    pub came_valid: Signal<Out, Bit>,
    /// Taken.
    pub came_take: Signal<In, Bit>,
    /// Loads `word` at the next edge.
    pub word_enable: Signal<In, Bit>,
    /// Which.
    pub word_address: Signal<In, Bits<CR>>,
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
    at: Reg<Bits<3>>,
    sent_q: Reg<Bit>,
    sent_who: Flop<Bits<C>>,
    free_q: Reg<Bit>,
    free_who: Flop<Bits<C>>,
    pack_head: PackSendWqe,
    pack_sge: PackSge,
    response: Const<Bits<8>>,
    slots_shift: Const<Bits<8>>,
    top: Const<Bits<3>>,
    most_ahead: Const<Bits<5>>,
    blank: Const<Progress>,
    no_heads: Const<Bits<32>>,
    item: Signal<Local, ReadRequest>,
    qp: Signal<Local, Bits<C>>,
    head: Signal<Local, SendWqe>,
    sge: Signal<Local, Sge>,
    image: Signal<Local, Bits<384>>,
    offset: Signal<Local, Bits<9>>,
    count: Signal<Local, Bits<32>>,
    count_up: Signal<Local, Bits<32>>,
    slot: Signal<Local, Bits<4>>,
    keeps: Signal<Local, Bit>,
    who: Signal<Local, Bits<C>>,
    looked: Signal<Local, Bits<C>>,
    now: Signal<Local, Progress>,
    after: Signal<Local, Progress>,
    ahead: Signal<Local, Bits<5>>,
    counts: Signal<Local, Bit>,
    frees: Signal<Local, Bit>,
}

impl<const C: usize, const CR: usize> SqResponder<C, CR> {
    /// No Request; panics at elaboration if `CR` is not `C + 7`.
    pub fn new() -> Self {
        assert!(CR == C + 7, "a word of 16 slots of 8 for 2^{C} queue pairs has no address of {CR} bits");
        Self {
            state: Reg::new(Keep::Idle),
            response: Const::of(opcode::read_response().val().to_u64() as usize),
            slots_shift: Const::of(7),
            top: Const::of(5),
            most_ahead: Const::of(8),
            ..Default::default()
        }
    }
}

impl<const C: usize, const CR: usize> Logic for SqResponder<C, CR> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, at, sent_q, sent_who, free_q, free_who);
        clock!(self, clock, store, heads, progress);
        self.state.reset.next = self.reset.val();
        self.at.reset.next = self.reset.val();
        self.sent_q.reset.next = self.reset.val();
        self.free_q.reset.next = self.reset.val();

        self.heads.read_address.next = bit_cast::<C, 8>(self.rr_item.val().qp);
        self.count.next = self.heads.read_data.val();
        self.count_up.next = self.count.val() + 1;
        self.slot.next = self.count.val().get_bits::<4>(0);

        // The slot: what the response answers is its sink, where it reads is its SGE.
        self.item.next = self.rr_item.val();
        self.qp.next = bit_cast::<C, 8>(self.item.val().qp);
        self.head.next.opcode = self.response.val();
        self.head.next.is_signaled = false;
        self.head.next.is_inline = false;
        self.head.next.is_fenced = false;
        self.head.next.flags = 0.into();
        self.head.next.blocks = 1.into();
        self.head.next.num_sge = 1.into();
        self.head.next.length = self.item.val().length;
        self.head.next.remote_stag = self.item.val().sink_stag;
        self.head.next.remote_to = self.item.val().sink_to;
        self.pack_head.record.next = self.head.val();
        self.sge.next.to = self.item.val().src_to;
        self.sge.next.length = self.item.val().length;
        self.sge.next.key = self.item.val().src_stag;
        self.pack_sge.record.next = self.sge.val();
        // the first of a stream has MSN 1
        self.image.next = bit_cast::<384, 256>(self.pack_head.octets.val())
            | (bit_cast::<384, 32>(self.count_up.val()) << 64)
            | (bit_cast::<384, 128>(self.pack_sge.octets.val()) << 256);
        self.offset.next = bit_cast::<9, 3>(self.at.q.val()) << 6;

        self.store.write_enable.next = self.state.q.val() == Keep::Write;
        self.store.write_address.next = (bit_cast::<CR, C>(self.qp.val()) << self.slots_shift.val())
            | (bit_cast::<CR, 4>(self.slot.val()) << 3)
            | bit_cast::<CR, 3>(self.at.q.val());
        self.store.write_data.next = self.image.val().get_bits::<64>(self.offset.val().index());
        self.store.read_enable.next = self.word_enable.val();
        self.store.read_address.next = self.word_address.val();
        self.word.next = self.store.read_data.val();

        self.came_qp.next = self.qp.val();
        self.came_valid.next = self.state.q.val() == Keep::Tell;
        self.keeps.next = false;
        match self.state.q.val() {
            Keep::Idle => {
                self.at.d.next = 0.into();
                if self.rr_valid.val() {
                    self.state.d.next = Keep::Write;
                }
            }
            Keep::Write => {
                self.at.d.next = self.at.q.val() + 1;
                if self.at.q.val() == self.top.val() {
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
        self.rr_ready.next = self.keeps.val();
        self.heads.write_enable.next = self.keeps.val() || self.fresh.val();
        self.heads.write_address.next = self.qp.val();
        self.heads.write_data.next = self.count_up.val();

        // What is given back: an acknowledgement is counted at once, what was sent in a cycle without one.
        self.counts.next = self.acked.val() || self.sent_q.q.val();
        self.who.next = self.sent_who.q.val();
        if self.acked.val() {
            self.who.next = self.acked_qp.val();
        }
        self.looked.next = self.sent_who.q.val();
        if self.acked.val() {
            self.looked.next = self.acked_qp.val();
        }
        self.progress.read_address.next = self.looked.val();
        self.now.next = self.progress.read_data.val();
        self.after.next = self.now.val();
        if self.acked.val() {
            self.after.next.acked = self.now.val().acked + 1;
        } else {
            self.after.next.sent = self.now.val().sent + 1;
        }
        self.ahead.next = self.after.val().freed - self.after.val().acked;
        self.frees.next =
            (self.after.val().freed != self.after.val().sent) && (self.ahead.val() < self.most_ahead.val());
        if self.frees.val() {
            self.after.next.freed = self.now.val().freed + 1;
        }
        if !self.acked.val() {
            self.sent_q.d.next = false;
        }
        if self.sent.val() {
            self.sent_q.d.next = true;
            self.sent_who.d.next = self.sent_qp.val();
        }
        self.free_q.d.next = self.counts.val() && self.frees.val();
        self.free_who.d.next = self.who.val();
        self.free_qp.next = self.free_who.q.val();
        self.free_valid.next = self.free_q.q.val();
        self.fresh_ready.next = !self.sent_q.q.val() && (self.state.q.val() != Keep::Tell);
        self.progress.write_enable.next = self.counts.val() || self.fresh.val();
        self.progress.write_address.next = self.who.val();
        self.progress.write_data.next = self.after.val();
        if self.fresh.val() {
            self.heads.write_address.next = self.fresh_qp.val();
            self.heads.write_data.next = self.no_heads.val();
            self.progress.write_address.next = self.fresh_qp.val();
            self.progress.write_data.next = self.blank.val();
        }
    }
}
