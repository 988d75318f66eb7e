// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory where it is, without a copy: numbers that a peer writes while this end looks, words, and
//! slices of what nobody else touches.
use super::{DmaError, DmaMemory};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

impl DmaMemory {
    /// The number of 4 bytes at byte `at`, which a peer or a device may write at the same time: a
    /// flag or a counter. The number is in this machine's byte order.
    ///
    /// With [`Ordering::Acquire`], what the device wrote before the number is seen behind the call.
    /// Writes of one message may become visible in any order: a number that tells of other bytes
    /// belongs into a later message.
    ///
    /// Errors: [`DmaError::Outside`], [`DmaError::Unaligned`] if the place is not a multiple of 4,
    /// and [`DmaError::Order`] of [`Ordering::Release`] and [`Ordering::AcqRel`].
    pub fn load_u32(&self, at: usize, order: Ordering) -> Result<u32, DmaError> {
        self.place(at, 4, 4)?;
        let mut number = [0; 4];
        self.cell(at).load(at, &mut number, of_load(order)?);
        Ok(u32::from_ne_bytes(number))
    }

    /// As [`DmaMemory::load_u32`], of 8 bytes at a multiple of 8.
    pub fn load_u64(&self, at: usize, order: Ordering) -> Result<u64, DmaError> {
        Ok(self.word(at)?.load(of_load(order)?))
    }

    /// Stores a number of 4 bytes at byte `at`, whole, in this machine's byte order. With
    /// [`Ordering::Release`], a peer that reads the number and then other bytes finds in these what
    /// this end stored before.
    ///
    /// Errors: as [`DmaMemory::load_u32`], but [`DmaError::Order`] of [`Ordering::Acquire`] and
    /// [`Ordering::AcqRel`].
    pub fn store_u32(&self, at: usize, number: u32, order: Ordering) -> Result<(), DmaError> {
        self.place(at, 4, 4)?;
        self.cell(at).store(at, &number.to_ne_bytes(), of_store(order)?);
        Ok(())
    }

    /// As [`DmaMemory::store_u32`], of 8 bytes at a multiple of 8.
    pub fn store_u64(&self, at: usize, number: u64, order: Ordering) -> Result<(), DmaError> {
        self.word(at)?.store(number, of_store(order)?);
        Ok(())
    }

    /// A range as words that this end, a peer and a device may use at the same time. A word is in
    /// this machine's byte order.
    ///
    /// Errors: [`DmaError::Outside`], and [`DmaError::Unaligned`] if the range does not begin and
    /// end at multiples of 8.
    pub fn words(&self, range: Range<usize>) -> Result<&[AtomicU64], DmaError> {
        let Range { start, end } = range;
        let bytes =
            end.checked_sub(start).ok_or(DmaError::Outside { at: start, octets: 0, len: self.len })?;
        let first = self.place(start, bytes, 8)?;
        if !bytes.is_multiple_of(8) {
            return Err(DmaError::Unaligned { at: end, to: 8 });
        }
        // SAFETY: `place` found the range in the memory, aligned for words; the memory is valid as
        // long as `self`, and words that are whole in the memory are its cells.
        Ok(unsafe { std::slice::from_raw_parts(first.cast(), bytes / 8) })
    }

    /// All bytes, without a copy.
    ///
    /// # Safety
    /// While the slice lives, nobody writes the bytes: no receive and no Read of this end is
    /// outstanding that scatters into them, no peer has been told an STag of them that it may write
    /// by, and no thread writes by this value. With a completion, the bytes of its request are
    /// nobody else's.
    pub unsafe fn as_slice(&self) -> &[u8] {
        // SAFETY: the bytes are valid as long as `self`; the caller promises that nobody writes.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// All bytes, to be written in place.
    ///
    /// # Safety
    /// While the slice lives, nobody else reads or writes the bytes: no outstanding request of this
    /// end names them, no peer has been told an STag of them, no thread uses them by this value,
    /// and there is no other slice. Memory that was given to [`DmaMemory::foreign`] may be written.
    #[allow(clippy::mut_from_ref)] // that there is no other one is the caller's promise
    pub unsafe fn as_mut_slice(&self) -> &mut [u8] {
        // SAFETY: the bytes are valid as long as `self`; the caller promises that they are only
        // reached by the slice, and that they may be written.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    /// Address of bytes that are in the memory, whose first one is at a multiple of `to`.
    fn place(&self, at: usize, bytes: usize, to: usize) -> Result<*const u8, DmaError> {
        self.inside(at, bytes)?;
        // SAFETY: the place was found to be in the memory, or one behind its last byte.
        let first = unsafe { self.start.add(at) }.as_ptr();
        match first.addr().is_multiple_of(to) {
            true => Ok(first),
            false => Err(DmaError::Unaligned { at, to }),
        }
    }

    /// The word at a place.
    fn word(&self, at: usize) -> Result<&AtomicU64, DmaError> {
        let place = self.place(at, 8, 8)?;
        // SAFETY: `place` found the word in the memory and aligned; an atomic integer takes every
        // value of its bytes. The memory is valid as long as `self`, and words that are whole in
        // the memory are its cells.
        Ok(unsafe { &*place.cast() })
    }
}

/// An order that a load can have.
fn of_load(order: Ordering) -> Result<Ordering, DmaError> {
    match order {
        Ordering::Release | Ordering::AcqRel => Err(DmaError::Order { access: "load", order }),
        order => Ok(order),
    }
}

/// An order that a store can have.
fn of_store(order: Ordering) -> Result<Ordering, DmaError> {
    match order {
        Ordering::Acquire | Ordering::AcqRel => Err(DmaError::Order { access: "store", order }),
        order => Ok(order),
    }
}
