// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions of a program of libibverbs on its data path by callgrind: a request of an
//! `ibv_post_send` that posts sixteen Sends of one segment each with one doorbell, and a completion
//! of an `ibv_poll_cq` that finds sixteen.
//! Both go through the functions of the context, as the inline functions of `infiniband/verbs.h`
//! do (`driver/dropin/src/tests/measured.rs`).
use super::driver::{counted, tests_of};
use super::key::{Bar, Bench, Key, Record};
use crate::built::built;

/// Requests that the test posts and polls.
const MEASURED: f64 = 1024.0;
/// The test that calls both functions.
const TEST: &str = "tests::measured::a_program_posts_and_polls_through_its_context";
/// Function that callgrind counts, and its key.
const FUNCTIONS: [(&str, &str); 2] = [
    ("measured_ibv_post_send", "dropin.post_send.instructions"),
    ("measured_ibv_poll_cq", "dropin.poll_cq.instructions"),
];
/// What a request may take in either.
const MOST: f64 = 150.0;

/// The bench.
pub fn bench() -> Bench {
    let key = |(_, name): (_, &str)| Key { name: name.into(), bar: Bar::AtMost(MOST) };
    Bench { name: "dropin", keys: FUNCTIONS.map(key).into(), run }
}

fn run(record: &mut Record) -> Result<(), String> {
    // the test starts it
    built("ferrowarp-sim");
    let program = tests_of("ferrowarp-dropin")?;
    for (function, key) in FUNCTIONS {
        record.put(key, counted(&program, function, TEST)? / MEASURED);
    }
    Ok(())
}
