//! A function that notices that its device is gone.
use super::pci::{Function, REGISTERS};
use super::spans::Span;
use super::BackendError;
use crate::dma::DmaMemory;
use ferrowarp_abi::consts::csr;
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// What a read gives that no device answers.
const ALL_ONES: u32 = u32::MAX;

/// A function in front of another one. A register that reads as all ones is confirmed by `magic`, which never does. From then on
/// every access fails with [`BackendError::Gone`], and `is_over` says so to whoever makes none. A device that lost its PCI Express
/// link and is back has forgotten everything: [`BackendError::LinkReset`].
#[derive(Debug)]
pub(super) struct Watched {
    inner: Arc<dyn Function>,
    /// Why no access is made any more.
    gone: OnceLock<BackendError>,
    /// Losses of the link when it was first looked at.
    resets: OnceLock<u32>,
    is_over: Arc<AtomicBool>,
}

impl Watched {
    pub(super) fn new(inner: Arc<dyn Function>, is_over: Arc<AtomicBool>) -> Self {
        Self { inner, gone: OnceLock::new(), resets: OnceLock::new(), is_over }
    }

    /// Nothing, or why no access is made.
    pub(super) fn lives(&self) -> Result<(), BackendError> {
        self.gone.get().cloned().map_or(Ok(()), Err)
    }

    /// Whether the device is the one that the first call saw: it is there, and has not lost its link since.
    pub(super) fn look(&self) -> Result<(), BackendError> {
        let now = self.read(REGISTERS, csr::PCIE_LINK.into())?;
        let before = *self.resets.get_or_init(|| now);
        match before == now {
            true => Ok(()),
            false => Err(self.end(BackendError::LinkReset { before, now })),
        }
    }

    /// No access is made any more, for the first reason that comes.
    fn end(&self, why: BackendError) -> BackendError {
        let first = self.gone.get_or_init(|| why).clone();
        self.is_over.store(true, Ordering::SeqCst);
        first
    }

    /// Judges what a read of a BAR gave.
    fn judge(&self, bar: usize, offset: u64, value: u32) -> Result<(), BackendError> {
        if value != ALL_ONES || bar != REGISTERS || self.inner.read(REGISTERS, csr::MAGIC.into())? != ALL_ONES
        {
            return Ok(());
        }
        Err(self.end(BackendError::Gone { register: offset as u16, value }))
    }
}

impl Function for Watched {
    fn read(&self, bar: usize, offset: u64) -> Result<u32, BackendError> {
        self.lives()?;
        let value = self.inner.read(bar, offset)?;
        self.judge(bar, offset, value).map(|()| value)
    }

    fn read_run(&self, bar: usize, offset: u64, into: &mut [u8]) -> Result<(), BackendError> {
        self.lives()?;
        self.inner.read_run(bar, offset, into)?;
        let (dwords, _) = into.as_chunks();
        let found = dwords.iter().position(|octets| u32::from_le_bytes(*octets) == ALL_ONES);
        found.map_or(Ok(()), |nth| self.judge(bar, offset + 4 * nth as u64, ALL_ONES))
    }

    fn write(&self, bar: usize, offset: u64, octets: &[u8]) -> Result<(), BackendError> {
        self.lives()?;
        self.inner.write(bar, offset, octets)
    }

    fn map(&self, span: &Span, memory: &DmaMemory) -> Result<(), BackendError> {
        self.lives()?;
        self.inner.map(span, memory)
    }

    fn unmap(&self, span: &Span) -> Result<(), BackendError> {
        self.inner.unmap(span)
    }

    fn reset(&self) -> Result<(), BackendError> {
        self.lives()?;
        self.inner.reset()
    }

    fn reserved(&self) -> Vec<(u64, u64)> {
        self.inner.reserved()
    }

    fn interrupts(&self) -> Option<File> {
        self.inner.interrupts()
    }

    fn ticks(&self) -> Option<u64> {
        self.inner.ticks()
    }
}
