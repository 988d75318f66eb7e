// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wall time as ticks of a device (D8 of the architecture).
use std::num::NonZeroU64;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Least clock cycles between two ticks while the device works. A read of host memory may take 50
/// ticks: 3,200 cycles are several times what one takes behind all the others that can be under
/// way, however slow the model is.
const APART: u64 = 64;

/// What a tick of a simulated device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tick {
    /// So much wall time, for peers that live in it.
    Wall(Duration),
    /// So many cycles of the device's clock.
    Cycles(NonZeroU64),
}

impl Tick {
    /// Cycles of a tick that is cycles; none of one that is wall time.
    pub(crate) fn cycles(self) -> u64 {
        match self {
            Self::Wall(_) => 0,
            Self::Cycles(cycles) => cycles.get(),
        }
    }
}

impl Default for Tick {
    /// A millisecond of wall time.
    fn default() -> Self {
        Self::Wall(Duration::from_millis(1))
    }
}

/// Why a text is no tick.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no tick; write `wall` for a millisecond of wall time, or for example `cycles:156250`")]
pub struct NoTick(String);

impl FromStr for Tick {
    type Err = NoTick;

    /// `wall` or `cycles:N`.
    fn from_str(text: &str) -> Result<Self, NoTick> {
        let cycles = text.strip_prefix("cycles:").and_then(|n| n.parse().ok());
        match text {
            "wall" => Ok(Self::default()),
            _ => cycles.map(Self::Cycles).ok_or_else(|| NoTick(text.into())),
        }
    }
}

/// Says in which cycles the device's tick pin is high: one cycle for each period of wall time.
/// Ticks that are late because the device rested are given one after the other, so that none is
/// lost. For those that are late because the model is slow, one is given: what the device waits for
/// is as slow as it is, and no timer is to end sooner for it.
#[derive(Debug, Clone)]
pub struct WallTick {
    start: Instant,
    period: Duration,
    given: u64,
    /// Ticks up to this one are given in cycles that follow each other.
    hurried: u64,
    /// First cycle in which the next one may be given.
    free: u64,
}

impl WallTick {
    /// Ticks every `period` from now on; a period below a microsecond counts as one.
    pub fn new(period: Duration) -> Self {
        Self {
            start: Instant::now(),
            period: period.max(Duration::from_micros(1)),
            given: 0,
            hurried: 0,
            free: 0,
        }
    }

    /// Whether the pin is high in this cycle, at `now`.
    pub fn pin(&mut self, cycle: u64, now: Instant) -> bool {
        let due = self.due(now);
        let high = due > self.given && (self.is_hurried() || cycle >= self.free);
        if high {
            self.given = if self.is_hurried() { self.given + 1 } else { due };
            self.free = cycle + APART;
        }
        high
    }

    /// Wall time from `now` to the next tick; none left if one is due.
    pub fn left(&self, now: Instant) -> Duration {
        let ticks = u32::try_from(self.given + 1).unwrap_or(u32::MAX);
        (self.start + self.period * ticks).saturating_duration_since(now)
    }

    /// Ticks that are due at `now` follow each other at once: for a device that rested, so that
    /// nothing of it waits for an answer with a timeout. It counts ticks faster than it looks at
    /// timers.
    pub fn hurry(&mut self, now: Instant) {
        self.hurried = self.due(now);
    }

    /// Ticks that are due at `now` are not given any more: for a device that has no timer running.
    pub fn forgive(&mut self, now: Instant) {
        self.given = self.given.max(self.due(now));
    }

    /// The next tick follows the last one at once.
    pub fn is_hurried(&self) -> bool {
        self.given < self.hurried
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
    fn every_period_gives_one_pulse_and_late_ones_are_one_or_those_of_a_rest() {
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
        // three more are due, as the model was slow
        assert_eq!(pins(&mut tick, 200, 400, start + ms(4)), [200]);
        assert_eq!(tick.left(start + ms(4)), ms(1));
        assert_eq!(tick.left(start + ms(9)), Duration::ZERO);
        // those of a rest come at once
        tick.hurry(start + ms(9));
        assert_eq!(pins(&mut tick, 400, 500, start + ms(9)), [400, 401, 402, 403, 404]);
        assert!(!tick.is_hurried());
        // the next one keeps its distance
        assert_eq!(pins(&mut tick, 405, 500, start + ms(11)), [468]);
        assert_eq!(pins(&mut tick, 500, 600, start + ms(11)), [0; 0]);
        // those of a time in which nobody counted are not made up for
        tick.forgive(start + ms(20));
        assert_eq!(pins(&mut tick, 664, 700, start + ms(20)), [0; 0]);
        assert_eq!(pins(&mut tick, 700, 800, start + ms(21)), [700]);
    }

    #[test]
    fn a_tick_is_read_from_its_text() {
        assert_eq!("wall".parse(), Ok(Tick::Wall(Duration::from_millis(1))));
        assert_eq!("cycles:100".parse(), Ok(Tick::Cycles(NonZeroU64::new(100).unwrap())));
        for text in ["", "cycles", "cycles:", "cycles:0", "cycles:-1", "Wall"] {
            let told = text.parse::<Tick>().unwrap_err().to_string();
            assert!(told.starts_with(&format!("`{text}` is no tick; write")), "{told}");
        }
    }
}
