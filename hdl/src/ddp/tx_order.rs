// SPDX-License-Identifier: MIT OR Apache-2.0
//! ULPDUs of each queue pair, in their order.
use crate::prelude::*;

/// Numbers the ULPDUs of a queue pair modulo 4, from the claim of a slot until they leave: at most
/// three are under way.
#[block(clock)]
pub struct TxOrder<const C: usize> {
    /// Synchronous reset; then the columns are cleared, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// The columns are clear.
    pub ready: Signal<Out, Bit>,
    /// Pulse: a ULPDU begins.
    pub begins: Signal<In, Bit>,
    /// Queue pair that begins a ULPDU.
    pub begin_qp: Signal<In, Bits<C>>,
    /// Slot of this ULPDU; with `begins`.
    pub begin_slot: Signal<In, Bits<3>>,
    /// Number of this ULPDU.
    pub number: Signal<Out, Bits<2>>,
    /// Pulse: the oldest ULPDU of `leave_qp` leaves.
    pub leaves: Signal<In, Bit>,
    /// Queue pair of which a ULPDU may leave.
    pub leave_qp: Signal<In, Bits<C>>,
    /// Number of its oldest ULPDU.
    pub first: Signal<Out, Bits<2>>,
    /// Queue pair that is asked for.
    pub ask_qp: Signal<In, Bits<C>>,
    /// How many ULPDUs of `ask_qp` are under way.
    pub held: Signal<Out, Bits<2>>,
    /// Slot of the oldest one of them.
    pub oldest: Signal<Out, Bits<3>>,
    /// ULPDUs that have begun, for the claim and for the question; those that have left, likewise.
    begun: LutRam<Bits<2>, C>,
    begun_too: LutRam<Bits<2>, C>,
    left: LutRam<Bits<2>, C>,
    left_too: LutRam<Bits<2>, C>,
    /// Slots of a queue pair, by number.
    slots: [LutRam<Bits<3>, C>; 4],
    sweep: Reg<Bits<C>>,
    swept: Reg<Bit>,
    numbers: [Const<Bits<2>>; 4],
    begin_at: Signal<Local, Bits<C>>,
    begin_to: Signal<Local, Bits<2>>,
    leave_at: Signal<Local, Bits<C>>,
    leave_to: Signal<Local, Bits<2>>,
}

impl<const C: usize> TxOrder<C> {
    /// Nothing is under way.
    pub fn new() -> Self {
        Self { numbers: std::array::from_fn(Const::of), ..Default::default() }
    }
}

#[kernel]
impl<const C: usize> Logic for TxOrder<C> {
    fn update(&mut self) {
        regs!(sweep, swept);
        clocked!(begun, begun_too, left, left_too);
        self.ready.next = self.swept.q.val();

        self.begun.read_address.next = self.begin_qp.val();
        self.number.next = self.begun.read_data.val();
        let begun_up: Bits<2> = self.begun.read_data.val() + 1;
        self.left.read_address.next = self.leave_qp.val();
        self.first.next = self.left.read_data.val();
        let left_up: Bits<2> = self.left.read_data.val() + 1;
        self.begun_too.read_address.next = self.ask_qp.val();
        self.left_too.read_address.next = self.ask_qp.val();
        self.held.next = self.begun_too.read_data.val() - self.left_too.read_data.val();
        self.oldest.next = 0.into();
        for i in 0..4 {
            self.slots[i].clock.next = self.clock.val();
            self.slots[i].write_enable.next =
                self.begins.val() && (self.begun.read_data.val() == self.numbers[i].val());
            self.slots[i].write_address.next = self.begin_qp.val();
            self.slots[i].write_data.next = self.begin_slot.val();
            self.slots[i].read_address.next = self.ask_qp.val();
            if self.left_too.read_data.val() == self.numbers[i].val() {
                self.oldest.next = self.slots[i].read_data.val();
            }
        }

        self.begin_at.next = self.begin_qp.val();
        self.begin_to.next = begun_up;
        self.leave_at.next = self.leave_qp.val();
        self.leave_to.next = left_up;
        if !self.swept.q.val() {
            self.begin_at.next = self.sweep.q.val();
            self.begin_to.next = 0.into();
            self.leave_at.next = self.sweep.q.val();
            self.leave_to.next = 0.into();
            self.sweep.d.next = self.sweep.q.val() + 1;
            self.swept.d.next = self.sweep.q.val().all();
        }
        self.begun.write_enable.next = self.begins.val() || !self.swept.q.val();
        self.begun.write_address.next = self.begin_at.val();
        self.begun.write_data.next = self.begin_to.val();
        self.begun_too.write_enable.next = self.begins.val() || !self.swept.q.val();
        self.begun_too.write_address.next = self.begin_at.val();
        self.begun_too.write_data.next = self.begin_to.val();
        self.left.write_enable.next = self.leaves.val() || !self.swept.q.val();
        self.left.write_address.next = self.leave_at.val();
        self.left.write_data.next = self.leave_to.val();
        self.left_too.write_enable.next = self.leaves.val() || !self.swept.q.val();
        self.left_too.write_address.next = self.leave_at.val();
        self.left_too.write_data.next = self.leave_to.val();
    }
}
