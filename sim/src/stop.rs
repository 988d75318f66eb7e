// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of a thread that runs until a flag is set.
use std::sync::atomic::{AtomicBool, Ordering};

/// Sets its flag when dropped, also by a panic: a scope waits for its threads in both cases.
#[derive(Debug)]
pub struct StopsAtEnd<'a>(pub &'a AtomicBool);

impl Drop for StopsAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
