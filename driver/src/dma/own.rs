// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pages of a memory file, one file a device: a device in another process maps them by its
//! descriptor and an offset.
use super::ranges::Ranges;
use crate::process::Process;
use memmap2::{Advice, MmapOptions, MmapRaw};
use parking_lot::{Mutex, MutexGuard};
use rustix::fs::{fallocate, memfd_create, FallocateFlags, MemfdFlags};
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::Arc;

/// Where memory of the driver's own for one device comes from. The file is made when memory is
/// first asked for. Pages that come back go back to the system at once, and are zeros when their
/// place in the file is given again.
#[derive(Debug)]
pub struct Arena {
    pages: Mutex<Pages>,
    process: Process,
}

/// The file, and which pages of it are in use.
#[derive(Debug, Default)]
struct Pages {
    file: Option<Arc<File>>,
    /// Octets of the file, which does not become shorter.
    octets: u64,
    ranges: Ranges,
}

impl Default for Arena {
    fn default() -> Self {
        Self { pages: Mutex::default(), process: Process::this() }
    }
}

impl Arena {
    /// Whether it is this process's. The file is shared with a child of a fork, the map of it is
    /// not.
    pub(super) fn is_here(&self) -> bool {
        self.process.is_here()
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock()
    }

    /// The file, and the offset of `octets` octets of zeros in it.
    fn take(&self, octets: u64) -> io::Result<(Arc<File>, u64)> {
        let mut pages = self.pages();
        let file = match &pages.file {
            Some(file) => file.clone(),
            None => {
                let file = Arc::new(File::from(memfd_create("ferrowarp", MemfdFlags::CLOEXEC)?));
                pages.file.insert(file).clone()
            }
        };
        let at = pages.ranges.take(octets).ok_or(io::ErrorKind::FileTooLarge)?;
        let end = pages.ranges.end();
        if end > pages.octets {
            if let Err(why) = file.set_len(end) {
                pages.ranges.give(at, octets);
                return Err(why);
            }
            pages.octets = end;
        }
        Ok((file, at))
    }

    /// Pages that nobody maps any more come back. If the system does not take them their place is
    /// not given again.
    fn give(&self, file: &File, at: u64, octets: u64) {
        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        match fallocate(file, hole, at, octets) {
            Ok(()) => self.pages().ranges.give(at, octets),
            Err(why) => tracing::warn!(%why, octets, "memory does not go back to the system"),
        }
    }
}

/// Pages of the file at their place.
pub(super) struct Own {
    arena: Arc<Arena>,
    file: Arc<File>,
    /// Offset of the first octet in the file.
    at: u64,
    map: ManuallyDrop<MmapRaw>,
}

impl Own {
    /// `octets` octets of zeros, whole pages.
    pub(super) fn zeroed(arena: &Arc<Arena>, octets: usize) -> io::Result<Self> {
        let (file, at) = arena.take(octets as u64)?;
        let mapped = MmapOptions::new().offset(at).len(octets).map_raw(&*file);
        // a child would write what the device reads for the parent
        let mapped = mapped.and_then(|map| map.advise(Advice::DontFork).map(|()| map));
        let map = mapped.inspect_err(|_| arena.give(&file, at, octets as u64))?;
        Ok(Self { arena: arena.clone(), file, at, map: ManuallyDrop::new(map) })
    }

    /// The first octet, which stays where it is.
    pub(super) fn start(&self) -> Option<NonNull<u8>> {
        NonNull::new(self.map.as_mut_ptr())
    }

    /// The file, and the offset of the first octet in it.
    pub(super) fn place(&self) -> Option<(&Arc<File>, u64)> {
        Some((&self.file, self.at))
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // a child has no such pages, and perhaps others in their place; those of the file are its
        // parent's
        if self.arena.is_here() {
            let octets = self.map.len() as u64;
            // SAFETY: it is dropped here and used no more.
            unsafe { ManuallyDrop::drop(&mut self.map) }
            self.arena.give(&self.file, self.at, octets);
        }
    }
}
