// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device on a bench: TLPs are beats on its pins.
use crate::bench::{Bench, RootId};
use crate::pcie::{BusState, RootComplex, GRACE};
use crate::rnic::far::{Far, Late, Limits};

/// Cycles that a reset may take: reads that are under way have a timeout of their own.
const RESET_TIMEOUT: u64 = 20_000_000;
/// Cycles after which a read of a BAR counts as not answered.
const READ_TIMEOUT: u64 = 1_000_000;

/// The bench, and the root complex that stands there.
pub(super) struct Pins<'a> {
    pub(super) bench: &'a mut Bench,
    pub(super) root: RootId,
}

impl Far for Pins<'_> {
    fn root(&mut self) -> &mut RootComplex {
        self.bench.root(self.root)
    }

    fn now(&self) -> u64 {
        self.bench.cycle()
    }

    fn limits(&self) -> Limits {
        Limits { read: READ_TIMEOUT, reset: RESET_TIMEOUT }
    }

    fn set_link(&mut self, state: BusState) -> u64 {
        self.root().link = state;
        // the root complex sees the change with the next cycle
        self.now() + 2 + if state == BusState::Up { GRACE } else { 0 }
    }

    /// The input by which the PCI Express block asks for a Function Level Reset is high until the
    /// device says that it is done.
    fn begin_reset(&mut self) -> bool {
        let is_up = self.root().link == BusState::Up;
        if is_up {
            self.bench.set("pcie_flr", 1);
        }
        is_up
    }

    fn reset_ends(&mut self) -> Option<u64> {
        if self.bench.get("pcie_flr_done") != 1 {
            return None;
        }
        self.bench.set("pcie_flr", 0);
        // a next reset is a rising edge: the device is to see the input low before
        Some(self.bench.cycle() + 1)
    }

    fn late(&mut self, what: Late) -> Result<(), String> {
        match what {
            Late::Read => Ok(()),
            Late::Reset => Err(format!("the device is not reset after {RESET_TIMEOUT} cycles")),
        }
    }

    /// Only orders change the link of a bench.
    fn take_lost(&mut self) -> bool {
        false
    }
}
