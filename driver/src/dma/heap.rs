// SPDX-License-Identifier: MIT OR Apache-2.0
//! In place of `own` under Miri, which interprets and knows no memory files: pages of the heap.
use super::PAGE;
use std::alloc::{alloc_zeroed, dealloc, Layout};
use std::fs::File;
use std::io;
use std::ptr::NonNull;
use std::sync::Arc;

/// The heap.
#[derive(Debug, Default)]
pub struct Arena(());

impl Arena {
    /// There are no forks.
    pub(super) fn is_here(&self) -> bool {
        true
    }
}

/// The pages.
pub(super) struct Own(NonNull<u8>, Layout);

impl Own {
    /// `octets` octets of zeros, whole pages.
    pub(super) fn zeroed(_arena: &Arc<Arena>, octets: usize) -> io::Result<Self> {
        let layout = Layout::from_size_align(octets, PAGE).map_err(io::Error::other)?;
        // SAFETY: nobody asks for no octets.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) });
        start.map(|start| Self(start, layout)).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// The first octet, which stays where it is.
    pub(super) fn start(&self) -> Option<NonNull<u8>> {
        Some(self.0)
    }

    /// There is no file.
    pub(super) fn place(&self) -> Option<(&Arc<File>, u64)> {
        None
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // SAFETY: allocated in `zeroed` with this layout.
        unsafe { dealloc(self.0.as_ptr(), self.1) }
    }
}
