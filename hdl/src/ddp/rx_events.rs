// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the host is told of a stream beside its completions: the first FPDU, and the peer's
//! Terminate.
use crate::cell::Highest;
use crate::gen::consts::event_kind;
use crate::gen::Event;
use crate::prelude::*;
use crate::stream::{Hold, ItemSink, ItemSource};

/// The first good FPDU of a stream opens the gate of its transmit side by a pulse, and makes an
/// event; a Terminate makes one. Of one queue pair the first FPDU is told first.
#[block]
pub struct RxEvents<const C: usize, const NC: usize> {
    /// Queue pair with a good FPDU.
    pub qp: Signal<In, Bits<8>>,
    /// In this cycle.
    pub good: Signal<In, Bit>,
    /// A queue pair begins anew.
    pub clear: Signal<In, Bit>,
    /// Queue pair that begins anew; with `clear`.
    pub clear_qp: Signal<In, Bits<C>>,
    /// Event of a Terminate.
    pub term: ItemSink<Event>,
    /// Queue pair with its first good FPDU.
    pub first_qp: Signal<Out, Bits<C>>,
    /// In this cycle.
    pub first_valid: Signal<Out, Bit>,
    /// Event.
    pub event: ItemSource<Event>,
    /// No event waits.
    pub quiet: Signal<Out, Bit>,

    slot: Hold<Event>,
    /// `good` and `qp` of the cycle before.
    came: Reg<Bit>,
    narrow: Flop<Bits<C>>,
    first: Highest<NC, C>,
    /// Queue pairs with an FPDU so far; those of which that is still to be told.
    seen: Reg<Bits<NC>>,
    owed: Reg<Bits<NC>>,
    pulse: Reg<Bit>,
    which: Flop<Bits<C>>,
    seen_now: Signal<Local, Bits<NC>>,
    owed_now: Signal<Local, Bits<NC>>,
    told: Signal<Local, Event>,
}

impl<const C: usize, const NC: usize> RxEvents<C, NC> {
    /// Nothing came yet.
    pub fn new() -> Self {
        Self { first: Highest::new(), ..Default::default() }
    }
}

#[kernel]
impl<const C: usize, const NC: usize> Logic for RxEvents<C, NC> {
    fn update(&mut self) {
        regs!(came, seen, owed, pulse);
        flops!(narrow, which);
        parts!(slot);
        self.first_qp.next = self.which.q.val();
        self.first_valid.next = self.pulse.q.val();
        self.event.item.next = self.slot.tx.item.val();
        self.event.valid.next = self.slot.tx.valid.val();
        self.slot.tx.ready.next = self.event.ready.val();
        self.first.mask.next = self.owed.q.val();
        let some: Bit = self.first.any.val();
        self.quiet.next = !self.came.q.val() && !some && !self.term.valid.val() && !self.slot.tx.valid.val();

        self.came.d.next = self.good.val();
        self.narrow.d.next = bit_cast::<C, 8>(self.qp.val());
        let fresh: Bit = self.came.q.val() && !self.seen.q.val().get_bit(self.narrow.q.val().index());
        self.pulse.d.next = fresh;
        self.which.d.next = self.narrow.q.val();
        self.told.next = self.term.item.val();
        if some {
            self.told.next.kind = event_kind::first_fpdu().val();
            self.told.next.number = bit_cast::<16, C>(self.first.index.val());
            self.told.next.error = 0.into();
            self.told.next.info = 0.into();
        }
        self.slot.rx.item.next = self.told.val();
        self.slot.rx.valid.next = some || self.term.valid.val();
        self.term.ready.next = self.slot.rx.ready.val() && !some;

        self.seen_now.next = self.seen.q.val();
        self.owed_now.next = self.owed.q.val();
        if some && self.slot.rx.ready.val() {
            self.owed_now.next = self.owed_now.val().replace_bit(self.first.index.val().index(), false);
        }
        if self.clear.val() {
            self.seen_now.next = self.seen_now.val().replace_bit(self.clear_qp.val().index(), false);
            self.owed_now.next = self.owed_now.val().replace_bit(self.clear_qp.val().index(), false);
        }
        if fresh {
            self.seen_now.next = self.seen_now.val().replace_bit(self.narrow.q.val().index(), true);
            self.owed_now.next = self.owed_now.val().replace_bit(self.narrow.q.val().index(), true);
        }
        self.seen.d.next = self.seen_now.val();
        self.owed.d.next = self.owed_now.val();
    }
}
