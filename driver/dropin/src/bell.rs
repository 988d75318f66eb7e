// SPDX-License-Identifier: MIT OR Apache-2.0
//! A descriptor that is readable while it is raised.
use crate::errno::Errno;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// A descriptor that a call of the C library gave.
pub fn owned(fd: i32) -> Result<OwnedFd, Errno> {
    match fd {
        -1 => Err(Errno::last()),
        // SAFETY: the call has just made the descriptor, and nobody else has it.
        fd => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
    }
}

/// An eventfd that does not block. The caller's lock orders raise and lower.
#[derive(Debug)]
pub struct Bell(OwnedFd);

static ONE: u64 = 1;

impl Bell {
    /// Not raised. The error is the system's, of a process with too many descriptors.
    pub fn new() -> Result<Self, Errno> {
        // SAFETY: a call without pointers.
        owned(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) }).map(Self)
    }

    /// Readable from now on.
    pub fn raise(&self) {
        // SAFETY: eight octets that stay. The counter is far from its end.
        unsafe { libc::write(self.0.as_raw_fd(), (&raw const ONE).cast(), 8) };
    }

    /// Not readable from now on.
    pub fn lower(&self) {
        let mut count = 0_u64;
        // SAFETY: eight octets of this frame.
        unsafe { libc::read(self.0.as_raw_fd(), (&raw mut count).cast(), 8) };
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
