// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device's tick counter, which is asked for seldom.
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// Wall time between two looks at the counter.
const PAUSE: Duration = Duration::from_secs(1);

/// Gives the time of a device without a read over the bus for each question: firmware asks
/// thousands of times a second, and a device that is asked cannot rest. Between two looks at the
/// counter time passes as it did between those before, since the tick of a simulated device need
/// not be a millisecond of wall time.
///
/// This time never passes faster than the wall's. A simulated device passes over hours in which
/// nothing happens: those are left out, or every deadline that was set before the look would be
/// over behind it.
#[derive(Debug)]
pub(super) struct TickClock(Mutex<Look>);

/// The last look.
#[derive(Debug)]
struct Look {
    at: Instant,
    /// The counter.
    ticks: u64,
    /// The time that this was.
    time: u64,
    /// Ticks and wall time between the two looks before; the wall's before the second one.
    rate: (u64, Duration),
    /// The largest number that was given: time does not go back.
    told: u64,
}

impl TickClock {
    /// The counter stood at `ticks` at `now`.
    pub(super) fn new(ticks: u64, now: Instant) -> Self {
        let rate = (PAUSE.as_millis() as u64, PAUSE);
        Self(Mutex::new(Look { at: now, ticks, time: ticks, rate, told: ticks }))
    }

    /// Time at `now` in ticks; `read` looks at the counter, which may fail with the device. It is
    /// told what the counter was last.
    pub(super) fn ticks(&self, now: Instant, read: impl FnOnce(u64) -> Option<u64>) -> u64 {
        let mut look = self.0.lock();
        let wall = now.saturating_duration_since(look.at);
        if wall >= PAUSE {
            if let Some(ticks) = read(look.ticks) {
                // a counter that goes back was reset
                let passed = ticks.saturating_sub(look.ticks).min(wall.as_millis() as u64);
                let time = look.time.saturating_add(passed);
                *look = Look { at: now, ticks, time, rate: (passed, wall), told: look.told.max(time) };
            }
        }
        let since = now.saturating_duration_since(look.at).min(PAUSE);
        let (passed, wall) = look.rate;
        let more = u128::from(passed) * since.as_nanos() / wall.as_nanos().max(1);
        look.told = look.told.max(look.time.saturating_add(more as u64));
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
        let unread = |_| -> Option<u64> { panic!("a look that is not due") };
        // as the wall's, as long as nothing is known
        assert_eq!(clock.ticks(start + ms(9), unread), 109);
        assert_eq!(clock.ticks(start + ms(999), unread), 1_099);
        let look = |last, ticks| {
            move |told| {
                assert_eq!(told, last, "what the counter was last");
                Some(ticks)
            }
        };
        // a tick in two milliseconds: time stands until the device has caught up
        assert_eq!(clock.ticks(start + ms(1_000), look(100, 600)), 1_099);
        assert_eq!(clock.ticks(start + ms(1_996), unread), 1_099);
        assert_eq!(clock.ticks(start + ms(2_000), look(600, 1_100)), 1_100);
        assert_eq!(clock.ticks(start + ms(2_100), unread), 1_150);
        // the device was slower than was thought
        assert_eq!(clock.ticks(start + ms(2_999), unread), 1_599);
        assert_eq!(clock.ticks(start + ms(3_000), look(1_100, 1_350)), 1_599);
        // a counter that begins anew was reset
        assert_eq!(clock.ticks(start + ms(4_000), look(1_350, 7)), 1_599);
    }

    /// A deadline of five seconds stands, whatever the device passed over.
    #[test]
    fn hours_that_a_device_passed_over_are_left_out() {
        let start = Instant::now();
        let clock = TickClock::new(0, start);
        assert_eq!(clock.ticks(start + ms(1_000), |_| Some(3_600_000)), 1_000);
        assert_eq!(clock.ticks(start + ms(1_019), |_| None), 1_019);
        assert_eq!(clock.ticks(start + ms(3_000), |_| Some(7_200_000)), 3_000);
        assert_eq!(clock.ticks(start + ms(4_000), |_| Some(7_200_500)), 3_500);
    }

    #[test]
    fn a_device_that_answers_no_more_has_no_more_time_than_a_look_apart() {
        let start = Instant::now();
        let clock = TickClock::new(0, start);
        assert_eq!(clock.ticks(start + ms(1_000), |_| Some(1_000)), 1_000);
        assert_eq!(clock.ticks(start + ms(1_100), |_| None), 1_100);
        let far = clock.ticks(start + ms(60_000), |_| None);
        assert_eq!(far, 2_000);
        assert_eq!(clock.ticks(start + ms(90_000), |_| None), far);
    }
}
