// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a link goes down and comes up by itself.
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::str::FromStr;

/// Picoseconds of a microsecond.
const US_PS: u64 = 1_000_000;
/// Longest time of either kind, in microseconds: a minute.
const LONGEST_US: u64 = 60_000_000;

/// Flaps of a link in simulated time, as text: `every=5000,down=1-3000,seed=7`.
///
/// The times are microseconds. The link is up for half of `every` to one and a half of `every`, and
/// then down for a time between the two of `down`. Short and long times are as likely: each octave
/// has the same share. `down=50` is always the same time. Without `seed` the seed is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flaps {
    every_us: u64,
    down_us: [u64; 2],
    seed: u64,
}

/// Why a text has no flaps.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` does not describe flaps of a link: {why}; write for example every=5000,down=1-3000,seed=7, in microseconds")]
pub struct NoFlaps {
    /// What was given.
    pub text: String,
    /// What is wrong with the text.
    pub why: String,
}

fn time(text: &str) -> Result<u64, String> {
    let us = text.parse().ok().filter(|us| (1..=LONGEST_US).contains(us));
    us.ok_or_else(|| format!("`{text}` is no time of 1 to {LONGEST_US} microseconds"))
}

impl Flaps {
    fn read(text: &str) -> Result<Self, String> {
        let (mut every, mut down, mut seed) = (None, None, None);
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| format!("`{part}` has no `=`"))?;
            let was = match key {
                "every" => every.replace(time(value)?).is_some(),
                "down" => {
                    let (least, most) = value.split_once('-').unwrap_or((value, value));
                    down.replace([time(least)?, time(most)?]).is_some()
                }
                "seed" => {
                    let number =
                        value.parse().map_err(|_| format!("the seed `{value}` is no whole number"))?;
                    seed.replace(number).is_some()
                }
                _ => return Err(format!("there is no key `{key}`; the keys are every, down, seed")),
            };
            if was {
                return Err(format!("`{key}` is given twice"));
            }
        }
        let every_us = every.ok_or("`every` is missing")?;
        let down_us: [u64; 2] = down.ok_or("`down` is missing")?;
        if down_us[0] > down_us[1] {
            return Err(format!(
                "the longest down time, {}, is below the shortest, {}",
                down_us[1], down_us[0]
            ));
        }
        Ok(Self { every_us, down_us, seed: seed.unwrap_or(0) })
    }
}

impl FromStr for Flaps {
    type Err = NoFlaps;

    fn from_str(text: &str) -> Result<Self, NoFlaps> {
        Self::read(text).map_err(|why| NoFlaps { text: text.into(), why })
    }
}

/// Flaps that are drawn one after the other.
#[derive(Debug, Clone)]
pub(super) struct Drawn {
    flaps: Flaps,
    rng: ChaCha8Rng,
    /// When the link goes down next.
    next_ps: u64,
}

impl Drawn {
    /// Of a link that is up at `at_ps`.
    pub(super) fn new(at_ps: u64, flaps: &Flaps) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(flaps.seed);
        let mut drawn = Self { flaps: *flaps, rng, next_ps: at_ps };
        drawn.next_ps += drawn.up_ps();
        drawn
    }

    /// When the flap begins that [`Drawn::draw`] gives next.
    pub(super) fn next_ps(&self) -> u64 {
        self.next_ps
    }

    /// When the link goes down next, and when it comes up again.
    pub(super) fn draw(&mut self) -> [(u64, bool); 2] {
        let [least, most] = self.flaps.down_us.map(|us| (us * US_PS) as f64);
        let down_ps = (least.ln() + (most.ln() - least.ln()) * self.rng.random::<f64>()).exp() as u64;
        let (down, up) = (self.next_ps, self.next_ps + down_ps.max(1));
        self.next_ps = up + self.up_ps();
        [(down, false), (up, true)]
    }

    /// For how long the link stays up.
    fn up_ps(&mut self) -> u64 {
        let every_ps = self.flaps.every_us * US_PS;
        self.rng.random_range(every_ps / 2..=every_ps + every_ps / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn down_times_are_of_all_lengths_and_repeat_with_the_seed() {
        let draw = |text: &str| {
            let mut drawn = Drawn::new(0, &text.parse().unwrap());
            (0..2_000).map(|_| drawn.draw()).collect::<Vec<_>>()
        };
        let all = draw("every=50,down=1-4096,seed=3");
        let length_us = |[down, up]: &[(u64, bool); 2]| (up.0 - down.0) / US_PS;
        let octaves: Vec<_> = (0..12)
            .map(|n| all.iter().filter(|flap| length_us(flap).checked_ilog2() == Some(n)).count())
            .collect();
        // about 167 in each octave
        assert!(octaves.iter().all(|count| (120..220).contains(count)), "{octaves:?}");
        let up_us = |pair: &[[(u64, bool); 2]]| (pair[1][0].0 - pair[0][1].0) / US_PS;
        assert!(all.windows(2).all(|pair| (25..=75).contains(&up_us(pair))));
        assert!(all.iter().all(|[down, up]| !down.1 && up.1));
        assert_eq!(draw("every=50,down=1-4096,seed=3"), all);
        assert_ne!(draw("every=50,down=1-4096"), all);
        assert!(draw("every=1,down=7").iter().all(|flap| (6..=7).contains(&length_us(flap))));
    }

    #[test]
    fn what_says_no_flaps_is_refused_with_its_text_and_what_to_write() {
        for (text, why) in [
            ("", "`every` is missing"),
            ("every=5", "`down` is missing"),
            ("every", "`every` has no `=`"),
            ("every=0,down=1", "`0` is no time of 1 to 60000000 microseconds"),
            ("every=1,down=60000001", "`60000001` is no time"),
            ("every=1,down=9-3", "the longest down time, 3, is below the shortest, 9"),
            ("every=1,down=1,seed=x", "the seed `x`"),
            ("every=1,every=2,down=1", "`every` is given twice"),
            ("every=1,down=1,up=3", "there is no key `up`; the keys are every, down, seed"),
        ] {
            let told = text.parse::<Flaps>().unwrap_err().to_string();
            assert!(
                told.starts_with(&format!("`{text}` does not describe flaps")) && told.contains(why),
                "{told}"
            );
            assert!(told.contains("every=5000,down=1-3000,seed=7"), "{told}");
        }
    }
}
