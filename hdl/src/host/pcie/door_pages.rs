// SPDX-License-Identifier: MIT OR Apache-2.0
//! Doorbells of the pages, on their way to the device.
use super::bar_ports::Bell;
use crate::cell::{Const, LutRam, Reg};
use crate::gen::consts::doorbell_kind;
use crate::gen::Doorbell;
use crate::stream::{ItemSource, Queue, Slot};
use rust_hdl::prelude::*;

/// Keeps the newest doorbell of every queue until the device takes it. `2^P` pages of queues, `A` =
/// `P + 2`, `NP` = `2^P`, `NA` = `2^A`.
///
/// **Contract.** A doorbell is taken in the cycle in which it comes: whatever the device does, the
/// host's writes go on (D6). Indices are absolute, so one that is newer replaces one that waits, in
/// its place in the order. Of a completion queue, consumer index and arming are one: an arm that
/// waits keeps waiting with the newest index, and one for any entry is not weakened.
///
/// **Timing.** Three cycles when nothing waits.
#[derive(LogicBlock, Default)]
pub struct DoorPages<const P: usize, const A: usize, const NP: usize, const NA: usize> {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: nothing waits.
    pub reset: Signal<In, Bit>,
    /// A doorbell that was rung on its own page.
    pub bell: Signal<In, Bell>,
    /// It is, now.
    pub bell_valid: Signal<In, Bit>,
    /// Doorbell for the device.
    pub db: ItemSource<Doorbell>,
    /// Indices, by place: kind, then page.
    values: LutRam<Bits<32>, A>,
    /// Places in the order in which they were rung.
    order: Queue<Bits<A>, A>,
    out: Slot<Doorbell>,
    /// A doorbell stands in its place.
    waits: Reg<Bits<NA>>,
    /// A completion queue is to be armed, and that for any entry.
    arms: Reg<Bits<NP>>,
    any: Reg<Bits<NP>>,
    k_sq: Const<Bits<8>>,
    k_rq: Const<Bits<8>>,
    k_cq: Const<Bits<8>>,
    k_arm: Const<Bits<8>>,
    k_event: Const<Bits<8>>,
    page: Signal<Local, Bits<P>>,
    family: Signal<Local, Bits<2>>,
    place: Signal<Local, Bits<A>>,
    is_arm: Signal<Local, Bit>,
    kind: Signal<Local, Bits<8>>,
    ring: Signal<Local, Bits<8>>,
    oldest: Signal<Local, Bits<A>>,
    old_page: Signal<Local, Bits<P>>,
    old_family: Signal<Local, Bits<2>>,
    pops: Signal<Local, Bit>,
    free: Signal<Local, Bits<NA>>,
    calm: Signal<Local, Bits<NP>>,
    strict: Signal<Local, Bits<NP>>,
    item: Signal<Local, Doorbell>,
    up: Const<Bits<8>>,
}

impl<const P: usize, const A: usize, const NP: usize, const NA: usize> DoorPages<P, A, NP, NA> {
    /// Nothing waits; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        assert!(A == P + 2 && NP == 1 << P && NA == 1 << A && P >= 2, "DoorPages<{P}, {A}, {NP}, {NA}>");
        Self {
            k_sq: doorbell_kind::sq(),
            k_rq: doorbell_kind::rq(),
            k_cq: doorbell_kind::cq_consumer(),
            k_arm: doorbell_kind::cq_arm(),
            k_event: doorbell_kind::event_consumer(),
            up: Const::of(P),
            ..Default::default()
        }
    }
}

impl<const P: usize, const A: usize, const NP: usize, const NA: usize> Logic for DoorPages<P, A, NP, NA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, values, order, out);
        dff_setup!(self, clock, waits, arms, any);
        self.order.reset.next = self.reset.val();
        self.out.reset.next = self.reset.val();
        self.waits.reset.next = self.reset.val();
        self.arms.reset.next = self.reset.val();
        self.any.reset.next = self.reset.val();

        // The oldest one leaves.
        self.oldest.next = self.order.tx.item.val();
        self.old_page.next = self.oldest.val().get_bits::<P>(0);
        self.old_family.next = bit_cast::<2, A>(self.oldest.val() >> self.up.val());
        self.values.read_address.next = self.order.tx.item.val();
        self.item.next.number = bit_cast::<16, P>(self.old_page.val());
        self.item.next.value = self.values.read_data.val();
        self.item.next.solicited_only = false;
        self.item.next.kind = self.k_sq.val();
        if self.old_family.val() == 1 {
            self.item.next.kind = self.k_rq.val();
        }
        if self.old_family.val() == 2 {
            self.item.next.kind = self.k_cq.val();
            if self.arms.q.val().get_bit(self.old_page.val().index()) {
                self.item.next.kind = self.k_arm.val();
                self.item.next.solicited_only = !self.any.q.val().get_bit(self.old_page.val().index());
            }
        }
        if self.old_family.val() == 3 {
            self.item.next.kind = self.k_event.val() + bit_cast::<8, P>(self.old_page.val());
            self.item.next.number = 0.into();
        }
        self.pops.next = self.order.tx.valid.val() && self.out.rx.ready.val();
        self.order.tx.ready.next = self.pops.val();
        self.out.rx.item.next = self.item.val();
        self.out.rx.valid.next = self.pops.val();
        self.free.next = self.waits.q.val();
        self.calm.next = self.arms.q.val();
        self.strict.next = self.any.q.val();
        if self.pops.val() {
            self.free.next = self.waits.q.val().replace_bit(self.oldest.val().index(), false);
            if self.old_family.val() == 2 {
                self.calm.next = self.arms.q.val().replace_bit(self.old_page.val().index(), false);
                self.strict.next = self.any.q.val().replace_bit(self.old_page.val().index(), false);
            }
        }

        // A new one comes: the rings of the device are told apart by kind, all on one page.
        self.kind.next = self.bell.val().kind;
        self.page.next = bit_cast::<P, 16>(self.bell.val().number);
        self.ring.next = self.kind.val() - self.k_event.val();
        self.is_arm.next = self.kind.val() == self.k_arm.val();
        self.family.next = 0.into();
        if self.kind.val() == self.k_rq.val() {
            self.family.next = 1.into();
        }
        if self.is_arm.val() || (self.kind.val() == self.k_cq.val()) {
            self.family.next = 2.into();
        }
        if self.kind.val() >= self.k_event.val() {
            self.family.next = 3.into();
            self.page.next = bit_cast::<P, 8>(self.ring.val());
        }
        self.place.next =
            (bit_cast::<A, 2>(self.family.val()) << self.up.val()) | bit_cast::<A, P>(self.page.val());
        self.values.write_enable.next = self.bell_valid.val();
        self.values.write_address.next = self.place.val();
        self.values.write_data.next = self.bell.val().value;
        self.order.rx.item.next = self.place.val();
        self.order.rx.valid.next =
            self.bell_valid.val() && !self.free.val().get_bit(self.place.val().index());
        self.waits.d.next = self.free.val();
        self.arms.d.next = self.calm.val();
        self.any.d.next = self.strict.val();
        if self.bell_valid.val() {
            self.waits.d.next = self.free.val().replace_bit(self.place.val().index(), true);
            if self.is_arm.val() {
                self.arms.d.next = self.calm.val().replace_bit(self.page.val().index(), true);
                if !self.bell.val().solicited_only {
                    self.any.d.next = self.strict.val().replace_bit(self.page.val().index(), true);
                }
            }
        }

        ItemSource::<Doorbell>::link(&mut self.db, &mut self.out.tx);
    }
}
