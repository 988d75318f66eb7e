// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decides what all devices of a common time do next, while all of them stand.
use super::super::clock::{Shared, FREE};
use super::super::idle::{rest, Idle, Wish, Word, WORTH};
use super::super::machine::LOOK_EVERY;
use super::fabric::Fabric;
use super::turn::{Turn, Vote};
use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Wall time for which time stands still at most behind a question of software: who asks is not
/// thinking, other threads of it may be.
const GLANCE: Duration = Duration::from_millis(5);

/// What the last one of a meeting decides with.
pub(super) struct Conductor {
    fabric: Fabric,
    idle: Idle,
    /// Wall time for which time stands still behind each word of software or to software.
    think: Duration,
    /// Until when time stands still for the software of each device.
    thinks: BTreeMap<usize, Instant>,
    /// Software waits for an answer of a device.
    awaited: bool,
    shared: Arc<Shared>,
    cycle: u64,
    /// Something moved or was ordered since time stood last.
    touched: bool,
    /// All were asked how far nothing can move.
    asked: bool,
}

impl Conductor {
    /// `tick` is the cycles of a tick, 0 if ticks are wall time.
    pub(super) fn new(
        fabric: Fabric,
        [patience, think]: [Duration; 2],
        tick: u64,
        shared: Arc<Shared>,
    ) -> Self {
        let idle = Idle::new(patience, tick);
        Self {
            fabric,
            idle,
            think,
            thinks: BTreeMap::new(),
            awaited: false,
            shared,
            cycle: 0,
            touched: true,
            asked: false,
        }
    }

    /// What all do next. An error of what lies between the devices ends all.
    pub(super) fn decide(&mut self, votes: &[Vote]) -> Turn {
        self.next(votes).unwrap_or_else(|why| {
            self.end(Some(&why));
            Turn::End
        })
    }

    /// Ends all, for this reason if there is one.
    pub(super) fn end(&mut self, why: Option<&str>) {
        let finished = self.fabric.finish();
        for why in why.map(str::to_string).into_iter().chain(finished.err()) {
            self.shared.fail(&why);
        }
        self.shared.end();
    }

    fn next(&mut self, votes: &[Vote]) -> Result<Turn, String> {
        self.touched |= votes.iter().any(|vote| vote.touched);
        if std::mem::take(&mut self.asked) {
            let to = votes.iter().map(|vote| vote.still_until).min().unwrap_or(self.cycle);
            return Ok(if to > self.cycle { Turn::Skip { to } } else { self.run(None) });
        }
        self.cycle = votes.iter().map(|vote| vote.cycle).max().unwrap_or(self.cycle);
        self.awaited = votes.iter().any(|vote| vote.asked);
        self.fabric.exchange(self.cycle)?;
        // who lets the clock go on has ordered all that is to be done before
        if self.shared.reached(self.cycle) {
            self.sleep(None)?;
            return Ok(Turn::Look);
        }
        if let Some(left) = self.thinks(votes) {
            self.sleep(Some(left))?;
            return Ok(Turn::Look);
        }
        let due = self.fabric.due();
        if let Some(most) = votes.iter().map(|vote| vote.rests).min().flatten().filter(|_| due.is_none()) {
            let longest = Instant::now() + most;
            self.sleep(Some(most))?;
            return Ok(self.run(Some(longest)));
        }
        if !votes.iter().all(|vote| vote.stood) {
            return Ok(self.run(None));
        }
        let wakes = votes.iter().map(|vote| vote.wakes).min().unwrap_or(FREE);
        let mut limit = wakes.min(self.shared.until()).min(due.unwrap_or(FREE));
        if limit == FREE {
            // only software or a timer goes on
            match self.idle.wish(self.cycle, Instant::now(), std::mem::take(&mut self.touched)) {
                Wish::Run(until) => limit = until,
                Wish::Wait(most) => {
                    let called = self.sleep(Some(most))?;
                    return Ok(if called { self.run(None) } else { Turn::Look });
                }
            }
        }
        if limit < self.cycle + WORTH {
            return Ok(self.run(None));
        }
        self.asked = true;
        Ok(Turn::Ask { limit })
    }

    /// For how long time is to stand still, as software may be about to order something; none if
    /// that is over.
    fn thinks(&mut self, votes: &[Vote]) -> Option<Duration> {
        let now = Instant::now();
        for vote in votes {
            match vote.word {
                Some(Word::Other) => drop(self.thinks.insert(vote.member, now + self.think)),
                Some(Word::Question) => {
                    self.thinks.entry(vote.member).and_modify(|until| *until = (*until).min(now + GLANCE));
                }
                None => {}
            }
        }
        let until = votes.iter().filter_map(|vote| self.thinks.get(&vote.member)).max();
        until.map(|until| until.saturating_duration_since(now)).filter(|left| !left.is_zero())
    }

    /// The next block, which ends where a held clock is to stand, and soon if software waits for an
    /// answer.
    fn run(&self, rested: Option<Instant>) -> Turn {
        let most = if self.awaited { LOOK_EVERY } else { self.fabric.block() };
        let left = self.shared.until().saturating_sub(self.cycle).clamp(1, most);
        Turn::Run { until: self.cycle + left.next_multiple_of(LOOK_EVERY), rested }
    }

    /// Sleeps until an order or a frame from outside has come, at most so long; whether there may
    /// be a frame.
    fn sleep(&self, most: Option<Duration>) -> Result<bool, String> {
        let switch = self.fabric.switch();
        let mut fds: Vec<BorrowedFd<'_>> = vec![self.shared.wake.as_fd()];
        fds.extend(switch.iter().flat_map(|switch| switch.poll_fds()));
        rest(&fds, most)
    }
}

#[cfg(test)]
#[path = "conductor_tests.rs"]
mod tests;
