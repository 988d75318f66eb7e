// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waiting as a `read` of the kernel's descriptor would: O_NONBLOCK of the descriptor counts, and
//! so do signals.
use crate::errno::Errno;
use std::os::fd::{AsRawFd, BorrowedFd};

/// What `look` gives, as soon as it gives something. EAGAIN: there is nothing, and the program has
/// made the descriptor non-blocking. EINTR: a signal came whose handler ends system calls.
pub fn until<T>(fd: BorrowedFd<'_>, mut look: impl FnMut() -> Result<Option<T>, Errno>) -> Result<T, Errno> {
    loop {
        if let Some(found) = look()? {
            return Ok(found);
        }
        if is_nonblocking(fd)? {
            return Err(Errno::AGAIN);
        }
        sleep(fd)?;
    }
}

fn is_nonblocking(fd: BorrowedFd<'_>) -> Result<bool, Errno> {
    // SAFETY: a question about a descriptor that is open.
    match unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) } {
        -1 => Err(Errno::last()),
        flags => Ok(flags & libc::O_NONBLOCK != 0),
    }
}

/// Sleeps until the descriptor is readable.
fn sleep(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    let mut poll = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    loop {
        // SAFETY: one entry, which this function owns.
        if unsafe { libc::poll(&mut poll, 1, -1) } >= 0 {
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
fn ends_calls() -> bool {
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
    use std::io::Write;
    use std::os::fd::AsFd;

    #[test]
    fn a_blocking_descriptor_waits_and_a_nonblocking_one_is_eagain() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let mut looks = 0;
        std::thread::scope(|scope| {
            scope.spawn(|| writer.write_all(b"x").unwrap());
            let found = until(reader.as_fd(), || {
                looks += 1;
                let mut poll = libc::pollfd { fd: reader.as_raw_fd(), events: libc::POLLIN, revents: 0 };
                // SAFETY: one entry, which this closure owns.
                Ok((unsafe { libc::poll(&mut poll, 1, 0) } > 0).then_some(looks))
            });
            assert!(found.is_ok());
        });
        // SAFETY: a flag of a descriptor of this test.
        unsafe { libc::fcntl(reader.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
        assert_eq!(until::<()>(reader.as_fd(), || Ok(None)), Err(Errno::AGAIN));
    }
}
