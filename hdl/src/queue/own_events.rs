// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events of the device's own, from several sources, for the event ring.
use crate::cell::{Const, Reg};
use crate::gen::Event;
use crate::stream::{ItemSink, ItemSource};
use rust_hdl::prelude::*;

/// Offers the events of `N` sources, 2 to 4, one at a time. Sources take turns.
///
/// **Contract.** An event that is offered stays until it is taken, whatever other sources offer
/// meanwhile.
///
/// **Timing.** An event is offered a cycle after its source offers it.
#[derive(LogicBlock, Default)]
pub struct OwnEvents<const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Events.
    pub from: Vec<ItemSink<Event>>,
    /// To the event ring.
    pub event: ItemSource<Event>,
    offers: Reg<Bit>,
    /// Source of the event that is offered, or was offered last.
    turn: Reg<Bits<2>>,
    index: Vec<Const<Bits<2>>>,
    pick: Signal<Local, Bits<2>>,
    some: Signal<Local, Bit>,
    passed: Signal<Local, Bit>,
    said: Signal<Local, Event>,
}

impl<const N: usize> OwnEvents<N> {
    /// Nothing is offered; panics at elaboration if `N` is not 2 to 4.
    pub fn new() -> Self {
        assert!((2..=4).contains(&N), "{N} sources of the device's own events: 2 to 4");
        Self {
            from: vec![ItemSink::default(); N],
            index: (0..N).map(Const::of).collect(),
            ..Default::default()
        }
    }
}

impl<const N: usize> Logic for OwnEvents<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, offers, turn);
        self.offers.reset.next = self.reset.val();
        self.turn.reset.next = self.reset.val();

        // First the sources after the last that was served, then those up to it.
        self.pick.next = self.turn.q.val();
        self.some.next = false;
        self.passed.next = false;
        for i in 0..N {
            if self.passed.val() && self.from[i].valid.val() && !self.some.val() {
                self.pick.next = self.index[i].val();
                self.some.next = true;
            }
            if self.index[i].val() == self.turn.q.val() {
                self.passed.next = true;
            }
        }
        for i in 0..N {
            if self.from[i].valid.val() && !self.some.val() {
                self.pick.next = self.index[i].val();
                self.some.next = true;
            }
        }
        self.said.next = self.from[0].item.val();
        for i in 0..N {
            if self.turn.q.val() == self.index[i].val() {
                self.said.next = self.from[i].item.val();
            }
            self.from[i].ready.next =
                self.offers.q.val() && self.event.ready.val() && (self.turn.q.val() == self.index[i].val());
        }
        self.event.item.next = self.said.val();
        self.event.valid.next = self.offers.q.val();
        if self.offers.q.val() {
            self.offers.d.next = !self.event.ready.val();
        } else {
            self.offers.d.next = self.some.val();
            self.turn.d.next = self.pick.val();
        }
    }
}
