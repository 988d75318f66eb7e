// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a PCI function is for the driver: accesses to its BARs, and memory that it sees.
use super::spans::Span;
use super::{BackendError, End};
use crate::dma::DmaMemory;
use std::fmt;
use std::fs::File;
use std::time::Duration;

/// BAR of the registers.
pub(super) const REGISTERS: usize = 0;

/// What carries accesses to a function, and makes memory visible to it.
pub(super) trait Function: Send + Sync + fmt::Debug {
    /// A dword of a BAR.
    fn read(&self, bar: usize, offset: u64) -> Result<u32, BackendError>;

    /// Whole dwords of a BAR.
    fn read_run(&self, bar: usize, offset: u64, into: &mut [u8]) -> Result<(), BackendError> {
        for (n, dword) in into.chunks_mut(4).enumerate() {
            dword.copy_from_slice(&self.read(bar, offset + 4 * n as u64)?.to_le_bytes()[..dword.len()]);
        }
        Ok(())
    }

    /// Writes 4 or 8 octets of a BAR in one request.
    fn write(&self, bar: usize, offset: u64, octets: &[u8]) -> Result<(), BackendError>;

    /// The same at the end of an object. Whoever serves the function and is silent for `most` is
    /// waited for no longer.
    fn write_within(
        &self,
        bar: usize,
        offset: u64,
        octets: &[u8],
        _most: Duration,
    ) -> Result<(), BackendError> {
        self.write(bar, offset, octets)
    }

    /// Makes the pages of a memory visible.
    fn map(&self, span: &Span, memory: &DmaMemory) -> Result<(), BackendError>;

    /// Takes them away again. Whoever serves the function and is silent for `most` is waited for no
    /// longer. A function that has stopped says so; after any other error they may still be
    /// visible.
    fn unmap(&self, span: &Span, most: Duration) -> Result<(), BackendError>;

    /// Resets the function: afterwards it reaches no memory, until its command register says that
    /// it may.
    fn reset(&self) -> Result<(), BackendError>;

    /// Addresses, first and last, at which nothing can be made visible.
    fn reserved(&self) -> Vec<(u64, u64)> {
        vec![]
    }

    /// Vectors of MSI-X; 0 of a function without.
    fn vectors(&self) -> u16 {
        0
    }

    /// The device has begun: messages of vector 0 are directed to a descriptor. A device that has
    /// not begun masks each vector again.
    fn begin(&self) -> Result<(), BackendError> {
        Ok(())
    }

    /// A descriptor that counts the interrupts of a vector, if there are any.
    fn interrupts(&self, _vector: u16) -> Option<File> {
        None
    }

    /// As [`Backend::end`](super::Backend::end).
    fn end(&self) -> Option<End> {
        None
    }

    /// Milliseconds of its time, if they are known without a read of its counter.
    fn ticks(&self) -> Option<u64> {
        None
    }

    /// As [`Backend::waits`].
    fn waits(&self, most: Duration) -> Duration {
        most
    }
}

/// The bits of a field.
pub(super) fn field(register: u32, mask: u32) -> u32 {
    (register & mask) >> mask.trailing_zeros()
}

pub(super) fn dword(function: &dyn Function, register: u16) -> Result<u32, BackendError> {
    function.read(REGISTERS, register.into())
}

pub(super) fn put(function: &dyn Function, register: u16, value: u32) -> Result<(), BackendError> {
    function.write(REGISTERS, register.into(), &value.to_le_bytes())
}

/// What is said of a function that the driver has reset or closed.
pub(super) fn stopped() -> BackendError {
    BackendError::Stopped("it was reset or closed".into())
}
