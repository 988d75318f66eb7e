//! Short FIFO of records between two steps of a stage.
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
    pub d: Signal<In, T>,
    /// It is offered.
    pub d_valid: Signal<In, Bit>,
    /// There is room.
    pub d_ready: Signal<Out, Bit>,
    /// Oldest item.
    pub q: Signal<Out, T>,
    /// There is one.
    pub q_valid: Signal<Out, Bit>,
    /// It is taken.
    pub q_ready: Signal<In, Bit>,
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
        self.push.next = self.d_valid.val() && !self.full.q.val();
        self.pop.next = self.q_ready.val() && self.some.q.val();
        self.ram.write_enable.next = self.push.val();
        self.ram.write_address.next = self.write.q.val();
        self.ram.write_data.next = self.d.val();
        self.ram.read_address.next = self.read.q.val();
        self.q.next = self.ram.read_data.val();
        self.q_valid.next = self.some.q.val();
        self.d_ready.next = !self.full.q.val();
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
