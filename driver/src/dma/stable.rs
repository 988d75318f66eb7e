// SPDX-License-Identifier: MIT OR Apache-2.0
//! Buffers of the application's that are given away for as long as a device reaches them.
use std::cell::UnsafeCell;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

/// A buffer whose bytes stay where they are while it is owned: what a region can be made of.
///
/// # Safety
/// [`StableMemory::bytes`] gives bytes that may be read and written, and that every value of a byte
/// fits. They stay valid, at the same place, until the value is dropped or used again, and nobody
/// else reaches them.
pub unsafe trait StableMemory: Send + 'static {
    /// The bytes.
    fn bytes(&mut self) -> NonNull<[u8]>;
}

/// Implements [`StableMemory`] for what dereferences to a slice of integers on the heap.
macro_rules! stable {
    ($($buffer:ty),+) => {
        $(
            // SAFETY: the elements are on the heap, where they stay until the owner is dropped or
            // used; they are integers, which every value of their bytes fits.
            unsafe impl StableMemory for $buffer {
                fn bytes(&mut self) -> NonNull<[u8]> {
                    let elements: &mut [_] = &mut self[..];
                    let len = size_of_val(elements);
                    NonNull::slice_from_raw_parts(NonNull::from(elements).cast(), len)
                }
            }
        )+
    };
}

stable!(Vec<u8>, Box<[u8]>, Vec<u32>, Box<[u32]>, Vec<u64>, Box<[u64]>);

// SAFETY: the mapping is the value's alone, and stays where it is until the value is dropped.
unsafe impl StableMemory for memmap2::MmapMut {
    fn bytes(&mut self) -> NonNull<[u8]> {
        NonNull::from(&mut self[..])
    }
}

/// A buffer that is kept.
pub(super) trait Held: Send + Sync {}

/// A buffer that stays where it is, and of whose bytes the place is known. Nobody uses the buffer
/// itself before it is taken out again.
pub(crate) struct Buffer<B> {
    buffer: UnsafeCell<B>,
    octets: NonNull<[u8]>,
}

// SAFETY: the buffer may go from thread to thread, and the place is a number to this value.
unsafe impl<B: Send> Send for Buffer<B> {}
// SAFETY: by reference there is the place of the bytes only.
unsafe impl<B: Send> Sync for Buffer<B> {}

impl<B: Send> Held for Buffer<B> {}

impl<B> fmt::Debug for Buffer<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes at {:p})", self.octets.len(), self.octets)
    }
}

impl<B: StableMemory> Buffer<B> {
    /// Keeps a buffer.
    pub(crate) fn new(buffer: B) -> Arc<Self> {
        let octets = NonNull::slice_from_raw_parts(NonNull::dangling(), 0);
        let mut kept = Arc::new(Self { buffer: UnsafeCell::new(buffer), octets });
        // asked where the buffer stays: nobody moves it from here on
        if let Some(kept) = Arc::get_mut(&mut kept) {
            kept.octets = kept.buffer.get_mut().bytes();
        }
        kept
    }

    /// The bytes.
    pub(super) fn octets(&self) -> NonNull<[u8]> {
        self.octets
    }

    /// The buffer, if nobody keeps it any more.
    pub(crate) fn into_inner(self: Arc<Self>) -> Option<B> {
        Arc::into_inner(self).map(|kept| kept.buffer.into_inner())
    }
}
