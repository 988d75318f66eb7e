// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events of the device's own, from several sources, for the event ring.
use crate::gen::Event;
use crate::prelude::*;
use crate::stream::{ItemSink, ItemSource, Pick};

/// Offers the events of `N` sources, 2 to 4, one at a time. Sources take turns.
///
/// **Contract.** An event that is offered stays until it is taken, whatever other sources offer
/// meanwhile.
///
/// **Timing.** An event is offered a cycle after its source offers it.
#[block]
pub struct OwnEvents<const N: usize> {
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

#[kernel]
impl<const N: usize> Logic for OwnEvents<N> {
    fn update(&mut self) {
        regs!(offers);
        parts!(pick);
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
