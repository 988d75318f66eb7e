// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a slot: its head, its SGEs, and the ranges of memory that an FPDU carries.
use super::rows::{turn_kind, SqTurn};
use super::walk::{SqPlace, SqWalk};
use super::words::SqWords;
use crate::gen::SendWqe;
use crate::prelude::*;
use crate::record::{MrAsk, MrSay, TxRange};
use crate::stream::{ItemSink, ItemSource};

/// Steps of looking at SGEs.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Spans {
    /// Nothing to do.
    Idle,
    /// The head of the slot is being read.
    Head,
    /// An SGE is being read.
    Sge,
    /// It is there.
    Span,
    /// Its check is offered to the memory regions.
    Ask,
    /// Its answer is awaited.
    Say,
    /// Ranges go to the gather.
    Give,
    /// Octets out of the slot are being copied.
    Copy,
}

/// Does one thing at a time for the turn: reads the head; judges all SGEs whole, each against its
/// memory region, then the sum of their lengths; finds the ranges of the next octets of payload,
/// each checked again; gives them to the gather, or has inline octets copied. SGEs that were judged
/// whole are what a message of one FPDU gives: these are not looked for again. Busy from the cycle
/// after the command. `CW` = address of a word of a slot.
///
/// The owner of a slot may change it between two turns. If no SGE is left and octets are wanted,
/// the command fails as if the lengths had not added up.
///
/// A Read Response reads what the peer named, a Read Request names what the peer's answer will
/// write: their regions must allow that. With no octets to move nothing is looked up for these two
/// (RFC 5040 section 4.4).
#[block]
pub struct SqSpans<const C: usize, const CW: usize> {
    /// Who has the turn; with `head` who gets it.
    pub turn: Signal<In, SqTurn>,
    /// Head of its slot, once it was read.
    pub wr: Signal<In, SendWqe>,
    /// It is a Read Request.
    pub is_read: Signal<In, Bit>,
    /// Command: the head.
    pub head: Signal<In, Bit>,
    /// Command: all SGEs are judged. If `payload` is the whole message, its ranges are found with
    /// that.
    pub judge: Signal<In, Bit>,
    /// Command: ranges from `place` on.
    pub find: Signal<In, Bit>,
    /// Command: give what was found, or copy `payload` octets that stand in the slot.
    pub give: Signal<In, Bit>,
    /// Command: what was found ends where it began.
    pub rewind: Signal<In, Bit>,
    /// Where the payload begins, and how much is wanted.
    pub place: Signal<In, SqPlace>,
    /// Octets of payload.
    pub payload: Signal<In, Bits<16>>,
    /// Nothing is being done.
    pub idle: Signal<Out, Bit>,
    /// The last command ended at a check that failed.
    pub failed: Signal<Out, Bit>,
    /// If so: one of `mr_error`; 0 if the lengths do not add up.
    pub error: Signal<Out, Bits<3>>,
    /// The head.
    pub octets: Signal<Out, Bits<256>>,
    /// The SGE that was read last.
    pub sge: Signal<Out, Bits<128>>,
    /// Where the payload that was found ends.
    pub after: Signal<Out, SqPlace>,
    /// Read port of the slots.
    pub word_enable: Signal<Out, Bit>,
    /// Word asked for.
    pub word_address: Signal<Out, Bits<CW>>,
    /// It comes one cycle later.
    pub word: Signal<In, Bits<64>>,
    /// Check of a range.
    pub ask: ItemSource<MrAsk>,
    /// Its answer.
    pub say: ItemSink<MrSay>,
    /// Payload of the FPDU, in order.
    pub range: ItemSource<TxRange>,
    /// Octets to copy.
    pub inline_octets: Signal<Out, Bits<8>>,
    /// Pulse: the copy begins.
    pub inline_start: Signal<Out, Bit>,
    /// Not over.
    pub inline_busy: Signal<In, Bit>,
    state: Reg<Spans>,
    words: SqWords<CW>,
    walk: SqWalk,
    ranges: LutRam<TxRange, 2>,
    kept: Flop<Bits<256>>,
    asked: Flop<MrAsk>,
    /// SGEs are judged whole.
    judging: Flop<Bit>,
    at: Flop<SqPlace>,
    /// Ranges found, and given.
    found: Flop<Bits<3>>,
    given: Flop<Bits<3>>,
    bad: Flop<Bit>,
    why: Flop<Bits<3>>,
    start: Const<SqPlace>,
    who: Signal<Local, SqTurn>,
    head_of: Signal<Local, SendWqe>,
    said: Signal<Local, MrSay>,
    next_at: Signal<Local, SqPlace>,
    there: Signal<Local, SqPlace>,
    read_sge: Signal<Local, Bit>,
    /// Octets are wanted, and no SGE has them: the slot is not as it was judged.
    lacks: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    which: Signal<Local, Bits<3>>,
    shown: Signal<Local, TxRange>,
}

