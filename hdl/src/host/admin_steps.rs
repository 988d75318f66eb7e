// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps of a command, one after the other, and what becomes of its status.
use super::step;
use crate::gen::consts::admin_status;
use crate::prelude::*;

/// Offers the lowest step that remains, from a register, until its stage has done it. Bits of
/// `plan`, `valid` and `ready` are those of [`step`].
#[block(clock)]
pub struct AdminSteps {
    /// Synchronous reset: no step remains.
    pub reset: Signal<In, Bit>,
    /// Takes `plan` and `planned`; nothing remains of what was before.
    pub load: Signal<In, Bit>,
    /// Steps to take.
    pub plan: Signal<In, Bits<27>>,
    /// Status of the command, if all steps go well.
    pub planned: Signal<In, Bits<8>>,
    /// The command is a `conn_insert`.
    pub inserts: Signal<In, Bit>,
    /// The command is a `conn_update`.
    pub updates: Signal<In, Bit>,
    /// A step is offered to its stage; at most one bit is set.
    pub valid: Signal<Out, Bits<27>>,
    /// The stage has done it.
    pub ready: Signal<In, Bits<27>>,
    /// With `ready` of `NET_RX_INSERT` and `NET_RX_REMOVE`: the hash table's answer.
    pub inserted: Signal<In, Bits<2>>,
    /// With `ready` of `NET_RX_LOOK`: the connection lives.
    pub lives: Signal<In, Bit>,
    /// Pulse: receive has said what it knows.
    pub saw_rx: Signal<Out, Bit>,
    /// Pulse: transmit has said what it knows.
    pub saw_tx: Signal<Out, Bit>,
    /// No step remains.
    pub over: Signal<Out, Bit>,
    /// Status of the command so far.
    pub status: Signal<Out, Bits<8>>,
    /// Steps still to take, and the one that is offered.
    todo: Reg<Bits<27>>,
    offered: Reg<Bits<27>>,
    so_far: Flop<Bits<8>>,
}

#[kernel]
impl Logic for AdminSteps {
    fn update(&mut self) {
        regs!(todo, offered);
        flops!(so_far);
        let below: Bits<27> = self.todo.q.val() - 1;
        self.valid.next = self.offered.q.val();
        self.status.next = self.so_far.q.val();
        self.over.next = !self.todo.q.val().any() && !self.offered.q.val().any();
        let stepped: Bit = (self.offered.q.val() & self.ready.val()).any();
        self.saw_rx.next = stepped && (self.offered.q.val() == lit::<27>(1 << step::NET_RX_LOOK));
        self.saw_tx.next = stepped && (self.offered.q.val() == lit::<27>(1 << step::TCP_TX_LOOK));
        if !self.offered.q.val().any() && self.todo.q.val().any() {
            self.offered.d.next = self.todo.q.val() & !below;
            self.todo.d.next = self.todo.q.val() & below;
        }
        if stepped {
            self.offered.d.next = 0.into();
            if (self.offered.q.val() == lit::<27>(1 << step::NET_RX_REMOVE)) && self.inserted.val().any() {
                self.so_far.d.next = admin_status::absent().val();
            }
            // The 4-tuple found no place: nothing of the connection may stay.
            if (self.offered.q.val() == lit::<27>(1 << step::NET_RX_INSERT)) && self.inserted.val().any() {
                self.todo.d.next = lit::<27>(1 << step::TCP_TX_REMOVE);
                self.so_far.d.next = admin_status::full().val();
                if self.inserted.val() == 1 {
                    self.so_far.d.next = admin_status::present().val();
                }
            }
        }
        // An insert over a connection that lives would spoil its transmit side.
        if self.saw_rx.val() && self.inserts.val() && self.lives.val() {
            self.todo.d.next = 0.into();
            self.so_far.d.next = admin_status::present().val();
        }
        if self.saw_rx.val() && self.updates.val() && !self.lives.val() {
            self.so_far.d.next = admin_status::absent().val();
        }
        if self.load.val() {
            self.todo.d.next = self.plan.val();
            self.so_far.d.next = self.planned.val();
        }
    }
}
