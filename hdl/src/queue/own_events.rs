// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events of the device's own, from several sources, for the event ring.
use crate::cell::Reg;
use crate::gen::Event;
use crate::stream::{ItemSink, ItemSource, Pick};
use rust_hdl::prelude::*;

/// Offers the events of `N` sources, 2 to 4, one at a time. Sources take turns.
///
/// **Contract.** An event that is offered stays until it is taken, whatever other sources offer
/// meanwhile.
///
/// **Timing.** An event is offered a cycle after its source offers it.
#[derive(LogicBlock, Default)]
pub struct OwnEvents<const N: usize> {
    /// Clock of all state.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Events.
    pub from: Vec<ItemSink<Event>>,
    /// To the event ring.
    pub event: ItemSource<Event>,
    pick: Pick<Event, N>,
    offers: Reg<Bit>,
}

impl<const N: usize> OwnEvents<N> {
    /// Nothing is offered; panics at elaboration if `N` is not 2 to 4.
    pub fn new() -> Self {
        assert!((2..=4).contains(&N), "{N} sources of the device's own events: 2 to 4");
        Self { from: vec![ItemSink::default(); N], pick: Pick::new(), ..Default::default() }
    }
}

impl<const N: usize> Logic for OwnEvents<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, offers);
        clock!(self, clock, pick);
        self.offers.reset.next = self.reset.val();
        self.pick.reset.next = self.reset.val();
        for i in 0..N {
            ItemSink::<Event>::link(&mut self.from[i], &mut self.pick.rx[i]);
        }
        self.pick.stays.next = self.offers.q.val();
        self.pick.serves.next = !self.offers.q.val();
        self.pick.tx.ready.next = self.offers.q.val() && self.event.ready.val();
        self.event.item.next = self.pick.tx.item.val();
        self.event.valid.next = self.offers.q.val();
        if self.offers.q.val() {
            self.offers.d.next = !self.event.ready.val();
        } else {
            self.offers.d.next = self.pick.tx.valid.val();
        }
    }
}
