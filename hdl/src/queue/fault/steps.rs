// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps of an operation of the fault unit.
use super::{FaultUnit, St};
use crate::gen::consts::{qp_state, wc_status};
use crate::prelude::*;
use crate::record::{CiteSink, CiteSource, Fault};
use crate::stream::ItemSink;

const SECOND: usize = 1;

#[kernel]
impl<const C: usize, const NC: usize, const Q: usize, const NQ: usize, const N: usize, const A: usize> Logic
    for FaultUnit<C, NC, Q, NQ, N, A>
{
    fn update(&mut self) {
        regs!(st, works, halted, kept, overs, over_waits);
        regs!(walks, show, pulse_stopped, pulse_late, pulse_stray);
        flops!(qp, fault, is_first, is_late, over_pick, asked, walk_cq, flushed, told, shown);
        parts!(pick, laters, cites);
        clocked!(cqs, faults, quotes);
        let up: Bit = self.laters.ready.val();
        self.dead.next = self.halted.q.val();
        self.cqe.item.next = self.flushed.q.val();
        self.cqe.valid.next = self.st.q.val() == St::Cqe;
        self.event.item.next = self.told.q.val();
        self.event.valid.next = self.st.q.val() == St::Tell;
        self.qpw.ready.next = self.st.q.val() == St::Setup;
        self.cap.ready.next = self.st.q.val() == St::Show;
        self.capd.item.next = self.shown.q.val();
        self.capd.valid.next = self.show.q.val();
        CiteSink::link(&mut self.from_0_words, &mut self.cites.a);
        CiteSink::link(&mut self.from_1_words, &mut self.cites.b);
        CiteSource::link(&mut self.capd_words, &mut self.cites.shown);
        self.stopped.next = self.pulse_stopped.q.val();
        self.late.next = self.pulse_late.q.val();
        self.stray.next = self.pulse_stray.q.val();
        self.pulse_stopped.d.next = false;
        self.pulse_late.d.next = false;
        self.pulse_stray.d.next = false;
        if self.capd.ready.val() {
            self.show.d.next = false;
        }

        // The source that is next.
        for i in 0..N {
            ItemSink::<Fault>::link(&mut self.from[i], &mut self.pick.rx[i]);
        }
        self.pick.stays.next = self.st.q.val() == St::Note;
        self.pick.tx.ready.next = self.st.q.val() == St::Note;
        self.pick.serves.next = false;

        // Completion queues without room; the highest number is walked for first.
        self.over_now.next = self.overs.q.val();
        if self.over_valid.val() {
            self.over_now.next = self.over_now.val().replace_bit(self.over_cq.val().index(), true);
        }
        self.over_first.mask.next = self.overs.q.val();
        self.over_waits.d.next = self.over_first.any.val();
        self.over_pick.d.next = self.over_first.index.val();

        // The columns. A question waits until the answer before it is taken. `chosen` is the queue
        // pair of the operation that `Idle` begins.
        let asks: Bit = self.cap.valid.val() && !self.show.q.val() && !self.cites.shows.val();
        self.chosen.next = bit_cast::<C, 8>(self.pick.tx.item.val().qp);
        if asks {
            self.chosen.next = self.cap.item.val();
        }
        if self.over_waits.q.val() {
            self.chosen.next = 0.into();
        }
        if self.qpw.valid.val() {
            self.chosen.next = bit_cast::<C, 8>(self.qpw.item.val().qp);
        }
        let its_works: Bit = self.works.q.val().get_bit(self.qp.q.val().index());
        let its_halted: Bit = self.halted.q.val().get_bit(self.qp.q.val().index());
        let looks: Bit = self.st.q.val() == St::Look;
        self.cqs.read_enable.next = looks;
        self.cqs.read_address.next = self.qp.q.val();
        self.faults.read_enable.next = looks;
        self.faults.read_address.next = self.qp.q.val();
        self.laters.read_enable.next = looks;
        self.laters.read_address.next = self.qp.q.val();
        self.row.next = self.qpw.item.val().row;
        self.row_cqs.next.send = self.row.val().send_cq;
        self.row_cqs.next.recv = self.row.val().recv_cq;
        self.cqs.write_enable.next = self.st.q.val() == St::Setup;
        self.cqs.write_address.next = self.qp.q.val();
        self.cqs.write_data.next = self.row_cqs.val();
        self.faults.write_enable.next = false;
        self.faults.write_address.next = self.qp.q.val();
        self.laters.write_enable.next = self.st.q.val() == St::Setup;
        self.laters.write_address.next = self.qp.q.val();
        self.laters.write_data.next = 0.into();
        let later_up: Bits<32> = self.laters.read_data.val() + 1;
        self.pair.next = self.cqs.read_data.val();
        let over_wide: Bits<16> = bit_cast::<16, Q>(self.walk_cq.q.val());
        let hit: Bit = self.is_first.q.val()
            && ((self.pair.val().send == over_wide) || (self.pair.val().recv == over_wide));
        let qp_up: Bits<C> = self.qp.q.val() + 1;
        self.swept.next.qp = bit_cast::<8, C>(self.qp.q.val());
        self.swept.next.error = 0.into();
        self.swept.next.status = wc_status::general_err().val();
        self.swept.next.is_local = false;
        self.swept.next.index = 0.into();
        self.swept.next.has_wr = false;
        self.keeps.next = self.fault.q.val();
        if self.walks.q.val() {
            self.keeps.next = self.swept.val();
        }
        self.faults.write_data.next = self.keeps.val();
        self.quotes.read_enable.next = looks;
        self.quotes.read_address.next = self.qp.q.val();
        self.quotes.write_enable.next = false;
        self.quotes.write_address.next = self.qp.q.val();
        self.segment.next = self.no_quote.val();
        if !self.pick.last.val().any() && !self.walks.q.val() {
            self.segment.next = self.from_0_quote.val();
        }
        if (self.pick.last.val() == lit::<4>(SECOND)) && !self.walks.q.val() {
            self.segment.next = self.from_1_quote.val();
        }
        self.quotes.write_data.next = self.segment.val();
        // while its completion is told
        self.cites.qp.next = self.qp.q.val();
        self.cites.pull.next = (self.st.q.val() == St::Note) && self.segment.val().is_there;
        self.cites.second.next = self.pick.last.val().any();
        self.cites.keep.next = self.is_first.q.val();
        self.tell.fault.next = self.keeps.val();
        self.tell.cqs.next = self.cqs.read_data.val();
        self.tell.is_over.next = self.walks.q.val();
        self.tell.over_cq.next = bit_cast::<16, Q>(self.walk_cq.q.val());
        if (self.st.q.val() == St::Note) || (self.st.q.val() == St::Walked) {
            self.flushed.d.next = self.tell.cqe.val();
            self.told.d.next = self.tell.told.val();
        }
        self.last_kept.next = self.faults.read_data.val();
        self.last_quote.next = self.quotes.read_data.val();
        let quotes_it: Bit =
            self.kept.q.val().get_bit(self.qp.q.val().index()) && self.last_quote.val().is_there;
        self.cites.show.next = self.st.q.val() == St::Show;
        self.cites.there.next = quotes_it;
        self.capture.next.has_segment = quotes_it;
        self.capture.next.is_terminate = false;
        self.capture.next.length = 0.into();
        if quotes_it {
            self.capture.next.is_terminate = self.last_quote.val().is_terminate;
            self.capture.next.length = self.last_quote.val().length;
        }
        self.capture.next.is_captured = self.kept.q.val().get_bit(self.qp.q.val().index());
        self.capture.next.is_local = false;
        self.capture.next.has_wr = false;
        self.capture.next.status = 0.into();
        self.capture.next.error = 0.into();
        self.capture.next.later = self.laters.read_data.val();
        self.capture.next.index = 0.into();
        if self.kept.q.val().get_bit(self.qp.q.val().index()) {
            self.capture.next.is_local = self.last_kept.val().is_local;
            self.capture.next.has_wr = self.last_kept.val().has_wr;
            self.capture.next.status = self.last_kept.val().status;
            self.capture.next.error = self.last_kept.val().error;
            self.capture.next.index = self.last_kept.val().index;
        }

        self.works_now.next = self.works.q.val();
        self.halted_now.next = self.halted.q.val();
        self.kept_now.next = self.kept.q.val();
        match self.st.q.val() {
            St::Idle => {
                self.qp.d.next = self.chosen.val();
                self.fault.d.next = self.pick.tx.item.val();
                if !self.pick.tx.item.val().has_wr {
                    self.fault.d.next.index = 0.into();
                }
                self.asked.d.next = false;
                // who still gives words to quote is waited for: he waits for nobody
                if up && !self.cites.pulls.val() {
                    if self.qpw.valid.val() {
                        self.st.d.next = St::Setup;
                    } else if self.over_waits.q.val() {
                        self.walk_cq.d.next = self.over_pick.q.val();
                        self.over_now.next =
                            self.over_now.val().replace_bit(self.over_pick.q.val().index(), false);
                        self.walks.d.next = true;
                        self.st.d.next = St::Look;
                    } else if asks {
                        self.asked.d.next = true;
                        self.st.d.next = St::Look;
                    } else if self.pick.tx.valid.val() {
                        self.pick.serves.next = true;
                        self.st.d.next = St::Look;
                    }
                }
            }
            St::Setup => {
                self.works_now.next = self
                    .works_now
                    .val()
                    .replace_bit(self.qp.q.val().index(), self.row.val().state == qp_state::ready().val());
                self.halted_now.next = self
                    .halted_now
                    .val()
                    .replace_bit(self.qp.q.val().index(), self.row.val().state == qp_state::error().val());
                self.kept_now.next = self.kept_now.val().replace_bit(self.qp.q.val().index(), false);
                self.st.d.next = St::Idle;
            }
            St::Look => {
                self.is_first.d.next = its_works && !its_halted;
                self.is_late.d.next = its_halted;
                if self.walks.q.val() {
                    self.st.d.next = St::Walked;
                } else if self.asked.q.val() {
                    self.st.d.next = St::Show;
                } else {
                    // before the fault is answered, so that nothing more of this queue pair is
                    // begun
                    if its_works {
                        self.halted_now.next =
                            self.halted_now.val().replace_bit(self.qp.q.val().index(), true);
                    }
                    self.st.d.next = St::Note;
                }
            }
            St::Note => {
                self.st.d.next = St::Idle;
                if self.is_first.q.val() {
                    self.pulse_stopped.d.next = true;
                    self.faults.write_enable.next = true;
                    self.quotes.write_enable.next = true;
                    self.kept_now.next = self.kept_now.val().replace_bit(self.qp.q.val().index(), true);
                    self.st.d.next = St::Cqe;
                } else if self.is_late.q.val() {
                    self.pulse_late.d.next = true;
                    self.laters.write_enable.next = !self.laters.read_data.val().all();
                    self.laters.write_data.next = later_up;
                } else {
                    self.pulse_stray.d.next = true;
                }
            }
            St::Show => {
                self.shown.d.next = self.capture.val();
                self.show.d.next = true;
                self.st.d.next = St::Idle;
            }
            St::Walked => {
                if hit {
                    self.pulse_stopped.d.next = true;
                    self.faults.write_enable.next = true;
                    self.quotes.write_enable.next = true;
                    self.halted_now.next = self.halted_now.val().replace_bit(self.qp.q.val().index(), true);
                    self.kept_now.next = self.kept_now.val().replace_bit(self.qp.q.val().index(), true);
                    self.st.d.next = St::Cqe;
                } else {
                    self.qp.d.next = qp_up;
                    self.st.d.next = St::Look;
                    if self.qp.q.val().all() {
                        self.walks.d.next = false;
                        self.st.d.next = St::Idle;
                    }
                }
            }
            St::Cqe => {
                if self.cqe.ready.val() {
                    self.st.d.next = St::Tell;
                }
            }
            St::Tell => {
                if self.event.ready.val() {
                    self.st.d.next = St::Idle;
                    if self.walks.q.val() {
                        self.qp.d.next = qp_up;
                        self.st.d.next = St::Look;
                        if self.qp.q.val().all() {
                            self.walks.d.next = false;
                            self.st.d.next = St::Idle;
                        }
                    }
                }
            }
            _ => {}
        }
        self.overs.d.next = self.over_now.val();
        self.works.d.next = self.works_now.val();
        self.halted.d.next = self.halted_now.val();
        self.kept.d.next = self.kept_now.val();
    }
}