#[kernel]
impl<const C: usize, const CW: usize> Logic for SqSpans<C, CW> {
    fn update(&mut self) {
        regs!(state);
        flops!(kept, asked, judging, at, found, given, bad, why);
        parts!(words);
        clocked!(ranges);
        self.who.next = self.turn.val();
        self.head_of.next = self.wr.val();
        let is_remote: Bit = self.who.val().kind == lit::<2>(turn_kind::RESPONSE);
        let in_slot: Bit = self.head_of.val().is_inline || self.is_read.val();
        let count: Bits<3> = bit_cast::<3, 8>(self.head_of.val().num_sge);
        let nothing: Bit = (is_remote || self.is_read.val()) && !self.head_of.val().length.any();
        let slot: Bits<CW> = bit_cast::<CW, C>(bit_cast::<C, 8>(self.who.val().qp)) << 4;
        self.word_enable.next = self.words.word_enable.val();
        self.word_address.next = self.words.word_address.val();
        self.words.word.next = self.word.val();
        self.words.start.next = false;
        self.words.first.next = slot;
        self.words.four.next = false;
        self.idle.next = self.state.q.val() == Spans::Idle;
        self.failed.next = self.bad.q.val();
        self.error.next = self.why.q.val();
        self.octets.next = self.kept.q.val();
        self.sge.next = self.words.octets.val().get_bits::<128>(128);
        self.after.next = self.at.q.val();

        // The SGE that was read last.
        self.walk.octets.next = self.words.octets.val().get_bits::<128>(128);
        self.walk.turn.next = self.turn.val();
        self.walk.is_remote.next = self.turn.val().kind == lit::<2>(turn_kind::RESPONSE);
        self.walk.is_sink.next = self.is_read.val();
        self.walk.judging.next = self.judging.q.val();
        self.walk.place.next = self.at.q.val();
        self.walk.iova.next = self.say.item.val().iova;
        self.there.next = self.walk.after.val();
        self.next_at.next = self.at.q.val();
        self.ask.item.next = self.asked.q.val();
        self.ask.valid.next = self.state.q.val() == Spans::Ask;
        self.said.next = self.say.item.val();
        self.say.ready.next = self.state.q.val() == Spans::Say;

        // Ranges found, until they are given.
        let found_up: Bits<3> = self.found.q.val() + 1;
        let given_up: Bits<3> = self.given.q.val() + 1;
        self.ranges.write_enable.next = false;
        self.ranges.write_address.next = bit_cast::<2, 3>(self.found.q.val());
        self.ranges.write_data.next = self.walk.range.val();
        self.ranges.read_address.next = bit_cast::<2, 3>(self.given.q.val());
        self.shown.next = self.ranges.read_data.val();
        if in_slot {
            self.shown.next.addr = 0.into();
            self.shown.next.octets = self.payload.val();
            self.shown.next.in_slot = true;
            self.shown.next.ends = true;
        }
        self.range.item.next = self.shown.val();
        self.range.valid.next = self.state.q.val() == Spans::Give;
        self.inline_octets.next = bit_cast::<8, 16>(self.payload.val());
        self.inline_start.next = false;

        // No SGE follows.
        let was_last: Bit = self.there.val().sge >= count;
        self.lacks.next = false;
        self.read_sge.next = false;
        self.which.next = self.there.val().sge;
        self.ends.next = false;
        match self.state.q.val() {
            Spans::Idle => {
                if self.head.val() {
                    self.words.start.next = true;
                    self.words.four.next = true;
                    self.state.d.next = Spans::Head;
                }
                if self.judge.val() {
                    self.bad.d.next = false;
                    self.judging.d.next = true;
                    self.found.d.next = 0.into();
                    self.next_at.next = self.start.val();
                    self.next_at.next.want = self.payload.val();
                    self.read_sge.next = count.any();
                    self.which.next = 0.into();
                }
                if self.find.val() {
                    self.bad.d.next = false;
                    self.judging.d.next = false;
                    self.found.d.next = 0.into();
                    self.next_at.next = self.place.val();
                    self.read_sge.next = true;
                    self.which.next = self.place.val().sge;
                }
                if self.rewind.val() {
                    self.next_at.next = self.place.val();
                }
                if self.give.val() {
                    self.given.d.next = 0.into();
                    self.state.d.next = Spans::Give;
                }
            }
            Spans::Head => {
                self.kept.d.next = self.words.octets.val();
                if self.words.done.val() {
                    self.state.d.next = Spans::Idle;
                }
            }
            Spans::Sge => {
                if self.words.done.val() {
                    self.state.d.next = Spans::Span;
                }
            }
            Spans::Span => {
                self.asked.d.next = self.walk.check.val();
                self.state.d.next = Spans::Ask;
                if self.walk.empty.val() && !self.judging.q.val() {
                    self.next_at.next = self.there.val();
                    self.read_sge.next = !was_last;
                    self.lacks.next = was_last;
                } else if self.walk.empty.val() && nothing {
                    self.ends.next = true;
                }
            }
            Spans::Ask => {
                if self.ask.ready.val() {
                    self.state.d.next = Spans::Say;
                }
            }
            Spans::Say => {
                if self.say.valid.val() {
                    self.next_at.next = self.there.val();
                    self.ranges.write_enable.next = !self.walk.empty.val();
                    if !self.walk.empty.val() {
                        self.found.d.next = found_up;
                    }
                    if !self.said.val().ok {
                        self.bad.d.next = true;
                        self.why.d.next = self.said.val().error;
                        self.ends.next = true;
                    } else if self.judging.q.val() {
                        self.read_sge.next = true;
                        if self.there.val().sge == count {
                            self.read_sge.next = false;
                            self.ends.next = true;
                            self.bad.d.next =
                                self.there.val().sum != bit_cast::<35, 32>(self.head_of.val().length);
                            self.why.d.next = 0.into();
                        }
                    } else {
                        self.read_sge.next = !self.walk.serves.val() && !was_last;
                        self.lacks.next = !self.walk.serves.val() && was_last;
                        self.ends.next = self.walk.serves.val();
                    }
                }
            }
            Spans::Give => {
                if self.range.ready.val() {
                    self.given.d.next = given_up;
                    if in_slot {
                        self.inline_start.next = true;
                        self.state.d.next = Spans::Copy;
                    } else if given_up == self.found.q.val() {
                        self.ends.next = true;
                    }
                }
            }
            Spans::Copy => {
                if !self.inline_busy.val() {
                    self.ends.next = true;
                }
            }
            _ => {}
        }
        if self.lacks.val() {
            self.bad.d.next = true;
            self.why.d.next = 0.into();
            self.ends.next = true;
        }
        let sge_word: Bits<4> = (bit_cast::<4, 3>(self.which.val()) << 1) + 4;
        if self.read_sge.val() {
            self.words.start.next = true;
            self.words.first.next = slot | bit_cast::<CW, 4>(sge_word);
            self.state.d.next = Spans::Sge;
        }
        if self.ends.val() {
            self.state.d.next = Spans::Idle;
        }
        self.at.d.next = self.next_at.val();
    }
}
