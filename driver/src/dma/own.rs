//! Pages of a memory file: a device in another process maps them by the descriptor.
use memmap2::{MmapOptions, MmapRaw};
use rustix::fs::{memfd_create, MemfdFlags};
use std::fs::File;
use std::io;
use std::ptr::NonNull;

/// The file, and its pages at their place.
pub(super) struct Own {
    file: File,
    map: MmapRaw,
}

impl Own {
    /// `octets` octets of zeros, whole pages.
    pub(super) fn zeroed(octets: usize) -> io::Result<Self> {
        let file = File::from(memfd_create("ferrowarp", MemfdFlags::CLOEXEC)?);
        file.set_len(octets as u64)?;
        let map = MmapOptions::new().len(octets).map_raw(&file)?;
        Ok(Self { file, map })
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
