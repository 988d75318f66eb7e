// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps of an event.
use super::{Event, TxSeq};
use crate::prelude::*;
use crate::record::seg_kind;

#[kernel]
impl<const C: usize, const NC: usize> Logic for TxSeq<C, NC> {
    fn update(&mut self) {
        regs!(decides, busy, asked, granted, kept, split, forces, advance, doubled, bad, stall);
        flops!(ask, acked, need, place, given, span, piece, level, force_at, una_at, una_by, una_to);
        flops!(stall_of, loan, grows);
        parts!(pump, rows, opens, waker);
        clocked!(cc);
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
        let ask_qp: Bits<C> = bit_cast::<C, 8>(self.asks.val().qp);
        let is_fpdu: Bit = self.asks.val().kind == lit::<2>(seg_kind::FPDU);
        let is_fin: Bit = self.asks.val().kind == lit::<2>(seg_kind::FIN);
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
        self.pump.rx[6].item.next = ask_qp;
        self.pump.rx[6].valid.next = self.sized.valid.val() || (self.asked.q.val() && !is_fpdu);
        self.pump.rx[7].item.next = ask_qp;
        self.pump.rx[7].valid.next = self.asked.q.val();
        self.rows.read_enable.next = self.pump.read_enable.val();
        self.rows.read_address.next = self.pump.read_address.val();

        // Step 2: differences.
        self.row.next = self.rows.word.val();
        self.row.next.gate = self.rows.live.val() && self.rows.word.val().gate;
        self.row.next.refused = self.rows.live.val() && self.rows.word.val().refused;
        self.total.next = self.sized.item.val().total;
        if !is_fpdu {
            self.total.next = bit_cast::<17, 16>(self.asks.val().length);
        }
        if is_fin {
            self.total.next = 1.into();
        }
        let rest: Bits<17> = self.total.val() - bit_cast::<17, 16>(self.asks.val().from);
        if (self.pump.kind.val() == Event::None) && !self.kept.q.val() {
            self.piece.d.next = rest;
        }
        // Terminate or FIN.
        let ends: Bit = (self.asks.val().control || is_fin) && !self.asks.val().replay;
        let wide_emss: Bits<17> = bit_cast::<17, 16>(self.row.val().emss);
        self.ahead.next = self.row.val().reserved - self.row.val().una;
        if self.asks.val().replay {
            self.ahead.next =
                bit_cast::<32, 40>(self.asks.val().offset) - bit_cast::<32, 40>(self.row.val().offset);
        }
        self.lent.next = self.row.val().dups;
        if self.asks.val().replay {
            self.lent.next = 0.into();
        }
        let works: Bit = (self.pump.kind.val() != Event::None) && !self.decides.q.val();
        self.decides.d.next = works;
        if works {
            self.acked.d.next = self.ahead.val();
            if self.pump.kind.val() == Event::Fact {
                self.acked.d.next = self.fact.item.val().ack - self.row.val().una;
            }
            self.need.d.next = self.ahead.val() + bit_cast::<32, 17>(self.piece.q.val());
            self.grows.d.next = self.set.val().emss > self.row.val().emss;
            self.level.d.next = !self.ahead.val().any();
            self.place.d.next = self.row.val().una + self.ahead.val();
            self.span.d.next = self.row.val().reserved - self.row.val().una;
            self.loan.d.next = 0.into();
            if self.lent.val() == 1 {
                self.loan.d.next = wide_emss;
            } else if self.lent.val() == lit::<2>(2) {
                self.loan.d.next = wide_emss << 1;
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
        if self.pump.kind.val() == Event::Setup {
            self.cc.emss.next = self.set.val().emss;
        }
        self.cc.bounds.next = self.row.val().bounded;
        self.cc.news.next = 0.into();
        let roof: Bits<24> = bit_cast::<24, 23>(self.cc.window.val()) + bit_cast::<24, 17>(self.loan.q.val());
        let crowded: Bit = self.need.q.val() > bit_cast::<32, 24>(roof);
        let lends: Bit =
            self.fact.item.val().is_dup && self.fast.val() && (self.row.val().dups < lit::<2>(2));
        self.fact.ready.next = false;
        self.back.ready.next = false;
        self.sized.ready.next = false;
        self.size_valid.next = false;
        let phase: Bits<9> = (bit_cast::<9, 32>(self.place.q.val()) - self.row.val().start)
            - bit_cast::<9, 16>(self.asks.val().from);
        self.size.next.length = self.asks.val().length;
        self.size.next.phase = phase;
        self.size.next.markers = self.row.val().markers;
        self.size.next.crc = self.row.val().crc;
        self.size.next.from = 0.into();
        self.size.next.octets = 0.into();
        let offset_up: Bits<40> = self.row.val().offset + bit_cast::<40, 32>(self.acked.q.val());
        let emss_words: Bits<14> = bit_cast::<14, 16>(self.row.val().emss >> 2);
        // Words that the window holds, if it holds less than an FPDU.
        let wnd_words: Bits<15> = bit_cast::<15, 32>(self.row.val().wnd >> 2);
        // The window has 512 octets or more.
        let roomy: Bit = bit_cast::<23, 32>(self.row.val().wnd >> 9).any();
        let too_long: Bit = self.piece.q.val() > wide_emss;
        // raw octets are judged by the send queue, against the EMSS that it knew
        let possible: Bit =
            is_fin || (self.piece.q.val().any() && !(is_fpdu && (too_long || self.sized.item.val().refused)));
        let acked_whole: Bit =
            self.asks.val().replay && (self.need.q.val().get_bit(31) || !self.need.q.val().any());
        // an FPDU that has begun goes on, in error too
        let may: Bit = ends
            || ((self.row.val().gate || !is_fpdu)
                && !self.row.val().cut
                && (!self.dead.val().get_bit(self.pump.row.val().index()) || self.asks.val().from.any()));
        // A replay of what never left.
        let never_left: Bit =
            self.asks.val().replay && self.row.val().cut && (self.need.q.val() > self.span.q.val());
        let skips: Bit = acked_whole || never_left;
        // Octets from its place to what is reserved.
        let is_past: Bits<32> = self.row.val().reserved - self.back.item.val().seq;
        // The peer's window alone is in the way, of octets that never left.
        let short: Bit = (self.need.q.val() > self.row.val().wnd)
            && self.rows.live.val()
            && possible
            && may
            && !self.asks.val().replay;
        let fits: Bit = (self.need.q.val() <= self.row.val().wnd)
            && self.rows.live.val()
            && (may || self.asks.val().replay)
            && possible
            && !(crowded && self.congestion.val())
            && !skips;
        self.answer.next.ok = fits;
        self.answer.next.skip = skips && possible;
        self.answer.next.seq = self.place.q.val();
        self.answer.next.phase = phase;
        self.answer.next.octets = bit_cast::<16, 17>(self.piece.q.val());
        self.answer.next.ends = !self.split.q.val();
        self.answer.next.markers = self.row.val().markers;
        self.answer.next.crc = self.row.val().crc;
        self.answer.next.moved = ends && self.row.val().cut && !self.row.val().mended;
        self.answer.next.sure = self.row.val().cut;
        self.answer.next.at = offset_up;
        // The segment would have more octets than have left; than EMSS; than a window that does not
        // open.
        let unsent: Bit =
            self.asks.val().bounded && (self.piece.q.val() > bit_cast::<17, 16>(self.asks.val().most));
        let squeezes: Bit = short && self.row.val().forced && self.level.q.val() && roomy;
        // It gets fewer.
        let trims: Bit = is_fpdu && (unsent || too_long || squeezes);
        if self.decides.q.val() {
            self.pump.then.next = Event::None;
            match self.pump.kind.val() {
                Event::Setup => {
                    self.set_take.next = true;
                    self.forces.d.next =
                        self.forces.q.val() && (self.force_at.q.val() != self.pump.row.val());
                    self.writes.next = true;
                    self.after.next.emss = self.set.val().emss;
                    if self.set.val().update {
                        self.after.next.gate = self.row.val().gate || self.set.val().gate;
                        if self.grows.q.val() {
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
                    self.wakes.next = self.row.val().refused && roomy;
                }
                Event::Back => {
                    self.back.ready.next = true;
                    self.writes.next = true;
                    self.after.next.cut = true;
                    // of all that comes back the first one stands foremost
                    if !self.back.item.val().replay && !is_past.get_bit(31) {
                        self.after.next.reserved = self.back.item.val().seq;
                    }
                    self.wakes.next = self.row.val().refused;
                }
                Event::Fact => {
                    self.fact.ready.next = true;
                    self.writes.next = true;
                    // a duplicate brings no room, but the first two lend a segment each
                    self.wakes.next = self.row.val().refused && (!self.fact.item.val().is_dup || lends);
                    if lends {
                        self.after.next.dups = self.row.val().dups + 1;
                    } else if self.fact.item.val().is_dup && self.fast.val() {
                        self.after.next.dups = lit::<2>(3);
                    }
                    self.doubled.d.next = self.fact.item.val().is_dup;
                    self.una_at.d.next = self.pump.row.val();
                    if self.fact.item.val().has_ack {
                        self.after.next.dups = 0.into();
                        self.after.next.una = self.fact.item.val().ack;
                        self.after.next.offset = offset_up;
                        self.advance.d.next = true;
                        self.cc.news.next = self.cc_ack.val();
                        self.una_to.d.next = self.fact.item.val().ack;
                        self.una_by.d.next = offset_up;
                    }
                    if self.fact.item.val().has_window {
                        self.after.next.wnd = self.fact.item.val().window;
                    }
                }
                Event::Commit => {
                    if !self.cc.cuts.val() && trims {
                        self.kept.d.next = true;
                        // whole words, so that a Terminate may stand behind them
                        self.piece.d.next = bit_cast::<17, 15>(wnd_words) << 2;
                        if unsent {
                            self.piece.d.next = bit_cast::<17, 16>(self.asks.val().most);
                        } else if too_long {
                            self.piece.d.next = bit_cast::<17, 14>(emss_words) << 2;
                        }
                        self.split.d.next = self.split.q.val() || !unsent;
                    } else if !self.cc.cuts.val() {
                        self.kept.d.next = false;
                        self.split.d.next = false;
                        self.sized.ready.next = is_fpdu;
                        self.asked.d.next = false;
                        self.writes.next = true;
                        self.after.next.bounded = crowded && !skips;
                        self.given.d.next = self.answer.val();
                        self.granted.d.next = true;
                        self.bad.d.next = !possible;
                        if !fits {
                            self.after.next.refused = possible && !skips;
                            self.stall.d.next = short;
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
            && (self.pump.row.val() == ask_qp);
        self.waker.free.next = !self.granted.q.val() || self.grant.ready.val();
        self.waker.qp.next = self.pump.row.val();
        self.waker.wakes.next = self.wakes.val();
        self.wake_qp.next = self.waker.wake_qp.val();
        self.wake_valid.next = self.waker.wake_valid.val();
    }
}
