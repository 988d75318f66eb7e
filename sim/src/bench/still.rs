// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a device stands still, as far as trials have come.
use crate::model::{PortId, Rounds, Time};

/// The tick that a device gets from outside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TickPin {
    pub(crate) pin: PortId,
    /// The pin is high in each cycle that is a multiple of this.
    pub(crate) each: u64,
}

impl TickPin {
    /// Ticks from one cycle up to another one, which does not count.
    fn between(self, from: u64, to: u64) -> u64 {
        to.div_ceil(self.each) - from.div_ceil(self.each)
    }
}

/// A device that stands still.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stands {
    /// Its time in this cycle.
    pub(super) time: Time,
    pub(super) cycle: u64,
    pub(super) rounds: Rounds,
    /// Cycles before this one need no evaluation.
    pub(super) until: u64,
    /// The end of a round changes nothing.
    pub(super) is_round_free: bool,
}

impl Stands {
    /// The time in a later cycle.
    pub(super) fn at(&self, cycle: u64, ticks: TickPin) -> Time {
        self.time.behind(cycle - self.cycle, ticks.between(self.cycle, cycle), self.rounds)
    }
}

/// What trials compare with, and how far they have come.
#[derive(Default)]
pub(super) struct Still {
    /// None once anything was evaluated.
    pub(super) stands: Option<Stands>,
    pub(super) state: Vec<u8>,
    pub(super) shown: Vec<u8>,
    /// Outputs in the cycle that is tried.
    pub(super) now: Vec<u8>,
    /// Cycles that were passed over.
    pub(super) passed: u64,
}

impl Still {
    /// A cycle is evaluated.
    pub(super) fn ends(&mut self) {
        self.stands = None;
    }
}
