// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of what is around the device.
use crate::cell::{Const, Flop, Reg};
use crate::gen::consts::csr;
use crate::host::LIMIT;
use ferrowarp_abi::consts::csr_reset;
use rust_hdl::prelude::*;

/// `eth_link`, `watchdog`, `stalled` and `pcie_link`.
///
/// **Contract.** A register that `put` names is written at the next edge; `word` is that of `from`
/// of the cycle before, 0 if it is none of these.
#[derive(LogicBlock, Default)]
pub struct PlatformRegs {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Register that is written.
    pub at: Signal<In, Bits<12>>,
    /// Its new value.
    pub data: Signal<In, Bits<32>>,
    /// It is, now.
    pub put: Signal<In, Bit>,
    /// Register that is read.
    pub from: Signal<In, Bits<12>>,
    /// Its value.
    pub word: Signal<Out, Bits<32>>,
    /// The Ethernet link is up.
    pub link_up: Signal<In, Bit>,
    /// Channels that have waited for too long.
    pub stalled: Signal<In, Bits<4>>,
    /// How often the PCI Express link went down or had a hot reset.
    pub bus_resets: Signal<In, Bits<8>>,
    /// Ticks after which one has.
    pub watchdog: Signal<Out, Bits<LIMIT>>,
    said: Flop<Bits<LIMIT>>,
    limit: Reg<Bits<LIMIT>>,
    k_link: Const<Bits<12>>,
    k_watchdog: Const<Bits<12>>,
    k_stalled: Const<Bits<12>>,
    k_bus: Const<Bits<12>>,
}

impl PlatformRegs {
    /// As after power-up.
    pub fn new() -> Self {
        Self {
            limit: Reg::new(u64::from(csr_reset::WATCHDOG).into()),
            k_link: csr::eth_link(),
            k_watchdog: csr::watchdog(),
            k_stalled: csr::stalled(),
            k_bus: csr::pcie_link(),
            ..Default::default()
        }
    }
}

impl Logic for PlatformRegs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, said, limit);
        self.limit.reset.next = self.reset.val();
        if self.put.val() && (self.at.val() == self.k_watchdog.val()) {
            self.limit.d.next = self.data.val().get_bits::<LIMIT>(0);
        }
        self.watchdog.next = self.limit.q.val();
        self.said.d.next = 0.into();
        if self.from.val() == self.k_link.val() {
            self.said.d.next = bit_cast::<LIMIT, 1>(self.link_up.val().into());
        }
        if self.from.val() == self.k_watchdog.val() {
            self.said.d.next = self.limit.q.val();
        }
        if self.from.val() == self.k_stalled.val() {
            self.said.d.next = bit_cast::<LIMIT, 4>(self.stalled.val());
        }
        if self.from.val() == self.k_bus.val() {
            self.said.d.next = bit_cast::<LIMIT, 8>(self.bus_resets.val());
        }
        self.word.next = bit_cast::<32, LIMIT>(self.said.q.val());
    }
}
