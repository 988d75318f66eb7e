// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory that a device reads and writes while threads do: the only module that touches it.
//!
//! Every access is an atomic one, and each octet belongs to one atomic: an aligned word of 8 octets
//! but at ends that are not aligned (`cells`). So threads of the application never race in the
//! sense of the language, with each other or with a device in this process, and the compiler
//! neither repeats nor drops an access to memory that a device on a bus changes. A store ends with
//! its last word, released; a load begins with the last word of what it reads, acquired.
//! Entries are aligned and have their phase bit there, so whoever sees it sees the whole entry.
mod cells;
#[cfg(all(test, not(miri)))]
mod loom_tests;
#[cfg_attr(miri, path = "heap.rs")]
mod own;
#[cfg(not(miri))] // which has no memory files
mod ranges;
mod stable;
#[cfg(test)]
mod tests;
mod view;
#[cfg(test)]
mod view_tests;
mod words;

pub use own::Arena;
pub(crate) use stable::Buffer;
use stable::Held;
pub use stable::StableMemory;
pub(crate) use words::{put, take};

use own::Own;
use std::fmt;
use std::fs::File;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Alignment of what is allocated here: a page of every IOMMU.
pub const PAGE: usize = 4096;

/// Why memory is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DmaError {
    /// No octets, or more than an address space has.
    #[error("{0} octets cannot be allocated; ask for 1 to {most}", most = isize::MAX as usize - PAGE)]
    Size(usize),
    /// The system has none.
    #[error("the system has no memory for {octets} octets: {why}; register less, or look at `ulimit -v` and `ulimit -n`")]
    Exhausted {
        /// Octets.
        octets: usize,
        /// What it said.
        why: String,
    },
    /// This process is a child of the one whose device it is.
    #[error("the memory is the parent's of this process: a child opens a device of its own")]
    Forked,
    /// Nothing is there.
    #[error("no readable memory is mapped at {address:#x}; register memory of this process")]
    Unmapped {
        /// The first octet that is not there.
        address: u64,
    },
    /// Memory for a device to write that may not be written.
    #[error("the memory at {address:#x} is read-only; register it without `local_write` and `remote_write`")]
    ReadOnly {
        /// The first octet that may not.
        address: u64,
    },
    /// The system does not say what memory there is.
    #[error("/proc/self/maps: {0}; mount /proc")]
    Unknown(String),
    /// A number or a word that is not where an atomic access has it.
    #[error("byte {at} is not aligned to {to} bytes in memory; choose an aligned offset")]
    Unaligned {
        /// The place in the memory.
        at: usize,
        /// Of the address.
        to: usize,
    },
    /// An order that the access cannot have.
    #[error("a {access} cannot have the order {order:?}; use Relaxed, SeqCst, or Acquire of a load, Release of a store")]
    Order {
        /// `load` or `store`.
        access: &'static str,
        /// Asked for.
        order: Ordering,
    },
    /// An access runs past the end.
    #[error("{octets} octets at {at} are not in a memory of {len} octets")]
    Outside {
        /// First octet.
        at: usize,
        /// Octets.
        octets: usize,
        /// Octets of the memory.
        len: usize,
    },
}

/// Octets at a fixed place.
pub struct DmaMemory {
    start: NonNull<u8>,
    len: usize,
    keeper: Keeper,
}

/// What keeps octets where they are.
enum Keeper {
    /// Pages of the driver's own.
    Pages(Own),
    /// A buffer of the application's that was given away.
    Buffer { _held: Arc<dyn Held> },
    /// The promise of who called [`DmaMemory::foreign`].
    Caller,
}

// SAFETY: the octets are reached through atomics only, and their place stays valid until the value
// is dropped.
unsafe impl Send for DmaMemory {}
// SAFETY: as above: two threads that use it do atomic accesses.
unsafe impl Sync for DmaMemory {}

impl fmt::Debug for DmaMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DmaMemory({} octets at {:p})", self.len, self.start)
    }
}

