// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is decided, without threads and devices.
use super::*;
use crate::rnic::line;
use ferrowarp_hdl::config::{Config, Profile};

const BLOCK: u64 = 76;
const TWO: u64 = 2 * BLOCK;

fn conductor(waits: [Duration; 2]) -> (Conductor, Arc<Shared>) {
    let shared = Shared::new().unwrap();
    let fabric = Fabric::new(&line(&Config::profile(Profile::TenG)), None, None).unwrap();
    (Conductor::new(fabric, waits, 156_250, shared.clone()), shared)
}

fn run(until: u64) -> Turn {
    Turn::Run { until, rested: None }
}

/// It passed over the last block.
fn stood(cycle: u64, wakes: u64) -> Vote {
    Vote { cycle, stood: true, wakes, ..Vote::default() }
}

#[test]
fn all_pass_over_what_none_of_them_needs() {
    let (mut all, _shared) = conductor([Duration::ZERO; 2]);
    let moves = Vote { cycle: 0, ..Vote::default() };
    assert_eq!(all.decide(&[moves, stood(0, FREE)]), run(BLOCK));
    // the first one of them to wake
    assert_eq!(all.decide(&[stood(BLOCK, 9_000), stood(BLOCK, 5_000)]), Turn::Ask { limit: 5_000 });
    let until = |still_until| Vote { still_until, ..stood(BLOCK, 0) };
    assert_eq!(all.decide(&[until(4_000), until(3_008)]), Turn::Skip { to: 3_008 });
    assert_eq!(all.decide(&[Vote { cycle: 3_008, ..Vote::default() }; 2]), run(3_008 + BLOCK));
    // one cannot pass over anything
    assert_eq!(
        all.decide(&[stood(3_008 + BLOCK, FREE); 2]),
        Turn::Ask { limit: 20 * 156_250 + 3_008 + BLOCK }
    );
    assert_eq!(all.decide(&[until(9_000), until(3_008 + BLOCK)]), run(3_008 + 2 * BLOCK));
}

#[test]
fn time_stands_until_patience_is_over_or_an_order_comes() {
    let patience = Duration::from_millis(200);
    let (mut all, shared) = conductor([patience, Duration::ZERO]);
    let start = Instant::now();
    assert_eq!(all.decide(&[stood(BLOCK, FREE); 2]), Turn::Look);
    assert!(start.elapsed() >= patience);
    assert!(matches!(all.decide(&[stood(BLOCK, FREE); 2]), Turn::Ask { .. }));
    let (mut all, _) = (conductor([Duration::from_secs(60), Duration::ZERO]), shared);
    rustix::io::write(&all.1.wake, &1_u64.to_ne_bytes()).unwrap();
    assert_eq!(all.0.decide(&[stood(BLOCK, FREE); 2]), Turn::Look);
    // that was an order
    let ordered = Vote { touched: true, stood: false, ..stood(BLOCK, FREE) };
    assert_eq!(all.0.decide(&[ordered, stood(BLOCK, FREE)]), run(TWO));
}

#[test]
fn time_stands_while_software_is_about_to_answer() {
    let think = Duration::from_millis(100);
    let (mut all, shared) = conductor([Duration::ZERO, think]);
    let start = Instant::now();
    let told = Vote { cycle: BLOCK, word: Some(Word::Other), ..Vote::default() };
    let quiet = Vote { member: 1, word: None, ..told };
    assert_eq!(all.decide(&[told, quiet]), Turn::Look);
    assert!(start.elapsed() >= think);
    assert_eq!(all.decide(&[Vote { word: None, ..told }, quiet]), run(TWO));
    // who waits for an answer does not think, and the answer is given soon: other threads have a
    // moment
    let asks = Vote { word: Some(Word::Question), asked: true, ..told };
    rustix::io::write(&shared.wake, &1_u64.to_ne_bytes()).unwrap();
    assert_eq!(all.decide(&[told, quiet]), Turn::Look);
    let start = Instant::now();
    assert_eq!(all.decide(&[asks, quiet]), Turn::Look);
    let waited = start.elapsed();
    assert!(waited >= GLANCE && waited < think, "{waited:?}");
    assert_eq!(all.decide(&[Vote { word: None, ..asks }, quiet]), run(BLOCK + LOOK_EVERY));
}

#[test]
fn a_held_clock_stands_where_it_is_to_stand() {
    let (mut all, shared) = conductor([Duration::ZERO; 2]);
    let holder = shared.clone();
    let held = std::thread::spawn(move || holder.run_until(90).unwrap());
    while shared.until() == FREE {
        std::thread::yield_now();
    }
    let moves = |cycle| Vote { cycle, ..Vote::default() };
    assert_eq!(all.decide(&[moves(BLOCK); 2]), run(BLOCK + 16));
    assert_eq!(
        all.decide(&[moves(BLOCK + 16); 2]),
        Turn::Look,
        "the wake of who lets the clock go on is heard"
    );
    assert_eq!(held.join().unwrap(), BLOCK + 16);
}

#[test]
fn devices_with_ticks_of_wall_time_rest_for_the_least_of_their_times() {
    let (mut all, _shared) = conductor([Duration::ZERO; 2]);
    let [short, long] = [20, 5_000].map(Duration::from_millis);
    let rests = |rests| Vote { cycle: BLOCK, rests: Some(rests), ..Vote::default() };
    let start = Instant::now();
    let turn = all.decide(&[rests(long), rests(short)]);
    let Turn::Run { until: TWO, rested: Some(longest) } = turn else { panic!("{turn:?}") };
    assert!(longest >= start + short && longest < start + long && start.elapsed() >= short);
    assert_eq!(all.decide(&[rests(long), Vote { cycle: TWO, ..Vote::default() }]), run(TWO + BLOCK));
}
