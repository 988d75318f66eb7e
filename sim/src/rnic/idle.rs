// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a device does while nothing can move: time stands still for software first.
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

/// Wall time for which time stands still before it passes over what only a timer would end.
pub const PATIENCE: Duration = Duration::from_millis(20);
/// Fewest cycles that are passed over: a look at the state takes as long as some of them.
pub(super) const WORTH: u64 = 32;
/// Ticks of a device without timers go by so many times as fast as milliseconds of the wall:
/// software, which counts time in ticks, does not lose its own patience at once.
const FASTER: u64 = 20;
/// How long such a device waits for software between two times: each takes a look at its timers.
const PACE: Duration = Duration::from_millis(10);

/// How long software has been waited for, by the wall.
#[derive(Debug)]
pub(super) struct Idle {
    patience: Duration,
    /// Cycles of a tick.
    tick: u64,
    /// Since when time stands still.
    since: Option<Instant>,
    /// Since when, and from which cycle on, time goes on by itself.
    runs: Option<(Instant, u64)>,
}

/// What a device has seen of its own rest.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// First cycle in which a look at the state may be worth it.
    pub(super) next: u64,
    /// Something moved or was ordered since this was last asked for.
    pub(super) touched: bool,
    /// What passed between software and device last, since this was last asked for.
    pub(super) word: Option<Word>,
}

/// What passes between software and a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// Software waits for an answer.
    Question,
    /// Software has got an answer or a message, or has ordered something for which it does not
    /// wait: more may follow.
    Other,
}

/// What is to be done with a device of which nothing can move but by a timer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// Time stands still: wait for software, at most so long.
    Wait(Duration),
    /// Time goes on up to this cycle.
    Run(u64),
}

impl Idle {
    /// A device whose tick is so many cycles.
    pub(super) fn new(patience: Duration, tick: u64) -> Self {
        Self { patience, tick, since: None, runs: None }
    }

    /// What to do at `now`, before `cycle`. `touched`: something moved or was ordered since the
    /// last time.
    pub(super) fn wish(&mut self, cycle: u64, now: Instant, touched: bool) -> Wish {
        if touched {
            (self.since, self.runs) = (None, None);
        }
        let stood = now.saturating_duration_since(*self.since.get_or_insert(now));
        if stood < self.patience {
            return Wish::Wait(self.patience - stood);
        }
        let in_ms = |ms: u64| self.tick.saturating_mul(FASTER * ms);
        let Some((since, from)) = self.runs else {
            self.runs = Some((now, cycle));
            return Wish::Run(cycle.saturating_add(in_ms(1)));
        };
        let until = from.saturating_add(in_ms(now.saturating_duration_since(since).as_millis() as u64));
        if until >= cycle.saturating_add(in_ms(PACE.as_millis() as u64 / 2)) {
            Wish::Run(until)
        } else {
            Wish::Wait(PACE)
        }
    }
}

/// Sleeps until one of the files is readable, at most so long. The first one is the descriptor of
/// orders, which is not readable afterwards. Whether another one is readable.
pub(super) fn rest(fds: &[BorrowedFd<'_>], most: Option<Duration>) -> Result<bool, String> {
    let most = most.and_then(|most| Timespec::try_from(most).ok());
    let mut watched: Vec<_> = fds.iter().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
    let called = match poll(&mut watched, most.as_ref()) {
        Ok(_) => watched.iter().skip(1).any(|fd| !fd.revents().is_empty()),
        Err(Errno::INTR) => false,
        Err(why) => return Err(format!("nothing can be awaited: {why}")),
    };
    if let Some(wake) = fds.first() {
        // how often it was written does not matter, nor that it was not
        let _ = rustix::io::read(wake, &mut [0; 8]);
    }
    Ok(called)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stands_for_the_patience_and_then_runs_ahead_of_the_wall() {
        let ms = Duration::from_millis;
        let mut idle = Idle::new(ms(20), 1_000);
        let start = Instant::now();
        let mut at = |cycle, after, touched| idle.wish(cycle, start + ms(after), touched);
        assert_eq!(at(500, 0, false), Wish::Wait(ms(20)));
        assert_eq!(at(500, 15, false), Wish::Wait(ms(5)));
        // twenty ticks in each millisecond of the wall
        assert_eq!(at(500, 20, false), Wish::Run(20_500));
        assert_eq!(at(20_500, 20, false), Wish::Wait(PACE));
        assert_eq!(at(20_500, 30, false), Wish::Run(200_500));
        // not again for each millisecond
        assert_eq!(at(200_500, 31, false), Wish::Wait(PACE));
        assert_eq!(at(200_500, 41, false), Wish::Run(420_500));
        assert_eq!(at(300_000, 50, true), Wish::Wait(ms(20)));
        assert_eq!(Idle::new(Duration::ZERO, 1_000).wish(7, start, true), Wish::Run(20_007));
    }
}
