// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a client's messages end, and waiting for the next one.
use super::function::Refusal;
use super::wire::{HEAD, MOST_FDS, MOST_MESSAGE};
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

/// Most descriptors beside messages that wait: a client that looks at answers has one.
pub(super) const MOST_CLAIMS: usize = 4 * MOST_FDS;

/// Why no further message comes.
#[derive(Debug, thiserror::Error)]
pub(super) enum End {
    /// The client closed its end, perhaps inside of a message.
    #[error("the client closed the connection")]
    Closed,
    /// The server is to stop.
    #[error("the server stops")]
    Stopped,
    /// A size that no message has: where the next one begins is unknown.
    #[error("a message of {0} octets; {HEAD} to {MOST_MESSAGE} are possible")]
    Size(u32),
    /// More descriptors than a message may have.
    #[error("more than {MOST_FDS} descriptors beside a message")]
    Descriptors,
    /// More than messages that wait may have.
    #[error("more than {MOST_CLAIMS} descriptors beside messages that wait")]
    Hoard,
    /// There is nothing to serve any more.
    #[error(transparent)]
    Function(Refusal),
    /// A message was not taken in its time.
    #[error("the client takes no message")]
    Late,
    /// The socket failed.
    #[error("the socket: {0}")]
    Io(#[from] io::Error),
}

/// Waits until `socket` has something; an error if `stop` has.
pub(super) fn wait(socket: &impl AsFd, stop: &OwnedFd) -> Result<(), End> {
    match first_readable(&[stop.as_fd(), socket.as_fd()])? {
        0 => Err(End::Stopped),
        _ => Ok(()),
    }
}

/// Waits until one of them has something: the first one that has.
pub(super) fn first_readable(fds: &[BorrowedFd<'_>]) -> Result<usize, End> {
    let fds: Vec<_> = fds.iter().map(|&fd| (fd, PollFlags::IN)).collect();
    loop {
        if let Some(first) = first_of(&fds, None)? {
            return Ok(first);
        }
    }
}

/// Waits until one of them is as it is to be, or has failed: the first one that is. None if none is
/// in time.
pub(super) fn first_of(
    fds: &[(BorrowedFd<'_>, PollFlags)],
    until: Option<Instant>,
) -> Result<Option<usize>, End> {
    loop {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        // longer than the kernel can count is for ever
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        let mut polled: Vec<_> = fds.iter().map(|&(fd, flags)| PollFd::from_borrowed_fd(fd, flags)).collect();
        match poll(&mut polled, timeout.as_ref()) {
            Ok(0) if left.is_some() => return Ok(None),
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(e) => return Err(End::Io(e.into())),
        }
        if let Some(first) = polled.iter().position(|fd| !fd.revents().is_empty()) {
            return Ok(Some(first));
        }
    }
}
