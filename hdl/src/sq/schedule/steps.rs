// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two cycles of an event.
use super::super::rows::SqFetchJob;
use super::{Event, SqSched};
use crate::gen::consts::qp_state;
use crate::prelude::*;
use crate::record::Fault;
use crate::stream::ItemSource;

const MOST_IRD: usize = 8;

#[kernel]
impl<const C: usize, const NC: usize> Logic for SqSched<C, NC> {
    fn update(&mut self) {
        regs!(fresh_full, rests, pushes, bad_q);
        flops!(fresh_q, pushes_qp, came_both);
        parts!(pump, confs, rows, run, fetches, turns, faults);
        ItemSource::<SqFetchJob>::link(&mut self.fetch, &mut self.fetches.tx);
        ItemSource::<Fault>::link(&mut self.fault, &mut self.faults.tx);
        self.turn.item.next = self.turns.tx.item.val();
        self.turn.valid.next = self.turns.tx.valid.val() && !self.fresh_full.q.val();
        self.turns.tx.ready.next = self.turn.ready.val();
        self.fetches.rx.valid.next = false;
        self.turns.rx.valid.next = false;
        self.faults.rx.valid.next = false;
        self.bad.next = self.bad_q.q.val();
        self.bad_q.d.next = false;
        if self.fresh.val() {
            self.fresh_q.d.next = self.fresh_qp.val();
        }

        // First cycle: choose an event. What frees others comes first; what needs room waits.
        let number: Bits<17> = bit_cast::<17, 16>(self.db.item.val().number);
        let off_range: Bit = number >= lit::<17>(NC);
        self.pump.free.next = (self.pump.kind.val() == Event::None) && self.rows.ready.val();
        self.pump.then.next = Event::None;
        self.pump.rx[0].item.next = self.fresh_q.q.val();
        self.pump.rx[0].valid.next = self.fresh_full.q.val();
        self.pump.rx[1].item.next = bit_cast::<C, 8>(self.result.item.val().qp);
        self.pump.rx[1].valid.next = self.result.valid.val();
        self.pump.rx[2].item.next = bit_cast::<C, 8>(self.landed.item.val().qp);
        self.pump.rx[2].valid.next = self.landed.valid.val() && self.fetches.rx.ready.val();
        self.pump.rx[3].item.next = self.wake.item.val();
        self.pump.rx[3].valid.next = self.wake.valid.val();
        self.pump.rx[4].item.next = self.came.item.val();
        self.pump.rx[4].valid.next = self.came.valid.val();
        self.pump.rx[5].item.next = self.asked_qp.val();
        self.pump.rx[5].valid.next = self.asked_valid.val();
        self.pump.rx[6].item.next = self.rto.item.val();
        self.pump.rx[6].valid.next = self.rto.valid.val();
        self.pump.rx[7].item.next = self.run.tx.item.val();
        self.pump.rx[7].valid.next = self.run.tx.valid.val()
            && self.room.val()
            && !self.rests.q.val()
            && self.turns.rx.ready.val()
            && self.fetches.rx.ready.val();
        self.pump.rx[8].item.next = self.qpw_qp.val();
        self.pump.rx[8].valid.next = self.qpw_valid.val();
        self.pump.rx[9].item.next = bit_cast::<C, 16>(self.db.item.val().number);
        self.pump.rx[9].valid.next = self.db.valid.val() && self.faults.rx.ready.val();
        self.rests.d.next = false;
        self.pushes.d.next = false;
        self.pushes_qp.d.next = self.pump.row.val();
        self.came_both.d.next = self.pump.rx[2].ready.val() && self.landed.item.val().both;
        self.ask_qp.next = self.pump.row.val();
        self.confs.read_enable.next = self.pump.read_enable.val();
        self.confs.read_address.next = self.pump.read_address.val();
        self.rows.read_enable.next = self.pump.read_enable.val();
        self.rows.read_address.next = self.pump.read_address.val();

        // Second cycle: the row is there.
        self.is_landed.next = self.pump.kind.val() == Event::Landed;
        self.landed.ready.next = self.is_landed.val();
        self.result.ready.next = self.pump.kind.val() == Event::Result;
        self.run.tx.ready.next = (self.pump.kind.val() == Event::Turn)
            && (!self.choose.turn.val() || self.share.val() || self.late.val());
        self.came.ready.next = self.pump.kind.val() == Event::Came;
        self.asked_take.next = self.pump.kind.val() == Event::Asked;
        self.rto.ready.next = self.pump.kind.val() == Event::Rto;
        self.wake.ready.next = self.pump.kind.val() == Event::Wake;
        self.qpw_ready.next = self.pump.kind.val() == Event::Setup;
        self.db.ready.next = self.pump.kind.val() == Event::Bell;
        self.conf.next = self.confs.word.val();
        self.conf.next.ready = self.confs.live.val() && self.confs.word.val().ready;
        self.row.next = self.rows.read_data.val();
        self.choose.conf.next = self.conf.val();
        self.choose.row.next = self.rows.read_data.val();
        let is_dead: Bit = self.dead.val().get_bit(self.pump.row.val().index());
        let gone: Bit = !self.conf.val().ready || is_dead;
        self.choose.dead.next = is_dead;
        self.choose.mute.next = self.mute.val().get_bit(self.pump.row.val().index());
        self.outcome.result.next = self.result.item.val();
        self.outcome.row.next = self.rows.read_data.val();
        self.outcome.dead.next = is_dead;
        let pending: Bit = self.row.val().producer != self.row.val().consumer;
        let size: Bits<16> = lit::<16>(1) << self.conf.val().log2;
        let mask: Bits<16> = size - 1;
        // the block to be read: the first of a WQE, or what follows it
        self.last.next = self.choose.last.val();
        self.for_replay.next = self.choose.again.val();
        if self.is_landed.val() {
            self.for_replay.next = self.row.val().lacks;
        }
        let own: Bits<16> =
            bit_cast::<16, 32>(self.row.val().consumer) + bit_cast::<16, 1>(self.is_landed.val().into());
        let again: Bits<16> =
            bit_cast::<16, 32>(self.row.val().again) + bit_cast::<16, 1>(self.is_landed.val().into());
        self.slot.next = own & mask;
        if self.for_replay.val() {
            self.slot.next = again & mask;
        }
        let ahead: Bits<32> = self.db.item.val().value - self.row.val().consumer;
        // no more than the ring has
        let ahead16: Bits<16> = bit_cast::<16, 32>(ahead);
        let had: Bits<16> =
            bit_cast::<16, 32>(self.row.val().producer) - bit_cast::<16, 32>(self.row.val().consumer);
        self.blocks.next = 1.into();
        if self.row.val().two {
            self.blocks.next = 2.into();
        }
        let latest: Bits<32> = self.row.val().consumer - self.blocks.val();
        self.came_blocks.next = 1.into();
        if self.came_both.q.val() {
            self.came_blocks.next = 2.into();
        }
        let after: Bits<32> = self.row.val().consumer + self.came_blocks.val();
        // More blocks were rung than those that were read, and what has come or the next one.
        let rung: Bit = after != self.row.val().producer;
        // nothing is read behind the answer that gave the ring back
        // The second block of the WQE is to be read.
        let follows: Bit = self.landed.item.val().more && self.conf.val().ready && !self.row.val().stale;
        self.fetches.rx.item.next.qp = bit_cast::<8, C>(self.pump.row.val());
        self.fetches.rx.item.next.second = self.is_landed.val();
        // after a WQE of two blocks comes another one, as a rule
        self.fetches.rx.item.next.both = self.row.val().two
            && !self.is_landed.val()
            && !self.choose.again.val()
            && rung
            && ((own & mask) != mask);
        self.fetches.rx.item.next.again = self.for_replay.val();
        let base: Bits<64> = self.conf.val().base & self.block_mask.val();
        self.fetches.rx.item.next.addr = base + (bit_cast::<64, 16>(self.slot.val()) << 6);
        self.turns.rx.item.next.qp = bit_cast::<8, C>(self.pump.row.val());
        self.turns.rx.item.next.kind = self.choose.kind.val();
        self.turns.rx.item.next.started = self.choose.started.val();
        self.turns.rx.item.next.broken = self.row.val().broken;
        self.turns.rx.item.next.two = self.row.val().two;
        self.turns.rx.item.next.replay = self.choose.again.val();
        self.turns.rx.item.next.restart = self.row.val().restart;
        self.turns.rx.item.next.image = self.row.val().image;
        if self.choose.again.val() {
            self.turns.rx.item.next.broken = self.row.val().torn;
        }
        self.turns.rx.item.next.index = latest;
        if self.choose.kind.val() == self.response.val() {
            self.turns.rx.item.next.index = bit_cast::<32, 4>(self.row.val().response);
        }
        self.turns.rx.item.next.pd = self.conf.val().pd;
        self.turns.rx.item.next.ord = self.conf.val().ord;
        let cancels: Bit = self.turns.tx.valid.val()
            && (bit_cast::<C, 8>(self.turns.tx.item.val().qp) == self.pump.row.val());
        self.faults.rx.item.next = self.op_err.val();
        self.faults.rx.item.next.qp = bit_cast::<8, C>(self.pump.row.val());
        let log2: Bits<8> = self.qpw_row.val().sq_log2;
        self.confs.write_data.next.ready = (self.qpw_row.val().state == qp_state::ready().val())
            && (self.qpw_row.val().ird <= lit::<8>(MOST_IRD))
            && (log2 < 16);
        self.confs.write_data.next.ord = self.qpw_row.val().ord;
        self.confs.write_data.next.log2 = log2.get_bits::<4>(0);
        self.confs.write_data.next.base = self.qpw_row.val().sq_base;
        self.confs.write_data.next.pd = self.qpw_row.val().pd;
        self.new_row.next = self.row.val();
        self.enqueue.next = false;
        match self.pump.kind.val() {
            Event::Fresh => {
                self.fresh_full.d.next = false;
                self.new_row.next.responses = 0.into();
                self.new_row.next.response = 0.into();
                self.new_row.next.responding = false;
                self.new_row.next.answered = false;
                self.new_row.next.term = false;
                self.new_row.next.fin = false;
                self.new_row.next.closing = false;
                self.new_row.next.finished = false;
                self.new_row.next.started = false;
                self.new_row.next.half = false;
                self.new_row.next.held = false;
                self.new_row.next.parked = false;
                // a read that is under way for a replay is known by `lacks` when it lands
                self.new_row.next.replay = false;
                self.new_row.next.restart = false;
                self.new_row.next.image = false;
                self.new_row.next.lacks = self.row.val().lacks && self.row.val().away;
                if cancels {
                    self.turns.tx.ready.next = true;
                    self.new_row.next.away = false;
                }
                self.enqueue.next = (!self.row.val().away || cancels) && (self.row.val().has || pending);
            }
            Event::Result => {
                self.new_row.next = self.outcome.after.val();
                self.enqueue.next = self.outcome.more.val();
            }
            Event::Landed => {
                if self.row.val().lacks {
                    if follows {
                        self.fetches.rx.valid.next = true;
                    } else {
                        self.new_row.next.away = false;
                        self.new_row.next.lacks = false;
                        self.new_row.next.image = self.row.val().replay;
                        self.new_row.next.torn = self.landed.item.val().failed;
                        self.enqueue.next = true;
                    }
                } else {
                    self.new_row.next.consumer = after;
                    if self.landed.item.val().both {
                        self.new_row.next.two = true;
                    }
                    if follows && rung {
                        self.new_row.next.two = true;
                        self.fetches.rx.valid.next = true;
                    } else {
                        self.new_row.next.away = false;
                        self.new_row.next.has = true;
                        self.new_row.next.started = false;
                        self.new_row.next.broken = self.landed.item.val().failed;
                        self.enqueue.next = true;
                    }
                }
            }
            Event::Wake => {
                self.new_row.next.woken = self.row.val().away;
                self.new_row.next.parked = false;
                self.new_row.next.held = false;
                // held beside a response's turn, which says what follows
                self.enqueue.next = self.row.val().parked || (self.row.val().held && !self.row.val().away);
            }
            Event::Came => {
                self.new_row.next.responses = self.row.val().responses + 1;
                self.enqueue.next = !self.row.val().away && !self.row.val().parked;
            }
            // who is refused now may ask again: a Terminate needs no open gate
            Event::Asked => {
                self.new_row.next.term = self.row.val().term || !self.asked_fin.val();
                self.new_row.next.fin = self.row.val().fin || self.asked_fin.val();
                self.new_row.next.woken = self.row.val().away;
                self.new_row.next.parked = false;
                self.enqueue.next = !self.row.val().away;
            }
            Event::Rto => {
                self.new_row.next.replay = true;
                self.new_row.next.restart = true;
                self.new_row.next.woken = self.row.val().away;
                self.new_row.next.parked = false;
                self.enqueue.next = !self.row.val().away;
            }
            Event::Turn => {
                self.new_row.next.queued = false;
                if self.choose.turn.val() && !self.share.val() {
                    self.new_row.next.queued = true;
                    self.rests.d.next = true;
                    self.pushes.d.next = self.late.val();
                } else if self.choose.turn.val() {
                    self.new_row.next.away = true;
                    self.new_row.next.restart = self.row.val().restart && !self.choose.again.val();
                    self.turns.rx.valid.next = true;
                } else if self.choose.fetch.val() {
                    self.new_row.next.away = true;
                    self.new_row.next.two = self.row.val().two && self.choose.again.val();
                    self.fetches.rx.valid.next = true;
                } else if gone {
                    self.new_row.next.halted = true;
                }
            }
            Event::Setup => {
                if self.confs.write_data.val().ready {
                    self.new_row.next = self.blank.val();
                    self.new_row.next.queued = self.row.val().queued;
                    self.new_row.next.away = self.row.val().away;
                    self.new_row.next.stale = self.row.val().away;
                    // what belongs to the connection stays
                    self.new_row.next.responses = self.row.val().responses;
                    self.new_row.next.response = self.row.val().response;
                    self.new_row.next.responding = self.row.val().responding;
                    self.new_row.next.half =
                        self.row.val().half && (self.row.val().responding || self.row.val().closing);
                    self.new_row.next.term = self.row.val().term;
                    self.new_row.next.fin = self.row.val().fin;
                    self.new_row.next.closing = self.row.val().closing;
                    self.new_row.next.finished = self.row.val().finished;
                    self.new_row.next.replay = self.row.val().replay;
                    self.new_row.next.restart = self.row.val().replay;
                    self.new_row.next.lacks = self.row.val().lacks && self.row.val().away;
                }
            }
            Event::Bell => {
                if off_range || !self.conf.val().ready {
                    self.bad_q.d.next = true;
                } else if (ahead >> 16).any() || (ahead16 > size) || (ahead16 < had) {
                    self.bad_q.d.next = true;
                    self.faults.rx.valid.next = true;
                    self.new_row.next.halted = true;
                } else {
                    self.new_row.next.producer = self.db.item.val().value;
                    self.enqueue.next = !self.row.val().away
                        && !self.row.val().parked
                        && !self.row.val().halted
                        && (self.db.item.val().value != self.row.val().consumer);
                }
            }
            _ => {}
        }
        if ((self.pump.kind.val() == Event::Result) || self.is_landed.val()) && self.row.val().stale {
            self.new_row.next = self.row.val();
            self.new_row.next.away = false;
            self.new_row.next.stale = false;
            self.new_row.next.woken = false;
            self.new_row.next.lacks = false;
            self.enqueue.next = pending || self.row.val().replay;
        }
        self.confs.write_enable.next = self.pump.kind.val() == Event::Setup;
        self.confs.write_address.next = self.pump.row.val();
        self.rows.write_enable.next =
            (self.pump.kind.val() != Event::None) && !((self.pump.kind.val() == Event::Bell) && off_range);
        self.rows.write_address.next = self.pump.row.val();
        if self.enqueue.val() {
            self.new_row.next.queued = true;
            self.pushes.d.next = !self.row.val().queued;
        }
        self.rows.write_data.next = self.new_row.val();
        if self.fresh.val() {
            self.fresh_full.d.next = true;
        }
        self.run.rx.item.next = self.pushes_qp.q.val();
        self.run.rx.valid.next = self.pushes.q.val();
    }
}
