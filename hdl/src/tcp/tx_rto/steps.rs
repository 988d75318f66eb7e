// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps of an event.
use super::{timer_kind, Event, TxRto};
use crate::prelude::*;
use crate::tcp::tx_rtt::{rtt_news, FIRST_WAIT};

#[kernel]
impl<const C: usize, const NC: usize> Logic for TxRto<C, NC> {
    fn update(&mut self) {
        regs!(held, fires, gone, probes, probes_new, stalled, asked_at, alive, rested, there);
        flops!(number, from, rtt_of, held_qp, held_dup, held_una, fires_qp, fires_timed, fires_first);
        flops!(gone_qp, probes_qp, probes_life, stalled_qp, kind, alive_of, wish_of, waits, seen_srtt);
        flops!(seen_known);
        parts!(pump, walk, rtt);
        clocked!(rows, wishes, dups);
        self.rto_qp.next = self.fires_qp.q.val();
        self.rto_timed.next = self.fires_timed.q.val();
        self.loss_valid.next = self.rested.q.val()
            || (self.fires.q.val() && (self.fires_timed.q.val() || self.fires_first.q.val()));
        self.loss_rested.next = self.rested.q.val();
        self.rto_valid.next = self.fires.q.val();
        self.probe.item.next = self.probes_qp.q.val();
        self.probe.valid.next = self.probes.q.val();
        self.forces.next = self.probes_new.q.val() && !self.probes_life.q.val();
        self.probes_new.d.next = false;
        if self.probe.ready.val() {
            self.probes.d.next = false;
        }
        self.lost.item.next = self.retry_exc.val();
        self.lost.item.next.qp = bit_cast::<8, C>(self.gone_qp.q.val());
        self.lost.valid.next = self.gone.q.val();
        if self.lost.ready.val() {
            self.gone.d.next = false;
        }

        // Step 1: which event. The first cycle of a look shows the estimator's row of the look
        // before.
        self.asked_at.d.next = self.look_valid.val();
        let looks: Bit =
            self.asked_at.q.val() && !self.there.q.val() && (self.pump.kind.val() != Event::Look);
        let may_walk: Bit = self.walk.on.val()
            && self.walk.scrubbed.val()
            && !self.gone.q.val()
            && !self.probes.q.val()
            && self.visit.ready.val();
        self.pump.free.next = true;
        self.pump.then.next = Event::None;
        if self.una_valid.val() || self.dup_valid.val() {
            self.held_una.d.next = self.una.val();
            self.held_dup.d.next = self.dup_valid.val();
            self.held_qp.d.next = self.una_qp.val();
        }
        if self.stall_valid.val() {
            self.stalled_qp.d.next = self.stall_qp.val();
        }
        let lives: Bit = self.alive_valid.val() || (self.octets_valid.val() && !self.alive.q.val());
        if lives {
            self.alive_of.d.next = self.alive_qp.val();
        }
        self.pump.rx[0].item.next = self.set_qp.val();
        self.pump.rx[0].valid.next = self.set_valid.val();
        self.pump.rx[1].item.next = self.nxt_qp.val();
        self.pump.rx[1].valid.next = self.nxt_valid.val();
        self.pump.rx[2].item.next = self.nxt_qp.val();
        self.pump.rx[2].valid.next = self.again_valid.val();
        self.pump.rx[3].item.next = self.held_qp.q.val();
        self.pump.rx[3].valid.next = self.held.q.val() && !self.held_dup.q.val();
        self.pump.rx[4].item.next = self.held_qp.q.val();
        self.pump.rx[4].valid.next = self.held.q.val();
        self.pump.rx[5].item.next = self.alive_of.q.val();
        self.pump.rx[5].valid.next = self.alive.q.val();
        self.pump.rx[6].item.next = self.stalled_qp.q.val();
        self.pump.rx[6].valid.next = self.stalled.q.val();
        self.pump.rx[7].item.next = self.rtt.new_wait.item.val();
        self.pump.rx[7].valid.next = self.rtt.new_wait.valid.val() && self.walk.scrubbed.val();
        self.pump.rx[8].item.next = self.look_qp.val();
        self.pump.rx[8].valid.next = self.look_valid.val() && self.rtt.seen_valid.val() && looks;
        // the step of the walk before may report a loss, and there is room for one
        self.pump.rx[9].item.next = self.walk.row.val();
        self.pump.rx[9].valid.next = may_walk && (self.pump.kind.val() != Event::Walk);
        self.held.d.next = self.una_valid.val()
            || self.dup_valid.val()
            || (self.held.q.val() && !self.pump.rx[3].ready.val() && !self.pump.rx[4].ready.val());
        self.alive.d.next = lives || (self.alive.q.val() && !self.pump.rx[5].ready.val());
        self.stalled.d.next =
            self.stall_valid.val() || (self.stalled.q.val() && !self.pump.rx[6].ready.val());
        self.number.d.next = self.nxt.val();
        if self.set_valid.val() {
            self.number.d.next = self.set.val().nxt;
            if self.probes_qp.q.val() == self.set_qp.val() {
                self.probes.d.next = false;
            }
        } else if self.held.q.val() && !self.nxt_valid.val() && !self.again_valid.val() {
            self.number.d.next = self.held_una.q.val();
        }
        if self.pump.rx[8].ready.val() {
            self.seen_srtt.d.next = self.rtt.seen_srtt.val();
            self.seen_known.d.next = self.rtt.seen_known.val();
        }
        self.wants.next.limit = self.set.val().limit;
        self.wants.next.part = self.set.val().keepalive;
        self.from.d.next = self.set.val().una;
        self.rtt_of.d.next = self.set.val().rtt;
        self.wish_of.d.next = self.wants.val();

        // Step 2: what it does to the row.
        self.wishes.read_address.next = self.pump.row.val();
        self.wish.next = self.wishes.read_data.val();
        self.asked.next = self.wish_of.q.val();
        self.wishes.write_enable.next = self.pump.kind.val() == Event::Set;
        self.wishes.write_address.next = self.pump.row.val();
        self.wishes.write_data.next = self.wish_of.q.val();
        self.rows.read_address.next = self.pump.row.val();
        self.row.next = self.rows.read_data.val();
        self.back.next = self.row.val();
        self.nxt_now.next = self.row.val().nxt;
        if (self.pump.kind.val() == Event::Next) || (self.pump.kind.val() == Event::Set) {
            self.nxt_now.next = self.number.q.val();
        }
        self.back.next.nxt = self.nxt_now.val();
        let shorter: Bits<23> = self.row.val().wait;
        self.interval.next = shorter;
        // The timer has nothing to wait for but the peer's life.
        let at_ease: Bit = !self.row.val().armed || self.row.val().rests;
        // The timer's own time is looked at, not a probe's.
        let backs_off: Bit =
            (self.pump.kind.val() == Event::Walk) && !self.row.val().early && !self.row.val().rests;
        if backs_off && !shorter.get_bit(22) {
            self.interval.next = shorter << 1;
        }
        if self.pump.kind.val() == Event::Set {
            self.interval.next = lit::<23>(FIRST_WAIT);
        }
        if self.pump.kind.val() == Event::Wait {
            // which stays for two more cycles
            self.interval.next = self.rtt.interval.val();
        }
        // a single segment may wait for a delayed ACK
        // With it: octets stay in flight.
        let remains: Bit = self.number.q.val() != self.row.val().nxt;
        // one octet less, since a segment may have as many: a + !b is a - b - 1
        let flight: Bits<24> =
            bit_cast::<24, 32>(self.row.val().nxt) + !bit_cast::<24, 32>(self.number.q.val());
        // With it: more stays in flight than a segment has.
        let several: Bit = remains && (flight & self.beyond.val()).any();
        // SND.UNA moves.
        let heeds: Bit = self.pump.kind.val() == Event::Una;
        // The deadline becomes that of a probe.
        let early: Bit = self.tail.val()
            && !self.row.val().probed
            && ((heeds && several) || (self.pump.kind.val() == Event::Dup));
        self.soon.next = self.row.val().soon;
        if self.pump.kind.val() == Event::Set {
            self.soon.next = bit_cast::<21, 23>(lit::<23>(FIRST_WAIT));
        }
        if self.pump.kind.val() == Event::Wait {
            self.soon.next = self.rtt.soon.val();
        }
        self.back.next.soon = self.soon.val();
        self.span.next = self.interval.val();
        // The kind of the deadline stays.
        let rests: Bit = (self.pump.kind.val() == Event::Wait) || (self.pump.kind.val() == Event::Again);
        if self.rest.parts.val()
            && ((self.pump.kind.val() == Event::Walk) || (self.pump.kind.val() == Event::Alive))
        {
            self.span.next = bit_cast::<23, 16>(self.wish.val().part) << 7;
        }
        // one unit more, since the present one is under way: a - !b is a + b + 1
        let span_ends: Bits<24> = self.now.val() - !bit_cast::<24, 23>(self.span.val());
        let soon_ends: Bits<24> = self.now.val() - !bit_cast::<24, 21>(self.soon.val());
        self.ends_at.next = span_ends;
        if early || (rests && self.row.val().early) {
            self.ends_at.next = soon_ends;
        }
        let past: Bits<24> = self.now.val() - self.row.val().deadline;
        let is_silent: Bit = self.silent.val().get_bit(self.pump.row.val().index());
        let expires: Bit = (self.pump.kind.val() == Event::Walk)
            && self.row.val().armed
            && !past.get_bit(23)
            && self.rto_min.val().any()
            && !is_silent;
        self.news.next.kind = lit::<2>(rtt_news::START);
        self.news.next.qp = bit_cast::<8, C>(self.pump.row.val());
        self.news.next.number = self.number.q.val();
        self.rtt.told_valid.next = false;
        self.rtt.must_valid.next = false;
        self.rest.row.next = self.rows.read_data.val();
        self.rest.limit.next = self.wish.val().limit;
        self.rest.expires.next = expires;
        self.rest.retry_limit.next = self.retry_limit.val();
        self.rested.d.next = self.rest.rested.val() && self.restart.val();
        self.probes_life.d.next = self.row.val().rests;
        self.fires.d.next = false;
        self.fires_qp.d.next = self.pump.row.val();
        self.fires_timed.d.next = backs_off;
        self.fires_first.d.next = !self.row.val().repairs;
        self.anew.next = false;
        match self.pump.kind.val() {
            Event::Next => {
                self.back.next.armed = !self.row.val().lost;
                self.back.next.persist = false;
                self.back.next.rests = false;
                self.back.next.keeps = false;
                if at_ease || self.row.val().persist {
                    self.back.next.early = false;
                    self.anew.next = true;
                    self.back.next.tries = 0.into();
                }
                if self.row.val().persist {
                    self.news.next.kind = lit::<2>(rtt_news::RENEW);
                    self.rtt.told_valid.next = self.rtt.ready.val();
                } else if !self.row.val().times && !self.row.val().fired && self.rtt.ready.val() {
                    self.rtt.told_valid.next = true;
                    self.back.next.times = true;
                }
            }
            Event::Set => {
                self.back.next.rests = self.number.q.val() == self.from.q.val();
                self.back.next.armed =
                    (self.number.q.val() != self.from.q.val()) || self.asked.val().part.any();
                self.back.next.keeps = false;
                self.anew.next = true;
                self.back.next.wait = self.interval.val();
                self.back.next.early = false;
                self.back.next.times = false;
                self.news.next.kind = lit::<2>(rtt_news::SET);
                self.news.next.number = bit_cast::<32, 16>(self.rtt_of.q.val());
                self.rtt.must_valid.next = true;
                self.back.next.tries = 0.into();
                self.back.next.lost = false;
                self.back.next.persist = false;
                self.back.next.fired = false;
                self.back.next.repairs = false;
                self.back.next.probed = false;
            }
            Event::Again => {
                if self.row.val().fired {
                    self.anew.next = true;
                }
                self.back.next.times = false;
                self.back.next.fired = false;
            }
            Event::Stall => {
                if at_ease && !self.row.val().lost {
                    self.back.next.armed = true;
                    self.back.next.rests = false;
                    self.back.next.keeps = false;
                    self.back.next.tries = 0.into();
                    self.back.next.early = false;
                    self.back.next.persist = true;
                    self.anew.next = true;
                }
                if self.row.val().persist {
                    self.back.next.tries = 0.into();
                }
            }
            Event::Alive => {
                if self.row.val().keeps {
                    self.back.next.persist = false;
                    self.anew.next = true;
                    self.back.next.tries = 0.into();
                }
            }
            Event::Una => {
                self.back.next.persist = false;
                self.back.next.early = early;
                self.back.next.rests = !remains;
                self.back.next.keeps = false;
                self.back.next.armed = !self.row.val().lost;
                self.back.next.fired = self.row.val().fired && remains;
                self.back.next.repairs = self.row.val().repairs && !self.dups.over.val();
                self.anew.next = true;
                self.back.next.tries = 0.into();
                self.news.next.kind = lit::<2>(rtt_news::CHECK);
                self.rtt.told_valid.next = self.row.val().times && self.rtt.ready.val();
                // who cannot be told measures the next segment
                self.back.next.times = self.row.val().times && self.rtt.ready.val();
            }
            Event::Dup => {
                self.fires.d.next = self.dups.fires.val();
                if self.dups.fires.val() {
                    self.back.next.fired = true;
                    self.back.next.early = early;
                    self.back.next.repairs = true;
                    self.back.next.times = false;
                    self.anew.next = true;
                }
            }
            Event::Walk => {
                if expires {
                    self.anew.next = true;
                    self.back.next.wait = self.interval.val();
                    self.back.next.early = false;
                    self.back.next.times = false;
                    self.back.next.probed = self.row.val().probed || self.row.val().early;
                    self.back.next.tries = self.rest.tries.val();
                    self.fires.d.next = self.rest.again.val();
                    self.back.next.fired = self.rest.again.val();
                    self.back.next.repairs = self.row.val().repairs || self.rest.again.val();
                    if self.rest.asks.val() {
                        self.back.next.persist = true;
                    }
                    if self.rest.rested.val() {
                        self.back.next.keeps = true;
                        self.back.next.armed = self.wish.val().part.any();
                    }
                    if self.rest.probes.val() {
                        self.probes.d.next = true;
                        self.probes_new.d.next = true;
                        self.probes_qp.d.next = self.pump.row.val();
                    }
                    if self.rest.lost.val() {
                        self.back.next.armed = false;
                        self.back.next.lost = true;
                        self.gone.d.next = true;
                        self.gone_qp.d.next = self.pump.row.val();
                    }
                }
            }
            Event::Wait => {
                if !self.row.val().keeps {
                    self.anew.next = true;
                }
                self.back.next.wait = self.interval.val();
                self.back.next.times = false;
                self.back.next.probed = false;
            }
            _ => {}
        }
        if self.anew.val() {
            self.back.next.deadline = self.ends_at.val();
        }
        self.waits_for.next = self.waits.q.val();
        self.look_there.next = self.there.q.val();
        if self.pump.kind.val() == Event::Look {
            self.waits.d.next = self.row.val().wait;
            self.there.d.next = true;
        }
        if self.look_over.val() {
            self.there.d.next = false;
        }
        self.kind.d.next = lit::<2>(timer_kind::PROBE);
        if self.pump.kind.val() == Event::Dup {
            self.kind.d.next = lit::<2>(timer_kind::DUPLICATES);
        } else if !self.row.val().persist && !self.row.val().early && !self.row.val().rests {
            self.kind.d.next = lit::<2>(timer_kind::EXPIRY);
        }
        self.rtt.look_qp.next = self.look_qp.val();
        self.srtt.next = self.seen_srtt.q.val();
        self.is_known.next = self.seen_known.q.val();
        self.timer_qp.next = self.fires_qp.q.val();
        self.timer_kind.next = self.kind.q.val();
        self.timer_valid.next = self.fires.q.val() || self.probes_new.q.val();
        self.rtt.told.next = self.news.val();
        self.rtt.new_wait.ready.next = self.pump.rx[7].ready.val();
        self.rtt.now.next = self.now.val();
        self.rtt.floor.next = self.rto_min.val();
        self.back.next.dups = self.dups.count_after.val();
        self.dups.set.next = self.pump.kind.val() == Event::Set;
        self.dups.moves.next = self.pump.kind.val() == Event::Una;
        self.dups.una.next = bit_cast::<24, 32>(self.number.q.val());
        self.dups.dup.next = self.pump.kind.val() == Event::Dup;
        self.dups.may.next = !at_ease && !is_silent && self.fast.val();
        self.dups.expires.next = expires && !self.row.val().early && !self.row.val().rests;
        self.dups.probes.next = expires && self.row.val().early;
        self.dups.ahead.next = (self.pump.kind.val() == Event::Next) && self.row.val().fired;
        self.dups.nxt.next = bit_cast::<24, 32>(self.nxt_now.val());
        self.dups.count.next = self.row.val().dups;
        self.dups.qp.next = self.pump.row.val();
        self.rows.write_enable.next = self.pump.kind.val() != Event::None;
        self.rows.write_address.next = self.pump.row.val();
        // a timer that does not run is blank enough: the set-up of its connection writes the rest
        if !self.walk.scrubbed.val() {
            self.rows.write_enable.next = true;
            self.rows.write_address.next = self.walk.blank.val();
            self.back.next.armed = false;
        }
        self.rows.write_data.next = self.back.val();
        self.walk.tick.next = self.tick.val() || self.renew.val();
        self.walk.take.next = self.pump.rx[9].ready.val();
        self.visit.item.next = self.walk.row.val();
        self.visit.valid.next = self.pump.rx[9].ready.val();
        self.scrubbed.next = self.walk.scrubbed.val();
        self.blank_row.next = self.walk.blank.val();
    }
}
