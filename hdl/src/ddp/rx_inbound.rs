// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many Read Requests of each peer are under way.
use crate::prelude::*;

/// Reads that the send queue keeps for a queue pair at most: twice as many slots hold those under
/// way and those answered but not acknowledged.
const MOST: usize = 8;

/// A counter for each of `NC` = `2^C` queue pairs: up when a Read Request is taken, down when the
/// last octet of its response was sent the first time.
#[block]
pub struct RxInbound<const C: usize, const NC: usize> {
    /// Queue pair with a Read Request.
    pub qp: Signal<In, Bits<C>>,
    /// What its row allows.
    pub limit: Signal<In, Bits<8>>,
    /// In the cycle before no other might come: `limit`, or 8, were under way.
    pub full: Signal<Out, Bit>,
    /// It is taken.
    pub take: Signal<In, Bit>,
    /// Queue pair whose oldest Read is answered.
    pub free_qp: Signal<In, Bits<C>>,
    /// In this cycle.
    pub free: Signal<In, Bit>,
    /// A queue pair begins anew.
    pub clear: Signal<In, Bit>,
    /// Queue pair that begins anew; with `clear`.
    pub clear_qp: Signal<In, Bits<C>>,

    used: Vec<Reg<Bits<4>>>,
    most: Flop<Bit>,
    count: Signal<Local, Bits<4>>,
    goes_up: Signal<Local, Bit>,
    goes_down: Signal<Local, Bit>,
}

impl<const C: usize, const NC: usize> RxInbound<C, NC> {
    /// Nothing is under way.
    pub fn new() -> Self {
        Self { used: (0..NC).map(|_| Reg::default()).collect(), ..Default::default() }
    }
}

#[kernel]
impl<const C: usize, const NC: usize> Logic for RxInbound<C, NC> {
    fn update(&mut self) {
        flops!(most);
        self.count.next = 0.into();
        self.goes_up.next = false;
        self.goes_down.next = false;
        for i in 0..NC {
            self.used[i].clock.next = self.clock.val();
            self.used[i].reset.next = self.reset.val();
            self.used[i].d.next = self.used[i].q.val();
            if self.qp.val() == i.to_bits() {
                self.count.next = self.used[i].q.val();
            }
            self.goes_up.next = self.take.val() && (self.qp.val() == i.to_bits());
            self.goes_down.next =
                self.free.val() && (self.free_qp.val() == i.to_bits()) && self.used[i].q.val().any();
            if self.goes_up.val() && !self.goes_down.val() {
                self.used[i].d.next = self.used[i].q.val() + 1;
            } else if self.goes_down.val() && !self.goes_up.val() {
                self.used[i].d.next = self.used[i].q.val() - 1;
            }
            if self.clear.val() && (self.clear_qp.val() == i.to_bits()) {
                self.used[i].d.next = 0.into();
            }
        }
        self.full.next = self.most.q.val();
        self.most.d.next =
            (self.count.val() == lit::<4>(MOST)) || (bit_cast::<8, 4>(self.count.val()) >= self.limit.val());
    }
}
