// SPDX-License-Identifier: MIT OR Apache-2.0
//! A hook that spoils frames at random.
use super::{Fate, Sent};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::Duration;

/// Longest time for which a frame is held back that others are to pass. Some sixteen of the longest
/// ones pass at 10 Gb/s.
pub(crate) const LONGEST_HOLD: Duration = Duration::from_micros(20);

/// How many of a million frames meet each fate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Odds {
    /// Not delivered.
    pub drop: u32,
    /// Delivered twice.
    pub duplicate: u32,
    /// One bit inverted, FCS bad.
    pub corrupt: u32,
    /// Held back.
    pub delay: u32,
    /// Most nanoseconds that a frame is held back.
    pub longest_delay_ns: u64,
}

/// Draws the fate of each frame from a seed; give `move |sent| impair.fate(sent)` to
/// [`super::Link::set_hook`].
#[derive(Debug, Clone)]
pub struct Impair {
    odds: Odds,
    rng: ChaCha8Rng,
}

impl Impair {
    /// Odds that add up to more than a million never deliver a frame unharmed.
    pub fn new(seed: u64, odds: Odds) -> Self {
        Self { odds, rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// The fate of the next frame.
    pub fn fate(&mut self, sent: &Sent<'_>) -> Fate {
        let odds = self.odds;
        let mut draw = self.rng.random_range(0..1_000_000_u32);
        let bits = (sent.data.len() as u64 * 8).max(1);
        let fates = [
            (odds.drop, Fate::Drop),
            (odds.duplicate, Fate::Duplicate),
            (odds.corrupt, Fate::Corrupt(self.rng.random_range(0..bits))),
            (odds.delay, Fate::Delay(self.rng.random_range(0..=odds.longest_delay_ns))),
        ];
        for (share, fate) in fates {
            if draw < share {
                return fate;
            }
            draw -= share;
        }
        Fate::Deliver
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::Side;

    #[test]
    fn fates_come_as_often_as_the_odds_say_and_repeat_with_the_seed() {
        let odds =
            Odds { drop: 10_000, duplicate: 20_000, corrupt: 30_000, delay: 40_000, longest_delay_ns: 9 };
        let sent = Sent { from: Side::A, index: 0, at_ps: 0, data: &[0; 60] };
        let draw = |seed| {
            let mut impair = Impair::new(seed, odds);
            (0..20_000).map(|_| impair.fate(&sent)).collect::<Vec<_>>()
        };
        let fates = draw(5);
        let share = |which: fn(&Fate) -> bool| fates.iter().filter(|f| which(f)).count() as f64 / 20_000.0;
        let shares = [
            (share(|f| *f == Fate::Drop), 0.01),
            (share(|f| *f == Fate::Duplicate), 0.02),
            (share(|f| matches!(f, Fate::Corrupt(bit) if *bit < 480)), 0.03),
            (share(|f| matches!(f, Fate::Delay(ns) if *ns <= 9)), 0.04),
            (share(|f| *f == Fate::Deliver), 0.9),
        ];
        assert!(shares.iter().all(|(got, want)| (got / want - 1.0).abs() < 0.2), "{shares:?}");
        assert_eq!(draw(5), fates);
        assert_ne!(draw(6), fates);
    }
}
