// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of what is around the device.
use crate::gen::consts::csr;
use crate::host::LIMIT;
use crate::prelude::*;
use ferrowarp_abi::consts::csr_reset;

/// `eth_link`, `watchdog`, `stalled` and `pcie_link`.
///
/// **Contract.** A register that `put` names is written at the next edge; `word` is that of `from`
/// of the cycle before, 0 if it is none of these.
#[block]
pub struct PlatformRegs {
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
}

impl PlatformRegs {
    /// As after power-up.
    pub fn new() -> Self {
        Self { limit: Reg::new(u64::from(csr_reset::WATCHDOG).into()), ..Default::default() }
    }
}

#[kernel]
impl Logic for PlatformRegs {
    fn update(&mut self) {
        regs!(limit);
        flops!(said);
        if self.put.val() && (self.at.val() == csr::watchdog().val()) {
            self.limit.d.next = self.data.val().get_bits::<LIMIT>(0);
        }
        self.watchdog.next = self.limit.q.val();
        self.said.d.next = 0.into();
        if self.from.val() == csr::eth_link().val() {
            self.said.d.next = bit_cast::<LIMIT, 1>(self.link_up.val().into());
        }
        if self.from.val() == csr::watchdog().val() {
            self.said.d.next = self.limit.q.val();
        }
        if self.from.val() == csr::stalled().val() {
            self.said.d.next = bit_cast::<LIMIT, 4>(self.stalled.val());
        }
        if self.from.val() == csr::pcie_link().val() {
            self.said.d.next = bit_cast::<LIMIT, 8>(self.bus_resets.val());
        }
        self.word.next = bit_cast::<32, LIMIT>(self.said.q.val());
    }
}
