// SPDX-License-Identifier: MIT OR Apache-2.0
//! A number of one of the device's objects, and the device that the object is of.
use crate::error::Error;
use crate::numbers::Numbers;
use crate::shared::Shared;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// A number that is given back when it is dropped, and the device it is of.
#[derive(Debug)]
pub(crate) struct Number {
    pub(crate) shared: Arc<Shared>,
    pub(crate) index: u16,
    of: fn(&Shared) -> &Numbers,
    /// The device may still use it.
    is_kept: AtomicBool,
}

impl Number {
    /// A number of a kind.
    pub(crate) fn new(shared: &Arc<Shared>, of: fn(&Shared) -> &Numbers) -> Result<Self, Error> {
        let index = of(shared).take(&shared.rounds)?;
        Ok(Self { index, shared: shared.clone(), of, is_kept: AtomicBool::new(false) })
    }

    /// The device may still use what it stands for: it is not given again.
    pub(crate) fn keep(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept.load(Ordering::Relaxed)
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        if !*self.is_kept.get_mut() {
            (self.of)(&self.shared).give_back(self.index, &self.shared.rounds);
        }
    }
}
