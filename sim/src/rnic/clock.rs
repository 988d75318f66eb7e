// SPDX-License-Identifier: MIT OR Apache-2.0
//! The clock of devices that share one time: it runs unless it is held.
use super::order::RnicError;
use super::recording::{Recorder, Recording};
use super::threads::{locked, waker};
use crate::link::{Link, Side};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// No cycle at which the clock is to stand.
pub(super) const FREE: u64 = u64::MAX;

/// Where the clock is, and how far it may go.
#[derive(Debug, Clone, Copy)]
struct Time {
    cycle: u64,
    until: u64,
    stands: bool,
    ended: bool,
}

/// What the threads of the devices and who holds the clock share.
#[derive(Debug)]
pub(super) struct Shared {
    time: Mutex<Time>,
    changed: Condvar,
    /// Readable when an order has come, or the clock may go on.
    pub(super) wake: Arc<OwnedFd>,
    pub(super) failure: Arc<Mutex<Option<String>>>,
}

impl Shared {
    /// A clock that nobody holds.
    pub(super) fn new() -> Result<Arc<Self>, RnicError> {
        let time = Mutex::new(Time { cycle: 0, until: FREE, stands: false, ended: false });
        Ok(Arc::new(Self { time, changed: Condvar::new(), wake: waker()?, failure: Arc::default() }))
    }

    /// The cycle before which a held clock is to stand.
    pub(super) fn until(&self) -> u64 {
        locked(&self.time).until
    }

    /// Why the devices have ended.
    pub(super) fn fail(&self, why: &str) {
        tracing::error!(why, "the simulation stops");
        locked(&self.failure).get_or_insert_with(|| why.into());
    }

    /// The devices stand before this cycle; whether they are to stay there.
    pub(super) fn reached(&self, cycle: u64) -> bool {
        let mut time = locked(&self.time);
        (time.cycle, time.stands) = (cycle, cycle >= time.until);
        self.changed.notify_all();
        time.stands
    }

    fn go_on(&self, until: u64) {
        let mut time = locked(&self.time);
        (time.until, time.stands) = (until, false);
        drop(time);
        // one that is full wakes as well
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// Lets the clock run up to a cycle; the cycle before which the devices stand then.
    pub(super) fn run_until(&self, until: u64) -> Result<u64, RnicError> {
        self.go_on(until);
        let time = locked(&self.time);
        let runs = |time: &mut Time| !time.stands && !time.ended;
        let time = self.changed.wait_while(time, runs).unwrap_or_else(PoisonError::into_inner);
        if time.ended {
            let why = locked(&self.failure).clone().unwrap_or_else(|| "all devices were closed".into());
            return Err(RnicError::Stopped(why));
        }
        Ok(time.cycle)
    }

    pub(super) fn end(&self) {
        locked(&self.time).ended = true;
        self.changed.notify_all();
    }
}

/// The clock of two devices. It runs unless it is held.
pub struct Clock {
    pub(super) shared: Arc<Shared>,
    pub(super) link: Link,
    pub(super) recorder: Option<Recorder>,
}

/// The clock stands, but for [`Held::run`]. A device answers nothing meanwhile: only what needs no
/// answer may be asked of it, such as posting and polling.
#[derive(Debug)]
pub struct Held<'a>(&'a Shared);

impl Clock {
    /// The wire between the devices: [`Side::A`] is the first one's end.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// The cycle that the devices have come to, in steps of four or more, or the end of their last
    /// block.
    pub fn cycle(&self) -> u64 {
        locked(&self.shared.time).cycle
    }

    /// What has come to the first device since its start; none if it was not to be written down.
    pub fn recorded(&self) -> Option<Recording> {
        let mut recording = locked(&self.recorder.as_ref()?.0);
        recording.add_frames(self.link.take_captured(), Side::A);
        Some(recording.clone())
    }

    /// Stops the clock; returns when the devices stand. It goes on when what is returned is
    /// dropped.
    pub fn hold(&mut self) -> Result<Held<'_>, RnicError> {
        let held = Held(&self.shared);
        held.0.run_until(0)?;
        Ok(held)
    }
}

impl Held<'_> {
    /// The cycle before which the devices stand.
    pub fn cycle(&self) -> u64 {
        locked(&self.0.time).cycle
    }

    /// Lets the clock run for so many cycles, or up to 3 more: it stands at every fourth. Returns
    /// where it stands; the error is that the devices have ended.
    pub fn run(&mut self, cycles: u64) -> Result<u64, RnicError> {
        self.0.run_until(self.cycle() + cycles)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.go_on(FREE);
    }
}
