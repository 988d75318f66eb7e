//! The whole stack with both devices on one clock: what `cargo xtask bench --only stack` holds, on a short run.
use ferrowarp_tests::stack::{lock_step, Figures};

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
