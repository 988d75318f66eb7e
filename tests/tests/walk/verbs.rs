// SPDX-License-Identifier: MIT OR Apache-2.0
//! A walk over verbs: objects come and go in any order, with work requests of each kind and with
//! sinks held at random. A walk that fails is cut down to the steps that it needs, and tells the
//! line that repeats these.
use ferrowarp_sim::{run_pair_on, seeds, try_pair_on, Library};
use ferrowarp_tests::device::{library, link};
use ferrowarp_tests::shrink::least;
use ferrowarp_tests::verbs::{run, steps, Step, Tally};
use std::cell::Cell;
use std::sync::Arc;

/// Steps of a walk, about.
const STEPS: usize = 300;
/// Walks that are tried to find the least one.
const TRIES: usize = 400;
/// Places of the steps of a seed that are performed, with commas between; all if it is not set.
const PLACES: &str = "FERROWARP_OPS";

/// What of a sequence is performed.
fn chosen(count: usize) -> Vec<usize> {
    let number = |text: &str| text.trim().parse().unwrap_or_else(|_| panic!("{PLACES}: {text} is no place"));
    match std::env::var(PLACES) {
        Ok(text) => text.split(',').map(number).filter(|&place| place < count).collect(),
        Err(_) => (0..count).collect(),
    }
}

/// One walk; what it came to.
fn walk(library: &Arc<Library>, seed: u64, steps: &[Step]) -> Result<Tally, String> {
    let tally = Cell::new(Tally::default());
    try_pair_on(library, link(), seed, |pair| {
        tally.set(run(pair, seed, steps.iter().copied())?);
        Ok(())
    })?;
    Ok(tally.get())
}

/// Cuts the walk of a seed that failed down, and fails with what is left.
fn fail(library: &Arc<Library>, seed: u64, all: &[Step], places: &[usize], whole: &str) {
    let part = |of: &[usize]| -> Vec<Step> { of.iter().map(|&n| all[places[n]]).collect() };
    let kept = least(places.len(), TRIES, |of| walk(library, seed, &part(of)).is_err());
    let steps = part(&kept);
    let kept: Vec<_> = kept.iter().map(|&n| places[n].to_string()).collect();
    let list: Vec<_> = kept.iter().zip(&steps).map(|(n, step)| format!("{n:>4} {step:?}")).collect();
    let told = format!(
        "\n{} of {} steps are enough:\n{}\nthey alone: {PLACES}={} FERROWARP_SEED={seed} cargo test -p \
         ferrowarp-tests --test walk verbs\nall of them ended with: {whole}",
        kept.len(),
        places.len(),
        list.join("\n"),
        kept.join(",")
    );
    run_pair_on("verbs", library, link(), seed, |pair| {
        run(pair, seed, steps.iter().copied()).map(drop).map_err(|why| format!("{why}{told}"))
    });
}

#[test]
fn verbs_in_any_order() {
    let library = library().expect("the device's model");
    let seeds = seeds(0..24, 0..1_000);
    let mut all = Tally::default();
    for &seed in &seeds {
        let steps = steps(seed, STEPS);
        let places = chosen(steps.len());
        let part: Vec<_> = places.iter().map(|&n| steps[n]).collect();
        match walk(&library, seed, &part) {
            Ok(tally) => all += tally,
            Err(whole) => fail(&library, seed, &steps, &places, &whole),
        }
    }
    eprintln!("{all:?}");
    // one walk need not have all of it
    assert!(seeds.len() < 24 || all.is_full(), "what walks are for is too rare: {all:?}");
}
