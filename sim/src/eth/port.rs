// SPDX-License-Identifier: MIT OR Apache-2.0
//! One end of an Ethernet, and waiting for several of them.
use super::error::{EthError, MAX_FRAME};
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::os::fd::BorrowedFd;
use std::time::Duration;

/// What became of a frame that was to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// The peer's socket or the kernel has it.
    Sent,
    /// There is no room now; the caller keeps the frame and tries again.
    Busy,
    /// No peer is there, as with a cable that is not plugged in: the frame is lost.
    Unplugged,
}

/// One end of an Ethernet: whole frames without FCS, at least their header. Nothing here waits.
pub trait EthPort: Send {
    /// Sends a frame of 14 to [`MAX_FRAME`] octets.
    fn send(&mut self, frame: &[u8]) -> Result<Delivery, EthError>;

    /// The next frame that has arrived, if there is one.
    fn receive(&mut self) -> Result<Option<Vec<u8>>, EthError>;

    /// The frame that [`EthPort::receive`] gave last has a bad FCS: the wire spoilt it.
    fn is_spoilt(&self) -> bool {
        false
    }

    /// What becomes readable when [`EthPort::receive`] may have a frame; ask again before each
    /// wait, as a peer that connects changes it.
    fn poll_fd(&self) -> BorrowedFd<'_>;
}

/// Waits until one of the ports may have a frame, or `most` has passed.
pub fn wait(ports: &[&dyn EthPort], most: Duration) -> Result<(), EthError> {
    wait_for(&ports.iter().map(|port| port.poll_fd()).collect::<Vec<_>>(), most).map(drop)
}

/// Waits until one of the files is readable, or `most` has passed. Bit n: file n is.
pub(super) fn wait_for(fds: &[BorrowedFd<'_>], most: Duration) -> Result<u32, EthError> {
    let mut watched: Vec<_> = fds.iter().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
    // longer than the kernel can count is for ever
    let timeout = Timespec::try_from(most).ok();
    match poll(&mut watched, timeout.as_ref()) {
        Ok(_) => {
            let readable = watched.iter().enumerate().filter(|(_, fd)| !fd.revents().is_empty());
            Ok(readable.fold(0, |bits, (n, _)| bits | 1 << n))
        }
        Err(Errno::INTR) => Ok(0),
        Err(e) => {
            Err(EthError::Io { port: "all ports".into(), step: "no frame can be awaited", source: e.into() })
        }
    }
}

/// Refuses what is no frame before it reaches a peer.
pub(super) fn check_length(frame: &[u8]) -> Result<(), EthError> {
    if (14..=MAX_FRAME).contains(&frame.len()) {
        return Ok(());
    }
    Err(EthError::Length { octets: frame.len() })
}
