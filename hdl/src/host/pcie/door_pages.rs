// SPDX-License-Identifier: MIT OR Apache-2.0
//! Doorbells of the pages, on their way to the device.
use super::bar_ports::Bell;
use crate::gen::consts::doorbell_kind;
use crate::gen::Doorbell;
use crate::prelude::*;
use crate::stream::{ItemSource, Queue, Slot};

/// Keeps the newest doorbell of every queue until the device takes it. `2^P` pages of queues, `A` =
/// `P + 2`, `NP` = `2^P`, `NA` = `2^A`.
///
/// **Contract.** A doorbell is taken in the cycle in which it comes: whatever the device does, the
/// host's writes go on (D6). Indices are absolute, so one that is newer replaces one that waits, in
/// its place in the order. Of a completion queue, consumer index and arming are one: an arm that
/// waits keeps waiting with the newest index, and one for any entry is not weakened.
///
/// **Timing.** Three cycles when nothing waits.
#[block(clock)]
pub struct DoorPages<const P: usize, const A: usize, const NP: usize, const NA: usize> {
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
    page: Signal<Local, Bits<P>>,
    family: Signal<Local, Bits<2>>,
    free: Signal<Local, Bits<NA>>,
    calm: Signal<Local, Bits<NP>>,
    strict: Signal<Local, Bits<NP>>,
    item: Signal<Local, Doorbell>,
}

impl<const P: usize, const A: usize, const NP: usize, const NA: usize> DoorPages<P, A, NP, NA> {
    /// Nothing waits; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        assert!(A == P + 2 && NP == 1 << P && NA == 1 << A && P >= 2, "DoorPages<{P}, {A}, {NP}, {NA}>");
        Self { ..Default::default() }
    }
}

#[kernel]
impl<const P: usize, const A: usize, const NP: usize, const NA: usize> Logic for DoorPages<P, A, NP, NA> {
    fn update(&mut self) {
        regs!(waits, arms, any);
        parts!(order, out);
        clocked!(values);

        // The oldest one leaves.
        let oldest: Bits<A> = self.order.tx.item.val();
        let old_page: Bits<P> = oldest.get_bits::<P>(0);
        let old_family: Bits<2> = bit_cast::<2, A>(oldest >> lit::<8>(P));
        self.values.read_address.next = self.order.tx.item.val();
        self.item.next.number = bit_cast::<16, P>(old_page);
        self.item.next.value = self.values.read_data.val();
        self.item.next.solicited_only = false;
        self.item.next.kind = doorbell_kind::sq().val();
        if old_family == 1 {
            self.item.next.kind = doorbell_kind::rq().val();
        }
        if old_family == 2 {
            self.item.next.kind = doorbell_kind::cq_consumer().val();
            if self.arms.q.val().get_bit(old_page.index()) {
                self.item.next.kind = doorbell_kind::cq_arm().val();
                self.item.next.solicited_only = !self.any.q.val().get_bit(old_page.index());
            }
        }
        if old_family == 3 {
            self.item.next.kind = doorbell_kind::event_consumer().val() + bit_cast::<8, P>(old_page);
            self.item.next.number = 0.into();
        }
        let pops: Bit = self.order.tx.valid.val() && self.out.rx.ready.val();
        self.order.tx.ready.next = pops;
        self.out.rx.item.next = self.item.val();
        self.out.rx.valid.next = pops;
        self.free.next = self.waits.q.val();
        self.calm.next = self.arms.q.val();
        self.strict.next = self.any.q.val();
        if pops {
            self.free.next = self.waits.q.val().replace_bit(oldest.index(), false);
            if old_family == 2 {
                self.calm.next = self.arms.q.val().replace_bit(old_page.index(), false);
                self.strict.next = self.any.q.val().replace_bit(old_page.index(), false);
            }
        }

        // A new one comes: the rings of the device are told apart by kind, all on one page.
        let kind: Bits<8> = self.bell.val().kind;
        self.page.next = bit_cast::<P, 16>(self.bell.val().number);
        let ring: Bits<8> = kind - doorbell_kind::event_consumer().val();
        let is_arm: Bit = kind == doorbell_kind::cq_arm().val();
        self.family.next = 0.into();
        if kind == doorbell_kind::rq().val() {
            self.family.next = 1.into();
        }
        if is_arm || (kind == doorbell_kind::cq_consumer().val()) {
            self.family.next = 2.into();
        }
        if kind >= doorbell_kind::event_consumer().val() {
            self.family.next = 3.into();
            self.page.next = bit_cast::<P, 8>(ring);
        }
        let place: Bits<A> =
            (bit_cast::<A, 2>(self.family.val()) << lit::<8>(P)) | bit_cast::<A, P>(self.page.val());
        self.values.write_enable.next = self.bell_valid.val();
        self.values.write_address.next = place;
        self.values.write_data.next = self.bell.val().value;
        self.order.rx.item.next = place;
        self.order.rx.valid.next = self.bell_valid.val() && !self.free.val().get_bit(place.index());
        self.waits.d.next = self.free.val();
        self.arms.d.next = self.calm.val();
        self.any.d.next = self.strict.val();
        if self.bell_valid.val() {
            self.waits.d.next = self.free.val().replace_bit(place.index(), true);
            if is_arm {
                self.arms.d.next = self.calm.val().replace_bit(self.page.val().index(), true);
                if !self.bell.val().solicited_only {
                    self.any.d.next = self.strict.val().replace_bit(self.page.val().index(), true);
                }
            }
        }

        ItemSource::<Doorbell>::link(&mut self.db, &mut self.out.tx);
    }
}
