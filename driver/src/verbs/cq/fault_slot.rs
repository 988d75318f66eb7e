// SPDX-License-Identifier: MIT OR Apache-2.0
//! Room in a completion queue for what a queue pair completes with when it stops.
use super::CqShared;
use crate::error::Error;
use crate::verbs::completes::Completes;
use std::sync::Arc;

/// The slot of a completion queue for the fault of a queue pair, which may have none of its own.
#[derive(Debug)]
pub(in crate::verbs) struct FaultSlot<Q: Completes> {
    cq: Arc<CqShared<Q>>,
    /// The device may still write it.
    pub(in crate::verbs) is_kept: bool,
}

impl<Q: Completes> FaultSlot<Q> {
    pub(in crate::verbs) fn new(cq: &Arc<CqShared<Q>>) -> Result<Self, Error> {
        cq.reserve()?;
        Ok(Self { cq: cq.clone(), is_kept: false })
    }
}

impl<Q: Completes> Drop for FaultSlot<Q> {
    fn drop(&mut self) {
        if !self.is_kept {
            self.cq.release(1);
        }
    }
}
