// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a device in another place of this machine finds pages of this process: a file and an
//! offset in it.
use super::spans::Span;
use super::BackendError;
use crate::dma::DmaMemory;
use std::fs::File;
use std::sync::{Arc, OnceLock};

/// This process's memory as a file, for what no file holds: opened when it is first needed.
#[derive(Debug, Default)]
pub(super) struct OwnMemory(OnceLock<Result<Arc<File>, String>>);

impl OwnMemory {
    /// File and offset of the pages of a memory.
    pub(super) fn place<'a>(
        &'a self,
        span: &Span,
        memory: &'a DmaMemory,
    ) -> Result<(&'a Arc<File>, u64), BackendError> {
        if let Some(place) = memory.file() {
            return Ok(place);
        }
        let open = || File::options().read(true).write(true).open("/proc/self/mem");
        match self.0.get_or_init(|| open().map(Arc::new).map_err(|e| e.to_string())) {
            Ok(file) => Ok((file, span.address)),
            Err(why) => {
                Err(BackendError::Map { octets: memory.len(), why: format!("/proc/self/mem: {why}") })
            }
        }
    }
}
