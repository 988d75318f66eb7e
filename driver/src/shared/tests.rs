// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cycle counter, which is read in two halves.
use super::Shared;
use crate::backend::fake::Fake;
use std::sync::Arc;

/// What three reads at a time come to, and how many values are left.
fn cycles(reads: &[u32]) -> (Option<[u64; 2]>, usize) {
    let fake = Fake::new();
    fake.state().registers = reads.to_vec().into();
    let shared = Arc::new(Shared::new(fake.clone()));
    let cycles = shared.cycles();
    let left = fake.state().registers.len();
    (cycles, left)
}

#[test]
fn a_counter_that_goes_back_three_times_is_given_up() {
    let high = 3_u64 << 32;
    assert_eq!(cycles(&[5, 3, 9, 1]), (Some([high | 5, high | 9]), 1));
    assert_eq!(cycles(&[5, 3, 5]), (Some([high | 5; 2]), 0), "a counter may stand");
    // the low dword began anew between two reads
    assert_eq!(cycles(&[9, 2, 1, 4, 3, 6, 1]), (Some([high | 4, high | 6]), 1));
    assert_eq!(cycles(&[9, 2, 1, 9, 2, 1, 4, 3, 6]), (Some([high | 4, high | 6]), 0));
    assert_eq!(cycles(&[9, 2, 1, 9, 2, 1, 9, 2, 1, 4, 3, 6]), (None, 3), "three tries");
    assert_eq!(cycles(&[9, 2]), (None, 0), "a register that is not there");
}
