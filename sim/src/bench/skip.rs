// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time that passes without evaluation: exactly as if every cycle had been evaluated, while nothing
//! can move.
//!
//! A device stands still if one more cycle changes nothing but its time, the part that counts
//! cycles and ticks. Its inputs stand as well, until an agent says otherwise. Then each further
//! cycle is alike up to the next pulse of that part: a tick, or the end of a round. A pulse is
//! tried on the spot: time is set to the pulse, the cycles behind it are evaluated, and the state
//! is compared. What one tick does not start, no earlier one does: timers hold deadlines. So one
//! trial speaks for all ticks before it, and the expiry of a timer is found by halving. Nothing
//! here knows a timer.
use super::agent::NEVER;
use super::still::{Stands, TickPin};
use super::Bench;
use crate::model::{PortId, Time};

/// Most ticks that one trial speaks for: no comparison of a timer wraps within as many
/// (`hdl/src/host/README.md`).
const MOST_TICKS: u64 = 1 << 14;
/// Cycles in which all that a tick does is over.
const WALK: u64 = 256;
/// Cycles between two comparisons of the state during a trial.
const LOOK: u64 = 8;

impl Bench {
    /// First cycle in which an agent may do something by itself; [`u64::MAX`] if there is none.
    pub(crate) fn wakes(&mut self) -> u64 {
        let cycle = self.cycle;
        self.agents.all().map(|agent| agent.wakes(cycle)).min().unwrap_or(NEVER)
    }

    /// First cycle, up to `limit`, that has to be evaluated. No agent may wake before `limit`, and
    /// the tick pin is low.
    pub(crate) fn still_until(&mut self, limit: u64, ticks: TickPin) -> u64 {
        let Some(mut stands) = self.still.stands.or_else(|| self.begins_to_stand()) else {
            return self.cycle;
        };
        while stands.until < limit {
            let from = stands.until;
            self.go_further(&mut stands, limit, ticks);
            if stands.until <= from {
                break;
            }
        }
        self.still.stands = Some(stands);
        stands.until.min(limit)
    }

    /// Passes over all cycles up to `cycle`, which [`Bench::still_until`] has allowed.
    pub(crate) fn skip_to(&mut self, cycle: u64, ticks: TickPin) {
        let Some(mut stands) = self.still.stands.filter(|s| cycle <= s.until && cycle >= s.cycle) else {
            return;
        };
        stands.time = stands.at(cycle, ticks);
        self.still.passed += cycle - stands.cycle;
        stands.cycle = cycle;
        self.model.set_time(&stands.time);
        self.model.save(&mut self.still.state);
        self.still.stands = Some(stands);
        (self.cycle, self.last_transfer) = (cycle, cycle);
    }

    /// Cycles that were passed over so far.
    pub(crate) fn passed_over(&self) -> u64 {
        self.still.passed
    }

    /// Whether one more cycle changes nothing but time. If so, what the trials compare with is
    /// kept.
    fn begins_to_stand(&mut self) -> Option<Stands> {
        if !self.model.shows_state() {
            return None;
        }
        let (time, rounds) = self.model.time()?;
        self.model.eval();
        self.model.save(&mut self.still.state);
        self.model.outputs(&mut self.still.shown);
        let (cycle, until, is_round_free) = (self.cycle, self.cycle, false);
        let stands = Stands { time, cycle, rounds, until, is_round_free };
        self.comes_back(&stands, &time, None, 1).then_some(stands)
    }

    /// Moves `until` as far as a trial shows the device to stand still, at most to `limit`.
    fn go_further(&mut self, stands: &mut Stands, limit: u64, ticks: TickPin) {
        let from = stands.until;
        let mut limit = limit;
        if !stands.is_round_free {
            let (left, end) = stands.at(from, ticks).round_end(stands.rounds);
            if from + left < limit {
                stands.is_round_free = self.comes_back(stands, &end, None, WALK);
                // evaluated where it falls, if it does something
                limit = if stands.is_round_free { limit } else { from + left };
            }
        }
        let tick = from.next_multiple_of(ticks.each);
        if tick >= limit {
            stands.until = limit;
            return;
        }
        // ticks whose walks are over before `limit`, if walks do not meet
        let most = if ticks.each > WALK { ((limit - tick) / ticks.each).min(MOST_TICKS) } else { 0 };
        let behind = |n: u64| tick + n * ticks.each;
        let (mut good, mut bad, mut next) = (0, most + 1, most);
        while good + 1 < bad {
            let last = stands.at(behind(next - 1), ticks);
            match self.comes_back(stands, &last, Some(ticks.pin), WALK) {
                true => good = next,
                false => bad = next,
            }
            next = good + (bad - good) / 2;
        }
        stands.until = behind(good);
    }

    /// Evaluates cycles from `time` on, with the pin high in the first one and all other inputs as
    /// they stand. Whether the device shows nothing new and is back in its state after at most so
    /// many cycles. The model is as before in either case.
    fn comes_back(&mut self, stands: &Stands, time: &Time, pin: Option<PortId>, cycles: u64) -> bool {
        self.model.set_time(time);
        for n in 1..=cycles {
            if let Some(pin) = pin {
                self.model.put_bit(pin, n == 1);
            }
            self.model.put_bit(self.clock, false);
            self.model.eval();
            self.model.outputs(&mut self.still.now);
            if self.still.now != self.still.shown {
                break;
            }
            self.model.put_bit(self.clock, true);
            self.model.eval();
            let looks = n == cycles || n % LOOK == 0;
            if looks && self.is_as_at(&stands.time) {
                return true;
            }
        }
        self.model.restore(&self.still.state);
        false
    }

    /// The model is in the kept state, but for its time. If so, it has that time again.
    fn is_as_at(&mut self, before: &Time) -> bool {
        let Some((now, _)) = self.model.time() else { return false };
        self.model.set_time(before);
        let is_same = self.model.is_at(&self.still.state);
        if !is_same {
            self.model.set_time(&now);
        }
        is_same
    }
}
