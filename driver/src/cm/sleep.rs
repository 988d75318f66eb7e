// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the connection manager's thread sleeps: until a call, an interrupt, or a time.
use crate::error::Error;
use crate::shared::Shared;
use crate::signal::{lower, sleep, Signal};
use std::fs::File;
use std::os::fd::AsFd;
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::Duration;

/// Time between two looks while something is under way, and of a device without interrupts.
pub(super) const LOOK: Duration = Duration::from_micros(500);
/// Longest time between two looks for what makes no interrupt: frames of the slow path, and that
/// the device is gone.
const LONGEST_LOOK: Duration = Duration::from_millis(10);
/// A part of the time in which nothing has come: so long the next look for it may take.
const PART: u32 = 8;

/// The thread's bed.
pub(super) struct Bed {
    shared: Arc<Shared>,
    /// Rung for calls, and by whoever waits for a look at the event ring.
    bell: Arc<Signal>,
    interrupts: Option<File>,
    tells_all: bool,
}

impl Bed {
    /// For the thread of a device, whom `bell` calls.
    pub(super) fn new(shared: &Arc<Shared>, bell: &Arc<Signal>) -> Self {
        shared.rounds.begin(bell);
        let (interrupts, tells_all) = (shared.backend.interrupts(0), shared.backend.tells_all());
        Self { shared: shared.clone(), bell: bell.clone(), interrupts, tells_all }
    }

    /// Whether the device has to be looked at for its end.
    pub(super) fn is_watching(&self) -> bool {
        !self.tells_all
    }

    /// Sleeps until something calls, or `timer` has passed. While something `is_busy` it is looked
    /// at soon. What makes no interrupt is looked for the more seldom the longer ago anything was
    /// there, which is `calm`.
    pub(super) fn sleep(&self, is_busy: bool, calm: Duration, timer: Option<Duration>) -> Result<(), Error> {
        let look = match (&self.interrupts, self.tells_all) {
            _ if is_busy => Some(LOOK),
            (None, _) => Some(LOOK),
            (Some(_), false) => Some((calm / PART).clamp(LOOK, LONGEST_LOOK)),
            (Some(_), true) => None,
        };
        let most = look.into_iter().chain(timer).min();
        match &self.interrupts {
            Some(interrupts) => sleep(&[self.bell.as_fd(), interrupts.as_fd()], most)?,
            None => sleep(&[self.bell.as_fd()], most)?,
        }
        self.shared.wakes.fetch_add(1, Ordering::Relaxed);
        self.bell.lower();
        if let Some(interrupts) = &self.interrupts {
            lower(interrupts.as_fd());
        }
        Ok(())
    }
}
