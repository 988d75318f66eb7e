// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs as lists of places, and what becomes of such lists by chance.
//!
//! A place is a draw: the stream that it belongs to, and one of many FPDUs. A variation of a run
//! has as many places in each stream as the run, or fewer.
use super::shape::{stream_of, CELLS, STREAMS, UNITS};
use crate::campaign::run::{Run, SEED_BITS};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::LazyLock;

/// Runs that reached blocks of the device's text that none before them had reached.
pub const CORPUS: &str = include_str!("../../../data/campaign-corpus.txt");
/// Places of a run without a list.
const ALL: usize = STREAMS * UNITS;
/// Draws of a place. The grammar has 16 bits of a seed for all places.
const DRAWS: usize = 400;
const _: () = assert!(ALL * DRAWS < 1 << 16);
/// Changes of a variation at most, and how often a variation is drawn that may change nothing.
const CHANGES: usize = 6;
const TRIES: usize = 8;

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
    Run { part: part.into(), cell: rng.random_range(0..CELLS.len()), seed: seed(rng), only: None }
}

fn seed(rng: &mut ChaCha8Rng) -> u64 {
    rng.random::<u64>() >> (u64::BITS - SEED_BITS)
}

/// A run of the corpus, changed in a few ways. None if the corpus is empty, or no try changed
/// anything.
pub fn variation(rng: &mut ChaCha8Rng, corpus: &[Run]) -> Option<Run> {
    let kept = corpus.choose(rng)?;
    let parent = kept.with(&kept.places(ALL));
    (0..TRIES).map(|_| changed(rng, &parent)).find(|run| *run != parent)
}

/// The run with some changes, which may take each other back.
fn changed(rng: &mut ChaCha8Rng, parent: &Run) -> Run {
    let (mut run, mut places) = (parent.clone(), parent.places(ALL));
    for _ in 0..rng.random_range(1..=CHANGES) {
        if places.is_empty() {
            break;
        }
        let at = rng.random_range(0..places.len());
        match rng.random_range(0..8) {
            // another draw of the same stream
            0..=3 => places[at] = places[at] % ALL + ALL * rng.random_range(0..DRAWS),
            // two FPDUs of a stream change places
            4 => {
                let with = rng.random_range(0..places.len());
                if stream_of(places[at]) == stream_of(places[with]) {
                    places.swap(at, with);
                }
            }
            5 => drop(places.remove(at)),
            // all draws, regions and connections anew
            6 => run.seed = seed(rng),
            _ => run.cell = rng.random_range(0..CELLS.len()),
        }
    }
    run.with(&places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corpus_is_read() {
        let kept = Run::listed(CORPUS).unwrap();
        assert!(!kept.is_empty());
        for run in kept {
            assert!(run.part == "F3-grammar" && run.cell < CELLS.len(), "{run}");
            assert!(run.places(ALL).iter().all(|&place| place < ALL * DRAWS), "{run}");
        }
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
            assert!(places.iter().all(|&place| place < ALL * DRAWS));
            assert_eq!(run.to_string().parse(), Ok(run.clone()));
            let at = rng.random_range(0..corpus.len());
            corpus[at] = run;
        }
        assert_eq!(variation(&mut rng, &[]), None);
    }

    #[test]
    fn about_half_of_the_drawn_runs_are_variations_and_each_is_always_the_same() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let drawn: Vec<_> = (0..200).map(|_| fresh(&mut rng, "F3-grammar")).collect();
        let run: Vec<_> = drawn.iter().cloned().map(varied).collect();
        let count = run.iter().zip(&drawn).filter(|(run, drawn)| run != drawn).count();
        assert!((70..=130).contains(&count), "{count} of 200");
        assert_eq!(drawn.into_iter().map(varied).collect::<Vec<_>>(), run);
    }
}
