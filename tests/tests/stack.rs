// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole stack with both devices on one clock: what `cargo xtask bench --only stack` holds, on
//! a short run.
use ferrowarp_sim::rnic::PairConfig;
use ferrowarp_tests::stack::{lock_step, on_one_clock, Figures, TICK};

/// Writes of 64 KiB. With so few the latency of both devices counts.
const WRITES: usize = 2;
/// Share of the wire's limit.
const LEAST: f64 = 0.90;

#[test]
fn writes_reach_their_share_of_the_wire_and_take_the_same_cycles_again() {
    let run = |_| lock_step(WRITES).expect("both devices");
    let [first, again]: [Figures; 2] = std::array::from_fn(run);
    assert!(first.goodput_ratio >= LEAST && first.goodput_ratio <= 1.0, "{first:?}");
    assert_eq!(again, first);
}

/// Frames that arrive in another cycle than in lock step, orders that are obeyed in another one,
/// and blocks that depend on which thread comes first, give other cycles.
#[test]
fn devices_in_blocks_take_the_cycles_of_the_same_devices_in_lock_step() {
    let blocks = PairConfig::in_blocks(TICK);
    let run = |pair| on_one_clock(WRITES, pair).expect("both devices");
    let stepped = run(PairConfig { lock_step: true, ..blocks });
    assert!(stepped.goodput_ratio >= LEAST && stepped.goodput_ratio <= 1.0, "{stepped:?}");
    assert_eq!([run(blocks), run(blocks)], [stepped; 2]);
}
