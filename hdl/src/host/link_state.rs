// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Ethernet link: its state, and the events that tell of a change.
use crate::gen::consts::event_kind;
use crate::gen::Event;
use crate::prelude::*;
use crate::stream::ItemSource;

/// Offers `link_up` or `link_down` while the link's state differs from what software has heard.
///
/// **Contract.** An event that is offered stays as it is until it is taken. Changes that come
/// meanwhile are told by one event behind it, or by none if the state is the told one again: the
/// last state is always told.
///
/// **Timing.** `is_up` follows `pin` by two cycles, an event is offered a cycle later.
#[block(clock)]
pub struct LinkState {
    /// Synchronous reset: software has heard that the link is down.
    pub reset: Signal<In, Bit>,
    /// The MAC has a link; of any clock.
    pub pin: Signal<In, Bit>,
    /// The link is up.
    pub is_up: Signal<Out, Bit>,
    /// Pulse: the link went down.
    pub went_down: Signal<Out, Bit>,
    /// To the event ring.
    pub event: ItemSource<Event>,
    /// Both flip-flops of the synchroniser, and the state of the cycle before.
    first: Reg<Bit>,
    state: Reg<Bit>,
    before_state: Reg<Bit>,
    /// What software has heard, or hears by the event that is offered.
    told: Reg<Bit>,
    offers: Reg<Bit>,
    said: LinkEvent,
}

impl LinkState {
    /// Without a link.
    pub fn new() -> Self {
        Self { said: LinkEvent::new(), ..Default::default() }
    }
}

/// The event of a state. The block stands apart so that no simulator schedules `event.item` behind
/// `event.ready`. Combinational.
#[block(comb)]
pub struct LinkEvent {
    /// The link is up.
    pub is_up: Signal<In, Bit>,
    /// `link_up` or `link_down`.
    pub item: Signal<Out, Event>,
    up: Const<Event>,
    down: Const<Event>,
}

impl LinkEvent {
    /// Both events.
    pub fn new() -> Self {
        let event = |kind: Const<Bits<8>>| Const::new(Event { kind: kind.val(), ..Default::default() });
        Self { up: event(event_kind::link_up()), down: event(event_kind::link_down()), ..Default::default() }
    }
}

#[kernel]
impl Logic for LinkEvent {
    fn update(&mut self) {
        self.item.next = self.down.val();
        if self.is_up.val() {
            self.item.next = self.up.val();
        }
    }
}

#[kernel]
impl Logic for LinkState {
    fn update(&mut self) {
        regs!(first, state, before_state, told, offers);
        self.first.d.next = self.pin.val();
        self.state.d.next = self.first.q.val();
        self.before_state.d.next = self.state.q.val();
        self.is_up.next = self.state.q.val();
        self.went_down.next = self.before_state.q.val() && !self.state.q.val();

        if self.offers.q.val() {
            self.offers.d.next = !self.event.ready.val();
        } else if self.state.q.val() != self.told.q.val() {
            self.told.d.next = self.state.q.val();
            self.offers.d.next = true;
        }
        self.said.is_up.next = self.told.q.val();
        self.event.item.next = self.said.item.val();
        self.event.valid.next = self.offers.q.val();
    }
}
