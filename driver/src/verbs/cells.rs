// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words that threads share: those of the language in the product, those of `loom` in its tests.
use std::fmt::Debug;
use std::sync::atomic::{self, Ordering};

/// A word.
pub(crate) trait Cell<T>: Default + Debug + Send + Sync {
    /// Reads it.
    fn load(&self, order: Ordering) -> T;
    /// Writes it.
    fn store(&self, value: T, order: Ordering);
    /// Writes it and reads what was there.
    fn swap(&self, value: T, order: Ordering) -> T;
    /// Writes it if this is there; whether it was.
    fn turn(&self, from: T, to: T, order: Ordering) -> bool;
}

/// A kind of words.
pub(crate) trait Cells: Debug + Default + 'static {
    /// Eight bits.
    type Byte: Cell<u8>;
    /// 32 bits.
    type Word: Cell<u32>;
    /// 64 bits.
    type Long: Cell<u64>;
    /// One bit.
    type Bit: Cell<bool>;
    /// A fence of sequential consistency.
    fn fence();
}

/// Implements [`Cell`] by the functions that an atomic has.
macro_rules! cell {
    ($($atomic:ty: $value:ty),+) => {
        $(impl $crate::verbs::cells::Cell<$value> for $atomic {
            #[inline(always)]
            fn load(&self, order: std::sync::atomic::Ordering) -> $value {
                <$atomic>::load(self, order)
            }

            #[inline(always)]
            fn store(&self, value: $value, order: std::sync::atomic::Ordering) {
                <$atomic>::store(self, value, order);
            }

            #[inline(always)]
            fn swap(&self, value: $value, order: std::sync::atomic::Ordering) -> $value {
                <$atomic>::swap(self, value, order)
            }

            #[inline(always)]
            fn turn(&self, from: $value, to: $value, order: std::sync::atomic::Ordering) -> bool {
                <$atomic>::compare_exchange(self, from, to, order, std::sync::atomic::Ordering::Acquire).is_ok()
            }
        })+
    };
}
#[cfg(test)]
pub(super) use cell;

/// The language's.
#[derive(Debug, Default)]
pub(crate) struct Real;

cell!(atomic::AtomicU8: u8, atomic::AtomicU32: u32, atomic::AtomicU64: u64, atomic::AtomicBool: bool);

impl Cells for Real {
    type Byte = atomic::AtomicU8;
    type Word = atomic::AtomicU32;
    type Long = atomic::AtomicU64;
    type Bit = atomic::AtomicBool;

    #[inline(always)]
    fn fence() {
        atomic::fence(Ordering::SeqCst);
    }
}
