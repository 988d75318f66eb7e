// SPDX-License-Identifier: MIT OR Apache-2.0
//! Descriptors that are readable while something waits to be taken, and sleeping on them.
use crate::error::Error;
use rustix::event::{eventfd, poll, EventfdFlags, PollFd, PollFlags, Timespec};
use rustix::io::{read, write, Errno};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// A descriptor that is readable from [`Signal::raise`] to [`Signal::lower`]: an eventfd.
#[derive(Debug)]
pub(crate) struct Signal(OwnedFd);

impl Signal {
    /// One that is lowered. The error is the system's, of a process with too many descriptors.
    pub(crate) fn new() -> Result<Self, Error> {
        let fd = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK);
        fd.map(Self).map_err(|why| Error::Descriptor(why.to_string()))
    }

    /// Readable from now on.
    pub(crate) fn raise(&self) {
        // a write fails of a full count alone, and such a count is readable
        let _ = write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Not readable any more.
    pub(crate) fn lower(&self) {
        lower(self.0.as_fd());
    }
}

impl AsFd for Signal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Takes the count of an eventfd that does not block: whether there was one.
pub(crate) fn lower(eventfd: BorrowedFd<'_>) -> bool {
    read(eventfd, &mut [0; 8]).is_ok()
}

/// Sleeps until one of the descriptors is readable, for `most` at most; without `most` for as long
/// as it takes. A signal that reaches the thread ends the sleep, too.
pub(crate) fn sleep(fds: &[BorrowedFd<'_>], most: Option<Duration>) -> Result<(), Error> {
    let fds: Vec<_> = fds.iter().map(|fd| (*fd, PollFlags::IN)).collect();
    sleep_on(&fds, most).map(drop)
}

/// The same for descriptors with what is awaited of each: whether something has come of the last.
pub(crate) fn sleep_on(fds: &[(BorrowedFd<'_>, PollFlags)], most: Option<Duration>) -> Result<bool, Error> {
    // what the system cannot count is as good as no end
    let most = most.and_then(|most| Timespec::try_from(most).ok());
    let mut fds: Vec<_> = fds.iter().map(|&(fd, flags)| PollFd::from_borrowed_fd(fd, flags)).collect();
    match poll(&mut fds, most.as_ref()) {
        Ok(_) => Ok(fds.last().is_some_and(|fd| !fd.revents().is_empty())),
        Err(Errno::INTR) => Ok(false),
        Err(why) => Err(Error::Descriptor(why.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn a_signal_wakes_whoever_sleeps_on_it_until_it_is_lowered() {
        let (first, second) = (Signal::new().unwrap(), Signal::new().unwrap());
        let fds = [first.as_fd(), second.as_fd()];
        let pause = Duration::from_millis(30);
        let nap = || {
            let begun = Instant::now();
            sleep(&fds, Some(pause)).unwrap();
            begun.elapsed() >= pause
        };
        assert!(nap());
        second.raise();
        second.raise();
        std::thread::scope(|scope| {
            scope.spawn(|| sleep(&fds, None).unwrap());
            scope.spawn(|| sleep(&fds, Some(Duration::MAX)).unwrap());
        });
        assert!(!nap());
        second.lower();
        assert!(nap());
        assert!(!lower(second.as_fd()));
    }
}
