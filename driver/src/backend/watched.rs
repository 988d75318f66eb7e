// SPDX-License-Identifier: MIT OR Apache-2.0
//! A function that notices that its device is gone.
use super::function::{put, stopped, Function, REGISTERS};
use super::spans::Span;
use super::{BackendError, End};
use crate::dma::DmaMemory;
use ferrowarp_abi::consts::{csr, csr_mask};
use parking_lot::Mutex;
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// What a read gives that no device answers.
const ALL_ONES: u32 = u32::MAX;

/// A function in front of another one. A register that reads as all ones is confirmed by `magic`,
/// which never does. From then on every access fails with [`BackendError::Gone`]. A device that
/// lost its PCI Express link and is back has forgotten everything: [`BackendError::LinkReset`]. A
/// server that is lost, or has closed the connection, is asked nothing more either.
///
/// The memory of a device that is gone is another matter: a device whose registers answer nothing
/// may still write memory. So `unmap` and `reset` go to the function in any case.
#[derive(Debug)]
pub(super) struct Watched {
    inner: Arc<dyn Function>,
    /// Why no access is made any more.
    gone: OnceLock<BackendError>,
    /// Losses of the link when it was first looked at.
    resets: OnceLock<u32>,
    /// The driver's own reset has begun: all ones say nothing from then on.
    is_closed: AtomicBool,
    own: Mutex<Resets>,
}

/// Resets of the driver's own.
#[derive(Debug, Default)]
struct Resets {
    under_way: u32,
    /// One of them was done.
    is_done: bool,
}

impl Watched {
    pub(super) fn new(inner: Arc<dyn Function>) -> Self {
        let (is_closed, own) = Default::default();
        Self { inner, gone: OnceLock::new(), resets: OnceLock::new(), is_closed, own }
    }

    /// Nothing, or why no access is made.
    #[inline]
    pub(super) fn lives(&self) -> Result<(), BackendError> {
        match (self.gone.get(), self.is_closed.load(Ordering::SeqCst)) {
            (None, false) => Ok(()),
            (Some(why), _) => Err(why.clone()),
            (None, true) => Err(stopped()),
        }
    }

    /// Takes what the device has of before: it is emptied, or reset if nothing can be asked of it.
    pub(super) fn empty(&self) -> Result<(), BackendError> {
        match put(self, csr::RESTART, csr_mask::RESTART_GO) {
            Err(_) if self.lives().is_err() => self.reset(),
            told => told,
        }
    }

    /// Whether the device is the one that the first call saw: it is there, and has not lost its
    /// link since.
    pub(super) fn look(&self) -> Result<(), BackendError> {
        let now = self.read(REGISTERS, csr::PCIE_LINK.into())?;
        let before = *self.resets.get_or_init(|| now);
        match before == now {
            true => Ok(()),
            false => Err(self.ends(BackendError::LinkReset { before, now })),
        }
    }

    /// No access is made any more, for the first reason that comes.
    fn ends(&self, why: BackendError) -> BackendError {
        self.gone.get_or_init(|| why).clone()
    }

    /// What the function says, which may be the end of it.
    fn told<T>(&self, told: Result<T, BackendError>) -> Result<T, BackendError> {
        told.inspect_err(|why| {
            if let BackendError::Lost(_) | BackendError::Stopped(_) = why {
                self.ends(why.clone());
            }
        })
    }

    /// Judges what a read of a BAR gave.
    fn judge(&self, bar: usize, offset: u64, value: u32) -> Result<(), BackendError> {
        if value != ALL_ONES || bar != REGISTERS {
            return Ok(());
        }
        // behind the driver's own reset nothing answers
        self.lives()?;
        if self.told(self.inner.read(REGISTERS, csr::MAGIC.into()))? != ALL_ONES {
            return Ok(());
        }
        self.lives()?;
        Err(self.ends(BackendError::Gone { register: offset as u16, value }))
    }
}

impl Function for Watched {
    fn read(&self, bar: usize, offset: u64) -> Result<u32, BackendError> {
        self.lives()?;
        let value = self.told(self.inner.read(bar, offset))?;
        self.judge(bar, offset, value).map(|()| value)
    }

    fn read_run(&self, bar: usize, offset: u64, into: &mut [u8]) -> Result<(), BackendError> {
        self.lives()?;
        self.told(self.inner.read_run(bar, offset, into))?;
        let (dwords, _) = into.as_chunks();
        let found = dwords.iter().position(|octets| u32::from_le_bytes(*octets) == ALL_ONES);
        found.map_or(Ok(()), |nth| self.judge(bar, offset + 4 * nth as u64, ALL_ONES))
    }

    fn write(&self, bar: usize, offset: u64, octets: &[u8]) -> Result<(), BackendError> {
        self.lives()?;
        self.told(self.inner.write(bar, offset, octets))
    }

    fn write_within(
        &self,
        bar: usize,
        offset: u64,
        octets: &[u8],
        most: Duration,
    ) -> Result<(), BackendError> {
        self.lives()?;
        self.told(self.inner.write_within(bar, offset, octets, most))
    }

    fn map(&self, span: &Span, memory: &DmaMemory) -> Result<(), BackendError> {
        self.lives()?;
        self.told(self.inner.map(span, memory))
    }

    fn unmap(&self, span: &Span, most: Duration) -> Result<(), BackendError> {
        self.told(self.inner.unmap(span, most))
    }

    fn reset(&self) -> Result<(), BackendError> {
        {
            let mut own = self.own.lock();
            own.under_way += 1;
            self.is_closed.store(true, Ordering::SeqCst);
        }
        let reset = self.told(self.inner.reset());
        let mut own = self.own.lock();
        own.under_way -= 1;
        own.is_done |= reset.is_ok();
        // a device that was not reset may be looked at
        self.is_closed.store(own.is_done || own.under_way > 0, Ordering::SeqCst);
        reset
    }

    fn reserved(&self) -> Vec<(u64, u64)> {
        self.inner.reserved()
    }

    fn vectors(&self) -> u16 {
        self.inner.vectors()
    }

    fn begin(&self) -> Result<(), BackendError> {
        self.inner.begin()
    }

    fn interrupts(&self, vector: u16) -> Option<File> {
        self.inner.interrupts(vector)
    }

    fn end(&self) -> Option<End> {
        self.inner.end()
    }

    fn ticks(&self) -> Option<u64> {
        self.inner.ticks()
    }

    fn waits(&self, most: Duration) -> Duration {
        self.inner.waits(most)
    }
}
