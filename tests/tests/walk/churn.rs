// SPDX-License-Identifier: MIT OR Apache-2.0
//! A walk of connections that come and go under one number.
use ferrowarp_sim::{run_pair_on, seeds};
use ferrowarp_tests::churn::churn;
use ferrowarp_tests::device::{library, link};

/// Connections in a walk, but for the last one.
const ROUNDS: usize = 5;

#[test]
fn connections_come_and_go_under_one_number() {
    let library = library().expect("the device's model");
    for seed in seeds(0..24, 0..1_000) {
        run_pair_on("churn", &library, link(), seed, |pair| churn(pair, seed, ROUNDS).map(drop));
    }
}
