// SPDX-License-Identifier: MIT OR Apache-2.0
//! A walk of floods beside a transfer: of frames that hardware answers, drops or hands over, and of
//! frames that firmware answers.
use ferrowarp_sim::{run_pair_on, seeds};
use ferrowarp_tests::device::{library, link};
use ferrowarp_tests::flood::{bare, whole, Beside, Flood, Whole};
use std::fmt::Debug;

/// Floods of bare devices and of devices with firmware, in the order of seeds.
const BARE: [Flood; 8] = [
    Flood::War,
    Flood::Outside,
    Flood::BadAcks,
    Flood::Gaps,
    Flood::Challenges,
    Flood::Rubbish,
    Flood::Arp,
    Flood::WrongCrcs,
];
const WHOLE: [Whole; 4] = [Whole::Datagrams, Whole::Syns, Whole::Strays, Whole::OldFins];

/// With `--nocapture` the figures of each flood are seen.
fn show(flood: impl Debug, beside: Beside) {
    eprintln!("{flood:?}: rate {:.3}, {beside:?}", beside.rate());
}

#[test]
fn a_transfer_beside_floods() {
    let library = library().expect("the device's model");
    for seed in seeds(0..24, 0..1_000) {
        let nth = seed as usize % (BARE.len() + WHOLE.len());
        match BARE.get(nth) {
            Some(&flood) => run_pair_on("floods", &library, link(), seed, |pair| {
                bare(pair, seed, flood).map(|beside| show(flood, beside))
            }),
            None => {
                let flood = WHOLE[nth - BARE.len()];
                let beside = whole(seed, flood).unwrap_or_else(|why| {
                    panic!(
                        "{flood:?}, seed {seed}: {why}\nrepeat: FERROWARP_SEED={seed} cargo test -p ferrowarp-tests --test walk floods"
                    )
                });
                show(flood, beside);
            }
        }
    }
}
