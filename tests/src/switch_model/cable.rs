// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a cable does to frames, from the same random numbers.
use super::{Counts, Frame, Port, MILLION};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Nanoseconds that a frame is held back at most.
const HELD: u64 = 20_000;

/// One way of a cable.
pub struct Cable {
    rng: ChaCha8Rng,
    odds: [u32; 4],
    extra: u64,
}

impl Cable {
    /// The way out of the switch, or into it.
    pub fn new(port: &Port, out: bool) -> Self {
        let seed = if out { port.seed ^ 0x8000_0000_0000_0000 } else { port.seed };
        Self { rng: ChaCha8Rng::seed_from_u64(seed), odds: port.odds, extra: port.extra }
    }

    /// The frames that come out, with what happened counted. Each frame takes three numbers.
    pub fn carry(&mut self, mut frame: Frame, counts: &mut Counts) -> Vec<Frame> {
        let draw = self.rng.random_range(0..MILLION);
        let bit = self.rng.random_range(0..frame.data.len() as u64 * 8);
        let held = self.rng.random_range(0..=HELD);
        frame.at += self.extra;
        let [loss, double, spoil, hold] = self.odds;
        if draw < loss {
            counts.lost += 1;
            return vec![];
        }
        if draw < loss + double {
            counts.duplicated += 1;
            return vec![frame.clone(), frame];
        }
        if draw < loss + double + spoil {
            counts.spoilt += 1;
            frame.data[bit as usize / 8] ^= 1 << (bit % 8);
            frame.bad = true;
        } else if draw < loss + double + spoil + hold {
            counts.held += 1;
            frame.at += held * 1_000;
        }
        vec![frame]
    }
}
