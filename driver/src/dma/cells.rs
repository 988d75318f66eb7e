// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cells of a memory. Each byte belongs to one atomic, whose size is the same in every access: the
//! language does not define a race of two threads for one place by atomics of two sizes.
//!
//! The cell of a byte is the aligned block of 8 bytes around the byte. If that block is not whole
//! in the memory, the cell is the aligned block of 4 bytes, or else the byte alone. A store of a
//! part of a cell leaves the other bytes as they are, also if another thread stores there.
use super::words::{publish, take};
use super::{DmaError, DmaMemory};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicU8, Ordering};

/// The atomic of a cell.
#[derive(Clone, Copy)]
enum Atomic<'a> {
    Word(&'a AtomicU64),
    Half(&'a AtomicU32),
    Byte(&'a AtomicU8),
}

/// A cell of a memory.
#[derive(Clone, Copy)]
pub(super) struct Cell<'a> {
    atomic: Atomic<'a>,
    /// Place of its first byte.
    at: usize,
}

impl Cell<'_> {
    /// Place behind its last byte.
    fn end(self) -> usize {
        self.at
            + match self.atomic {
                Atomic::Word(_) => 8,
                Atomic::Half(_) => 4,
                Atomic::Byte(_) => 1,
            }
    }

    /// Copies the bytes from place `at` on.
    pub(super) fn load(self, at: usize, into: &mut [u8], order: Ordering) {
        let first = at - self.at;
        let bytes = match self.atomic {
            Atomic::Word(word) => word.load(order).to_ne_bytes(),
            Atomic::Half(half) => {
                let [a, b, c, d] = half.load(order).to_ne_bytes();
                [a, b, c, d, 0, 0, 0, 0]
            }
            Atomic::Byte(byte) => [byte.load(order), 0, 0, 0, 0, 0, 0, 0],
        };
        into.copy_from_slice(&bytes[first..first + into.len()]);
    }

    /// Stores bytes from place `at` on, in one step.
    pub(super) fn store(self, at: usize, bytes: &[u8], order: Ordering) {
        let first = at - self.at;
        // neither update gives up
        match self.atomic {
            Atomic::Word(word) => {
                let with = |word: u64| Some(u64::from_ne_bytes(replaced(word.to_ne_bytes(), first, bytes)));
                let _ = word.fetch_update(order, Ordering::Relaxed, with);
            }
            Atomic::Half(half) => {
                let with = |half: u32| Some(u32::from_ne_bytes(replaced(half.to_ne_bytes(), first, bytes)));
                let _ = half.fetch_update(order, Ordering::Relaxed, with);
            }
            Atomic::Byte(byte) => bytes.iter().for_each(|&value| byte.store(value, order)),
        }
    }
}

/// The bytes of a cell with others from the place `first` on.
fn replaced<const N: usize>(mut cell: [u8; N], first: usize, bytes: &[u8]) -> [u8; N] {
    cell[first..first + bytes.len()].copy_from_slice(bytes);
    cell
}

impl DmaMemory {
    /// The cell of the byte at `at`, which is in the memory.
    pub(super) fn cell(&self, at: usize) -> Cell<'_> {
        let address = self.start.addr().get() + at;
        let block = |bytes: usize| {
            let first = at.checked_sub(address % bytes)?;
            (first + bytes <= self.len).then_some(first)
        };
        let (word, half) = (block(8), block(4));
        let at = word.or(half).unwrap_or(at);
        // SAFETY: `at` is in the memory, which is valid as long as `self`.
        let place = unsafe { self.start.add(at) };
        // SAFETY: the block begins at `place`, is aligned, and is whole in the memory; an atomic
        // integer takes every value of its bytes. All accesses of the memory are by its cells, and
        // `foreign` asks the same of others.
        let atomic = unsafe {
            match (word, half) {
                (Some(_), _) => Atomic::Word(place.cast().as_ref()),
                (None, Some(_)) => Atomic::Half(place.cast().as_ref()),
                (None, None) => Atomic::Byte(place.cast().as_ref()),
            }
        };
        Cell { atomic, at }
    }

    /// The cells from place `at` on that are whole words, up to place `end`. Both places are in the
    /// memory, or `end` is behind its last byte.
    fn whole(&self, at: usize, end: usize) -> (usize, &[AtomicU64]) {
        let address = self.start.addr().get() + at;
        let first = at + address.wrapping_neg() % 8;
        let count = end.saturating_sub(first) / 8;
        if count == 0 {
            return (at, &[]);
        }
        // SAFETY: the words are aligned and in the memory, which is valid as long as `self`. Words
        // that are whole in the memory are its cells.
        (first, unsafe { std::slice::from_raw_parts(self.start.add(first).as_ptr().cast(), count) })
    }

    /// Copies bytes out, the last ones first.
    pub fn read(&self, at: usize, into: &mut [u8]) -> Result<(), DmaError> {
        let (first, words) = self.inside(at, into.len()).map(|end| self.whole(at, end))?;
        let (front, rest) = into.split_at_mut(first - at);
        let (middle, back) = rest.split_at_mut(size_of_val(words));
        self.read_cells(first + middle.len(), back);
        let places = middle.as_chunks_mut().0;
        take(words, |nth, word| places[nth] = word.to_ne_bytes());
        self.read_cells(at, front);
        Ok(())
    }

    /// Copies bytes in, the last ones last.
    pub fn write(&self, at: usize, bytes: &[u8]) -> Result<(), DmaError> {
        let (first, words) = self.inside(at, bytes.len()).map(|end| self.whole(at, end))?;
        let (front, rest) = bytes.split_at(first - at);
        let (middle, back) = rest.split_at(size_of_val(words));
        self.write_cells(at, front);
        let places = middle.as_chunks().0;
        publish(words, |nth| u64::from_ne_bytes(places[nth]));
        self.write_cells(first + middle.len(), back);
        Ok(())
    }

    /// As [`DmaMemory::read`], cell by cell, of a place that is in the memory.
    fn read_cells(&self, at: usize, into: &mut [u8]) {
        let mut left = into.len();
        while left > 0 {
            let cell = self.cell(at + left - 1);
            let first = cell.at.saturating_sub(at);
            cell.load(at + first, &mut into[first..left], Ordering::Acquire);
            left = first;
        }
    }

    /// As [`DmaMemory::write`], cell by cell, of a place that is in the memory.
    fn write_cells(&self, mut at: usize, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let cell = self.cell(at);
            let (part, rest) = bytes.split_at(bytes.len().min(cell.end() - at));
            cell.store(at, part, Ordering::Release);
            (at, bytes) = (at + part.len(), rest);
        }
    }

    /// The place behind a range of the memory.
    pub(super) fn inside(&self, at: usize, octets: usize) -> Result<usize, DmaError> {
        let outside = DmaError::Outside { at, octets, len: self.len };
        at.checked_add(octets).filter(|end| *end <= self.len).ok_or(outside)
    }
}
