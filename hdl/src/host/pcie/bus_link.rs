// SPDX-License-Identifier: MIT OR Apache-2.0
//! The PCI Express link: when the function has to begin anew.
use crate::prelude::*;

/// Says that the link is down or is being reset, and counts how often that began.
///
/// **Contract.** The pins are of any clock, and are not debounced. `lost` is high for as long as
/// the link is down or a hot reset lasts. `resets` counts from power-up on, over every other reset,
/// and stays at 255. That the link comes up for the first time counts as none. `broken` is `lost`
/// of a link that has been up: what comes from the link belongs to no TLP.
///
/// **Timing.** `lost` follows a pin by two cycles.
#[block(clock)]
pub struct BusLink {
    /// Synchronous reset: power-up.
    pub reset: Signal<In, Bit>,
    /// The data link layer is up.
    pub up: Signal<In, Bit>,
    /// A hot reset is under way.
    pub hot_reset: Signal<In, Bit>,
    /// The function has to begin anew.
    pub lost: Signal<Out, Bit>,
    /// The same, behind the first time that the link was up.
    pub broken: Signal<Out, Bit>,
    /// How often it had to.
    pub resets: Signal<Out, Bits<8>>,
    up_first: Reg<Bit>,
    up_state: Reg<Bit>,
    hot_first: Reg<Bit>,
    hot_state: Reg<Bit>,
    was_lost: Reg<Bit>,
    been_up: Reg<Bit>,
    count: Reg<Bits<8>>,
}

impl BusLink {
    /// Without a link.
    pub fn new() -> Self {
        Self { was_lost: Reg::new(true), ..Default::default() }
    }
}

#[kernel]
impl Logic for BusLink {
    fn update(&mut self) {
        regs!(up_first, up_state, hot_first, hot_state, was_lost, been_up, count);
        self.up_first.d.next = self.up.val();
        self.up_state.d.next = self.up_first.q.val();
        self.hot_first.d.next = self.hot_reset.val();
        self.hot_state.d.next = self.hot_first.q.val();
        let is_lost: Bit = !self.up_state.q.val() || self.hot_state.q.val();
        self.was_lost.d.next = is_lost;
        if is_lost && !self.was_lost.q.val() && !self.count.q.val().all() {
            self.count.d.next = self.count.q.val() + lit::<8>(1);
        }
        self.been_up.d.next = self.been_up.q.val() || !is_lost;
        self.lost.next = is_lost;
        self.broken.next = is_lost && self.been_up.q.val();
        self.resets.next = self.count.q.val();
    }
}
