//! Where a device in another place of this machine finds pages of this process: a file and an offset in it.
use super::spans::Span;
use super::BackendError;
use crate::dma::DmaMemory;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::OnceLock;

/// This process's memory as a file, for what no file holds: opened when it is first needed.
#[derive(Debug, Default)]
pub(super) struct OwnMemory(OnceLock<Result<File, String>>);

impl OwnMemory {
    /// File and offset of the pages of a memory.
    pub(super) fn place<'a>(
        &'a self,
        span: &Span,
        memory: &'a DmaMemory,
    ) -> Result<(BorrowedFd<'a>, u64), BackendError> {
        if let Some(file) = memory.file() {
            return Ok((file.as_fd(), 0));
        }
        let open = || File::options().read(true).write(true).open("/proc/self/mem");
        match self.0.get_or_init(|| open().map_err(|e| e.to_string())) {
            Ok(file) => Ok((file.as_fd(), span.address)),
            Err(why) => {
                Err(BackendError::Map { octets: memory.len(), why: format!("/proc/self/mem: {why}") })
            }
        }
    }
}
