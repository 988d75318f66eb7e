// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pulses that name a queue pair, kept until somebody takes them.
use crate::prelude::*;
use crate::stream::{ItemSource, Queue};

/// Remembers which of `NC = 2^C` queue pairs were named. A pulse for one that already waits is the
/// same news and takes no room, so that nothing overflows and no pulse is lost. They come out in
/// the order of their first pulse, one cycle later at the soonest.
#[block]
pub struct SqPulses<const C: usize, const NC: usize> {
    /// Queue pair named.
    pub pulse_qp: Signal<In, Bits<C>>,
    /// It is named in this cycle.
    pub pulse_valid: Signal<In, Bit>,
    /// The queue pair that was named first.
    pub tx: ItemSource<Bits<C>>,
    waiting: Reg<Bits<NC>>,
    order: Queue<Bits<C>, C>,
    now: Signal<Local, Bits<NC>>,
}

impl<const C: usize, const NC: usize> SqPulses<C, NC> {
    /// Nobody waits; panics at elaboration if `NC` is not `2^C`.
    pub fn new() -> Self {
        assert!(NC == 1 << C, "{NC} queue pairs have no index of {C} bits");
        Self { ..Default::default() }
    }
}

#[kernel]
impl<const C: usize, const NC: usize> Logic for SqPulses<C, NC> {
    fn update(&mut self) {
        regs!(waiting);
        parts!(order);
        let first: Bit = self.pulse_valid.val() && !self.waiting.q.val().get_bit(self.pulse_qp.val().index());
        let named: Bits<NC> = lit::<NC>(1) << self.pulse_qp.val();
        let taken: Bits<NC> = lit::<NC>(1) << self.tx.item.val();
        self.order.rx.item.next = self.pulse_qp.val();
        self.order.rx.valid.next = first;
        ItemSource::<Bits<C>>::link(&mut self.tx, &mut self.order.tx);
        self.now.next = self.waiting.q.val();
        if self.tx.ready.val() && self.tx.valid.val() {
            self.now.next = self.now.val() ^ taken;
        }
        if first {
            self.now.next = self.now.val() | named;
        }
        self.waiting.d.next = self.now.val();
    }
}
