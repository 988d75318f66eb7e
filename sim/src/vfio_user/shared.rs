//! Memory of a client: a range of a file whose descriptor it gave, or of its process.
//!
//! A file is read and written by `pread` and `pwrite`, not mapped: a client that cuts its file short afterwards gets
//! an error here, where a mapping would end the simulator by SIGBUS. For memory files (memfd, tmpfs) both see the same
//! pages. An access costs a system call, which is little beside the simulated cycles that ask for it.
use super::function::Refusal;
use crate::memory::Octets;
use rustix::fs::{fcntl_getfl, fstat, OFlags};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;

/// A range of a client's file.
#[derive(Debug)]
pub(super) struct FileRange {
    file: File,
    offset: u64,
    octets: u64,
}

impl FileRange {
    /// Checks that the descriptor is a file that has the range and may be used so.
    pub(super) fn new(fd: OwnedFd, offset: u64, octets: u64, writable: bool) -> Result<Self, Refusal> {
        let io = |what: &str, e: rustix::io::Errno| Refusal::Access(format!("{what} of the descriptor: {e}"));
        let size = fstat(&fd).map_err(|e| io("size", e))?.st_size as u64;
        let mode = fcntl_getfl(&fd).map_err(|e| io("mode", e))? & OFlags::RWMODE;
        if offset.checked_add(octets).is_none_or(|end| end > size) {
            let why = format!("{octets} octets from {offset} on of a file of {size}");
            return Err(Refusal::Invalid(why));
        }
        if mode == OFlags::WRONLY || (writable && mode == OFlags::RDONLY) {
            let right = if writable { "written" } else { "read" };
            return Err(Refusal::Access(format!("the descriptor's file may not be {right}")));
        }
        Ok(Self { file: fd.into(), offset, octets })
    }
}

impl Octets for FileRange {
    fn len(&self) -> u64 {
        self.octets
    }

    fn load(&self, at: u64, into: &mut [u8]) {
        if let Err(why) = self.file.read_exact_at(into, self.offset + at) {
            tracing::warn!(%why, at, "the client's memory cannot be read; the device reads zeros");
            into.fill(0);
        }
    }

    fn store(&self, at: u64, octets: &[u8]) {
        // the last octet goes alone and last: it may be the phase of a completion
        let Some((last, front)) = octets.split_last() else { return };
        let start = self.offset + at;
        let stored = self
            .file
            .write_all_at(front, start)
            .and_then(|()| self.file.write_all_at(&[*last], start + front.len() as u64));
        if let Err(why) = stored {
            tracing::warn!(%why, at, "the client's memory cannot be written; what the device wrote is lost");
        }
    }
}

/// A range of a client's process, reached by its process identifier.
#[derive(Debug)]
pub(super) struct ProcessRange {
    pid: nix::unistd::Pid,
    address: usize,
    octets: u64,
}

impl ProcessRange {
    /// A range that one octet of can be read.
    pub(super) fn new(pid: i32, address: u64, octets: u64) -> Result<Self, Refusal> {
        let fits = address.checked_add(octets).is_some_and(|end| usize::try_from(end).is_ok());
        if !fits {
            return Err(Refusal::Invalid(format!("{octets} octets from {address:#x} on of a process")));
        }
        let range = Self { pid: nix::unistd::Pid::from_raw(pid), address: address as usize, octets };
        for at in [0, octets.saturating_sub(1)] {
            range.try_load(at, &mut [0]).map_err(|e| {
                Refusal::Access(format!("process {pid} cannot be read at {:#x}: {e}", address + at))
            })?;
        }
        Ok(range)
    }

    fn remote(&self, at: u64, octets: usize) -> nix::sys::uio::RemoteIoVec {
        nix::sys::uio::RemoteIoVec { base: self.address + at as usize, len: octets }
    }

    fn try_load(&self, at: u64, into: &mut [u8]) -> nix::Result<()> {
        let remote = [self.remote(at, into.len())];
        let octets = into.len();
        let mut local = [std::io::IoSliceMut::new(into)];
        match nix::sys::uio::process_vm_readv(self.pid, &mut local, &remote)? {
            got if got == octets => Ok(()),
            _ => Err(nix::errno::Errno::EFAULT),
        }
    }

    fn try_store(&self, at: u64, octets: &[u8]) -> nix::Result<()> {
        let remote = [self.remote(at, octets.len())];
        let local = [std::io::IoSlice::new(octets)];
        match nix::sys::uio::process_vm_writev(self.pid, &local, &remote)? {
            put if put == octets.len() => Ok(()),
            _ => Err(nix::errno::Errno::EFAULT),
        }
    }
}

impl Octets for ProcessRange {
    fn len(&self) -> u64 {
        self.octets
    }

    fn load(&self, at: u64, into: &mut [u8]) {
        if let Err(why) = self.try_load(at, into) {
            tracing::warn!(%why, at, "the client's process cannot be read; the device reads zeros");
            into.fill(0);
        }
    }

    fn store(&self, at: u64, octets: &[u8]) {
        let Some((last, front)) = octets.split_last() else { return };
        let front_done = if front.is_empty() { Ok(()) } else { self.try_store(at, front) };
        let stored = front_done.and_then(|()| self.try_store(at + front.len() as u64, &[*last]));
        if let Err(why) = stored {
            tracing::warn!(%why, at, "the client's process cannot be written; what the device wrote is lost");
        }
    }
}
