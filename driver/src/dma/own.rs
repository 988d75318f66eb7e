//! Pages of a memory file: a device in another process maps them by the descriptor.
use crate::process::Process;
use memmap2::{Advice, MmapOptions, MmapRaw};
use rustix::fs::{memfd_create, MemfdFlags};
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

/// The file, and its pages at their place.
pub(super) struct Own {
    file: File,
    map: ManuallyDrop<MmapRaw>,
    process: Process,
}

impl Own {
    /// `octets` octets of zeros, whole pages.
    pub(super) fn zeroed(octets: usize) -> io::Result<Self> {
        let file = File::from(memfd_create("ferrowarp", MemfdFlags::CLOEXEC)?);
        file.set_len(octets as u64)?;
        let map = MmapOptions::new().len(octets).map_raw(&file)?;
        // a child would write what the device reads for the parent
        map.advise(Advice::DontFork)?;
        Ok(Self { file, map: ManuallyDrop::new(map), process: Process::this() })
    }

    /// The first octet, which stays where it is.
    pub(super) fn start(&self) -> Option<NonNull<u8>> {
        NonNull::new(self.map.as_mut_ptr())
    }

    /// The file.
    pub(super) fn file(&self) -> Option<&File> {
        Some(&self.file)
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // a child has no such pages, and perhaps others in their place
        if self.process.is_here() {
            // SAFETY: it is dropped here and used no more.
            unsafe { ManuallyDrop::drop(&mut self.map) }
        }
    }
}
