// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device that rests while nothing is to be done.
use super::Machine;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// Cycles without a transfer after which the device has nothing to do until something comes from
/// outside.
const STILL: u64 = 512;
/// Least cycles between two rests: orders and frames are looked at meanwhile.
const AWAKE: u64 = 32;
/// Longest rest.
const REST: Duration = Duration::from_millis(250);
/// Rests are no longer than this part of the time in which nothing has moved: so much a timer may
/// be late.
const LATE: u32 = 8;

impl Machine {
    /// Waits for an order or a frame, at most so long; whether there may be a frame.
    pub(in super::super) fn sleep(&mut self, most: Duration) -> Result<bool, String> {
        let called = self.bridge.wait(most, self.wake.as_fd()).map_err(|e| e.to_string())?;
        // how often it was written does not matter, nor that it was not
        let _ = rustix::io::read(&self.wake, &mut [0; 8]);
        Ok(called)
    }

    /// With ticks of wall time: for how long it may sleep; none if something is to be done.
    pub(in super::super) fn may_rest(&mut self) -> Option<Duration> {
        let (cycle, still) = (self.bench.cycle(), self.bench.still_for());
        let is_awake = self.is_board() || still < STILL || cycle - self.rested < AWAKE || self.is_asked();
        // time that stands would keep a link down
        if is_awake || self.bridge.ticks().is_some() || !self.bridge.is_idle() || self.comes_up() {
            return None;
        }
        if self.moved.0 != cycle - still {
            self.moved = (cycle - still, Instant::now());
        }
        let most = self.bridge.until_tick().max(self.moved.1.elapsed() / LATE).min(REST);
        Some(if self.forgives_now() { REST } else { most })
    }

    fn forgives_now(&self) -> bool {
        self.forgives && self.desk.timers.is_empty()
    }

    /// It has slept with others, at most until then.
    pub(in super::super) fn has_rested(&mut self, longest: Instant) {
        self.bridge.has_rested(longest);
        self.rested = self.bench.cycle();
    }

    /// Sleeps if nothing is to be done.
    pub(in super::super) fn rest(&mut self) -> Result<(), String> {
        let Some(most) = self.may_rest() else { return Ok(()) };
        let wake = Some(self.wake.as_fd());
        let rested = match self.forgives_now() {
            true => self.bridge.sleep(most, wake),
            false => self.bridge.rest(most, wake),
        };
        rested.map_err(|e| e.to_string())?;
        // how often it was written does not matter, nor that it was not
        let _ = rustix::io::read(&self.wake, &mut [0; 8]);
        self.rested = self.bench.cycle();
        Ok(())
    }
}
