// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waiting as a `read` of the kernel's descriptor would: O_NONBLOCK of the descriptor counts, and
//! so do signals and cancellations of the thread.
use crate::errno::{set, Errno};
use crate::guard::or_minus;
use std::ffi::c_int;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::time::{Duration, Instant};

extern "C-unwind" {
    // a cancellation of the thread unwinds out of this
    fn poll(fds: *mut libc::pollfd, count: libc::nfds_t, milliseconds: c_int) -> c_int;
}

/// What a look for something gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// The program has what there was.
    Done,
    /// Nothing is there before the descriptor is readable.
    Wait(RawFd),
}

/// A call that waits until `look` has given something: 0, or -1 and errno. EAGAIN: there is
/// nothing, and the program has made the descriptor non-blocking. EINTR: a signal came whose
/// handler ends system calls. While the thread waits, no frame of the library has anything to drop,
/// so the thread may be cancelled.
pub fn call(look: impl Fn() -> Result<Look, Errno> + Copy) -> c_int {
    loop {
        let mut fd = -1;
        let looked = or_minus(|| {
            if let Look::Wait(on) = look()? {
                // SAFETY: the descriptor is open as long as the program does not end the object.
                if is_nonblocking(unsafe { BorrowedFd::borrow_raw(on) })? {
                    return Err(Errno::AGAIN);
                }
                fd = on;
            }
            Ok(0)
        });
        if looked != 0 || fd == -1 {
            return looked;
        }
        let mut entry = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        // SAFETY: one entry, which this function owns.
        if unsafe { poll(&mut entry, 1, -1) } == -1 {
            let why = Errno::last();
            if why.0 != libc::EINTR || ends_calls() {
                set(why);
                return -1;
            }
        }
    }
}

/// What `look` gives, as soon as it gives something. ETIMEDOUT: it gives nothing in `most`. EINTR:
/// as in [`call`].
pub fn within<T>(
    fd: BorrowedFd<'_>,
    most: Duration,
    mut look: impl FnMut() -> Result<Option<T>, Errno>,
) -> Result<T, Errno> {
    let begun = Instant::now();
    loop {
        if let Some(found) = look()? {
            return Ok(found);
        }
        let left = most.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Err(Errno(libc::ETIMEDOUT));
        }
        sleep(fd, i32::try_from(left.as_millis()).unwrap_or(i32::MAX).max(1))?;
    }
}

/// Whether the program has made the descriptor non-blocking.
pub fn is_nonblocking(fd: BorrowedFd<'_>) -> Result<bool, Errno> {
    // SAFETY: a question about a descriptor that is open.
    match unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) } {
        -1 => Err(Errno::last()),
        flags => Ok(flags & libc::O_NONBLOCK != 0),
    }
}

/// Sleeps until the descriptor is readable, or so many milliseconds; -1: without an end.
fn sleep(fd: BorrowedFd<'_>, most: c_int) -> Result<(), Errno> {
    let mut poll = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    loop {
        // SAFETY: one entry, which this function owns.
        if unsafe { libc::poll(&mut poll, 1, most) } >= 0 {
            return Ok(());
        }
        let why = Errno::last();
        if why.0 != libc::EINTR || ends_calls() {
            return Err(why);
        }
    }
}

/// Whether a handler of the program has no SA_RESTART: `read` would have ended with EINTR. `poll`
/// always ends.
pub fn ends_calls() -> bool {
    (1..=libc::SIGRTMAX()).any(|signal| {
        // SAFETY: all zeros are a value of the struct, which is only written here.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: a question, answered into a struct that this function owns.
        let asked = unsafe { libc::sigaction(signal, std::ptr::null(), &mut action) };
        let has_handler = ![libc::SIG_DFL, libc::SIG_IGN].contains(&action.sa_sigaction);
        asked == 0 && has_handler && action.sa_flags & libc::SA_RESTART == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::fd::AsFd;

    fn is_readable(fd: RawFd) -> bool {
        let mut entry = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        // SAFETY: one entry, which this function owns.
        unsafe { libc::poll(&mut entry, 1, 0) == 1 }
    }

    #[test]
    fn a_blocking_descriptor_waits_and_a_nonblocking_one_is_eagain() {
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        let fd = reader.as_raw_fd();
        let look = || Ok(if is_readable(fd) { Look::Done } else { Look::Wait(fd) });
        std::thread::scope(|scope| {
            scope.spawn(|| writer.write_all(b"x").unwrap());
            assert_eq!(call(look), 0);
        });
        reader.read_exact(&mut [0]).unwrap();
        let none = within::<()>(reader.as_fd(), Duration::from_millis(5), || Ok(None));
        assert_eq!(none, Err(Errno(libc::ETIMEDOUT)));
        // SAFETY: a flag of a descriptor of this test.
        unsafe { libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK) };
        assert_eq!((call(look), Errno::last()), (-1, Errno::AGAIN));
    }

    extern "C" fn waits(fd: *mut libc::c_void) -> *mut libc::c_void {
        let on = fd.addr() as RawFd;
        call(move || Ok(Look::Wait(on)));
        std::ptr::null_mut()
    }

    #[test]
    fn a_thread_that_waits_can_be_cancelled() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let fd = reader.as_raw_fd();
        // SAFETY: a thread of this test, which is joined; its argument is a number.
        let left = unsafe {
            let (mut thread, mut left) = (std::mem::zeroed(), std::ptr::null_mut());
            let argument = std::ptr::without_provenance_mut(fd as usize);
            assert_eq!(libc::pthread_create(&mut thread, std::ptr::null(), waits, argument), 0);
            std::thread::sleep(Duration::from_millis(20));
            libc::pthread_cancel(thread);
            libc::pthread_join(thread, &mut left);
            left
        };
        assert_eq!(left.addr(), usize::MAX, "PTHREAD_CANCELED");
    }
}
