// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the next slot of a ring in host memory lies.
use crate::cell::{Const, Flop, Reg};
use crate::gen::{Doorbell, Ring};
use crate::stream::ItemSink;
use rust_hdl::prelude::*;

/// Place, size and indices of a ring that exists once. The device moves `mine`, the host's doorbell
/// the other index; both are absolute and begin at 0 when the ring is placed.
///
/// `lead` is true if the host produces. A doorbell that would make more slots full than there are
/// is dropped and told (D11).
#[derive(LogicBlock, Default)]
pub struct RingPlace<const S: usize> {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: there is no ring.
    pub reset: Signal<In, Bit>,
    /// Place of the ring, from the admin port; taken with `may`, and both indices begin at 0.
    pub ring: ItemSink<Ring>,
    /// The ring may move in this cycle.
    pub may: Signal<In, Bit>,
    /// Doorbell with the host's index, taken at once.
    pub db: ItemSink<Doorbell>,
    /// Moves the device's index on.
    pub step: Signal<In, Bit>,
    /// First octet of the slot at the device's index.
    pub addr: Signal<Out, Bits<64>>,
    /// The device's index.
    pub mine: Signal<Out, Bits<32>>,
    /// Phase of that slot: 1 the first time round.
    pub phase: Signal<Out, Bit>,
    /// `addr`, `phase` and `some` are those of the present index and place; low for one cycle after
    /// each change.
    pub settled: Signal<Out, Bit>,
    /// With `settled`: the slot is the device's, free if the device produces, full if the host
    /// does.
    pub some: Signal<Out, Bit>,
    /// With `settled`: more than half of the slots are free, if the device produces.
    pub roomy: Signal<Out, Bit>,
    /// Pulse: a doorbell was dropped.
    pub bad: Signal<Out, Bit>,
    base: Flop<Bits<64>>,
    log2: Flop<Bits<8>>,
    size: Flop<Bits<32>>,
    valid: Reg<Bit>,
    /// The sums have followed the last change.
    fresh: Reg<Bit>,
    here: Reg<Bits<32>>,
    host: Reg<Bits<32>>,
    bad_now: Reg<Bit>,
    sum: Flop<Bits<64>>,
    usable: Reg<Bit>,
    roomy_now: Reg<Bit>,
    lead: Const<Bit>,
    shift: Const<Bits<5>>,
    one: Const<Bits<32>>,
    most: Const<Bits<8>>,
    slot: Signal<Local, Bits<32>>,
    lowest: Signal<Local, Bits<32>>,
    masked: Signal<Local, Bits<32>>,
    offset: Signal<Local, Bits<64>>,
    total: Signal<Local, Bits<64>>,
    lap: Signal<Local, Bits<32>>,
    here_up: Signal<Local, Bits<32>>,
    used: Signal<Local, Bits<32>>,
    half: Signal<Local, Bits<32>>,
    claimed: Signal<Local, Bits<32>>,
    new_size: Signal<Local, Bits<32>>,
    put: Signal<Local, Bit>,
    moved: Signal<Local, Bit>,
}

impl<const S: usize> RingPlace<S> {
    /// Slots of `2^S` octets; `lead`: the host produces.
    pub fn new(lead: bool) -> Self {
        Self {
            lead: Const::new(lead),
            shift: Const::of(S),
            one: Const::of(1),
            most: Const::of(16),
            ..Default::default()
        }
    }
}

impl<const S: usize> Logic for RingPlace<S> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, base, log2, size, valid, fresh, here, host, bad_now, sum, usable);
        dff_setup!(self, clock, roomy_now);
        self.valid.reset.next = self.reset.val();
        self.fresh.reset.next = self.reset.val();
        self.here.reset.next = self.reset.val();
        self.host.reset.next = self.reset.val();
        self.bad_now.reset.next = self.reset.val();
        self.usable.reset.next = self.reset.val();
        self.roomy_now.reset.next = self.reset.val();

        self.ring.ready.next = self.may.val();
        self.put.next = self.ring.valid.val() && self.may.val();
        self.db.ready.next = true;

        // The slot: base + (index modulo slots) * octets, a cycle after the index.
        self.slot.next = self.here.q.val();
        self.lowest.next = self.size.q.val() - self.one.val();
        self.masked.next = self.slot.val() & self.lowest.val();
        self.offset.next = bit_cast::<64, 32>(self.masked.val()) << self.shift.val();
        self.total.next = self.base.q.val() + self.offset.val();
        self.sum.d.next = self.total.val();
        self.addr.next = self.sum.q.val();
        self.mine.next = self.here.q.val();
        self.lap.next = self.here.q.val() >> self.log2.q.val();
        self.phase.next = !self.lap.val().get_bit(0);

        // Whose it is: the device produces into what is not full, or consumes what is not empty.
        self.used.next = self.here.q.val() - self.host.q.val();
        self.claimed.next = self.here.q.val() - self.db.item.val().value;
        if self.lead.val() {
            self.used.next = self.host.q.val() - self.here.q.val();
            self.claimed.next = self.db.item.val().value - self.here.q.val();
        }
        self.usable.d.next = self.valid.q.val()
            && ((self.lead.val() && self.used.val().any())
                || (!self.lead.val() && (self.used.val() < self.size.q.val())));
        self.half.next = self.size.q.val() >> 1;
        self.roomy_now.d.next = self.valid.q.val() && (self.used.val() < self.half.val());
        self.roomy.next = self.roomy_now.q.val();
        self.moved.next = self.put.val() || self.step.val();
        self.fresh.d.next = !self.moved.val();
        self.settled.next = self.fresh.q.val();
        self.some.next = self.usable.q.val();

        self.here_up.next = self.here.q.val() + 1;
        if self.step.val() {
            self.here.d.next = self.here_up.val();
        }
        self.bad_now.d.next = false;
        if self.db.valid.val() {
            self.bad_now.d.next = !self.valid.q.val() || (self.claimed.val() > self.size.q.val());
            if self.valid.q.val() && (self.claimed.val() <= self.size.q.val()) {
                self.host.d.next = self.db.item.val().value;
            }
        }
        self.bad.next = self.bad_now.q.val();
        self.new_size.next = self.one.val() << self.ring.item.val().log2;
        if self.put.val() {
            self.base.d.next = self.ring.item.val().base;
            self.log2.d.next = self.ring.item.val().log2;
            self.size.d.next = self.new_size.val();
            self.valid.d.next =
                self.ring.item.val().is_valid && (self.ring.item.val().log2 <= self.most.val());
            self.here.d.next = 0.into();
            self.host.d.next = 0.into();
        }
    }
}
