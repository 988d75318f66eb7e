// SPDX-License-Identifier: MIT OR Apache-2.0
//! Room in a completion queue for what a queue pair completes with when it stops.
use super::CqShared;
use crate::error::Error;
use std::sync::Arc;

/// The slot of a completion queue for the fault of a queue pair, which may have none of its own.
#[derive(Debug)]
pub(in crate::verbs) struct FaultSlot {
    cq: Arc<CqShared>,
    /// The device may still write it.
    pub(in crate::verbs) is_kept: bool,
}

impl FaultSlot {
    pub(in crate::verbs) fn new(cq: &Arc<CqShared>) -> Result<Self, Error> {
        cq.reserve()?;
        Ok(Self { cq: cq.clone(), is_kept: false })
    }
}

impl Drop for FaultSlot {
    fn drop(&mut self) {
        if !self.is_kept {
            self.cq.release(1);
        }
    }
}
