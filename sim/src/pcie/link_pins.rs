// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the block in front of the edge says of its link and of errors.
use super::bus_state::BusState;
use super::config::GRACE;
use super::root::RootComplex;
use crate::bench::agent::{Fault, Moment, NEVER};
use crate::model::{Model, PortError, PortId};

/// Cycles for which an error is shown.
const SHOWN: u64 = 4;

/// The pins, and what is behind them.
#[derive(Debug)]
pub(super) struct LinkPins {
    up: PortId,
    hot_reset: PortId,
    error: PortId,
    before: BusState,
    /// First cycle in which what leaves the device has begun on a link that is up.
    whole: u64,
    /// First cycle in which no error is shown.
    quiet: u64,
    /// Writes that the host had refused.
    refused: usize,
}

impl LinkPins {
    pub(super) fn new(model: &Model, block: &str) -> Result<Self, PortError> {
        let need = |pin: &str| model.need(&format!("{block}_{pin}"));
        let [up, hot_reset, error] = [need("link_up")?, need("hot_reset")?, need("error")?];
        let ((before, whole), (quiet, refused)) = Default::default();
        Ok(Self { up, hot_reset, error, before, whole, quiet, refused })
    }

    /// Shows the link's state, and forgets what was under way when it was lost.
    pub(super) fn drive(&mut self, root: &mut RootComplex, now: &mut Moment<'_>) -> Result<(), Fault> {
        let was = std::mem::replace(&mut self.before, root.link);
        if was != root.link {
            match root.link {
                BusState::Up => self.whole = now.cycle + GRACE,
                BusState::Down | BusState::HotReset => {
                    root.reset();
                    // configuration space begins anew, too
                    (root.config.master, root.config.msix, root.config.masked) = Default::default();
                }
            }
        }
        now.model.set_u64(self.up, (root.link != BusState::Down).into())?;
        now.model.set_u64(self.hot_reset, (root.link == BusState::HotReset).into())?;
        now.model.set_u64(self.error, (now.cycle < self.quiet).into())?;
        Ok(())
    }

    /// Whether a TLP that ended in this cycle is dropped: the link is not up, or was not when it
    /// began.
    pub(super) fn drops(&self, root: &RootComplex, cycle: u64) -> bool {
        root.link != BusState::Up || cycle < self.whole
    }

    /// A posted write that the host refuses has no answer. The block reports an error.
    pub(super) fn note(&mut self, root: &RootComplex, cycle: u64) {
        let refused = root.host.refused().iter().filter(|refused| refused.write).count();
        if refused > self.refused {
            self.quiet = cycle + 1 + SHOWN;
        }
        self.refused = refused;
    }

    /// First cycle in which a pin changes.
    pub(super) fn wakes(&self, root: &RootComplex, cycle: u64) -> u64 {
        match self.before != root.link || cycle < self.quiet {
            true => cycle,
            false => NEVER,
        }
    }
}
