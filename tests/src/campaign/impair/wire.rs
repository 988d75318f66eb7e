// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the wire of a cell does to frames.
use super::cell::Factors;
use ferrowarp_sim::link::{Fate, Sent};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Nanoseconds of the longest frame at 10 Gb/s, preamble and gap included.
const FRAME_NS: u64 = 1_231;

/// The fate of each frame, drawn from a seed.
pub fn hook(factors: &Factors, seed: u64) -> impl FnMut(&Sent<'_>) -> Fate + Send + 'static {
    let factors = *factors;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    move |sent| fate(&factors, &mut rng, sent.data)
}

fn fate(factors: &Factors, rng: &mut ChaCha8Rng, data: &[u8]) -> Fate {
    let draw = rng.random_range(0..1_000_000_u32);
    let bit = rng.random_range(0..data.len().max(1) * 8);
    let held_ns = rng.random_range(FRAME_NS / 4..FRAME_NS * factors.depth.max(1) + FRAME_NS / 2);
    let mut upto = 0;
    let mut is = |odds: u32| {
        upto += odds;
        draw < upto
    };
    if is(factors.loss) {
        Fate::Drop
    } else if is(factors.twice) {
        Fate::Duplicate
    } else if is(factors.corrupt) {
        Fate::Corrupt(bit as u64)
    } else if is(factors.flipped) {
        let mut octets = data.to_vec();
        octets.iter_mut().skip(bit / 8).take(1).for_each(|octet| *octet ^= 1 << (bit % 8));
        Fate::Replace(octets)
    } else if is(factors.held) {
        Fate::Delay(held_ns)
    } else {
        Fate::Deliver
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fates_come_as_often_as_the_cell_says() {
        let quiet = Factors::of(&[0; 11]);
        let factors = Factors { loss: 50_000, flipped: 10_000, held: 50_000, depth: 8, ..quiet };
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let data = [7; 100];
        let fates: Vec<_> = (0..20_000).map(|_| fate(&factors, &mut rng, &data)).collect();
        let share = |of: fn(&Fate) -> bool| fates.iter().filter(|f| of(f)).count() as f64 / 20_000.0;
        let flips = |octets: &[u8]| octets.iter().map(|o| (o ^ 7).count_ones()).sum::<u32>();
        for (got, want) in [
            (share(|f| *f == Fate::Drop), 0.05),
            (share(|f| matches!(f, Fate::Replace(_))), 0.01),
            (share(|f| matches!(f, Fate::Delay(ns) if *ns < 9 * FRAME_NS)), 0.05),
        ] {
            assert!((got / want - 1.0).abs() < 0.2, "{got} of {want}");
        }
        assert!(fates.iter().all(|f| !matches!(f, Fate::Replace(octets) if flips(octets) != 1)));
        assert_eq!(fate(&quiet, &mut rng, &data), Fate::Deliver);
    }
}
