// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the next slot of a ring in host memory lies.
use crate::gen::{Doorbell, Ring};
use crate::prelude::*;
use crate::stream::ItemSink;

const MOST: usize = 16;

/// Place, size and indices of a ring that exists once. The device moves `mine`, the host's doorbell
/// the other index; both are absolute and begin at 0 when the ring is placed.
///
/// `lead` is true if the host produces. A doorbell that would make more slots full than there are
/// is dropped and told (D11).
#[block(clock)]
pub struct RingPlace<const S: usize> {
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
    used: Signal<Local, Bits<32>>,
    claimed: Signal<Local, Bits<32>>,
}

impl<const S: usize> RingPlace<S> {
    /// Slots of `2^S` octets; `lead`: the host produces.
    pub fn new(lead: bool) -> Self {
        Self { lead: Const::new(lead), ..Default::default() }
    }
}

#[kernel]
impl<const S: usize> Logic for RingPlace<S> {
    fn update(&mut self) {
        regs!(valid, fresh, here, host, bad_now, usable, roomy_now);
        flops!(base, log2, size, sum);

        self.ring.ready.next = self.may.val();
        let put: Bit = self.ring.valid.val() && self.may.val();
        self.db.ready.next = true;

        // The slot: base + (index modulo slots) * octets, a cycle after the index.
        let slot: Bits<32> = self.here.q.val();
        let lowest: Bits<32> = self.size.q.val() - lit::<32>(1);
        let masked: Bits<32> = slot & lowest;
        let offset: Bits<64> = bit_cast::<64, 32>(masked) << lit::<5>(S);
        let total: Bits<64> = self.base.q.val() + offset;
        self.sum.d.next = total;
        self.addr.next = self.sum.q.val();
        self.mine.next = self.here.q.val();
        let lap: Bits<32> = self.here.q.val() >> self.log2.q.val();
        self.phase.next = !lap.get_bit(0);

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
        let half: Bits<32> = self.size.q.val() >> 1;
        self.roomy_now.d.next = self.valid.q.val() && (self.used.val() < half);
        self.roomy.next = self.roomy_now.q.val();
        let moved: Bit = put || self.step.val();
        self.fresh.d.next = !moved;
        self.settled.next = self.fresh.q.val();
        self.some.next = self.usable.q.val();

        let here_up: Bits<32> = self.here.q.val() + 1;
        if self.step.val() {
            self.here.d.next = here_up;
        }
        self.bad_now.d.next = false;
        if self.db.valid.val() {
            self.bad_now.d.next = !self.valid.q.val() || (self.claimed.val() > self.size.q.val());
            if self.valid.q.val() && (self.claimed.val() <= self.size.q.val()) {
                self.host.d.next = self.db.item.val().value;
            }
        }
        self.bad.next = self.bad_now.q.val();
        let new_size: Bits<32> = lit::<32>(1) << self.ring.item.val().log2;
        if put {
            self.base.d.next = self.ring.item.val().base;
            self.log2.d.next = self.ring.item.val().log2;
            self.size.d.next = new_size;
            self.valid.d.next =
                self.ring.item.val().is_valid && (self.ring.item.val().log2 <= lit::<8>(MOST));
            self.here.d.next = 0.into();
            self.host.d.next = 0.into();
        }
    }
}
