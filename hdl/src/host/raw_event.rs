// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event of a frame in the raw receive ring.
use crate::gen::consts::{doorbell_kind, event_kind};
use crate::gen::{Doorbell, Event};
use crate::prelude::*;
use crate::stream::ItemSource;

/// Offers one event `raw_rx` for a doorbell `raw_rx_arm`, when the producer index differs from the
/// doorbell's value. If the indices differ already, the event is due at once.
///
/// **Contract.** The heads of all frames up to the producer index are handed to the bus before the
/// event is offered. An event that is offered stays until it is taken; an arm meanwhile makes the
/// next one. A ring that is placed anew is not armed.
///
/// **Timing.** `due` follows the index by a cycle; the event is offered in the cycle behind `due`
/// and `still`.
#[block(clock)]
pub struct RawEvent {
    /// Synchronous reset: not armed, nothing is offered.
    pub reset: Signal<In, Bit>,
    /// Doorbell of the host; valid with `rung`.
    pub bell: Signal<In, Doorbell>,
    /// A doorbell has come in this cycle.
    pub rung: Signal<In, Bit>,
    /// The doorbell is a `raw_rx_arm`.
    pub is_arm: Signal<Out, Bit>,
    /// Producer index.
    pub producer: Signal<In, Bits<32>>,
    /// The ring is placed in this cycle.
    pub placed: Signal<In, Bit>,
    /// No frame is under way, and all heads are handed over.
    pub still: Signal<In, Bit>,
    /// An event waits for `still`: no frame may begin.
    pub due: Signal<Out, Bit>,
    /// To the event ring.
    pub event: ItemSource<Event>,
    armed: Reg<Bit>,
    at: Flop<Bits<32>>,
    due_now: Reg<Bit>,
    offers: Reg<Bit>,
    said: Const<Event>,
}

impl RawEvent {
    /// Not armed.
    pub fn new() -> Self {
        Self {
            said: Const::new(Event { kind: event_kind::raw_rx().val(), ..Default::default() }),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for RawEvent {
    fn update(&mut self) {
        regs!(armed, due_now, offers);
        flops!(at);

        self.is_arm.next = self.bell.val().kind == doorbell_kind::raw_rx_arm().val();
        self.due.next = self.due_now.q.val();
        let fires: Bit = self.due_now.q.val() && self.still.val();
        self.due_now.d.next = self.armed.q.val() && (self.producer.val() != self.at.q.val()) && !fires;
        if self.event.ready.val() {
            self.offers.d.next = false;
        }
        if fires {
            self.offers.d.next = true;
        }
        if fires || self.placed.val() {
            self.armed.d.next = false;
        }
        if self.rung.val() && self.is_arm.val() {
            self.armed.d.next = true;
            self.at.d.next = self.bell.val().value;
        }
        self.event.item.next = self.said.val();
        self.event.valid.next = self.offers.q.val();
    }
}
