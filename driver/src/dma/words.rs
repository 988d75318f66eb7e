// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order in which the words of an entry are stored and loaded: what decides who sees what.
//! Whoever shares memory with a device comes through here; `loom_tests` runs it in every order that
//! the language's model of memory allows.
use std::sync::atomic::{AtomicU64, Ordering};

/// A word that somebody else uses at the same time.
pub(crate) trait Word {
    /// As of an atomic.
    fn load(&self, order: Ordering) -> u64;
    /// As of an atomic.
    fn store(&self, word: u64, order: Ordering);
}

impl Word for AtomicU64 {
    #[inline(always)]
    fn load(&self, order: Ordering) -> u64 {
        AtomicU64::load(self, order)
    }

    #[inline(always)]
    fn store(&self, word: u64, order: Ordering) {
        AtomicU64::store(self, word, order);
    }
}

/// Stores words, the last one last: whoever sees it sees all of them.
#[inline(always)]
pub(crate) fn publish<W: Word>(words: &[W], mut of: impl FnMut(usize) -> u64) {
    let Some((last, rest)) = words.split_last() else { return };
    for (nth, word) in rest.iter().enumerate() {
        word.store(of(nth), Ordering::Relaxed);
    }
    last.store(of(rest.len()), Ordering::Release);
}

/// Loads words, the last one first: if it is what [`publish`] stored, so are the others.
#[inline(always)]
pub(crate) fn take<W: Word>(words: &[W], mut into: impl FnMut(usize, u64)) {
    let Some((last, rest)) = words.split_last() else { return };
    into(rest.len(), last.load(Ordering::Acquire));
    for (nth, word) in rest.iter().enumerate().rev() {
        into(nth, word.load(Ordering::Relaxed));
    }
}

/// Stores a word of a slot that a doorbell tells of later, if the slot has it.
#[inline(always)]
pub(crate) fn put<W: Word>(slot: &[W], at: usize, word: u64) {
    if let Some(place) = slot.get(at) {
        place.store(word, Ordering::Relaxed);
    }
}
