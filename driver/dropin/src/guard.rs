// SPDX-License-Identifier: MIT OR Apache-2.0
//! The boundary to C: no panic passes, and an error becomes errno and the failure value of the
//! function's kind.
use crate::errno::{set, Errno};
use std::ffi::c_int;
use std::panic::{catch_unwind, AssertUnwindSafe};

extern "C" {
    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;
}

/// `PTHREAD_CANCEL_DISABLE` of the C library.
const DISABLED: c_int = 1;

/// The thread is not cancelled until this is dropped: a cancellation would unwind frames that have
/// something to drop.
struct Uncancelled(c_int);

impl Uncancelled {
    #[inline(always)]
    fn new() -> Self {
        let mut old = 0;
        // SAFETY: the place is this frame's.
        unsafe { pthread_setcancelstate(DISABLED, &mut old) };
        Self(old)
    }
}

impl Drop for Uncancelled {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the C library takes null, and has given the state.
        unsafe { pthread_setcancelstate(self.0, std::ptr::null_mut()) };
    }
}

/// Runs the body of an exported function. A panic is EIO, and no cancellation comes meanwhile.
#[inline(always)]
fn caught<T>(body: impl FnOnce() -> Result<T, Errno>) -> Result<T, Errno> {
    let _whole = Uncancelled::new();
    // what a panic leaves half done is only reached through locks that the driver's crates recover
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(done) => done,
        Err(_) => Err(panicked()),
    }
}

#[cold]
fn panicked() -> Errno {
    tracing::error!("a panic of the library was stopped at the boundary to C");
    Errno::FAILED
}

/// A function that gives a pointer: null and errno if it fails.
#[inline(always)]
pub fn or_null<T>(body: impl FnOnce() -> Result<*mut T, Errno>) -> *mut T {
    caught(body).unwrap_or_else(|errno| {
        set(errno);
        std::ptr::null_mut()
    })
}

/// A function that gives a number: -1 and errno if it fails.
#[inline(always)]
pub fn or_minus(body: impl FnOnce() -> Result<c_int, Errno>) -> c_int {
    caught(body).unwrap_or_else(|errno| {
        set(errno);
        -1
    })
}

/// The same with a number of the size of a pointer.
pub fn or_minus_long(body: impl FnOnce() -> Result<isize, Errno>) -> isize {
    caught(body).unwrap_or_else(|errno| {
        set(errno);
        -1
    })
}

/// A function that gives 0, or the number of errno if it fails. It sets errno as well.
#[inline(always)]
pub fn or_errno(body: impl FnOnce() -> Result<(), Errno>) -> c_int {
    match caught(body) {
        Ok(()) => 0,
        Err(errno) => {
            set(errno);
            errno.0
        }
    }
}

/// A function that gives an identifier: 0 and errno if it fails.
pub fn or_zero(body: impl FnOnce() -> Result<u64, Errno>) -> u64 {
    caught(body).unwrap_or_else(|errno| {
        set(errno);
        0
    })
}

/// A function that gives nothing.
#[inline(always)]
pub fn or_nothing(body: impl FnOnce() -> Result<(), Errno>) {
    let _ = or_errno(body);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_eio_in_the_way_of_each_kind_of_function() {
        assert!(or_null::<u8>(|| panic!("of a test")).is_null());
        assert_eq!(Errno::last(), Errno::FAILED);
        assert_eq!(or_minus(|| panic!("of a test")), -1);
        assert_eq!(or_errno(|| panic!("of a test")), libc::EIO);
        assert_eq!(or_zero(|| panic!("of a test")), 0);
        or_nothing(|| panic!("of a test"));
    }

    #[test]
    fn an_error_is_told_by_errno_and_by_the_value() {
        assert_eq!(or_errno(|| Err(Errno::BUSY)), libc::EBUSY);
        assert_eq!(Errno::last(), Errno::BUSY);
        assert_eq!(or_minus(|| Err(Errno::AGAIN)), -1);
        assert_eq!(Errno::last(), Errno::AGAIN);
        assert_eq!(or_minus(|| Ok(3)), 3);
    }
}
