// SPDX-License-Identifier: MIT OR Apache-2.0
//! What all threads of devices use: locks, what wakes a thread, and why a thread has ended.
use super::order::RnicError;
use rustix::event::{eventfd, EventfdFlags};
use std::any::Any;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An eventfd that never makes its writers wait.
pub(super) fn waker() -> Result<Arc<OwnedFd>, RnicError> {
    let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
    let wake = eventfd(0, flags).map_err(|e| RnicError::Stopped(format!("no eventfd: {e}")))?;
    Ok(Arc::new(wake))
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // what a lock guards here is whole at every step
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The text of a panic.
pub(super) fn text_of(panic: &(dyn Any + Send)) -> String {
    let owned = panic.downcast_ref::<String>().cloned();
    owned.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_else(|| "a panic".into())
}