impl DmaMemory {
    /// `len` octets of zeros, at the beginning of a page.
    pub fn zeroed(arena: &Arc<Arena>, len: usize) -> Result<Self, DmaError> {
        let pages = len.checked_next_multiple_of(PAGE).filter(|&n| n > 0 && isize::try_from(n).is_ok());
        let pages = pages.ok_or(DmaError::Size(len))?;
        let exhausted = |why: std::io::Error| DmaError::Exhausted { octets: len, why: why.to_string() };
        if !arena.is_here() {
            return Err(DmaError::Forked);
        }
        let own = Own::zeroed(arena, pages).map_err(exhausted)?;
        let start = own.start().ok_or(DmaError::Size(len))?;
        Ok(Self { start, len, keeper: Keeper::Pages(own) })
    }

    /// The file that has the octets and the offset of the first one, for a device in another
    /// process; none for memory of the application.
    pub fn file(&self) -> Option<(&Arc<File>, u64)> {
        match &self.keeper {
            Keeper::Pages(own) => own.place(),
            _ => None,
        }
    }

    /// Whether the octets stay until the last handle of this goes, whatever the application does.
    pub(crate) fn is_own(&self) -> bool {
        !matches!(self.keeper, Keeper::Caller)
    }

    /// A buffer of the application's, which lives as long as the value.
    pub(crate) fn of_buffer<B: StableMemory>(buffer: &Arc<Buffer<B>>) -> Result<Self, DmaError> {
        let octets = buffer.octets();
        let len = octets.len();
        if len == 0 {
            return Err(DmaError::Size(len));
        }
        Ok(Self { start: octets.cast(), len, keeper: Keeper::Buffer { _held: buffer.clone() } })
    }

    /// Memory of the application.
    ///
    /// # Safety
    /// The `len` octets from `start` stay allocated as long as the value lives, and writable if the
    /// value or a device is to write them. While a device may use them nobody else accesses them
    /// but by the value, or at moments at which no work request and no peer names them.
    pub unsafe fn foreign(start: NonNull<u8>, len: usize) -> Result<Self, DmaError> {
        if len == 0 || isize::try_from(len).is_err() {
            return Err(DmaError::Size(len));
        }
        Ok(Self { start, len, keeper: Keeper::Caller })
    }

    /// Octets.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never: a memory has at least one octet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Address of the first octet in this process.
    pub fn address(&self) -> u64 {
        self.start.as_ptr() as u64
    }

    /// A copy of octets.
    pub fn copy(&self, at: usize, octets: usize) -> Result<Vec<u8>, DmaError> {
        self.inside(at, octets)?;
        let mut copy = vec![0; octets];
        self.read(at, &mut copy)?;
        Ok(copy)
    }
}

/// A ring in memory: `2^log2` slots of `N` words, for what posts and polls.
pub(crate) struct RingWords<const N: usize> {
    slots: NonNull<[AtomicU64; N]>,
    mask: usize,
    /// Keeps the slots where they are.
    _memory: Arc<DmaMemory>,
}

// SAFETY: as `DmaMemory`: atomics only, and the place stays valid as long as the value.
unsafe impl<const N: usize> Send for RingWords<N> {}
// SAFETY: as above.
unsafe impl<const N: usize> Sync for RingWords<N> {}

impl<const N: usize> fmt::Debug for RingWords<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RingWords({} slots of {N} words)", self.mask + 1)
    }
}

impl<const N: usize> RingWords<N> {
    /// At the beginning of a memory, which is a page.
    pub(crate) fn new(memory: &Arc<DmaMemory>, log2: u8) -> Result<Self, DmaError> {
        let count = 1_usize << log2;
        let (slots, octets) = (memory.start.cast::<[AtomicU64; N]>(), count * N * 8);
        if !slots.is_aligned() || octets > memory.len {
            return Err(DmaError::Outside { at: 0, octets, len: memory.len });
        }
        Ok(Self { slots, mask: count - 1, _memory: memory.clone() })
    }

    /// The slot of an index that counts for ever.
    #[inline(always)]
    pub(crate) fn slot(&self, index: u32) -> &[AtomicU64; N] {
        // SAFETY: there are `mask + 1` aligned slots inside of the memory, which lives as long as
        // `self`; all accesses are atomic, and words that are whole in the memory are its cells.
        unsafe { self.slots.add(index as usize & self.mask).as_ref() }
    }

    /// The slot of an index and the one behind it, which may be the ring's first.
    #[inline(always)]
    pub(crate) fn two(&self, index: u32) -> [&[AtomicU64; N]; 2] {
        [self.slot(index), self.slot(index.wrapping_add(1))]
    }
}
