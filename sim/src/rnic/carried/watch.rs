// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a carrier shows of itself while it runs.
use crate::carrier::{CarrierState, CarrierStats};
use crate::rnic::threads::locked;
use std::sync::{Arc, Mutex};

/// What a carrier shows of itself; clones show the same carrier.
#[derive(Debug, Clone)]
pub struct CarrierWatch(Arc<Mutex<(CarrierState, CarrierStats)>>);

impl CarrierWatch {
    /// Of a carrier with this state.
    pub(super) fn new(state: CarrierState, stats: CarrierStats) -> Self {
        Self(Arc::new(Mutex::new((state, stats))))
    }

    /// The state has changed.
    pub(super) fn show(&self, state: CarrierState, stats: CarrierStats) {
        *locked(&self.0) = (state, stats);
    }

    /// Whether the device is there.
    pub fn state(&self) -> CarrierState {
        locked(&self.0).0
    }

    /// What was counted so far.
    pub fn stats(&self) -> CarrierStats {
        locked(&self.0).1
    }
}
