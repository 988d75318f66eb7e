//! A walk over verbs: objects come and go in any order, with work requests of each kind and with sinks held at random. A walk that
//! fails is cut down to the operations that it needs, and tells the line that repeats these.
use ferrowarp_sim::{run_pair_on, seeds, try_pair_on};
use ferrowarp_tests::device::{library, link};
use ferrowarp_tests::shrink::least;
use ferrowarp_tests::verbs::{run, steps, Step};

/// Operations of a walk, about.
const STEPS: usize = 200;
/// Walks that are tried to find the least one.
const TRIES: usize = 400;
/// Places of the operations of a seed that are performed, with commas between; all if it is not set.
const PLACES: &str = "FERROWARP_OPS";

/// What of a sequence is performed.
fn chosen(count: usize) -> Vec<usize> {
    let number = |text: &str| text.trim().parse().unwrap_or_else(|_| panic!("{PLACES}: {text} is no place"));
    match std::env::var(PLACES) {
        Ok(text) => text.split(',').map(number).filter(|&place| place < count).collect(),
        Err(_) => (0..count).collect(),
    }
}

#[test]
fn verbs_in_any_order() {
    let library = library().expect("the device's model");
    for seed in seeds(0..24, 0..1_000) {
        let ops = steps(seed, STEPS);
        let part = |places: &[usize]| -> Vec<Step> { places.iter().map(|&n| ops[n]).collect() };
        let walk =
            |ops: Vec<Step>| try_pair_on(&library, link(), seed, |pair| run(pair, seed, ops.iter().copied()));
        let all = chosen(ops.len());
        let Err(whole) = walk(part(&all)) else { continue };
        let kept =
            least(all.len(), TRIES, |places| walk(places.iter().map(|&n| ops[all[n]]).collect()).is_err());
        let kept: Vec<_> = kept.into_iter().map(|n| all[n]).collect();
        let list: Vec<_> = kept.iter().map(|n| format!("{n:3} {:?}", ops[*n])).collect();
        let places: Vec<_> = kept.iter().map(ToString::to_string).collect();
        let told = format!(
            "\n{} of {} operations are enough:\n{}\nthey alone: {PLACES}={} FERROWARP_SEED={seed} cargo test -p ferrowarp-tests \
             --test walk_verbs\nall of them ended with: {whole}",
            kept.len(),
            all.len(),
            list.join("\n"),
            places.join(",")
        );
        run_pair_on("verbs", &library, link(), seed, |pair| {
            run(pair, seed, part(&kept)).map_err(|why| format!("{why}{told}"))
        });
    }
}
