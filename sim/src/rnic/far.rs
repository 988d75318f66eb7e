// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands between orders of software and the device: a root complex, and what carries the TLPs
//! of the root complex.
use super::order::Seen;
use crate::pcie::{BusState, RootComplex};

/// Longest waits, in the time of [`Far::now`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// A read of a BAR counts as not answered afterwards.
    pub(super) read: u64,
    /// A Function Level Reset counts as not done afterwards.
    pub(super) reset: u64,
}

/// What did not come in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Late {
    /// The answer to a read of a BAR.
    Read,
    /// The end of a reset.
    Reset,
}

/// A device as its root complex sees the device: the pins of a bench, or frames of the carrier.
///
/// The root complex stays with what carries its TLPs: on a bench it sees a TLP in the cycle of the
/// last beat.
pub(super) trait Far {
    /// The root complex.
    fn root(&mut self) -> &mut RootComplex;

    /// Orders are taken: whether the device is there is known.
    fn takes_orders(&mut self) -> bool {
        true
    }

    /// Time of the root complex, in its cycles.
    fn now(&self) -> u64;

    /// How long orders wait.
    fn limits(&self) -> Limits;

    /// Sends a read of a BAR; its tag, or none if nothing answers.
    fn read(&mut self, bar: u8, offset: u64, octets: usize) -> Option<u8> {
        let root = self.root();
        (root.link == BusState::Up).then(|| root.bar_read(bar, offset, octets as u64))
    }

    /// Sends a write of a BAR; false if the write is lost.
    fn write(&mut self, bar: u8, offset: u64, octets: &[u8]) -> bool {
        let root = self.root();
        let is_up = root.link == BusState::Up;
        if is_up {
            root.bar_write(bar, offset, octets);
        }
        is_up
    }

    /// What the device sees of configuration space from now on.
    fn configure(&mut self, seen: Seen) {
        let root = self.root();
        root.config = seen.put(&root.config);
    }

    /// State of the PCI Express link from now on; the first time at which orders are obeyed again.
    fn set_link(&mut self, state: BusState) -> u64;

    /// Begins a Function Level Reset; false if there is nothing to reset.
    fn begin_reset(&mut self) -> bool;

    /// Whether the reset that was begun is done: the first time at which orders are obeyed again.
    fn reset_ends(&mut self) -> Option<u64>;

    /// Something did not come in time. The error ends the device.
    fn late(&mut self, what: Late) -> Result<(), String>;

    /// The link was lost by itself since this was last asked.
    fn take_lost(&mut self) -> bool;
}
