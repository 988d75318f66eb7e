// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs as lists of places, and what becomes of such lists by chance.
//!
//! A place is a draw: the slot of a stream that it fills, and one of many FPDUs for this slot. A
//! variation of a run has the same slots or fewer, so no stream is longer than a fresh one.
use super::shape::{stream_of, CELLS, STREAMS, UNITS};
use crate::campaign::run::Run;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::LazyLock;

/// Runs that reached lines of the hardware that none before them had reached.
pub const CORPUS: &str = include_str!("../../../data/campaign-corpus.txt");
/// Draws of a slot.
const DRAWS: usize = 400;
/// Changes of a variation at most.
const CHANGES: usize = 6;
/// Bits of a seed.
const SEED_BITS: u32 = 48;

/// Half of the runs that are drawn vary a run of the corpus instead.
pub fn varied(run: Run) -> Run {
    static KEPT: LazyLock<Vec<Run>> = LazyLock::new(|| Run::listed(CORPUS).unwrap_or_default());
    let mut rng = ChaCha8Rng::seed_from_u64(run.seed);
    match rng.random() {
        true => run,
        false => variation(&mut rng, &KEPT).unwrap_or(run),
    }
}

/// A run that owes nothing to others.
pub fn fresh(rng: &mut ChaCha8Rng, part: &str) -> Run {
    let (cell, seed) = (rng.random_range(0..CELLS.len()), rng.random::<u64>() >> (u64::BITS - SEED_BITS));
    Run { part: part.into(), cell, seed, only: None }
}

/// A run of the corpus, changed in a few ways; none of an empty corpus.
pub fn variation(rng: &mut ChaCha8Rng, corpus: &[Run]) -> Option<Run> {
    if corpus.is_empty() {
        return None;
    }
    let any = |rng: &mut ChaCha8Rng| &corpus[rng.random_range(0..corpus.len())];
    let mut run = any(rng).clone();
    let mut places = run.places(STREAMS * UNITS);
    for _ in 0..rng.random_range(1..=CHANGES) {
        if places.is_empty() {
            break;
        }
        let at = rng.random_range(0..places.len());
        match rng.random_range(0..8) {
            // another draw for a slot
            0..=3 => {
                places[at] = places[at] % (STREAMS * UNITS) + STREAMS * UNITS * rng.random_range(0..DRAWS)
            }
            // two FPDUs of a stream change places
            4 => {
                let with = rng.random_range(0..places.len());
                if stream_of(places[at]) == stream_of(places[with]) {
                    places.swap(at, with);
                }
            }
            5 => drop(places.remove(at)),
            // a stream as another run has it
            6 => {
                let taken = rng.random_range(0..STREAMS);
                places.retain(|&place| stream_of(place) != taken);
                places
                    .extend(any(rng).places(STREAMS * UNITS).into_iter().filter(|&p| stream_of(p) == taken));
            }
            _ => run.cell = rng.random_range(0..CELLS.len()),
        }
    }
    Some(run.with(&places))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corpus_is_read() {
        let kept = Run::listed(CORPUS).unwrap();
        let is_right = |run: &Run| run.part == "F3-grammar" && run.cell < CELLS.len();
        assert!(kept.iter().all(is_right));
    }

    #[test]
    fn no_stream_of_a_variation_is_longer_than_a_fresh_one() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut corpus: Vec<_> = (0..4).map(|_| fresh(&mut rng, "F3-grammar")).collect();
        for _ in 0..500 {
            let run = variation(&mut rng, &corpus).unwrap();
            let places = run.places(0);
            for nth in 0..STREAMS {
                assert!(places.iter().filter(|&&place| stream_of(place) == nth).count() <= UNITS);
            }
            assert!(places.iter().all(|&place| place < STREAMS * UNITS * DRAWS));
            assert_eq!(run.to_string().parse(), Ok(run.clone()));
            let at = rng.random_range(0..corpus.len());
            corpus[at] = run;
        }
        assert_eq!(variation(&mut rng, &[]), None);
    }
}
