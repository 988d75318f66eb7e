// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps of a turn.
use super::SqWork;
use crate::gen::consts::wc_status;
use crate::prelude::*;
use crate::record::{MrAsk, MrSay, TxRange};
use crate::sq::rows::Work;
use crate::stream::{ItemSink, ItemSource};

#[kernel]
impl<const C: usize, const CW: usize> Logic for SqWork<C, CW> {
    fn update(&mut self) {
        regs!(state);
        flops!(who, row, room, outcome, status, passed, behind, planned, fits, sound, closed, differs);
        parts!(limits, rows, spans);

        // Whose turn it is, and its slot.
        self.ring_qp.next = bit_cast::<C, 8>(self.who.q.val().qp);
        self.at_work.next = self.who.q.val();
        let kind: Bits<2> = self.who.q.val().kind;
        self.shown.next = self.who.q.val();
        if self.state.q.val() == Work::Idle {
            self.shown.next = self.turn.item.val();
        }
        self.plan.octets.next = self.spans.octets.val();
        self.plan.turn.next = self.who.q.val();
        self.plan.row.next = self.row.q.val();
        self.plan.behind.next = self.behind.q.val();
        self.plan.emss.next = self.limits.read_data.val().emss;
        self.planned.d.next = self.plan.cut.val();
        self.fits.d.next = self.plan.ok.val();
        self.sound.d.next = self.plan.sound.val();
        self.closed.d.next = self.plan.closed.val();
        self.differs.d.next = self.same.differs.val();
        self.wr.next = self.plan.wr.val();
        self.sge.next = self.spans.sge.val();
        self.is_read.next = self.planned.q.val().is_read;

        // Rows: inserted anew, or as the turn leaves it.
        self.begun.next = self.rows.read_data.val();
        if !self.who.q.val().started {
            self.begun.next.mulpdu = self.limits.read_data.val().mulpdu;
            self.begun.next.sent = 0.into();
            self.begun.next.sge = 0.into();
            self.begun.next.used = 0.into();
            self.begun.next.into = 0.into();
        }
        self.fresh_ready.next = (self.state.q.val() == Work::Idle) && self.rows.ready.val();
        let takes: Bit =
            self.fresh_ready.val() && self.turn.valid.val() && !self.fresh.val() && !self.renewed.val();
        self.turn.ready.next = takes;
        self.limits.read_enable.next = self.state.q.val() == Work::Idle;
        self.limits.read_address.next = bit_cast::<C, 8>(self.turn.item.val().qp);
        self.rows.read_enable.next = self.state.q.val() == Work::Idle;
        self.rows.read_address.next = bit_cast::<C, 8>(self.turn.item.val().qp);
        self.row_write.next = false;
        self.row_qp.next = self.ring_qp.val();
        self.new_row.next = self.hands.after.val();

        // A message that leaves again.
        self.look.next = takes && self.turn.item.val().replay;
        self.replays.next = self.who.q.val().replay
            && ((self.state.q.val() == Work::Entry)
                || (self.state.q.val() == Work::Open)
                || (self.state.q.val() == Work::Head)
                || (self.state.q.val() == Work::Judge)
                || (self.state.q.val() == Work::Whole)
                || (self.state.q.val() == Work::Plan)
                || (self.state.q.val() == Work::Find)
                || (self.state.q.val() == Work::Fail));
        self.restart.next = self.turn.item.val().restart;
        self.same.turn.next = self.who.q.val();
        self.same.entry.next = self.again_entry.val();
        self.same.moved.next = self.again_moved.val();
        self.same.wr.next = self.plan.wr.val();
        let opens: Bit =
            (self.state.q.val() == Work::Open) && !self.again_over.val() && !self.same.lacks.val();
        self.again_after.next = self.hands.after.val();
        self.again_step.next = ((self.state.q.val() == Work::Hand) && self.who.q.val().replay)
            || (self.state.q.val() == Work::Pass);
        self.push.next = (self.state.q.val() == Work::Hand) && !self.who.q.val().replay;

        // What is to be said of the message before any of its FPDUs.
        self.verdict.turn.next = self.who.q.val();
        self.verdict.wr.next = self.plan.wr.val();
        self.verdict.ok.next = self.fits.q.val();
        self.verdict.is_read.next = self.planned.q.val().is_read;
        self.verdict.closed.next = self.closed.q.val();
        self.verdict.sound.next = self.sound.q.val();
        self.verdict.differs.next = self.differs.q.val();
        self.verdict.ring_full.next = self.ring_full.val();
        self.verdict.outstanding.next = self.outstanding.val();
        let finds: Bit = self.planned.q.val().payload.any()
            && !self.plan.wr.val().is_inline
            && !self.planned.q.val().is_read;
        // a replay asks first: what is acknowledged needs no range, and the place follows from what
        // was sent
        // The ranges are looked for behind the grant.
        let late: Bit = self.who.q.val().replay && finds;
        self.spans.turn.next = self.shown.val();
        self.spans.wr.next = self.plan.wr.val();
        self.spans.is_read.next = self.planned.q.val().is_read;
        self.spans.payload.next = self.planned.q.val().payload;
        self.place.next.sge = self.row.q.val().sge;
        self.place.next.used = self.row.q.val().used;
        self.place.next.want = self.planned.q.val().payload;
        self.place.next.sum = 0.into();
        self.spans.place.next = self.place.val();
        self.spans.head.next = (takes && !self.turn.item.val().replay) || opens;
        self.spans.judge.next = (self.state.q.val() == Work::Judge) && self.verdict.judges.val();
        self.grant.ready.next = self.state.q.val() == Work::Grant;
        let granted: Bit = self.grant.ready.val() && self.grant.valid.val();
        self.spans.find.next = ((self.state.q.val() == Work::Plan) && finds && !late)
            || (granted && self.grant.item.val().ok && late);
        // of an FPDU that goes on the next turn begins where this one did
        self.spans.rewind.next = granted && !self.grant.item.val().ends;
        self.spans.give.next = (self.state.q.val() == Work::Hand) && self.planned.q.val().payload.any();
        self.word_enable.next = self.spans.word_enable.val();
        self.word_address.next = self.spans.word_address.val();
        self.spans.word.next = self.word.val();
        ItemSource::<MrAsk>::link(&mut self.ask, &mut self.spans.ask);
        ItemSink::<MrSay>::link(&mut self.say, &mut self.spans.say);
        ItemSource::<TxRange>::link(&mut self.range, &mut self.spans.range);
        self.inline_octets.next = self.spans.inline_octets.val();
        self.inline_start.next = self.spans.inline_start.val();
        self.spans.inline_busy.next = self.inline_busy.val();

        // The reservation and what follows from it.
        self.wants.turn.next = self.who.q.val();
        self.wants.row.next = self.row.q.val();
        self.wants.cut.next = self.planned.q.val();
        self.wants.reach.next = self.again_reach.val();
        self.wants.octets.next = self.room.q.val().octets;
        self.again_last.next = self.wants.last.val();
        self.res.item.next = self.wants.want.val();
        self.res.valid.next = (self.state.q.val() == Work::Reserve) && self.hand_ready.val();
        self.offer_valid.next = self.state.q.val() == Work::Offer;
        self.hand.next = self.state.q.val() == Work::Hand;
        self.hands.turn.next = self.who.q.val();
        self.hands.wr.next = self.plan.wr.val();
        self.hands.row.next = self.row.q.val();
        self.hands.grant.next = self.room.q.val();
        self.hands.cut.next = self.planned.q.val();
        self.hands.want.next = self.wants.want.val();
        self.hands.place.next = self.spans.after.val();
        self.hands.counts.next = late;
        self.head.next = self.hands.head.val();
        self.fpdu.next = self.hands.fpdu.val();
        self.entry.next = self.hands.entry.val();
        self.first.next = self.hands.first.val();
        self.cut.next = self.push.val() && self.room.q.val().moved;
        self.start.next = self.row.q.val().offset;
        self.starve.next = false;
        self.read_sent.next = self.push.val() && self.planned.q.val().is_read && self.hands.first.val();
        self.response_sent.next = self.push.val() && (kind == self.response.val()) && self.hands.ends.val();

        self.told.next = self.outcome.q.val();
        // whether a message ends in its replay is known a cycle after the step
        self.result.item.next = self.outcome.q.val();
        if self.who.q.val().replay && self.outcome.q.val().again && self.again_ends.val() {
            self.result.item.next.again = false;
            self.result.item.next.done = true;
        }
        self.result.valid.next = self.state.q.val() == Work::Tell;
        self.blame.turn.next = self.who.q.val();
        self.blame.status.next = self.status.q.val();
        self.blame.error.next = self.spans.error.val();
        self.fault.item.next = self.blame.fault.val();
        self.cited.turn.next = self.who.q.val();
        // of octets that a work request leaves unused
        self.cited.msn.next = self.spans.octets.val().get_bits::<32>(64);
        self.cited.sge.next = self.spans.sge.val();
        self.cited.sent.next = self.row.q.val().sent;
        self.cited.cut.next = self.planned.q.val();
        self.fault_quote.next = self.cited.quote.val();
        self.fault_request.next = self.cited.request.val();
        self.fault.valid.next = self.state.q.val() == Work::Fail;

        if (self.state.q.val() == Work::Head) || (self.state.q.val() == Work::Open) {
            self.told.next = self.no_result.val();
            self.told.next.qp = self.who.q.val().qp;
            self.told.next.kind = self.who.q.val().kind;
            self.told.next.started = self.who.q.val().started;
            self.told.next.replay = self.who.q.val().replay;
            self.told.next.index = self.who.q.val().index;
        }
        self.fail.next = false;
        self.unfit.next = false;
        self.reason.next = self.plan.status.val();
        match self.state.q.val() {
            Work::Idle => {
                self.who.d.next = self.turn.item.val();
                if takes {
                    self.state.d.next = Work::Head;
                    if self.turn.item.val().replay {
                        self.state.d.next = Work::Entry;
                    }
                }
            }
            Work::Entry => {
                self.who.d.next = self.same.seen.val();
                if self.again_ready.val() {
                    self.state.d.next = Work::Open;
                }
            }
            Work::Open => {
                self.told.next.over = self.again_over.val();
                self.told.next.lacks = self.same.lacks.val() && !self.again_over.val();
                self.state.d.next = Work::Tell;
                if opens {
                    self.state.d.next = Work::Head;
                }
            }
            Work::Head => {
                self.passed.d.next = 0.into();
                self.row.d.next = self.begun.val();
                self.behind.d.next = 0.into();
                if self.who.q.val().replay {
                    self.row.d.next.offset = self.again_row.val().offset;
                    self.row.d.next.sent = self.again_row.val().sent;
                    self.row.d.next.sge = self.again_row.val().sge;
                    self.row.d.next.used = self.again_row.val().used;
                    self.row.d.next.into = self.again_row.val().into;
                    self.row.d.next.mulpdu = self.again_entry.val().mulpdu;
                    self.behind.d.next = bit_cast::<7, 32>(self.begun.val().msn) - self.again_entry.val().msn;
                    if self.again_entry.val().is_read {
                        self.behind.d.next =
                            bit_cast::<7, 32>(self.begun.val().msn_read) - self.again_entry.val().msn;
                    }
                }
                if self.spans.idle.val() {
                    self.state.d.next = Work::Judge;
                }
            }
            Work::Judge => {
                self.state.d.next = Work::Plan;
                if self.verdict.broken.val() {
                    self.fail.next = true;
                    self.reason.next = wc_status::general_err().val();
                } else if self.verdict.unusable.val() {
                    self.told.next.parked = true;
                    self.state.d.next = Work::Tell;
                } else if self.verdict.wrong.val() {
                    self.fail.next = true;
                    if self.fits.q.val() {
                        self.reason.next = wc_status::loc_len_err().val();
                    }
                    if self.differs.q.val() {
                        self.reason.next = wc_status::loc_prot_err().val();
                    }
                } else if self.verdict.holds.val() {
                    self.starve.next = true;
                    self.told.next.held = true;
                    self.state.d.next = Work::Tell;
                } else {
                    self.told.next.started = true;
                    if self.verdict.judges.val() {
                        self.state.d.next = Work::Whole;
                    }
                }
            }
            Work::Whole => {
                if self.spans.idle.val() {
                    self.state.d.next = Work::Plan;
                    if self.planned.q.val().last {
                        // all ranges of its only FPDU were found
                        self.state.d.next = Work::Reserve;
                    }
                    self.unfit.next = self.spans.failed.val();
                }
            }
            Work::Plan => {
                self.state.d.next = Work::Reserve;
                if finds && !late {
                    self.state.d.next = Work::Find;
                }
            }
            Work::Find => {
                if self.spans.idle.val() {
                    self.state.d.next = Work::Reserve;
                    if late {
                        self.state.d.next = Work::Hand;
                    }
                    self.unfit.next = self.spans.failed.val();
                }
            }
            Work::Reserve => {
                if self.res.ready.val() && self.hand_ready.val() {
                    self.state.d.next = Work::Grant;
                }
            }
            Work::Grant => {
                self.room.d.next = self.grant.item.val();
                if self.grant.valid.val() {
                    self.state.d.next = Work::Hand;
                    if late {
                        self.state.d.next = Work::Find;
                    }
                    // what could not be read never leaves: its place is given anew
                    if self.grant.item.val().moved {
                        self.row.d.next.offset = self.grant.item.val().at;
                    }
                    if self.planned.q.val().is_read
                        && !self.who.q.val().replay
                        && !self.row.q.val().into.any()
                    {
                        self.state.d.next = Work::Offer;
                    }
                    if !self.grant.item.val().ok {
                        self.row_write.next = !self.who.q.val().replay;
                        self.new_row.next = self.row.q.val();
                        self.told.next.parked = !self.grant.item.val().skip;
                        self.told.next.again = false;
                        self.told.next.half = self.row.q.val().into.any();
                        self.state.d.next = Work::Tell;
                        if self.grant.item.val().skip {
                            self.state.d.next = Work::Pass;
                        }
                    }
                }
            }
            Work::Offer => {
                if self.offer_ready.val() {
                    self.state.d.next = Work::Hand;
                }
            }
            Work::Hand => {
                self.row_write.next = !self.who.q.val().replay;
                self.told.next.half = !self.room.q.val().ends;
                self.told.next.again = !self.hands.ends.val() || self.who.q.val().replay;
                self.told.next.done = self.hands.ends.val() && !self.who.q.val().replay;
                self.state.d.next = Work::Tell;
                if self.planned.q.val().payload.any() {
                    self.state.d.next = Work::Give;
                }
            }
            Work::Pass => {
                self.told.next.again = true;
                self.passed.d.next = self.passed.q.val() + 1;
                self.state.d.next = Work::Tell;
                // some more in this turn, but not without end: others wait
                if !self.wants.last.val() && !self.passed.q.val().all() {
                    self.row.d.next.offset = self.hands.after.val().offset;
                    self.row.d.next.sent = self.hands.after.val().sent;
                    self.row.d.next.used = self.hands.after.val().used;
                    self.row.d.next.into = self.hands.after.val().into;
                    self.state.d.next = Work::Plan;
                }
            }
            Work::Give => {
                if self.spans.idle.val() {
                    self.state.d.next = Work::Tell;
                }
            }
            Work::Fail => {
                if self.fault.ready.val() {
                    self.state.d.next = Work::Tell;
                }
            }
            Work::Tell => {
                if self.result.ready.val() {
                    self.state.d.next = Work::Idle;
                }
            }
            _ => {}
        }
        if self.unfit.val() {
            self.fail.next = true;
            self.reason.next = wc_status::loc_len_err().val();
            if self.spans.error.val().any() {
                self.reason.next = wc_status::loc_prot_err().val();
            }
        }
        if self.fail.val() {
            self.status.d.next = self.reason.val();
            self.told.next.again = false;
            self.told.next.halted = true;
            self.state.d.next = Work::Fail;
        }
        self.outcome.d.next = self.told.val();
        if self.fresh.val() {
            self.row_write.next = true;
            self.row_qp.next = self.fresh_qp.val();
            self.new_row.next = self.blank.val();
        }
        self.limits.write_enable.next = self.renewed.val();
        self.limits.write_address.next = self.fresh_qp.val();
        self.limits.write_data.next = self.fresh_limits.val();
        self.rows.write_enable.next = self.row_write.val();
        self.rows.write_address.next = self.row_qp.val();
        self.rows.write_data.next = self.new_row.val();
    }
}
