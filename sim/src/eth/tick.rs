//! Wall time as ticks of a device (D8 of the architecture).
use std::time::{Duration, Instant};

/// Clock cycles between two ticks when several are due: the device walks through its timers after each.
const APART: u64 = 32;

/// Says in which cycles the device's tick pin is high: one cycle for each period of wall time. Ticks that are late, as
/// the model was slow or asleep, are given one after the other, so that none is lost.
#[derive(Debug, Clone)]
pub struct WallTick {
    start: Instant,
    period: Duration,
    given: u64,
    /// First cycle in which the next one may be given.
    free: u64,
}

impl WallTick {
    /// Ticks every `period` from now on; a period below a microsecond counts as one.
    pub fn new(period: Duration) -> Self {
        Self { start: Instant::now(), period: period.max(Duration::from_micros(1)), given: 0, free: 0 }
    }

    /// Whether the pin is high in this cycle, at `now`.
    pub fn pin(&mut self, cycle: u64, now: Instant) -> bool {
        let high = cycle >= self.free && self.due(now) > self.given;
        if high {
            self.given += 1;
            self.free = cycle + APART;
        }
        high
    }

    /// Wall time from `now` to the next tick; none left if one is due.
    pub fn left(&self, now: Instant) -> Duration {
        let ticks = u32::try_from(self.given + 1).unwrap_or(u32::MAX);
        (self.start + self.period * ticks).saturating_duration_since(now)
    }

    /// Ticks that are due at `now` are not given any more.
    pub fn forgive(&mut self, now: Instant) {
        self.given = self.given.max(self.due(now));
    }

    /// Ticks from the start to `now`.
    fn due(&self, now: Instant) -> u64 {
        let passed = now.saturating_duration_since(self.start).as_nanos() / self.period.as_nanos();
        u64::try_from(passed).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_period_gives_one_pulse_and_late_ones_follow_apart() {
        let ms = Duration::from_millis;
        let mut tick = WallTick::new(ms(1));
        let start = tick.start;
        let pins = |tick: &mut WallTick, from: u64, to: u64, now| -> Vec<u64> {
            (from..to).filter(|&cycle| tick.pin(cycle, now)).collect()
        };
        assert_eq!(pins(&mut tick, 0, 100, start), [0; 0]);
        assert_eq!(tick.left(start), ms(1));
        assert_eq!(pins(&mut tick, 100, 200, start + ms(1)), [100]);
        assert_eq!(tick.left(start + Duration::from_micros(1_250)), Duration::from_micros(750));
        // three more are due at once
        assert_eq!(pins(&mut tick, 200, 400, start + ms(4)), [200, 232, 264]);
        assert_eq!(tick.left(start + ms(4)), ms(1));
        assert_eq!(tick.left(start + ms(9)), Duration::ZERO);
        // those of a time in which nobody counted are not made up for
        tick.forgive(start + ms(9));
        assert_eq!(pins(&mut tick, 400, 500, start + ms(9)), [0; 0]);
        assert_eq!(pins(&mut tick, 500, 600, start + ms(10)), [500]);
    }
}
