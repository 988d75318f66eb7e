// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps of an operation on receive queues.
use super::{Rq, St};
use crate::stream::StreamSink;
use rust_hdl::prelude::*;

impl<const C: usize, const NC: usize, const CP: usize, const CA: usize> Logic for Rq<C, NC, CP, CA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, turn, busy, second, here, both, wants, count, nth, line);
        dff_setup!(
            self, clock, found, failed, two_blocks, told, req_addr, req_tag, req_full, bad_rung, bad_full,
            refused
        );
        clock!(self, clock, store, setups, producers, consumers, nexts, seconds, pump);
        self.pump.reset.next = self.reset.val();
        self.turn.reset.next = self.reset.val();
        self.busy.reset.next = self.reset.val();
        self.seconds.reset.next = self.reset.val();
        self.here.reset.next = self.reset.val();
        self.both.reset.next = self.reset.val();
        self.wants.reset.next = self.reset.val();
        self.told.reset.next = self.reset.val();
        self.req_full.reset.next = self.reset.val();
        self.bad_full.reset.next = self.reset.val();
        self.refused.reset.next = self.reset.val();
        self.store.reset.next = self.reset.val();
        self.setups.reset.next = self.reset.val();

        // The answer is the wiring of what was moved.
        self.head.octets.next = self.line.q.val().get_bits::<128>(0);
        self.sge0.octets.next = self.line.q.val().get_bits::<128>(128);
        self.sge1.octets.next = self.line.q.val().get_bits::<128>(256);
        self.sge2.octets.next = self.line.q.val().get_bits::<128>(384);
        self.answer.next.found = self.found.q.val();
        self.answer.next.index = self.nth.q.val();
        self.answer.next.num_sge = bit_cast::<2, 8>(self.head.record.val().num_sge);
        self.answer.next.sge0 = self.sge0.record.val();
        self.answer.next.sge1 = self.sge1.record.val();
        self.answer.next.sge2 = self.sge2.record.val();
        self.fits.next = ((self.head.record.val().blocks == 1) && (self.head.record.val().num_sge < 2))
            || ((self.head.record.val().blocks == 2) && self.two_blocks.q.val());
        self.answer.next.bad = self.failed.q.val()
            || (self.head.record.val().num_sge > 3)
            || self.head.record.val().flags.any()
            || !self.fits.val();
        self.rqe.item.next = self.answer.val();
        self.rqe.valid.next = self.told.q.val();
        self.rd_req.addr.next = self.req_addr.q.val();
        self.rd_req.length.next = self.k_length.val();
        self.rd_req.tag.next = self.req_tag.q.val();
        self.rd_req.valid.next = self.req_full.q.val();
        self.bad.item.next = self.bad_rung.q.val();
        self.bad.valid.next = self.bad_full.q.val();
        self.bad_db.next = self.refused.q.val();
        self.refused.d.next = false;
        if self.rqe.ready.val() {
            self.told.d.next = false;
        }
        if self.rd_req.ready.val() {
            self.req_full.d.next = false;
        }
        if self.bad.ready.val() {
            self.bad_full.d.next = false;
        }

        // Answers of host memory.
        StreamSink::<64, 4>::link(&mut self.rd_ans, &mut self.store.rx);
        self.store.tag.next = self.rd_ans_tag.val();
        self.store.is_final.next = self.rd_ans_final.val();
        self.store.read.next = self.pump.kind.val() == St::Move;
        self.store.read_word.next = self.count.q.val().get_bits::<3>(0);
        self.busy_now.next = self.busy.q.val();
        self.here_now.next = self.here.q.val();
        self.both_now.next = self.both.q.val();
        self.wants_now.next = self.wants.q.val();
        self.there.next = self.here.q.val();
        self.two.next = self.both.q.val();
        self.to_come.next = (self.wants.q.val() | self.busy.q.val()) & !self.dead.val();

        // Which operation is next: a row, a take, a read, a doorbell.
        self.qpw_qp.next = bit_cast::<C, 8>(self.qpw.item.val().qp);
        self.row.next = self.qpw.item.val().row;
        self.bell.next = self.db.item.val();
        self.qpw.ready.next = self.pump.kind.val() == St::Setup;
        self.db.ready.next = (self.pump.kind.val() == St::Bell) && !self.bad_full.q.val();
        self.take.ready.next = self.pump.kind.val() == St::Take;
        self.may_ask.next = self.wants.q.val() & !(self.busy.q.val() | self.both.q.val() | self.dead.val());
        self.asks.next = (self.may_ask.val().any() || self.seconds.tx.valid.val()) && !self.req_full.q.val();
        self.pick.next = 0.into();
        for i in 0..NC {
            if self.may_ask.val().get_bit(i) {
                self.pick.next = self.index[i].val();
            }
        }
        if self.seconds.tx.valid.val() {
            self.pick.next = self.seconds.tx.item.val();
        }
        self.pump.rx[0].item.next = self.qpw_qp.val();
        self.pump.rx[0].valid.next =
            self.qpw.valid.val() && !self.busy.q.val().get_bit(self.qpw_qp.val().index());
        self.pump.rx[1].item.next = self.take.item.val();
        self.pump.rx[1].valid.next =
            self.take.valid.val() && !self.told.q.val() && !(self.db.valid.val() && self.turn.q.val());
        self.pump.rx[2].item.next = self.pick.val();
        self.pump.rx[2].valid.next = self.asks.val();
        self.pump.rx[3].item.next = bit_cast::<C, 16>(self.bell.val().number);
        self.pump.rx[3].valid.next = self.db.valid.val();
        self.pump.free.next =
            (self.pump.kind.val() == St::Idle) && self.setups.ready.val() && self.store.scrubbed.val();
        self.pump.then.next = self.pump.kind.val();

        // The columns; their answers stand from the step after `Idle` to the end of the operation.
        self.setups.read_enable.next = self.pump.read_enable.val();
        self.setups.read_address.next = self.pump.read_address.val();
        self.producers.read_enable.next = self.pump.read_enable.val();
        self.producers.read_address.next = self.pump.read_address.val();
        self.consumers.read_enable.next = self.pump.read_enable.val();
        self.consumers.read_address.next = self.pump.read_address.val();
        self.base.next = self.row.val().rq_base;
        self.log2.next = self.row.val().rq_log2;
        self.made.next.base = self.base.val() & self.k_align.val();
        self.made.next.log2 = self.log2.val().get_bits::<4>(0);
        self.made.next.is_ready = (self.row.val().state == self.k_ready.val()) && (self.log2.val() < 16);
        self.setups.write_enable.next = self.pump.kind.val() == St::Setup;
        self.setups.write_address.next = self.pump.row.val();
        self.setups.write_data.next = self.made.val();
        self.producers.write_enable.next = self.pump.kind.val() == St::Setup;
        self.producers.write_address.next = self.pump.row.val();
        self.producers.write_data.next = self.k_first.val().get_bits::<16>(0);
        self.consumers.write_enable.next = self.pump.kind.val() == St::Setup;
        self.consumers.write_address.next = self.pump.row.val();
        self.fresh.next.index = self.k_first.val();
        self.fresh.next.odd = false;
        self.consumers.write_data.next = self.fresh.val();
        self.nexts.read_enable.next = self.pump.read_enable.val();
        self.nexts.read_address.next = self.pump.read_address.val();
        self.nexts.write_enable.next = self.pump.kind.val() == St::Setup;
        self.nexts.write_address.next = self.pump.row.val();
        self.nexts.write_data.next = self.k_first.val().get_bits::<16>(0);

        self.setup.next = self.setups.word.val();
        self.setup.next.is_ready = self.setups.live.val() && self.setups.word.val().is_ready;
        self.slots.next = self.k_one.val() << self.setup.val().log2;
        self.mask.next = self.slots.val() - 1;
        self.front.next = self.consumers.read_data.val();
        self.first.next = bit_cast::<16, 32>(self.front.val().index);
        self.ahead.next = self.bell.val().value - self.front.val().index;
        self.ahead16.next = self.ahead.val().get_bits::<16>(0);
        self.rung_to.next = self.producers.read_data.val();
        self.rung.next = self.rung_to.val() - self.first.val();
        self.taken.next.index = self.front.val().index + 1;
        if self.store.two.val() {
            self.taken.next.index = self.front.val().index + 2;
        }
        self.taken.next.odd = !self.front.val().odd;
        self.is_dead.next = self.dead.val().get_bit(self.pump.row.val().index());
        self.is_here.next = self.here.q.val().get_bit(self.pump.row.val().index());
        self.upcoming.next = self.nexts.read_data.val();
        self.upcoming_up.next = self.upcoming.val() + 1;
        self.slot.next = self.upcoming.val() & self.mask.val();
        self.place.next = self.front.val().odd != self.is_here.val();
        self.get_tag.next = bit_cast::<8, C>(self.pump.row.val())
            | (bit_cast::<8, 1>(self.front.val().odd.into()) << self.k_c.val());
        self.store.read_tag.next = self.get_tag.val();
        self.put_tag.next = bit_cast::<8, C>(self.pump.row.val())
            | ((bit_cast::<8, 1>(self.place.val().into())
                | (bit_cast::<8, 1>(self.second.q.val().into()) << 1))
                << self.k_c.val());
        self.low.next = self.line.q.val() >> 64;
        self.high.next = bit_cast::<512, 64>(self.store.word.val()) << 448;
        self.fault.next.qp = bit_cast::<8, C>(self.pump.row.val());
        self.fault.next.error = 0.into();
        self.fault.next.status = self.k_status.val();
        self.fault.next.is_local = true;
        self.fault.next.index = 0.into();
        self.fault.next.has_wr = false;

        self.came.next = self.store.done.val() && self.busy.q.val().get_bit(self.store.done_qp.val().index());
        self.closes.next = self.came.val() && !self.store.done_more.val();
        self.closes_qp.next = self.store.done_qp.val();
        self.seconds.tx.ready.next = false;
        match self.pump.kind.val() {
            St::Idle => {
                self.second.d.next = self.seconds.tx.valid.val();
                self.count.d.next = 0.into();
            }
            St::Setup => {
                self.here_now.next = self.here_now.val().replace_bit(self.pump.row.val().index(), false);
                self.both_now.next = self.both_now.val().replace_bit(self.pump.row.val().index(), false);
                self.wants_now.next = self.wants_now.val().replace_bit(self.pump.row.val().index(), false);
                self.pump.then.next = St::Idle;
            }
            St::Bell => {
                self.turn.d.next = false;
                if !self.bad_full.q.val() {
                    self.pump.then.next = St::Idle;
                    if self.bell.val().number >= self.k_qps.val() {
                        self.refused.d.next = true;
                    } else if !self.is_dead.val() {
                        if !self.setup.val().is_ready {
                            self.refused.d.next = true;
                        } else if (self.ahead.val() >> 16).any()
                            || (self.ahead16.val() > self.slots.val())
                            || (self.ahead16.val() < self.rung.val())
                        {
                            self.refused.d.next = true;
                            self.bad_rung.d.next = self.fault.val();
                            self.bad_full.d.next = true;
                        } else {
                            self.producers.write_enable.next = true;
                            self.producers.write_data.next = bit_cast::<16, 32>(self.bell.val().value);
                            self.wants_now.next = self.wants_now.val().replace_bit(
                                self.pump.row.val().index(),
                                bit_cast::<16, 32>(self.bell.val().value) != self.upcoming.val(),
                            );
                        }
                    }
                }
            }
            St::Take => {
                self.turn.d.next = true;
                self.nth.d.next = self.front.val().index;
                self.found.d.next = self.is_here.val();
                self.failed.d.next = self.store.bad.val();
                self.two_blocks.d.next = self.store.two.val();
                if self.is_here.val() {
                    self.pump.then.next = St::Move;
                } else {
                    self.told.d.next = true;
                    self.pump.then.next = St::Idle;
                }
            }
            St::Move => {
                self.count.d.next = self.count.q.val() + 1;
                self.line.d.next = self.low.val() | self.high.val();
                if self.count.q.val().get_bit(3) {
                    self.told.d.next = true;
                    self.consumers.write_enable.next = true;
                    self.consumers.write_data.next = self.taken.val();
                    self.here_now.next = self.here_now.val().replace_bit(
                        self.pump.row.val().index(),
                        self.both.q.val().get_bit(self.pump.row.val().index()),
                    );
                    self.both_now.next = self.both_now.val().replace_bit(self.pump.row.val().index(), false);
                    self.pump.then.next = St::Idle;
                }
            }
            St::Fetch => {
                if self.second.q.val() && (self.rung_to.val() == self.upcoming.val()) {
                    // The second block was not rung: the request is what has come of it, and so
                    // impossible.
                    if !self.store.done.val() {
                        self.closes.next = true;
                        self.closes_qp.next = self.pump.row.val();
                        self.pump.then.next = St::Idle;
                    }
                } else {
                    self.req_addr.d.next = self.setup.val().base + (bit_cast::<64, 16>(self.slot.val()) << 5);
                    self.req_tag.d.next = self.put_tag.val();
                    self.req_full.d.next = true;
                    self.nexts.write_enable.next = true;
                    self.nexts.write_data.next = self.upcoming_up.val();
                    self.busy_now.next = self.busy_now.val().replace_bit(self.pump.row.val().index(), true);
                    self.wants_now.next = self.wants_now.val().replace_bit(
                        self.pump.row.val().index(),
                        self.rung_to.val() != self.upcoming_up.val(),
                    );
                    self.pump.then.next = St::Idle;
                }
                self.seconds.tx.ready.next = self.second.q.val()
                    && (!self.store.done.val() || (self.rung_to.val() != self.upcoming.val()));
            }
            _ => {}
        }
        // An answer is behind what was taken in this cycle.
        if self.closes.val() {
            self.busy_now.next = self.busy_now.val().replace_bit(self.closes_qp.val().index(), false);
            self.both_now.next = self.both_now.val().replace_bit(
                self.closes_qp.val().index(),
                self.here_now.val().get_bit(self.closes_qp.val().index()),
            );
            self.here_now.next = self.here_now.val().replace_bit(self.closes_qp.val().index(), true);
        }
        // each queue pair is there once at most, so that it is never full
        self.seconds.rx.item.next = self.store.done_qp.val();
        self.seconds.rx.valid.next = self.came.val() && self.store.done_more.val();
        self.busy.d.next = self.busy_now.val();
        self.here.d.next = self.here_now.val();
        self.both.d.next = self.both_now.val();
        self.wants.d.next = self.wants_now.val();
    }
}
