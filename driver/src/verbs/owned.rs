// SPDX-License-Identifier: MIT OR Apache-2.0
//! Regions of buffers that the application gives away, and gets back.
use super::region::{Access, MemoryRegion, ProtectionDomain, SCOPE};
use crate::dma::{Buffer, DmaMemory, StableMemory};
use crate::error::Error;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

/// A region of a buffer that it owns. It is a [`MemoryRegion`] besides.
///
/// ```
/// # use ferrowarp::{Access, Error, ProtectionDomain};
/// # fn example(pd: &ProtectionDomain) -> Result<(), Error> {
/// let region = pd.register(vec![0_u8; 4096], Access::ALL)?;
/// let head = region.slice(..64)?;
/// // ... requests that name `head`, and their completions
/// let buffer: Vec<u8> = region.into_inner()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct OwnedRegion<B: StableMemory> {
    /// Dropped first: the device gives the bytes up before the buffer can go.
    region: MemoryRegion,
    buffer: Arc<Buffer<B>>,
}

/// Why a buffer was not registered. As an [`Error`], with `?`, it drops the buffer.
#[derive(thiserror::Error)]
#[error("{error}")]
#[non_exhaustive]
pub struct RegisterError<B> {
    /// What failed.
    pub error: Error,
    /// The buffer. `None` if the device did not answer: it may still write the bytes, so the buffer
    /// stays allocated until the device is closed.
    pub buffer: Option<B>,
}

impl<B> fmt::Debug for RegisterError<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_buffer = self.buffer.is_some();
        f.debug_struct("RegisterError").field("error", &self.error).field("has_buffer", &has_buffer).finish()
    }
}

impl<B> From<RegisterError<B>> for Error {
    fn from(why: RegisterError<B>) -> Self {
        why.error
    }
}

impl ProtectionDomain {
    /// Registers a buffer, which the region owns: rdma-core's `ibv_reg_mr`. The error has the
    /// buffer.
    ///
    /// Errors: [`Error::Memory`] of a buffer without bytes, [`Error::Exhausted`] if the device has
    /// no region left, [`Error::Backend`] and [`Error::Admin`] of the device.
    #[doc(alias = "ibv_reg_mr")]
    pub fn register<B: StableMemory>(
        &self,
        buffer: B,
        access: Access,
    ) -> Result<OwnedRegion<B>, RegisterError<B>> {
        let buffer = Buffer::new(buffer);
        let memory = DmaMemory::of_buffer(&buffer).map_err(Error::from);
        match memory.and_then(|memory| self.register_memory(memory, access)) {
            Ok(region) => Ok(OwnedRegion { region, buffer }),
            Err(error) => Err(RegisterError { error, buffer: buffer.into_inner() }),
        }
    }
}

impl<B: StableMemory> OwnedRegion<B> {
    /// Ends the region and gives the buffer back. The device has five seconds to give the bytes up.
    ///
    /// Errors: [`Error::Kept`] if the device does not. It may still write the bytes, so the buffer
    /// stays allocated until the device is closed.
    #[doc(alias = "ibv_dereg_mr")]
    pub fn into_inner(self) -> Result<B, Error> {
        let Self { mut region, buffer } = self;
        let bytes = region.memory().len();
        region.end(Instant::now() + SCOPE);
        drop(region);
        buffer.into_inner().ok_or(Error::Kept { bytes })
    }
}

impl<B: StableMemory> Deref for OwnedRegion<B> {
    type Target = MemoryRegion;

    fn deref(&self) -> &MemoryRegion {
        &self.region
    }
}
