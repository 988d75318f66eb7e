// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the connection manager's thread changes, and who waits for that.
use crate::deadline::end_of;
use crate::error::Error;
use crate::signal::Signal;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A state and those who wait for it.
#[derive(Debug, Default)]
pub(crate) struct Watch<S> {
    state: Mutex<S>,
    changed: Condvar,
    /// Raised by each change.
    signal: Option<Arc<Signal>>,
    #[cfg(feature = "tokio")]
    wakers: crate::wakers::Wakers,
}

impl<S> Watch<S> {
    /// One whose changes raise a descriptor.
    pub(crate) fn raising(signal: &Arc<Signal>) -> Self
    where
        S: Default,
    {
        Self { signal: Some(signal.clone()), ..Self::default() }
    }

    /// Each change is one assignment: a panic elsewhere leaves the state whole.
    pub(crate) fn state(&self) -> MutexGuard<'_, S> {
        self.state.lock()
    }

    /// Wakes all who wait, after a change.
    pub(crate) fn notify(&self) {
        self.changed.notify_all();
        if let Some(signal) = &self.signal {
            signal.raise();
        }
        #[cfg(feature = "tokio")]
        self.wakers.wake();
    }

    /// Changes the state and wakes all who wait.
    pub(crate) fn change(&self, how: impl FnOnce(&mut S)) {
        how(&mut self.state());
        self.notify();
    }

    /// Waits until `found` finds something.
    pub(crate) fn until<R>(
        &self,
        most: Duration,
        what: &'static str,
        found: impl FnMut(&S) -> Option<R>,
    ) -> Result<R, Error> {
        self.until_end(end_of(most), most, what, found)
    }

    /// [`Watch::until`] for tasks.
    #[cfg(feature = "tokio")]
    pub(crate) async fn until_async<R>(
        &self,
        most: Duration,
        what: &'static str,
        mut found: impl FnMut(&S) -> Option<R>,
    ) -> Result<R, Error> {
        self.wakers.until(most, what, || Ok(found(&self.state()))).await
    }

    /// The same until `end`, for a wait in several parts of `most` in all.
    pub(crate) fn until_end<R>(
        &self,
        end: Instant,
        most: Duration,
        what: &'static str,
        mut found: impl FnMut(&S) -> Option<R>,
    ) -> Result<R, Error> {
        let mut state = self.state();
        loop {
            if let Some(result) = found(&state) {
                return Ok(result);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::TimedOut { what, waited: most });
            }
            self.changed.wait_for(&mut state, left);
        }
    }
}
