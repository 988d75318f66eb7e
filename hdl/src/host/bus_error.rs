// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors of our requests that the PCI Express block has reported to the host.
use crate::gen::consts::event_kind;
use crate::gen::Event;
use crate::prelude::*;
use crate::stream::ItemSource;

/// Offers one event `bus_error` for what `pin` tells. A posted write that the host refuses has no
/// answer: all that the device sees of it is that the block in front has reported an error.
///
/// **Contract.** Each rise of `pin` pulses `reported`. An event that is offered stays until it is
/// taken; rises meanwhile are told by it. The synchroniser runs through a reset, so a level that
/// stands over one is no rise.
///
/// **Timing.** `reported` follows a rise by two cycles, the event is offered a cycle later.
#[block(clock)]
pub struct BusError {
    /// Synchronous reset, four cycles at least: nothing is offered.
    pub reset: Signal<In, Bit>,
    /// The block has reported a non-fatal or fatal error; of any clock, for two cycles at least.
    pub pin: Signal<In, Bit>,
    /// Pulse: it has.
    pub reported: Signal<Out, Bit>,
    /// To the event ring.
    pub event: ItemSource<Event>,
    /// Both flip-flops of the synchroniser, and the state of the cycle before.
    first: Flop<Bit>,
    state: Flop<Bit>,
    before_state: Flop<Bit>,
    offers: Reg<Bit>,
    said: Const<Event>,
}

impl BusError {
    /// Nothing was reported.
    pub fn new() -> Self {
        Self {
            said: Const::new(Event { kind: event_kind::bus_error().val(), ..Default::default() }),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for BusError {
    fn update(&mut self) {
        regs!(offers);
        flops!(first, state, before_state);
        self.first.d.next = self.pin.val();
        self.state.d.next = self.first.q.val();
        self.before_state.d.next = self.state.q.val();
        let rises: Bit = self.state.q.val() && !self.before_state.q.val();
        self.reported.next = rises;
        if self.event.ready.val() {
            self.offers.d.next = false;
        }
        if rises {
            self.offers.d.next = true;
        }
        self.event.item.next = self.said.val();
        self.event.valid.next = self.offers.q.val();
    }
}
