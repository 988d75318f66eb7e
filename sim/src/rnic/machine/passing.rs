// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device passes over the cycles in which nothing can move.
use super::{Machine, LOOK_EVERY};
use crate::rnic::idle::{Idle, Wish, WORTH};
use std::time::{Duration, Instant};

/// Cycles without a transfer after which a look at the whole state is worth it.
const STILL: u64 = 16;
/// Cycles from a look in vain to the next one.
const AGAIN: u64 = 32;

impl Machine {
    /// Time of the last cycle that was evaluated, in picoseconds: the device has seen the link as
    /// it was then.
    pub(in super::super) fn shown_ps(&self) -> u64 {
        self.bench.cycle().saturating_sub(1) * self.clock_ps
    }

    /// The link is down, and is to come up by itself.
    pub(in super::super) fn comes_up(&self) -> bool {
        let (link, shown_ps) = (self.bridge.link(), self.shown_ps());
        !link.is_up(shown_ps) && link.next_change(shown_ps).is_some()
    }

    /// First cycle in which the link may go down or come up; [`u64::MAX`] if there is none.
    fn link_changes(&self) -> u64 {
        let change_ps = self.bridge.link().next_change(self.shown_ps());
        change_ps.map_or(u64::MAX, |change_ps| change_ps.div_ceil(self.clock_ps))
    }

    /// First cycle, up to `limit`, that has to be evaluated; a multiple of [`LOOK_EVERY`] behind
    /// the present one.
    pub(in super::super) fn still_until(&mut self, limit: u64) -> u64 {
        let cycle = self.bench.cycle();
        if self.is_board() || self.bench.still_for() < STILL {
            self.desk.seen.touched = true;
            return cycle;
        }
        let Some(ticks) = self.bridge.ticks().filter(|_| self.desk.seen.next <= cycle) else { return cycle };
        // the state of the link is an input; nobody waits for a change as for a frame
        let limit = limit.min(self.wakes()).min(self.link_changes());
        if limit < cycle + WORTH || !self.bridge.stands() {
            return cycle;
        }
        let until = self.bench.still_until(limit, ticks);
        if until < cycle + WORTH {
            self.desk.seen.next = cycle + AGAIN;
            return cycle;
        }
        until - (until - cycle) % LOOK_EVERY
    }

    /// Passes over the cycles up to one that [`Machine::still_until`] gave.
    pub(in super::super) fn skip_to(&mut self, cycle: u64) {
        if let Some(ticks) = self.bridge.ticks().filter(|_| cycle > self.bench.cycle()) {
            self.bench.skip_to(cycle, ticks);
        }
    }

    /// Passes over cycles in which nothing can move, or lets time stand still for software; false
    /// if the next cycle is to be evaluated.
    pub(in super::super) fn passes_over(&mut self, idle: &mut Idle) -> Result<bool, String> {
        let cycle = self.bench.cycle();
        let wakes = self.wakes();
        if wakes == u64::MAX {
            return self.waits(cycle, idle);
        }
        let until = self.still_until(wakes);
        self.skip_to(until);
        Ok(until > cycle)
    }

    /// As [`Machine::passes_over`], of a device that only software, a frame or a timer moves.
    fn waits(&mut self, cycle: u64, idle: &mut Idle) -> Result<bool, String> {
        if self.still_until(cycle + WORTH) == cycle {
            return Ok(false);
        }
        let touched = std::mem::take(&mut self.desk.seen.touched);
        let wish = idle.wish(cycle, Instant::now(), touched);
        let most = if let Wish::Wait(most) = wish { most } else { Duration::ZERO };
        if self.sleep(most)? {
            self.desk.seen.touched = true;
            return Ok(false);
        }
        if let Wish::Run(until) = wish {
            let until = self.still_until(until);
            self.skip_to(until);
            return Ok(until > cycle);
        }
        Ok(true)
    }
}
