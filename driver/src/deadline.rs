// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ends of waits whose length the application chooses.
use std::time::{Duration, Instant};

/// Longest wait, 136 years: the clock of any system holds its end.
const LONGEST: Duration = Duration::from_secs(u32::MAX as u64);

/// When a wait of `most` from now on ends; `Duration::MAX` is for ever.
pub(crate) fn end_of(most: Duration) -> Instant {
    Instant::now() + most.min(LONGEST)
}
