// SPDX-License-Identifier: MIT OR Apache-2.0
//! Short FIFO of records between two steps of a stage.
use super::{ItemSink, ItemSource};
use crate::cell::{LutRam, Reg};
use rust_hdl::prelude::*;

/// FIFO of `2^A` records; an item is offered from the cycle after it was taken in.
///
/// `d_ready` and `q_valid` come from registers. One item a cycle in and out.
#[derive(LogicBlock, Default)]
pub struct Queue<T: Synth, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: empties the queue.
    pub reset: Signal<In, Bit>,
    /// Item to take in.
    pub rx: ItemSink<T>,
    /// Oldest item.
    pub tx: ItemSource<T>,
    ram: LutRam<T, A>,
    write: Reg<Bits<A>>,
    read: Reg<Bits<A>>,
    full: Reg<Bit>,
    some: Reg<Bit>,
    write_up: Signal<Local, Bits<A>>,
    read_up: Signal<Local, Bits<A>>,
    push: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
}

impl<T: Synth, const A: usize> Logic for Queue<T, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write, read, full, some);
        clock!(self, clock, ram);
        self.write.reset.next = self.reset.val();
        self.read.reset.next = self.reset.val();
        self.full.reset.next = self.reset.val();
        self.some.reset.next = self.reset.val();
        self.write_up.next = self.write.q.val() + 1;
        self.read_up.next = self.read.q.val() + 1;
        self.push.next = self.rx.valid.val() && !self.full.q.val();
        self.pop.next = self.tx.ready.val() && self.some.q.val();
        self.ram.write_enable.next = self.push.val();
        self.ram.write_address.next = self.write.q.val();
        self.ram.write_data.next = self.rx.item.val();
        self.ram.read_address.next = self.read.q.val();
        self.tx.item.next = self.ram.read_data.val();
        self.tx.valid.next = self.some.q.val();
        self.rx.ready.next = !self.full.q.val();
        if self.push.val() {
            self.write.d.next = self.write_up.val();
        }
        if self.pop.val() {
            self.read.d.next = self.read_up.val();
        }
        if self.push.val() && !self.pop.val() {
            self.some.d.next = true;
            self.full.d.next = self.write_up.val() == self.read.q.val();
        }
        if self.pop.val() && !self.push.val() {
            self.full.d.next = false;
            self.some.d.next = self.read_up.val() != self.write.q.val();
        }
    }
}
