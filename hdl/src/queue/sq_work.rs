//! A turn: one FPDU of one queue pair, from its WQE to a reservation and jobs for the gather.
use super::sq_hand::SqHand;
use super::sq_plan::SqPlan;
use super::sq_rows::{InFlight, SqResult, SqTurn, TxRow, Work};
use super::sq_walk::{SqPlace, SqWalk};
use super::sq_words::SqWords;
use super::Fault;
use crate::cell::{Const, Flop, LutRam, Reg, ScrubbedRam};
use crate::ddp::{TxHead, TxRange};
use crate::gen::consts::{ddp, wc_status};
use crate::gen::SendWqe;
use crate::mr::{MrAsk, MrSay};
use crate::tcp::{seg_kind, Grant, Reserve, TxFpdu};
use rust_hdl::prelude::*;

/// Works off one turn at a time, in about 25 cycles for an FPDU out of one SGE.
///
/// In the first turn of a message its whole WQE is judged: head, then SGE by SGE against its memory region, then
/// the sum of their lengths; the first that is wrong is the fault, and nothing of the message leaves. Then, in
/// each turn: the ranges of the FPDU's payload are checked again, room is reserved, and only then are they given to
/// the gather. `CW` = address of a word of a WQE.
#[derive(LogicBlock, Default)]
pub struct SqWork<const C: usize, const CW: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset; rows are then scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// Who has the turn.
    pub turn: Signal<In, SqTurn>,
    /// Offered.
    pub turn_valid: Signal<In, Bit>,
    /// Taken.
    pub turn_take: Signal<Out, Bit>,
    /// What became of it.
    pub result: Signal<Out, SqResult>,
    /// Offered.
    pub result_valid: Signal<Out, Bit>,
    /// Taken.
    pub result_take: Signal<In, Bit>,
    /// Connection that is inserted.
    pub fresh_qp: Signal<In, Bits<C>>,
    /// Its MULPDU; one that MPA cannot send makes the queue pair wait for another insert.
    pub fresh_mulpdu: Signal<In, Bits<16>>,
    /// In this cycle, which `fresh_ready` allows.
    pub fresh: Signal<In, Bit>,
    /// No turn is under way.
    pub fresh_ready: Signal<Out, Bit>,
    /// Read port of the WQEs.
    pub word_enable: Signal<Out, Bit>,
    /// Word asked for.
    pub word_address: Signal<Out, Bits<CW>>,
    /// It comes one cycle later.
    pub word: Signal<In, Bits<64>>,
    /// Check of a range.
    pub ask_item: Signal<Out, MrAsk>,
    /// Offered.
    pub ask_valid: Signal<Out, Bit>,
    /// Taken.
    pub ask_ready: Signal<In, Bit>,
    /// Its answer.
    pub say_item: Signal<In, MrSay>,
    /// Offered.
    pub say_valid: Signal<In, Bit>,
    /// Taken.
    pub say_ready: Signal<Out, Bit>,
    /// Octets of the stream that a segment wants.
    pub res_item: Signal<Out, Reserve>,
    /// Offered.
    pub res_valid: Signal<Out, Bit>,
    /// Taken.
    pub res_ready: Signal<In, Bit>,
    /// The room, or none.
    pub grant_item: Signal<In, Grant>,
    /// Offered.
    pub grant_valid: Signal<In, Bit>,
    /// Taken.
    pub grant_ready: Signal<Out, Bit>,
    /// Queue pair that has the turn, for its in-flight ring.
    pub ring_qp: Signal<Out, Bits<C>>,
    /// Its ring is full.
    pub ring_full: Signal<In, Bit>,
    /// It will wait for room in it.
    pub starve: Signal<Out, Bit>,
    /// Message that is in FPDUs.
    pub entry: Signal<Out, InFlight>,
    /// It goes into the ring.
    pub push: Signal<Out, Bit>,
    /// Payload of the FPDU, in order.
    pub range: Signal<Out, TxRange>,
    /// Offered.
    pub range_valid: Signal<Out, Bit>,
    /// Taken.
    pub range_ready: Signal<In, Bit>,
    /// Header of the FPDU.
    pub head: Signal<Out, TxHead>,
    /// The FPDU for the stages behind.
    pub fpdu: Signal<Out, TxFpdu>,
    /// Both are given.
    pub hand: Signal<Out, Bit>,
    /// There is room for both.
    pub hand_ready: Signal<In, Bit>,
    /// Inline octets to copy.
    pub inline_octets: Signal<Out, Bits<8>>,
    /// Begins.
    pub inline_start: Signal<Out, Bit>,
    /// Not over.
    pub inline_busy: Signal<In, Bit>,
    /// A work request that is not possible.
    pub fault: Signal<Out, Fault>,
    /// Offered.
    pub fault_valid: Signal<Out, Bit>,
    /// Taken.
    pub fault_take: Signal<In, Bit>,
    state: Reg<Work>,
    mulpdus: ScrubbedRam<Bits<16>, C>,
    rows: ScrubbedRam<TxRow, C>,
    words: SqWords<CW>,
    plan: SqPlan,
    hands: SqHand,
    walk: SqWalk,
    ranges: LutRam<TxRange, 2>,
    who: Flop<SqTurn>,
    wqe: Flop<Bits<256>>,
    row: Flop<TxRow>,
    grant: Flop<Grant>,
    asked: Flop<MrAsk>,
    /// The WQE is being judged: SGEs whole.
    judging: Flop<Bit>,
    /// Where the walk over its SGEs stands.
    place: Flop<SqPlace>,
    /// Ranges found, and given.
    found: Flop<Bits<3>>,
    given: Flop<Bits<3>>,
    outcome: Flop<SqResult>,
    status: Flop<Bits<8>>,
    has_wr: Flop<Bit>,
    msn_first: Const<Bits<32>>,
    mulpdu_min: Const<Bits<16>>,
    mulpdu_max: Const<Bits<16>>,
    len_err: Const<Bits<8>>,
    prot_err: Const<Bits<8>>,
    general_err: Const<Bits<8>>,
    fpdu_kind: Const<Bits<2>>,
    blank: Const<TxRow>,
    start: Const<SqPlace>,
    item: Signal<Local, SqTurn>,
    qp: Signal<Local, Bits<C>>,
    slot: Signal<Local, Bits<CW>>,
    wr: Signal<Local, SendWqe>,
    said: Signal<Local, MrSay>,
    told: Signal<Local, SqResult>,
    mulpdu: Signal<Local, Bits<16>>,
    usable: Signal<Local, Bit>,
    begun: Signal<Local, TxRow>,
    new_row: Signal<Local, TxRow>,
    row_write: Signal<Local, Bit>,
    row_qp: Signal<Local, Bits<C>>,
    read_sge: Signal<Local, Bit>,
    which: Signal<Local, Bits<3>>,
    sge_word: Signal<Local, Bits<4>>,
    after: Signal<Local, SqPlace>,
    at: Signal<Local, SqPlace>,
    count: Signal<Local, Bits<3>>,
    found_up: Signal<Local, Bits<3>>,
    given_up: Signal<Local, Bits<3>>,
    shown: Signal<Local, TxRange>,
    want: Signal<Local, Reserve>,
    wrong: Signal<Local, Fault>,
    fail: Signal<Local, Bit>,
    reason: Signal<Local, Bits<8>>,
}

