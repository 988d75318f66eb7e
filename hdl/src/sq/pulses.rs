// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pulses that name a queue pair, kept until somebody takes them.
use crate::cell::{Const, Reg};
use crate::stream::{ItemSource, Queue};
use rust_hdl::prelude::*;

/// Remembers which of `NC = 2^C` queue pairs were named. A pulse for one that already waits is the
/// same news and takes no room, so that nothing overflows and no pulse is lost. They come out in
/// the order of their first pulse, one cycle later at the soonest.
#[derive(LogicBlock, Default)]
pub struct SqPulses<const C: usize, const NC: usize> {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Queue pair named.
    pub pulse_qp: Signal<In, Bits<C>>,
    /// It is named in this cycle.
    pub pulse_valid: Signal<In, Bit>,
    /// The queue pair that was named first.
    pub tx: ItemSource<Bits<C>>,
    waiting: Reg<Bits<NC>>,
    order: Queue<Bits<C>, C>,
    one: Const<Bits<NC>>,
    named: Signal<Local, Bits<NC>>,
    taken: Signal<Local, Bits<NC>>,
    now: Signal<Local, Bits<NC>>,
    first: Signal<Local, Bit>,
}

impl<const C: usize, const NC: usize> SqPulses<C, NC> {
    /// Nobody waits; panics at elaboration if `NC` is not `2^C`.
    pub fn new() -> Self {
        assert!(NC == 1 << C, "{NC} queue pairs have no index of {C} bits");
        Self { one: Const::of(1), ..Default::default() }
    }
}

impl<const C: usize, const NC: usize> Logic for SqPulses<C, NC> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waiting);
        clock!(self, clock, order);
        self.waiting.reset.next = self.reset.val();
        self.order.reset.next = self.reset.val();
        self.first.next =
            self.pulse_valid.val() && !self.waiting.q.val().get_bit(self.pulse_qp.val().index());
        self.named.next = self.one.val() << self.pulse_qp.val();
        self.taken.next = self.one.val() << self.order.tx.item.val();
        self.order.rx.item.next = self.pulse_qp.val();
        self.order.rx.valid.next = self.first.val();
        ItemSource::<Bits<C>>::link(&mut self.tx, &mut self.order.tx);
        self.now.next = self.waiting.q.val();
        if self.tx.ready.val() && self.order.tx.valid.val() {
            self.now.next = self.now.val() ^ self.taken.val();
        }
        if self.first.val() {
            self.now.next = self.now.val() | self.named.val();
        }
        self.waiting.d.next = self.now.val();
    }
}
