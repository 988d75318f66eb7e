// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory that siw reads and writes behind the agent's back: the agent copies octets in and out,
//! and has no references to them.
use std::alloc::{alloc_zeroed, dealloc, Layout};
use std::ptr::NonNull;

/// A page.
const PAGE: usize = 4_096;

/// Memory of zeros that begins at a page.
pub struct Memory {
    start: NonNull<u8>,
    layout: Layout,
}

impl Memory {
    /// So many octets, at least 1.
    pub fn new(octets: usize) -> Result<Self, String> {
        let layout = Layout::from_size_align(octets.max(1), PAGE).map_err(|why| why.to_string())?;
        // SAFETY: the layout has at least one octet.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) });
        start.map(|start| Self { start, layout }).ok_or_else(|| format!("no memory of {octets} octets"))
    }

    /// Where octet `at` is.
    pub fn address(&self, at: usize) -> u64 {
        self.start.as_ptr() as u64 + at as u64
    }

    fn inside(&self, at: usize, octets: usize) -> Result<*mut u8, String> {
        let size = self.layout.size();
        match at.checked_add(octets) {
            Some(end) if end <= size => Ok(self.start.as_ptr().wrapping_add(at)),
            _ => Err(format!("{octets} octets from {at} on are outside of a region of {size}")),
        }
    }

    /// Puts octets there.
    pub fn write(&self, at: usize, data: &[u8]) -> Result<(), String> {
        let to = self.inside(at, data.len())?;
        for (nth, octet) in data.iter().enumerate() {
            // SAFETY: `inside` has found the octets in the allocation. The kernel may access them
            // meanwhile, so each is written for itself and no reference exists.
            unsafe { to.add(nth).write_volatile(*octet) };
        }
        Ok(())
    }

    /// Octets that are there.
    pub fn read(&self, at: usize, octets: usize) -> Result<Vec<u8>, String> {
        let from = self.inside(at, octets)?;
        // SAFETY: as of `write`.
        Ok((0..octets).map(|nth| unsafe { from.add(nth).read_volatile() }).collect())
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout. Its owner deregisters it before.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}