impl<const C: usize, const CW: usize> SqWork<C, CW> {
    /// No turn; panics at elaboration if `CW` is not `C + 4`.
    pub fn new() -> Self {
        assert!(CW == C + 4, "a word of 2^{C} WQEs has no address of {CW} bits");
        Self {
            state: Reg::new(Work::Idle),
            plan: SqPlan::new(),
            msn_first: ddp::msn_first(),
            mulpdu_min: crate::gen::consts::mpa::mulpdu_min(),
            mulpdu_max: crate::gen::consts::mpa::mulpdu_max(),
            len_err: wc_status::loc_len_err(),
            prot_err: wc_status::loc_prot_err(),
            general_err: wc_status::general_err(),
            fpdu_kind: Const::of(seg_kind::FPDU),
            ..Default::default()
        }
    }
}

impl<const C: usize, const CW: usize> Logic for SqWork<C, CW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, who, wqe, row, grant, asked, judging, place);
        dff_setup!(self, clock, found, given, outcome, status, has_wr);
        clock!(self, clock, mulpdus, rows, words, ranges);
        self.state.reset.next = self.reset.val();
        self.mulpdus.reset.next = self.reset.val();
        self.rows.reset.next = self.reset.val();
        self.words.reset.next = self.reset.val();

        // The WQE's head.
        self.item.next = self.who.q.val();
        self.qp.next = bit_cast::<C, 8>(self.item.val().qp);
        self.slot.next = bit_cast::<CW, C>(self.qp.val()) << 4;
        self.plan.octets.next = self.wqe.q.val();
        self.plan.row.next = self.row.q.val();
        self.wr.next = self.plan.wr.val();
        self.word_enable.next = self.words.word_enable.val();
        self.word_address.next = self.words.word_address.val();
        self.words.word.next = self.word.val();
        self.words.start.next = false;
        self.words.first.next = self.slot.val();
        self.words.four.next = false;

        // The SGE that was read last.
        self.walk.octets.next = self.words.octets.val().get_bits::<128>(128);
        self.walk.turn.next = self.who.q.val();
        self.walk.judging.next = self.judging.q.val();
        self.walk.place.next = self.place.q.val();
        self.walk.iova.next = self.say_item.val().iova;
        self.after.next = self.walk.after.val();
        self.at.next = self.place.q.val();
        self.count.next = bit_cast::<3, 8>(self.wr.val().num_sge);
        self.ask_item.next = self.asked.q.val();
        self.ask_valid.next = self.state.q.val() == Work::Ask;
        self.said.next = self.say_item.val();
        self.say_ready.next = self.state.q.val() == Work::Say;

        // Ranges found, until they are given.
        self.found_up.next = self.found.q.val() + 1;
        self.given_up.next = self.given.q.val() + 1;
        self.ranges.write_enable.next = false;
        self.ranges.write_address.next = bit_cast::<2, 3>(self.found.q.val());
        self.ranges.write_data.next = self.walk.range.val();
        self.ranges.read_address.next = bit_cast::<2, 3>(self.given.q.val());
        self.shown.next = self.ranges.read_data.val();
        if self.wr.val().is_inline {
            self.shown.next.addr = 0.into();
            self.shown.next.octets = self.plan.payload.val();
            self.shown.next.in_slot = true;
            self.shown.next.ends = true;
        }
        self.range.next = self.shown.val();
        self.range_valid.next = self.state.q.val() == Work::Give;
        self.inline_octets.next = bit_cast::<8, 16>(self.plan.payload.val());
        self.inline_start.next = false;

        // The reservation and what follows from it.
        self.want.next.qp = self.item.val().qp;
        self.want.next.length = self.plan.ulpdu.val();
        self.want.next.kind = self.fpdu_kind.val();
        self.want.next.replay = false;
        self.want.next.control = false;
        self.want.next.offset = self.row.q.val().offset;
        self.res_item.next = self.want.val();
        self.res_valid.next = (self.state.q.val() == Work::Reserve) && self.hand_ready.val();
        self.grant_ready.next = self.state.q.val() == Work::Grant;
        self.hand.next = self.state.q.val() == Work::Hand;
        self.hands.turn.next = self.who.q.val();
        self.hands.wr.next = self.plan.wr.val();
        self.hands.row.next = self.row.q.val();
        self.hands.grant.next = self.grant.q.val();
        self.hands.is_tagged.next = self.plan.is_tagged.val();
        self.hands.payload.next = self.plan.payload.val();
        self.hands.want.next = self.want.val();
        self.hands.last.next = self.plan.last.val();
        self.hands.header.next = self.plan.header.val();
        self.hands.sge.next = self.place.q.val().sge;
        self.hands.used.next = self.place.q.val().used;
        self.head.next = self.hands.head.val();
        self.fpdu.next = self.hands.fpdu.val();
        self.entry.next = self.hands.entry.val();
        self.ring_qp.next = bit_cast::<C, 8>(self.who.q.val().qp);
        self.starve.next = false;
        self.push.next = (self.state.q.val() == Work::Hand) && self.plan.last.val();

        // Rows: inserted anew, or as the turn leaves it.
        self.mulpdu.next = self.mulpdus.read_data.val();
        if self.item.val().started {
            self.mulpdu.next = self.rows.read_data.val().mulpdu;
        }
        self.usable.next =
            (self.mulpdu.val() >= self.mulpdu_min.val()) && (self.mulpdu.val() <= self.mulpdu_max.val());
        self.begun.next = self.rows.read_data.val();
        self.begun.next.mulpdu = self.mulpdu.val();
        if !self.item.val().started {
            self.begun.next.sent = 0.into();
            self.begun.next.sge = 0.into();
            self.begun.next.used = 0.into();
        }
        self.fresh_ready.next = (self.state.q.val() == Work::Idle) && self.rows.ready.val();
        self.mulpdus.read_enable.next = false;
        self.mulpdus.read_address.next = bit_cast::<C, 8>(self.turn.val().qp);
        self.rows.read_enable.next = false;
        self.rows.read_address.next = bit_cast::<C, 8>(self.turn.val().qp);
        self.row_write.next = false;
        self.row_qp.next = self.qp.val();
        self.new_row.next = self.hands.after.val();

        self.told.next = self.outcome.q.val();
        self.result.next = self.outcome.q.val();
        self.result_valid.next = self.state.q.val() == Work::Tell;
        self.wrong.next.qp = self.item.val().qp;
        self.wrong.next.error = 0.into();
        self.wrong.next.status = self.status.q.val();
        self.wrong.next.is_local = true;
        self.wrong.next.wr_id = self.wr.val().wr_id;
        self.wrong.next.has_wr = self.has_wr.q.val();
        self.fault.next = self.wrong.val();
        self.fault_valid.next = self.state.q.val() == Work::Fail;

        self.turn_take.next = false;
        self.read_sge.next = false;
        self.which.next = self.after.val().sge;
        self.fail.next = false;
        self.reason.next = self.plan.status.val();
        match self.state.q.val() {
            Work::Idle => {
                if self.turn_valid.val() && !self.fresh.val() && self.rows.ready.val() {
                    self.turn_take.next = true;
                    self.who.d.next = self.turn.val();
                    self.mulpdus.read_enable.next = true;
                    self.rows.read_enable.next = true;
                    self.words.start.next = true;
                    self.words.four.next = true;
                    self.words.first.next = bit_cast::<CW, C>(bit_cast::<C, 8>(self.turn.val().qp)) << 4;
                    self.state.d.next = Work::Head;
                }
            }
            Work::Head => {
                self.told.next.qp = self.item.val().qp;
                self.told.next.started = self.item.val().started;
                self.told.next.again = false;
                self.told.next.done = false;
                self.told.next.parked = false;
                self.told.next.halted = false;
                self.row.d.next = self.begun.val();
                self.wqe.d.next = self.words.octets.val();
                if self.words.done.val() {
                    self.state.d.next = Work::Judge;
                }
            }
            Work::Judge => {
                self.judging.d.next = true;
                self.at.next = self.start.val();
                self.has_wr.d.next = !self.item.val().broken;
                self.state.d.next = Work::Plan;
                if self.item.val().broken {
                    self.fail.next = true;
                    self.reason.next = self.general_err.val();
                } else if !self.usable.val() {
                    self.told.next.parked = true;
                    self.state.d.next = Work::Tell;
                } else if !self.item.val().started {
                    if !self.plan.ok.val() {
                        self.fail.next = true;
                    } else if self.ring_full.val() {
                        self.starve.next = true;
                        self.told.next.parked = true;
                        self.state.d.next = Work::Tell;
                    } else {
                        self.told.next.started = true;
                        if self.count.val().any() {
                            self.read_sge.next = true;
                            self.which.next = 0.into();
                        } else if !self.wr.val().is_inline && self.wr.val().length.any() {
                            self.fail.next = true;
                            self.reason.next = self.len_err.val();
                        }
                    }
                }
            }
            Work::Plan => {
                self.judging.d.next = false;
                self.at.next.sge = self.row.q.val().sge;
                self.at.next.used = self.row.q.val().used;
                self.at.next.want = self.plan.payload.val();
                self.found.d.next = 0.into();
                self.given.d.next = 0.into();
                self.state.d.next = Work::Reserve;
                if self.plan.payload.val().any() && !self.wr.val().is_inline {
                    self.read_sge.next = true;
                    self.which.next = self.row.q.val().sge;
                }
            }
            Work::Sge => {
                if self.words.done.val() {
                    self.state.d.next = Work::Span;
                }
            }
            Work::Span => {
                self.asked.d.next = self.walk.check.val();
                self.state.d.next = Work::Ask;
                if !self.judging.q.val() && self.walk.empty.val() {
                    self.at.next = self.after.val();
                    self.read_sge.next = true;
                }
            }
            Work::Ask => {
                if self.ask_ready.val() {
                    self.state.d.next = Work::Say;
                }
            }
            Work::Say => {
                if self.say_valid.val() {
                    self.at.next = self.after.val();
                    if !self.said.val().ok {
                        self.fail.next = true;
                        self.reason.next = self.prot_err.val();
                    } else if self.judging.q.val() {
                        self.read_sge.next = true;
                        if self.after.val().sge == self.count.val() {
                            self.read_sge.next = false;
                            self.state.d.next = Work::Plan;
                            if self.after.val().sum != bit_cast::<35, 32>(self.wr.val().length) {
                                self.fail.next = true;
                                self.reason.next = self.len_err.val();
                            }
                        }
                    } else {
                        self.ranges.write_enable.next = true;
                        self.found.d.next = self.found_up.val();
                        self.read_sge.next = self.after.val().want.any();
                        self.state.d.next = Work::Reserve;
                    }
                }
            }
            Work::Reserve => {
                if self.res_ready.val() && self.hand_ready.val() {
                    self.state.d.next = Work::Grant;
                }
            }
            Work::Grant => {
                self.grant.d.next = self.grant_item.val();
                if self.grant_valid.val() {
                    self.state.d.next = Work::Hand;
                    if !self.grant_item.val().ok {
                        self.row_write.next = true;
                        self.new_row.next = self.row.q.val();
                        self.told.next.parked = true;
                        self.state.d.next = Work::Tell;
                    }
                }
            }
            Work::Hand => {
                self.row_write.next = true;
                self.told.next.again = !self.plan.last.val();
                self.told.next.done = self.plan.last.val();
                self.state.d.next = Work::Tell;
                if self.plan.payload.val().any() {
                    self.state.d.next = Work::Give;
                }
            }
            Work::Give => {
                if self.range_ready.val() {
                    self.given.d.next = self.given_up.val();
                    if self.wr.val().is_inline {
                        self.inline_start.next = true;
                        self.state.d.next = Work::Copy;
                    } else if self.given_up.val() == self.found.q.val() {
                        self.state.d.next = Work::Tell;
                    }
                }
            }
            Work::Copy => {
                if !self.inline_busy.val() {
                    self.state.d.next = Work::Tell;
                }
            }
            Work::Fail => {
                if self.fault_take.val() {
                    self.state.d.next = Work::Tell;
                }
            }
            Work::Tell => {
                if self.result_take.val() {
                    self.state.d.next = Work::Idle;
                }
            }
            _ => {}
        }
        self.sge_word.next = (bit_cast::<4, 3>(self.which.val()) << 1) + 4;
        if self.read_sge.val() {
            self.words.start.next = true;
            self.words.first.next = self.slot.val() | bit_cast::<CW, 4>(self.sge_word.val());
            self.state.d.next = Work::Sge;
        }
        if self.fail.val() {
            self.status.d.next = self.reason.val();
            self.told.next.halted = true;
            self.state.d.next = Work::Fail;
        }
        self.outcome.d.next = self.told.val();
        self.place.d.next = self.at.val();
        if self.fresh.val() {
            self.row_write.next = true;
            self.row_qp.next = self.fresh_qp.val();
            self.new_row.next = self.blank.val();
            self.new_row.next.msn = self.msn_first.val();
        }
        self.mulpdus.write_enable.next = self.fresh.val();
        self.mulpdus.write_address.next = self.fresh_qp.val();
        self.mulpdus.write_data.next = self.fresh_mulpdu.val();
        self.rows.write_enable.next = self.row_write.val();
        self.rows.write_address.next = self.row_qp.val();
        self.rows.write_data.next = self.new_row.val();
    }
}
