// SPDX-License-Identifier: MIT OR Apache-2.0
//! Descriptors that count the messages of a function's vectors.
use super::BackendError;
use parking_lot::Mutex;
use rustix::event::{eventfd, EventfdFlags};
use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::OwnedFd;

/// Eventfds by vector. Each is made when it is first asked for: a process may have few descriptors.
#[derive(Debug, Default)]
pub(super) struct Vectors(Mutex<BTreeMap<u16, OwnedFd>>);

impl Vectors {
    /// The eventfd of a vector. `direct` makes the function count its messages in one that is new.
    pub(super) fn get(
        &self,
        vector: u16,
        direct: impl FnOnce(&OwnedFd) -> Result<(), BackendError>,
    ) -> Result<File, BackendError> {
        let failed = |e: std::io::Error| BackendError::Open(format!("no eventfd: {e}"));
        let mut fds = self.0.lock();
        if let Some(fd) = fds.get(&vector) {
            return fd.try_clone().map(File::from).map_err(failed);
        }
        // whoever writes it is not to wait, and neither is whoever reads it
        let fd = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map_err(|e| failed(e.into()))?;
        let own = fd.try_clone().map_err(failed)?;
        direct(&fd)?;
        fds.insert(vector, fd);
        Ok(own.into())
    }
}
