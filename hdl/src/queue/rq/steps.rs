// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps of an operation on receive queues.
use super::{Rq, St};
use crate::gen::consts::{qp_state, wc_status};
use crate::prelude::*;
use crate::stream::StreamSink;

const LENGTH: usize = 32;
const ONE: usize = 1;

#[kernel]
impl<const C: usize, const NC: usize, const CP: usize, const CA: usize> Logic for Rq<C, NC, CP, CA> {
    fn update(&mut self) {
        regs!(turn, busy, here, both, wants, told, req_full, bad_full, refused);
        flops!(second, count, nth, line, found, failed, two_blocks, req_addr, req_tag, bad_rung);
        parts!(store, setups, seconds, pump);
        clocked!(producers, consumers, nexts);

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
        let fits: Bit = ((self.head.record.val().blocks == 1) && (self.head.record.val().num_sge < 2))
            || ((self.head.record.val().blocks == 2) && self.two_blocks.q.val());
        self.answer.next.bad = self.failed.q.val()
            || (self.head.record.val().num_sge > 3)
            || self.head.record.val().flags.any()
            || !fits;
        self.rqe.item.next = self.answer.val();
        self.rqe.valid.next = self.told.q.val();
        self.rd_req.addr.next = self.req_addr.q.val();
        self.rd_req.length.next = lit::<13>(LENGTH);
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
        let qpw_qp: Bits<C> = bit_cast::<C, 8>(self.qpw.item.val().qp);
        self.row.next = self.qpw.item.val().row;
        self.bell.next = self.db.item.val();
        self.qpw.ready.next = self.pump.kind.val() == St::Setup;
        self.db.ready.next = (self.pump.kind.val() == St::Bell) && !self.bad_full.q.val();
        self.take.ready.next = self.pump.kind.val() == St::Take;
        let may_ask: Bits<NC> =
            self.wants.q.val() & !(self.busy.q.val() | self.both.q.val() | self.dead.val());
        self.asker.mask.next = may_ask;
        self.pump.rx[0].item.next = qpw_qp;
        self.pump.rx[0].valid.next = self.qpw.valid.val() && !self.busy.q.val().get_bit(qpw_qp.index());
        self.pump.rx[1].item.next = self.take.item.val();
        self.pump.rx[1].valid.next =
            self.take.valid.val() && !self.told.q.val() && !(self.db.valid.val() && self.turn.q.val());
        self.pump.rx[2].item.next = self.seconds.tx.item.val();
        self.pump.rx[2].valid.next = self.seconds.tx.valid.val() && !self.req_full.q.val();
        self.pump.rx[3].item.next = self.asker.index.val();
        self.pump.rx[3].valid.next = self.asker.any.val() && !self.req_full.q.val();
        self.pump.rx[4].item.next = bit_cast::<C, 16>(self.bell.val().number);
        self.pump.rx[4].valid.next = self.db.valid.val();
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
        let base: Bits<64> = self.row.val().rq_base;
        let log2: Bits<8> = self.row.val().rq_log2;
        self.made.next.base = base & self.k_align.val();
        self.made.next.log2 = log2.get_bits::<4>(0);
        self.made.next.is_ready = (self.row.val().state == qp_state::ready().val()) && (log2 < 16);
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
        let slots: Bits<16> = lit::<16>(ONE) << self.setup.val().log2;
        let mask: Bits<16> = slots - 1;
        self.front.next = self.consumers.read_data.val();
        self.first.next = bit_cast::<16, 32>(self.front.val().index);
        let ahead: Bits<32> = self.bell.val().value - self.front.val().index;
        let ahead16: Bits<16> = ahead.get_bits::<16>(0);
        let rung_to: Bits<16> = self.producers.read_data.val();
        let rung: Bits<16> = rung_to - self.first.val();
        self.taken.next.index = self.front.val().index + 1;
        if self.store.two.val() {
            self.taken.next.index = self.front.val().index + 2;
        }
        self.taken.next.odd = !self.front.val().odd;
        let is_dead: Bit = self.dead.val().get_bit(self.pump.row.val().index());
        let is_here: Bit = self.here.q.val().get_bit(self.pump.row.val().index());
        let upcoming: Bits<16> = self.nexts.read_data.val();
        let upcoming_up: Bits<16> = upcoming + 1;
        let slot: Bits<16> = upcoming & mask;
        self.place.next = self.front.val().odd != is_here;
        let get_tag: Bits<8> = bit_cast::<8, C>(self.pump.row.val())
            | (bit_cast::<8, 1>(self.front.val().odd.into()) << lit::<3>(C));
        self.store.read_tag.next = get_tag;
        let put_tag: Bits<8> = bit_cast::<8, C>(self.pump.row.val())
            | ((bit_cast::<8, 1>(self.place.val().into())
                | (bit_cast::<8, 1>(self.second.q.val().into()) << 1))
                << lit::<3>(C));
        let low: Bits<512> = self.line.q.val() >> 64;
        let high: Bits<512> = bit_cast::<512, 64>(self.store.word.val()) << 448;
        self.fault.next.qp = bit_cast::<8, C>(self.pump.row.val());
        self.fault.next.error = 0.into();
        self.fault.next.status = wc_status::loc_qp_op_err().val();
        self.fault.next.is_local = true;
        self.fault.next.index = 0.into();
        self.fault.next.has_wr = false;

        // A read that was asked for is answered.
        let came: Bit = self.store.done.val() && self.busy.q.val().get_bit(self.store.done_qp.val().index());
        self.closes.next = came && !self.store.done_more.val();
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
                    if self.bell.val().number >= lit::<16>(NC) {
                        self.refused.d.next = true;
                    } else if !is_dead {
                        if !self.setup.val().is_ready {
                            self.refused.d.next = true;
                        } else if (ahead >> 16).any() || (ahead16 > slots) || (ahead16 < rung) {
                            self.refused.d.next = true;
                            self.bad_rung.d.next = self.fault.val();
                            self.bad_full.d.next = true;
                        } else {
                            self.producers.write_enable.next = true;
                            self.producers.write_data.next = bit_cast::<16, 32>(self.bell.val().value);
                            self.wants_now.next = self.wants_now.val().replace_bit(
                                self.pump.row.val().index(),
                                bit_cast::<16, 32>(self.bell.val().value) != upcoming,
                            );
                        }
                    }
                }
            }
            St::Take => {
                self.turn.d.next = true;
                self.nth.d.next = self.front.val().index;
                self.found.d.next = is_here;
                self.failed.d.next = self.store.bad.val();
                self.two_blocks.d.next = self.store.two.val();
                if is_here {
                    self.pump.then.next = St::Move;
                } else {
                    self.told.d.next = true;
                    self.pump.then.next = St::Idle;
                }
            }
            St::Move => {
                self.count.d.next = self.count.q.val() + 1;
                self.line.d.next = low | high;
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
                self.seconds.tx.ready.next = self.second.q.val();
                if self.second.q.val() && (rung_to == upcoming) {
                    self.pump.then.next = St::Short;
                } else {
                    self.req_addr.d.next = self.setup.val().base + (bit_cast::<64, 16>(slot) << 5);
                    self.req_tag.d.next = put_tag;
                    self.req_full.d.next = true;
                    self.nexts.write_enable.next = true;
                    self.nexts.write_data.next = upcoming_up;
                    self.busy_now.next = self.busy_now.val().replace_bit(self.pump.row.val().index(), true);
                    self.wants_now.next =
                        self.wants_now.val().replace_bit(self.pump.row.val().index(), rung_to != upcoming_up);
                    self.pump.then.next = St::Idle;
                }
            }
            St::Short => {
                // The second block was not rung: the request is what has come of it, and so
                // impossible.
                if !self.store.done.val() {
                    self.closes.next = true;
                    self.closes_qp.next = self.pump.row.val();
                    self.pump.then.next = St::Idle;
                }
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
        self.seconds.rx.valid.next = came && self.store.done_more.val();
        self.busy.d.next = self.busy_now.val();
        self.here.d.next = self.here_now.val();
        self.both.d.next = self.both_now.val();
        self.wants.d.next = self.wants_now.val();
    }
}
