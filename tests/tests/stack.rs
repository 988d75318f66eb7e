// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole stack with both devices on one clock: what `cargo xtask bench --only stack` holds, on
//! a short run.
use ferrowarp_sim::rnic::PairConfig;
use ferrowarp_tests::rnic_1g::{self, Ways};
use ferrowarp_tests::stack::{lock_step, on_one_clock, Figures, TICK};

/// Writes of 64 KiB. With so few the latency of both devices counts.
const WRITES: usize = 2;
/// Share of the wire's limit.
const LEAST: f64 = 0.90;
/// The same on a wire of 1 Gb/s, of which four Writes take 2 ms.
const LEAST_1G: f64 = 0.97;

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

/// The device of a board, at its own clock and on its own wire. Writes come at the rate of the wire
/// to a device that only receives, and to one that writes as well.
#[test]
fn a_device_at_31_mhz_on_a_wire_of_1_gigabit_drops_no_frame() {
    for ways in [Ways::One, Ways::Both] {
        let figures = rnic_1g::writes(4, ways).expect("both devices");
        assert_eq!(figures.losses, [], "{ways:?}: {figures:?}");
        assert!(figures.frames.iter().all(|[left, came]| left == came), "{ways:?}: {figures:?}");
        let at_rate = |ratio: &f64| (LEAST_1G..=1.0).contains(ratio);
        assert!(figures.goodput_ratios.iter().all(at_rate), "{ways:?}: {figures:?}");
    }
}
