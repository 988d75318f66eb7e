// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps of an event.
use super::{Event, TxSeq};
use rust_hdl::prelude::*;

impl<const C: usize, const NC: usize> Logic for TxSeq<C, NC> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, pump, rows, opens, cc, waker);
        dff_setup!(self, clock, decides, busy, asked, ask, acked, need, place, given, granted);
        dff_setup!(self, clock, span, piece, kept, split, level, forces, force_at);
        dff_setup!(self, clock, advance, doubled, una_at, una_by, una_to);
        dff_setup!(self, clock, bad, stall, stall_of, loan);
        self.rows.reset.next = self.reset.val();
        self.opens.reset.next = self.reset.val();
        self.kept.reset.next = self.reset.val();
        self.forces.reset.next = self.reset.val();
        self.split.reset.next = self.reset.val();
        self.pump.reset.next = self.reset.val();
        self.decides.reset.next = self.reset.val();
        self.busy.reset.next = self.reset.val();
        self.asked.reset.next = self.reset.val();
        self.granted.reset.next = self.reset.val();
        self.waker.reset.next = self.reset.val();
        self.advance.reset.next = self.reset.val();
        self.doubled.reset.next = self.reset.val();
        self.bad.reset.next = self.reset.val();
        self.stall.reset.next = self.reset.val();
        self.res.ready.next = !self.busy.q.val();
        self.grant.item.next = self.given.q.val();
        self.grant.valid.next = self.granted.q.val();
        self.una_qp.next = self.una_at.q.val();
        self.una_offset.next = self.una_by.q.val();
        self.una.next = self.una_to.q.val();
        self.una_valid.next = self.advance.q.val();
        self.dup_valid.next = self.doubled.q.val();
        self.bad_res.next = self.bad.q.val();
        self.advance.d.next = false;
        self.doubled.d.next = false;
        self.bad.d.next = false;
        self.stall_qp.next = self.stall_of.q.val();
        self.stall_valid.next = self.stall.q.val();
        self.stall.d.next = false;
        self.stall_of.d.next = self.pump.row.val();

        // A reservation comes in, its answer goes out.
        if self.res.valid.val() && !self.busy.q.val() {
            self.busy.d.next = true;
            self.asked.d.next = true;
            self.ask.d.next = self.res.item.val();
        }
        self.asks.next = self.ask.q.val();
        self.ask_qp.next = bit_cast::<C, 8>(self.asks.val().qp);
        self.is_fpdu.next = self.asks.val().kind == self.k_fpdu.val();
        self.is_fin.next = self.asks.val().kind == self.k_fin.val();
        self.opens.rx.item.next = self.open_qp.val();
        self.opens.rx.valid.next = self.open_valid.val();
        if self.force_valid.val() && !self.forces.q.val() {
            self.forces.d.next = true;
            self.force_at.d.next = self.force_qp.val();
        }
        self.opens.tx.ready.next = false;

        // Losses: the next event of the connection makes them count, before anything is granted.
        self.cc.loss_qp.next = self.loss_qp.val();
        self.cc.loss_timed.next = self.loss_timed.val();
        self.cc.loss_rested.next = self.loss_rested.val();
        self.cc.loss_valid.next = self.loss_valid.val();
        self.cc.step.next = self.decides.q.val();
        self.cc.sets.next = self.pump.kind.val() == Event::Setup;
        self.cc.updates.next = self.set.val().update;
        if self.granted.q.val() && self.grant.ready.val() {
            self.granted.d.next = false;
            self.busy.d.next = false;
        }

        // Step 1: which event.
        self.pump.free.next = (self.pump.kind.val() == Event::None) && self.rows.ready.val();
        self.pump.then.next = self.pump.kind.val();
        self.pump.rx[0].item.next = self.set_qp.val();
        self.pump.rx[0].valid.next = self.set_valid.val();
        self.pump.rx[1].item.next = self.look_qp.val();
        self.pump.rx[1].valid.next = self.look_valid.val();
        self.pump.rx[2].item.next = self.opens.tx.item.val();
        self.pump.rx[2].valid.next = self.opens.tx.valid.val();
        self.pump.rx[3].item.next = self.force_at.q.val();
        self.pump.rx[3].valid.next = self.forces.q.val();
        self.pump.rx[4].item.next = bit_cast::<C, 8>(self.back.item.val().qp);
        self.pump.rx[4].valid.next = self.back.valid.val();
        self.pump.rx[5].item.next = bit_cast::<C, 8>(self.fact.item.val().qp);
        self.pump.rx[5].valid.next = self.fact.valid.val();
        self.pump.rx[6].item.next = self.ask_qp.val();
        self.pump.rx[6].valid.next = self.sized.valid.val() || (self.asked.q.val() && !self.is_fpdu.val());
        self.pump.rx[7].item.next = self.ask_qp.val();
        self.pump.rx[7].valid.next = self.asked.q.val();
        self.rows.read_enable.next = self.pump.read_enable.val();
        self.rows.read_address.next = self.pump.read_address.val();

        // Step 2: differences.
        self.row.next = self.rows.word.val();
        self.row.next.gate = self.rows.live.val() && self.rows.word.val().gate;
        self.row.next.refused = self.rows.live.val() && self.rows.word.val().refused;
        self.total.next = self.sized.item.val().total;
        if !self.is_fpdu.val() {
            self.total.next = bit_cast::<17, 16>(self.asks.val().length);
        }
        if self.is_fin.val() {
            self.total.next = 1.into();
        }
        self.rest.next = self.total.val() - bit_cast::<17, 16>(self.asks.val().from);
        if (self.pump.kind.val() == Event::None) && !self.kept.q.val() {
            self.piece.d.next = self.rest.val();
        }
        self.ends.next = (self.asks.val().control || self.is_fin.val()) && !self.asks.val().replay;
        self.wide_emss.next = bit_cast::<17, 16>(self.row.val().emss);
        self.ahead.next = self.row.val().reserved - self.row.val().una;
        if self.asks.val().replay {
            self.ahead.next =
                bit_cast::<32, 40>(self.asks.val().offset) - bit_cast::<32, 40>(self.row.val().offset);
        }
        self.lent.next = self.row.val().dups;
        if self.asks.val().replay {
            self.lent.next = 0.into();
        }
        self.works.next = (self.pump.kind.val() != Event::None) && !self.decides.q.val();
        self.decides.d.next = self.works.val();
        if self.works.val() {
            self.acked.d.next = self.ahead.val();
            if self.pump.kind.val() == Event::Fact {
                self.acked.d.next = self.fact.item.val().ack - self.row.val().una;
            }
            self.need.d.next = self.ahead.val() + bit_cast::<32, 17>(self.piece.q.val());
            self.level.d.next = !self.ahead.val().any();
            self.place.d.next = self.row.val().una + self.ahead.val();
            self.span.d.next = self.row.val().reserved - self.row.val().una;
            self.loan.d.next = 0.into();
            if self.lent.val() == 1 {
                self.loan.d.next = self.wide_emss.val();
            } else if self.lent.val() == self.two.val() {
                self.loan.d.next = self.wide_emss.val() << 1;
            }
        }

        // Step 3: decision.
        self.after.next = self.row.val();
        self.writes.next = false;
        self.wakes.next = false;
        self.set_take.next = false;
        self.look_take.next = false;
        self.said.next.una = self.row.val().una;
        self.said.next.wnd = self.row.val().wnd;
        self.said.next.gate = self.row.val().gate;
        self.said.next.cwnd = self.cc.window.val();
        self.said.next.srtt = 0.into();
        self.said.next.is_known = false;
        self.said.next.rto = 0.into();
        self.seen.next = self.said.val();
        self.cc.qp.next = self.rows.read_address.val();
        self.cc.read.next = self.rows.read_enable.val();
        self.cc.acked.next = bit_cast::<24, 32>(self.acked.q.val());
        self.cc.at.next = self.pump.row.val();
        self.cc.emss.next = self.row.val().emss;
        self.cc.bounds.next = self.row.val().bounded;
        self.cc.news.next = 0.into();
        self.roof.next = bit_cast::<24, 23>(self.cc.window.val()) + bit_cast::<24, 17>(self.loan.q.val());
        self.crowded.next = self.need.q.val() > bit_cast::<32, 24>(self.roof.val());
        self.lends.next =
            self.fact.item.val().is_dup && self.fast.val() && (self.row.val().dups < self.two.val());
        self.fact.ready.next = false;
        self.back.ready.next = false;
        self.sized.ready.next = false;
        self.size_valid.next = false;
        self.phase.next = (bit_cast::<9, 32>(self.place.q.val()) - self.row.val().start)
            - bit_cast::<9, 16>(self.asks.val().from);
        self.size.next.length = self.asks.val().length;
        self.size.next.phase = self.phase.val();
        self.size.next.markers = self.row.val().markers;
        self.size.next.crc = self.row.val().crc;
        self.size.next.from = 0.into();
        self.size.next.octets = 0.into();
        self.offset_up.next = self.row.val().offset + bit_cast::<40, 32>(self.acked.q.val());
        self.emss_words.next = bit_cast::<14, 16>(self.row.val().emss >> 2);
        self.wnd_words.next = bit_cast::<15, 32>(self.row.val().wnd >> 2);
        self.roomy.next = bit_cast::<23, 32>(self.row.val().wnd >> 9).any();
        self.too_long.next = self.piece.q.val() > self.wide_emss.val();
        // raw octets are judged by the send queue, against the EMSS that it knew
        self.possible.next = self.is_fin.val()
            || (self.piece.q.val().any()
                && !(self.is_fpdu.val() && (self.too_long.val() || self.sized.item.val().refused)));
        self.acked_whole.next =
            self.asks.val().replay && (self.need.q.val().get_bit(31) || !self.need.q.val().any());
        // an FPDU that has begun goes on, in error too
        self.may.next = self.ends.val()
            || ((self.row.val().gate || !self.is_fpdu.val())
                && !self.row.val().cut
                && (!self.dead.val().get_bit(self.pump.row.val().index()) || self.asks.val().from.any()));
        self.never_left.next =
            self.asks.val().replay && self.row.val().cut && (self.need.q.val() > self.span.q.val());
        self.skips.next = self.acked_whole.val() || self.never_left.val();
        self.is_past.next = self.row.val().reserved - self.back.item.val().seq;
        self.short.next = (self.need.q.val() > self.row.val().wnd)
            && self.rows.live.val()
            && self.possible.val()
            && self.may.val()
            && !self.asks.val().replay;
        self.fits.next = (self.need.q.val() <= self.row.val().wnd)
            && self.rows.live.val()
            && (self.may.val() || self.asks.val().replay)
            && self.possible.val()
            && !(self.crowded.val() && self.congestion.val())
            && !self.skips.val();
        self.answer.next.ok = self.fits.val();
        self.answer.next.skip = self.skips.val() && self.possible.val();
        self.answer.next.seq = self.place.q.val();
        self.answer.next.phase = self.phase.val();
        self.answer.next.octets = bit_cast::<16, 17>(self.piece.q.val());
        self.answer.next.ends = !self.split.q.val();
        self.answer.next.markers = self.row.val().markers;
        self.answer.next.crc = self.row.val().crc;
        self.answer.next.moved = self.ends.val() && self.row.val().cut && !self.row.val().mended;
        self.answer.next.sure = self.row.val().cut;
        self.answer.next.at = self.offset_up.val();
        self.unsent.next =
            self.asks.val().bounded && (self.piece.q.val() > bit_cast::<17, 16>(self.asks.val().most));
        self.squeezes.next =
            self.short.val() && self.row.val().forced && self.level.q.val() && self.roomy.val();
        self.trims.next =
            self.is_fpdu.val() && (self.unsent.val() || self.too_long.val() || self.squeezes.val());
        if self.decides.q.val() {
            self.pump.then.next = Event::None;
            match self.pump.kind.val() {
                Event::Setup => {
                    self.set_take.next = true;
                    self.forces.d.next =
                        self.forces.q.val() && (self.force_at.q.val() != self.pump.row.val());
                    self.writes.next = true;
                    self.after.next.emss = self.set.val().emss;
                    self.cc.emss.next = self.set.val().emss;
                    if self.set.val().update {
                        self.after.next.gate = self.row.val().gate || self.set.val().gate;
                        if self.set.val().emss > self.row.val().emss {
                            // of larger segments the window may hold none
                            self.cc.news.next = self.cc_set.val();
                        }
                    } else {
                        self.cc.news.next = self.cc_set.val();
                        self.after.next.una = self.set.val().una;
                        self.after.next.reserved = self.set.val().nxt;
                        self.after.next.wnd = self.set.val().wnd;
                        self.after.next.offset = 0.into();
                        self.after.next.cut = false;
                        self.after.next.mended = false;
                        self.after.next.bounded = false;
                        self.after.next.forced = false;
                        self.after.next.dups = 0.into();
                        self.after.next.start = self.set.val().start;
                        self.after.next.markers = self.set.val().markers;
                        self.after.next.crc = self.set.val().crc;
                        self.after.next.gate = self.set.val().gate;
                    }
                    self.wakes.next = self.row.val().refused;
                }
                Event::Look => {
                    self.look_take.next = true;
                }
                Event::Open => {
                    self.opens.tx.ready.next = true;
                    self.writes.next = true;
                    self.after.next.gate = true;
                    self.wakes.next = self.row.val().refused;
                }
                Event::Force => {
                    self.forces.d.next = false;
                    self.writes.next = true;
                    self.after.next.forced = true;
                    // a refusal would say that the peer lives
                    self.wakes.next = self.row.val().refused && self.roomy.val();
                }
                Event::Back => {
                    self.back.ready.next = true;
                    self.writes.next = true;
                    self.after.next.cut = true;
                    // of all that comes back the first one stands foremost
                    if !self.back.item.val().replay && !self.is_past.val().get_bit(31) {
                        self.after.next.reserved = self.back.item.val().seq;
                    }
                    self.wakes.next = self.row.val().refused;
                }
                Event::Fact => {
                    self.fact.ready.next = true;
                    self.writes.next = true;
                    // a duplicate brings no room, but the first two lend a segment each
                    self.wakes.next =
                        self.row.val().refused && (!self.fact.item.val().is_dup || self.lends.val());
                    if self.lends.val() {
                        self.after.next.dups = self.row.val().dups + 1;
                    } else if self.fact.item.val().is_dup && self.fast.val() {
                        self.after.next.dups = self.three.val();
                    }
                    self.doubled.d.next = self.fact.item.val().is_dup;
                    self.una_at.d.next = self.pump.row.val();
                    if self.fact.item.val().has_ack {
                        self.after.next.dups = 0.into();
                        self.after.next.una = self.fact.item.val().ack;
                        self.after.next.offset = self.offset_up.val();
                        self.advance.d.next = true;
                        self.cc.news.next = self.cc_ack.val();
                        self.una_to.d.next = self.fact.item.val().ack;
                        self.una_by.d.next = self.offset_up.val();
                    }
                    if self.fact.item.val().has_window {
                        self.after.next.wnd = self.fact.item.val().window;
                    }
                }
                Event::Commit => {
                    if !self.cc.cuts.val() && self.trims.val() {
                        self.kept.d.next = true;
                        // whole words, so that a Terminate may stand behind them
                        self.piece.d.next = bit_cast::<17, 15>(self.wnd_words.val()) << 2;
                        if self.unsent.val() {
                            self.piece.d.next = bit_cast::<17, 16>(self.asks.val().most);
                        } else if self.too_long.val() {
                            self.piece.d.next = bit_cast::<17, 14>(self.emss_words.val()) << 2;
                        }
                        self.split.d.next = self.split.q.val() || !self.unsent.val();
                    } else if !self.cc.cuts.val() {
                        self.kept.d.next = false;
                        self.split.d.next = false;
                        self.sized.ready.next = self.is_fpdu.val();
                        self.asked.d.next = false;
                        self.writes.next = true;
                        self.after.next.bounded = self.crowded.val() && !self.skips.val();
                        self.given.d.next = self.answer.val();
                        self.granted.d.next = true;
                        self.bad.d.next = !self.possible.val();
                        if !self.fits.val() {
                            self.after.next.refused = self.possible.val() && !self.skips.val();
                            self.stall.d.next = self.short.val();
                        } else if !self.asks.val().replay {
                            self.after.next.forced = false;
                            self.after.next.reserved =
                                self.place.q.val() + bit_cast::<32, 17>(self.piece.q.val());
                            // nothing but an end is granted behind a cut
                            self.after.next.mended = self.row.val().cut;
                        }
                    }
                }
                Event::Size => {
                    if !self.cc.cuts.val() {
                        self.size_valid.next = true;
                        self.asked.d.next = false;
                    }
                }
                _ => {}
            }
            if self.wakes.val() {
                self.after.next.refused = false;
            }
        }
        self.rows.write_enable.next =
            self.writes.val() && (self.rows.live.val() || (self.pump.kind.val() == Event::Setup));
        self.rows.write_address.next = self.pump.row.val();
        self.rows.write_data.next = self.after.val();

        // Wake-ups.
        self.waker.held.next = self.granted.q.val()
            && !self.grant.ready.val()
            && !self.given.q.val().ok
            && (self.pump.row.val() == self.ask_qp.val());
        self.waker.free.next = !self.granted.q.val() || self.grant.ready.val();
        self.waker.qp.next = self.pump.row.val();
        self.waker.wakes.next = self.wakes.val();
        self.wake_qp.next = self.waker.wake_qp.val();
        self.wake_valid.next = self.waker.wake_valid.val();
    }
}
