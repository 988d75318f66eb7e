//! A device's tick counter, which is asked for seldom.
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Wall time between the first two looks at the counter.
const FIRST: Duration = Duration::from_millis(10);
/// The longest that no look is taken.
const MOST: Duration = Duration::from_secs(1);

/// Gives the time of a device without a read over the bus for each question: firmware asks thousands of times a second, and
/// a device that is asked cannot rest. Between two looks at the counter time passes as it did between those before, since the
/// tick of a simulated device need not be a millisecond of wall time. But time does not pass faster than the wall's: a simulated
/// device passes over hours in which nothing happens, and then stands still while software works.
#[derive(Debug)]
pub(super) struct TickClock(Mutex<Look>);

/// The last look.
#[derive(Debug)]
struct Look {
    at: Instant,
    ticks: u64,
    /// Ticks and wall time between the two looks before.
    rate: (u64, Duration),
    /// Wall time until the next look.
    pause: Duration,
    /// The largest number that was given: time does not go back.
    told: u64,
}

impl TickClock {
    /// The counter stood at `ticks` at `now`.
    pub(super) fn new(ticks: u64, now: Instant) -> Self {
        Self(Mutex::new(Look { at: now, ticks, rate: (0, FIRST), pause: FIRST, told: ticks }))
    }

    /// Ticks at `now`; `read` looks at the counter, which may fail with the device.
    pub(super) fn ticks(&self, now: Instant, read: impl FnOnce() -> Option<u64>) -> u64 {
        let mut look = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(look.at) >= look.pause {
            if let Some(ticks) = read() {
                // a counter that goes back was reset
                let passed = ticks.saturating_sub(look.ticks);
                let wall = now - look.at;
                look.rate = (passed.min(wall.as_millis() as u64), wall);
                (look.at, look.ticks) = (now, ticks);
            }
            look.pause = (2 * look.pause).min(MOST);
        }
        let since = now.saturating_duration_since(look.at).min(MOST);
        let (passed, wall) = look.rate;
        let more = u128::from(passed) * since.as_nanos() / wall.as_nanos().max(1);
        look.told = look.told.max(look.ticks.saturating_add(more as u64));
        look.told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn time_passes_between_looks_as_it_did_before() {
        let start = Instant::now();
        let clock = TickClock::new(100, start);
        let unread = || -> Option<u64> { panic!("a look that is not due") };
        assert_eq!(clock.ticks(start + ms(9), unread), 100);
        assert_eq!(clock.ticks(start + ms(10), || Some(105)), 105);
        // a tick in two milliseconds
        assert_eq!(clock.ticks(start + ms(29), unread), 114);
        // the device was slower than was thought: time stands until it has caught up
        assert_eq!(clock.ticks(start + ms(30), || Some(112)), 114);
        assert_eq!(clock.ticks(start + ms(50), unread), 119);
        // looks become rare
        assert_eq!(clock.ticks(start + ms(70), || Some(132)), 132);
        assert_eq!(clock.ticks(start + ms(149), unread), 171);
    }

    #[test]
    fn a_device_that_passed_over_hours_is_not_thought_to_go_on_so() {
        let start = Instant::now();
        let clock = TickClock::new(0, start);
        assert_eq!(clock.ticks(start + ms(10), || Some(3_600_000)), 3_600_000);
        assert_eq!(clock.ticks(start + ms(29), || None), 3_600_019);
    }

    #[test]
    fn a_device_that_answers_no_more_has_no_more_time_than_a_look_apart() {
        let start = Instant::now();
        let clock = TickClock::new(0, start);
        assert_eq!(clock.ticks(start + ms(10), || Some(10)), 10);
        assert_eq!(clock.ticks(start + ms(100), || None), 100);
        let far = clock.ticks(start + ms(60_000), || None);
        assert_eq!(far, 1_010);
        assert_eq!(clock.ticks(start + ms(90_000), || None), far);
    }
}
