// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time is a tick of the device (design decision D8); firmware only compares and adds.

/// A moment, in ticks since the device's reset.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticks(pub u64);

impl Ticks {
    /// The moment `n` ticks later; it saturates, so a deadline may be "never".
    #[must_use]
    pub const fn after(self, n: u64) -> Self {
        Self(self.0.saturating_add(n))
    }

    /// Ticks from `earlier` to `self`, 0 if it is not earlier.
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Whether the moment of a timer that may be off has come.
pub fn is_due(timer: Option<Ticks>, now: Ticks) -> bool {
    timer.is_some_and(|at| at <= now)
}

/// Retransmission timer with binary back-off (RFC 6298 section 5) and a retry limit.
#[derive(Clone, Debug)]
pub struct Backoff {
    initial: u64,
    longest: u64,
    limit: u32,
    tries: u32,
    /// Expiries since the last answer.
    silent: u32,
    due: Option<Ticks>,
}

/// What an expiry asks for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// Send again.
    Again,
    /// The limit is reached: give up.
    GiveUp,
}

impl Backoff {
    /// A timer that waits `initial` ticks, doubles up to `longest`, and gives up after `limit`
    /// expiries.
    pub fn new(initial: u64, longest: u64, limit: u32) -> Self {
        Self { initial: initial.max(1), longest: longest.max(1), limit, tries: 0, silent: 0, due: None }
    }

    /// Starts unless it runs.
    pub fn start(&mut self, now: Ticks) {
        if self.due.is_none() {
            self.wait_from(now);
        }
    }

    /// The present wait begins now, whether it had begun or not.
    pub fn wait_from(&mut self, now: Ticks) {
        self.due = Some(now.after(self.wait()));
    }

    /// Stops, and forgets earlier expiries: what was waited for came.
    pub fn stop(&mut self) {
        self.due = None;
        (self.tries, self.silent) = (0, 0);
    }

    /// There was an answer, and no progress: waits stay as long as they are, and the count to the
    /// limit begins again.
    pub fn answered(&mut self) {
        self.silent = 0;
    }

    /// Begins again from the initial wait: there was progress, and more is awaited.
    pub fn restart(&mut self, now: Ticks) {
        self.stop();
        self.start(now);
    }

    /// When it expires next.
    pub fn due(&self) -> Option<Ticks> {
        self.due
    }

    /// If it expired: what to do. The next wait has begun, unless it gives up.
    pub fn expire(&mut self, now: Ticks) -> Option<Expiry> {
        if !is_due(self.due, now) {
            return None;
        }
        self.tries = self.tries.saturating_add(1);
        self.silent += 1;
        if self.silent > self.limit {
            self.due = None;
            return Some(Expiry::GiveUp);
        }
        self.due = Some(now.after(self.wait()));
        Some(Expiry::Again)
    }

    fn wait(&self) -> u64 {
        let factor = 1u64.checked_shl(self.tries).unwrap_or(u64::MAX);
        self.initial.saturating_mul(factor).min(self.longest)
    }
}

/// A token bucket: how many answers may leave that anybody can ask for.
#[derive(Clone, Debug)]
pub struct Ration {
    /// Microseconds that one answer costs, and what may be saved up.
    cost: u64,
    most: u64,
    tick_us: u64,
    saved: u64,
    at: Ticks,
}

impl Ration {
    /// `rate` a second, of which `burst` at once; full at `now`. A tick is `tick_us` microseconds.
    pub fn new(rate: u64, burst: u64, tick_us: u32, now: Ticks) -> Self {
        let cost = 1_000_000 / rate.max(1);
        let most = cost.saturating_mul(burst);
        Self { cost, most, tick_us: tick_us.into(), saved: most, at: now }
    }

    /// Takes one, if there is one.
    pub fn take(&mut self, now: Ticks) -> bool {
        let earned = now.since(self.at).saturating_mul(self.tick_us);
        self.saved = self.saved.saturating_add(earned).min(self.most);
        self.at = self.at.max(now);
        let has_one = self.saved >= self.cost;
        if has_one {
            self.saved -= self.cost;
        }
        has_one
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_end() {
        let mut timer = Backoff::new(10, 35, 4);
        timer.start(Ticks(0));
        timer.start(Ticks(5)); // it runs already
        let mut now = 0;
        for wait in [10, 20, 35, 35] {
            assert_eq!(timer.expire(Ticks(now + wait - 1)), None);
            now += wait;
            assert_eq!(timer.expire(Ticks(now)), Some(Expiry::Again));
        }
        assert_eq!(timer.expire(Ticks(now + 35)), Some(Expiry::GiveUp));
        assert_eq!(timer.due(), None);
    }

    #[test]
    fn progress_begins_again() {
        let mut timer = Backoff::new(10, 1_000, 4);
        timer.start(Ticks(0));
        assert_eq!(timer.expire(Ticks(10)), Some(Expiry::Again));
        timer.restart(Ticks(12));
        assert_eq!(timer.due(), Some(Ticks(22)));
        timer.stop();
        assert_eq!(timer.expire(Ticks(1_000)), None);
    }

    #[test]
    fn an_answer_without_progress_keeps_the_wait() {
        let mut timer = Backoff::new(10, 35, 2);
        timer.start(Ticks(0));
        for now in [10, 30, 65, 100, 135] {
            assert_eq!(timer.expire(Ticks(now)), Some(Expiry::Again));
            timer.answered();
        }
        assert_eq!(timer.expire(Ticks(170)), Some(Expiry::Again));
        assert_eq!(timer.expire(Ticks(205)), Some(Expiry::Again));
        assert_eq!(timer.expire(Ticks(240)), Some(Expiry::GiveUp));
    }

    #[test]
    fn a_ration_has_a_rate_and_a_burst() {
        let mut ration = Ration::new(100, 5, 1_000, Ticks(7));
        let taken = |ration: &mut Ration, now| (0..1_000).filter(|_| ration.take(Ticks(now))).count();
        assert_eq!(taken(&mut ration, 7), 5);
        assert_eq!(taken(&mut ration, 16), 0);
        assert_eq!(taken(&mut ration, 17), 1, "one each 10 ms");
        assert_eq!(taken(&mut ration, 9), 0, "time does not go back");
        assert_eq!(taken(&mut ration, u64::MAX), 5, "and no more is saved up");
    }
}
