// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory of a client: a range of a file whose descriptor it gave.
//!
//! A file is read and written by `pread` and `pwrite`, not mapped: a client that cuts its file
//! short afterwards gets an error here, where a mapping would end the simulator by SIGBUS. For
//! memory files (memfd, tmpfs) both see the same pages. An access costs a system call, which is
//! little beside the simulated cycles that ask for it. In the same way `/proc/self/mem` of a
//! client, with an address as the offset, is memory that no file holds: whoever could open it may
//! give it away.
use super::function::Refusal;
use crate::memory::{Octets, Unreached};
use rustix::fs::{fcntl_getfl, fstat, fstatfs, FileType, OFlags, PROC_SUPER_MAGIC};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// Whether a descriptor is an eventfd, as the kernel names it. Where there is no `/proc` none is.
pub(super) fn is_eventfd(fd: &OwnedFd) -> bool {
    let name = rustix::fs::readlink(format!("/proc/self/fd/{}", fd.as_raw_fd()), vec![]);
    name.is_ok_and(|name| name.as_bytes() == b"anon_inode:[eventfd]")
}

/// What the device may do with memory of a client.
#[derive(Debug, Clone, Copy)]
pub(super) struct Access {
    pub(super) readable: bool,
    pub(super) writable: bool,
}

/// What a file system says of a file. One in user space may say nothing, and never return.
#[derive(Debug, Clone, Copy)]
pub(super) struct Identity {
    /// Device and number, which no other file has.
    pub(super) place: (u64, u64),
    /// Memory of a process, as far as the file system tells: one of the files of `/proc`.
    pub(super) is_process: bool,
    kind: FileType,
    octets: u64,
}

impl Identity {
    /// Asks the file system.
    pub(super) fn of(fd: &impl AsFd) -> Result<Self, Refusal> {
        let told = |what: &str, e: Errno| Refusal::Access(format!("{what} of the descriptor: {e}"));
        let status = fstat(fd).map_err(|e| told("size", e))?;
        let system = fstatfs(fd).map_err(|e| told("file system", e))?;
        Ok(Self {
            place: (status.st_dev, status.st_ino),
            is_process: system.f_type == PROC_SUPER_MAGIC,
            kind: FileType::from_raw_mode(status.st_mode),
            octets: status.st_size as u64,
        })
    }
}

/// A range of a client's file.
#[derive(Debug)]
pub struct FileRange {
    file: Arc<File>,
    offset: u64,
    octets: u64,
    readable: bool,
}

impl FileRange {
    /// A range that is read, and written if it may be. Checks that the descriptor is a file that
    /// has it and may be used so.
    pub fn new(file: Arc<File>, offset: u64, octets: u64, writable: bool) -> Result<Self, Refusal> {
        let identity = Identity::of(&file)?;
        Self::of(file, &identity, (offset, octets), Access { readable: true, writable })
    }

    /// The same with what the device may do with it.
    pub(super) fn of(
        fd: Arc<File>,
        identity: &Identity,
        (offset, octets): (u64, u64),
        access: Access,
    ) -> Result<Self, Refusal> {
        let Access { readable, writable } = access;
        if identity.kind != FileType::RegularFile {
            return Err(Refusal::Access("the descriptor is no file: reading it might never end".into()));
        }
        // a process's memory has no size; what is not there is an error of the access
        let size = if identity.is_process { i64::MAX as u64 } else { identity.octets };
        let mode = fcntl_getfl(&fd).map_err(|e| Refusal::Access(format!("mode of the descriptor: {e}")))?;
        let mode = mode & OFlags::RWMODE;
        if offset.checked_add(octets).is_none_or(|end| end > size) {
            let why = format!("{octets} octets from {offset} on of a file of {size}");
            return Err(Refusal::Invalid(why));
        }
        for (wanted, lacks, right) in
            [(readable, OFlags::WRONLY, "read"), (writable, OFlags::RDONLY, "written")]
        {
            if wanted && mode == lacks {
                return Err(Refusal::Access(format!("the descriptor's file may not be {right}")));
            }
        }
        Ok(Self { file: fd, offset, octets, readable })
    }
}

impl Octets for FileRange {
    fn len(&self) -> u64 {
        self.octets
    }

    fn load(&self, at: u64, into: &mut [u8]) -> Result<(), Unreached> {
        if !self.readable {
            return Err(Unreached::NotReadable);
        }
        if let Err(why) = self.file.read_exact_at(into, self.offset + at) {
            tracing::warn!(%why, at, "the client's memory cannot be read; the device reads zeros");
            into.fill(0);
        }
        Ok(())
    }

    fn store(&self, at: u64, octets: &[u8]) -> Result<(), Unreached> {
        // the last octet goes alone and last: it may be the phase of a completion
        let Some((last, front)) = octets.split_last() else { return Ok(()) };
        let start = self.offset + at;
        let stored = self
            .file
            .write_all_at(front, start)
            .and_then(|()| self.file.write_all_at(&[*last], start + front.len() as u64));
        if let Err(why) = stored {
            tracing::warn!(%why, at, "the client's memory cannot be written; what the device wrote is lost");
        }
        Ok(())
    }
}
