// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics of the carrier.
use crate::cell::Counters;
use crate::prelude::*;

/// Counters.
pub const COUNTERS: usize = 11;

/// Counters of 32 bits, bit `i` of `pulse` for counter `i`; a counter at its greatest value stays
/// there. The stage's README names the counters.
#[block]
pub struct Stats {
    /// Bit `i`: counter `i` steps.
    pub pulse: Signal<In, Bits<COUNTERS>>,
    /// Counter to show.
    pub index: Signal<In, Bits<4>>,
    /// Value of counter `index` of the cycle before.
    pub count: Signal<Out, Bits<32>>,
    pulses: Flop<Bits<COUNTERS>>,
    counters: Counters<COUNTERS, 32, 4>,
}

#[kernel]
impl Logic for Stats {
    fn update(&mut self) {
        flops!(pulses);
        parts!(counters);
        self.pulses.d.next = self.pulse.val();
        self.counters.pulse.next = self.pulses.q.val();
        self.counters.index.next = self.index.val();
        self.counters.clear.next = false;
        self.count.next = self.counters.count.val();
    }
}
