// SPDX-License-Identifier: MIT OR Apache-2.0
//! FIFO of records in block RAM.
use super::{ItemSink, ItemSource};
use crate::prelude::*;

/// What a [`super::Queue`] is, in block RAM: for records that are wide or many, where a LUT RAM is
/// dear.
///
/// `2^A` records and one that is offered. `d_ready` and `q_valid` come from registers, `q` from the
/// RAM. One item a cycle in and out; an item is offered from the second cycle after it was taken
/// in.
#[derive(LogicBlock)]
pub struct Stock<T: Synth, const A: usize> {
    /// Clock, rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: empties the FIFO.
    pub reset: Signal<In, Bit>,
    /// Item to take in.
    pub rx: ItemSink<T>,
    /// Oldest item.
    pub tx: ItemSource<T>,
    ram: Sdp<T, A>,
    write: Reg<Bits<A>>,
    read: Reg<Bits<A>>,
    full: Reg<Bit>,
    some: Reg<Bit>,
    fetched: Reg<Bit>,
    write_up: Signal<Local, Bits<A>>,
    read_up: Signal<Local, Bits<A>>,
    push: Signal<Local, Bit>,
    fetch: Signal<Local, Bit>,
}

impl<T: Synth, const A: usize> Default for Stock<T, A> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            rx: Default::default(),
            tx: Default::default(),
            ram: Sdp::block(),
            write: Default::default(),
            read: Default::default(),
            full: Default::default(),
            some: Default::default(),
            fetched: Default::default(),
            write_up: Default::default(),
            read_up: Default::default(),
            push: Default::default(),
            fetch: Default::default(),
        }
    }
}

#[kernel]
impl<T: Synth, const A: usize> Logic for Stock<T, A> {
    fn update(&mut self) {
        regs!(write, read, full, some, fetched);
        clocked!(ram);
        self.write_up.next = self.write.q.val() + 1;
        self.read_up.next = self.read.q.val() + 1;
        self.push.next = self.rx.valid.val() && !self.full.q.val();
        // `some` is a register: no word is read in the cycle in which it is written
        self.fetch.next = self.some.q.val() && (self.tx.ready.val() || !self.fetched.q.val());
        self.ram.write_enable.next = self.push.val();
        self.ram.write_address.next = self.write.q.val();
        self.ram.write_data.next = self.rx.item.val();
        self.ram.read_enable.next = self.fetch.val();
        self.ram.read_address.next = self.read.q.val();
        self.tx.item.next = self.ram.read_data.val();
        self.tx.valid.next = self.fetched.q.val();
        self.rx.ready.next = !self.full.q.val();
        if self.tx.ready.val() {
            self.fetched.d.next = false;
        }
        if self.fetch.val() {
            self.fetched.d.next = true;
            self.read.d.next = self.read_up.val();
        }
        if self.push.val() {
            self.write.d.next = self.write_up.val();
        }
        if self.push.val() && !self.fetch.val() {
            self.some.d.next = true;
            self.full.d.next = self.write_up.val() == self.read.q.val();
        }
        if self.fetch.val() && !self.push.val() {
            self.full.d.next = false;
            self.some.d.next = self.read_up.val() != self.write.q.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use std::collections::VecDeque;

    #[test]
    fn items_leave_in_order_and_none_is_lost() {
        for seed in 0..20 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut stock = Stock::<Bits<8>, 2>::default();
            stock.connect_all();
            let (mut model, mut next, mut fullest) = (VecDeque::new(), 0_u64, 0);
            for _ in 0..600 {
                let (offers, takes) = (rng.random_bool(0.6), rng.random_bool(0.5));
                stock.rx.item.next = (next & 0xFF).into();
                stock.rx.valid.next = offers;
                stock.tx.ready.next = takes;
                stock.clock.next = false.into();
                assert!(simulate(&mut stock, 10));
                if stock.tx.valid.val() {
                    assert_eq!(Some(&stock.tx.item.val().to_u64()), model.front());
                }
                let (taken, left) = (offers && stock.rx.ready.val(), takes && stock.tx.valid.val());
                stock.clock.next = true.into();
                assert!(simulate(&mut stock, 10));
                if left {
                    model.pop_front();
                }
                if taken {
                    model.push_back(next & 0xFF);
                    next += 1;
                }
                fullest = fullest.max(model.len());
            }
            assert_eq!(fullest, 5, "seed {seed}");
        }
    }
}
