// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device behind the carrier: TLPs are records in frames.
use super::far::{Far, Late, Limits};
use super::order::Seen;
use crate::carrier::{CarriedBus, CarrierState};
use crate::pcie::{BusState, RootComplex};

/// Place of BAR 4, which has the table of MSI-X and no other state.
const MSIX: u8 = 2;

/// A root complex and the carrier.
#[derive(Debug)]
pub(super) struct Frames {
    pub(super) bus: CarriedBus,
    limits: Limits,
    /// The first call has been answered, or is over.
    is_called: bool,
}

impl Frames {
    /// A device whose silence of `gone_ns` nanoseconds ends the link. A read that takes twice that
    /// time has no answer, and a reset that takes four times that time has no end.
    pub(super) fn new(bus: CarriedBus, gone_ns: u64) -> Self {
        Self {
            bus,
            limits: Limits { read: gone_ns.saturating_mul(2), reset: gone_ns.saturating_mul(4) },
            is_called: false,
        }
    }
}

impl Far for Frames {
    fn root(&mut self) -> &mut RootComplex {
        self.bus.root()
    }

    fn takes_orders(&mut self) -> bool {
        self.is_called |= self.bus.state() != CarrierState::Calling;
        self.is_called
    }

    fn now(&self) -> u64 {
        self.bus.now()
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn read(&mut self, bar: u8, offset: u64, octets: usize) -> Option<u8> {
        self.bus.note_access();
        let is_up = self.bus.link() == BusState::Up;
        is_up.then(|| self.bus.root().bar_read(bar, offset, octets as u64))
    }

    fn write(&mut self, bar: u8, offset: u64, octets: &[u8]) -> bool {
        // the platform writes the table of MSI-X, behind a reset as well
        if bar != MSIX {
            self.bus.note_access();
        }
        let is_up = self.bus.link() == BusState::Up;
        if is_up {
            self.bus.root().bar_write(bar, offset, octets);
        }
        is_up
    }

    fn configure(&mut self, seen: Seen) {
        let root = self.bus.root();
        root.config = seen.put(&root.config);
        self.bus.configure();
    }

    fn set_link(&mut self, state: BusState) -> u64 {
        self.bus.hold(state != BusState::Up);
        self.bus.now()
    }

    fn begin_reset(&mut self) -> bool {
        self.bus.forget()
    }

    fn reset_ends(&mut self) -> Option<u64> {
        self.bus.take_reset_done().then(|| self.bus.now())
    }

    fn late(&mut self, what: Late) -> Result<(), String> {
        self.bus.fails(match what {
            Late::Read => "a read of a BAR is not answered",
            Late::Reset => "a Function Level Reset has no end",
        });
        Ok(())
    }

    fn take_lost(&mut self) -> bool {
        self.bus.take_lost()
    }
}
