// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics of one port.
use crate::cell::Counters;
use crate::prelude::*;

/// Eight counters of 32 bits, in the order of the pulses; a counter at its greatest value stays
/// there.
#[block]
pub struct MacStats {
    /// Pulse for counter 0: a good frame came.
    pub good: Signal<In, Bit>,
    /// Pulse for counter 1: a frame with a wrong FCS came.
    pub bad_fcs: Signal<In, Bit>,
    /// Pulse for counter 2: a frame of fewer than 64 octets came.
    pub runt: Signal<In, Bit>,
    /// Pulse for counter 3: a frame beyond the limit came.
    pub long: Signal<In, Bit>,
    /// Pulse for counter 4: a frame with RX_ER came.
    pub error: Signal<In, Bit>,
    /// Pulse for counter 5: a good frame found no room.
    pub lost: Signal<In, Bit>,
    /// Pulse for counter 6: a frame left.
    pub sent: Signal<In, Bit>,
    /// Pulse for counter 7: a frame left with an inverted FCS.
    pub spoilt: Signal<In, Bit>,
    /// Counter to show.
    pub index: Signal<In, Bits<3>>,
    /// Frames counted by counter `index` of the cycle before.
    pub count: Signal<Out, Bits<32>>,
    pulses: Flop<Bits<8>>,
    counters: Counters<8, 32, 3>,
    now: Signal<Local, Bits<8>>,
}

#[kernel]
impl Logic for MacStats {
    fn update(&mut self) {
        flops!(pulses);
        parts!(counters);
        self.now.next = 0.into();
        self.now.next = self.now.val().replace_bit(0, self.good.val());
        self.now.next = self.now.val().replace_bit(1, self.bad_fcs.val());
        self.now.next = self.now.val().replace_bit(2, self.runt.val());
        self.now.next = self.now.val().replace_bit(3, self.long.val());
        self.now.next = self.now.val().replace_bit(4, self.error.val());
        self.now.next = self.now.val().replace_bit(5, self.lost.val());
        self.now.next = self.now.val().replace_bit(6, self.sent.val());
        self.now.next = self.now.val().replace_bit(7, self.spoilt.val());
        self.pulses.d.next = self.now.val();
        self.counters.pulse.next = self.pulses.q.val();
        self.counters.index.next = self.index.val();
        self.counters.clear.next = false;
        self.count.next = self.counters.count.val();
    }
}
