// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the connection manager's thread sleeps: until a call, an interrupt, or a time.
use crate::backend::End;
use crate::error::Error;
use crate::shared::Shared;
use crate::signal::{lower, sleep_on, Signal};
use rustix::event::PollFlags;
use std::fs::File;
use std::os::fd::AsFd;
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::Duration;

/// Time between two looks while something is under way, and of a device without interrupts.
pub(super) const LOOK: Duration = Duration::from_micros(500);
/// Longest time between two looks for frames of the slow path, of a device whose interrupts do not
/// tell of them.
const LONGEST_LOOK: Duration = Duration::from_millis(10);
/// Time between two looks at whether the device is there, of a device whose end nothing tells.
pub(super) const THERE: Duration = Duration::from_millis(400);
/// A part of the time in which nothing has come: so long the next look for it may take.
const PART: u32 = 8;

/// The thread's bed.
pub(super) struct Bed {
    shared: Arc<Shared>,
    /// Rung for calls, and by whoever waits for a look at the event ring.
    bell: Arc<Signal>,
    interrupts: Option<File>,
    /// Interrupts tell of frames of the slow path.
    tells_frames: bool,
    end: Option<End>,
}

impl Bed {
    /// For the thread of a device, whom `bell` calls.
    pub(super) fn new(shared: &Arc<Shared>, bell: &Arc<Signal>) -> Self {
        shared.rounds.begin(bell);
        let backend = &shared.backend;
        let (interrupts, tells_frames, end) = (backend.interrupts(0), backend.tells_frames(), backend.end());
        Self { shared: shared.clone(), bell: bell.clone(), interrupts, tells_frames, end }
    }

    /// Whether the device has to be looked at for its end.
    pub(super) fn is_watching(&self) -> bool {
        self.end.is_none()
    }

    /// Sleeps until something calls, or `timer` has passed; whether the device may have ended.
    /// While something `is_busy` it is looked at soon. Frames that make no interrupt are looked for
    /// the more seldom the longer ago anything was there, which is `calm`.
    pub(super) fn sleep(
        &self,
        is_busy: bool,
        calm: Duration,
        timer: Option<Duration>,
    ) -> Result<bool, Error> {
        let look = match &self.interrupts {
            Some(_) if !is_busy && self.tells_frames => self.is_watching().then_some(THERE),
            Some(_) if !is_busy => Some((calm / PART).clamp(LOOK, LONGEST_LOOK)),
            _ => Some(LOOK),
        };
        let most = look.into_iter().chain(timer).min();
        let (bell, interrupts) = (self.bell.as_fd(), self.interrupts.as_ref().map(AsFd::as_fd));
        let mut fds: Vec<_> = interrupts.into_iter().chain([bell]).map(|fd| (fd, PollFlags::IN)).collect();
        let end = self.end.as_ref().and_then(End::awaited);
        fds.extend(end);
        let is_last = sleep_on(&fds, most)?;
        self.shared.wakes.fetch_add(1, Ordering::Relaxed);
        for fd in interrupts.into_iter().chain([bell]) {
            lower(fd);
        }
        if let Some(End::Event(fd)) = &self.end {
            lower(fd.as_fd());
        }
        Ok(end.is_some() && is_last)
    }
}
