// SPDX-License-Identifier: MIT OR Apache-2.0
//! Short FIFO of records between two steps of a stage.
use super::{ItemSink, ItemSource};
use crate::prelude::*;

/// FIFO of `2^A` records; an item is offered from the cycle after it was taken in.
///
/// `d_ready` and `q_valid` come from registers. One item a cycle in and out.
#[block(clock)]
pub struct Queue<T: Synth, const A: usize> {
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
}

#[kernel]
impl<T: Synth, const A: usize> Logic for Queue<T, A> {
    fn update(&mut self) {
        regs!(write, read, full, some);
        clocked!(ram);
        let write_up: Bits<A> = self.write.q.val() + 1;
        let read_up: Bits<A> = self.read.q.val() + 1;
        let push: Bit = self.rx.valid.val() && !self.full.q.val();
        let pop: Bit = self.tx.ready.val() && self.some.q.val();
        self.ram.write_enable.next = push;
        self.ram.write_address.next = self.write.q.val();
        self.ram.write_data.next = self.rx.item.val();
        self.ram.read_address.next = self.read.q.val();
        self.tx.item.next = self.ram.read_data.val();
        self.tx.valid.next = self.some.q.val();
        self.rx.ready.next = !self.full.q.val();
        if push {
            self.write.d.next = write_up;
        }
        if pop {
            self.read.d.next = read_up;
        }
        if push && !pop {
            self.some.d.next = true;
            self.full.d.next = write_up == self.read.q.val();
        }
        if pop && !push {
            self.full.d.next = false;
            self.some.d.next = read_up != self.write.q.val();
        }
    }
}
