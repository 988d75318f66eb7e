// SPDX-License-Identifier: MIT OR Apache-2.0
//! Doorbells on their way to the queues that they ring.
use crate::gen::consts::doorbell_kind;
use crate::gen::Doorbell;
use crate::prelude::*;
use crate::stream::{Hold, ItemSink, ItemSource, Slot};

const NOWHERE: usize = 7;

/// Sends each doorbell to its queue by kind. One of an unknown kind, or whose number names nothing,
/// is dropped and told on `bad` (D11). Whether an index is possible is for the queue to judge,
/// which knows its size.
///
/// `2^C` queue pairs, `2^Q` completion queues; rings that exist once have number 0. Two cycles.
/// Each queue takes its doorbells at once: one that does not holds those behind.
#[block]
pub struct Doorbells<const C: usize, const Q: usize> {
    /// Doorbell of the host.
    pub db: ItemSink<Doorbell>,
    /// For a send queue.
    pub sq: ItemSource<Doorbell>,
    /// For a receive queue.
    pub rq: ItemSource<Doorbell>,
    /// For a completion queue: consumer index or arming.
    pub cq: ItemSource<Doorbell>,
    /// For the event ring.
    pub ev: ItemSource<Doorbell>,
    /// For the raw receive ring: consumer index or arming.
    pub raw_rx: ItemSource<Doorbell>,
    /// For the raw transmit ring.
    pub raw_tx: ItemSource<Doorbell>,
    /// Pulse: a doorbell was dropped.
    pub bad: Signal<Out, Bit>,
    front: Slot<Doorbell>,
    /// By place: send, receive, completion queue, events, raw receive, raw transmit.
    back: [Hold<Doorbell>; 6],
    bad_now: Reg<Bit>,
    item: Signal<Local, Doorbell>,
    to: Signal<Local, Bits<3>>,
    moves: Signal<Local, Bit>,
}

impl<const C: usize, const Q: usize> Doorbells<C, Q> {
    /// Panics at elaboration if there are more queues than a doorbell can number.
    pub fn new() -> Self {
        assert!(C <= 16 && Q <= 16, "2^{C} queue pairs, 2^{Q} completion queues: a doorbell numbers 2^16");
        Self { ..Default::default() }
    }
}

#[kernel]
impl<const C: usize, const Q: usize> Logic for Doorbells<C, Q> {
    fn update(&mut self) {
        regs!(bad_now);
        parts!(front);
        for i in 0..6 {
            self.back[i].clock.next = self.clock.val();
            self.back[i].reset.next = self.reset.val();
        }
        ItemSink::<Doorbell>::link(&mut self.db, &mut self.front.rx);

        self.item.next = self.front.tx.item.val();
        let kind: Bits<8> = self.item.val().kind;
        let beyond_qp: Bits<16> = self.item.val().number >> lit::<5>(C);
        let beyond_cq: Bits<16> = self.item.val().number >> lit::<5>(Q);
        let is_qp: Bit = !beyond_qp.any();
        let is_cq: Bit = !beyond_cq.any();
        let is_one: Bit = !self.item.val().number.any();
        self.to.next = lit::<3>(NOWHERE);
        if (kind == doorbell_kind::sq().val()) && is_qp {
            self.to.next = lit::<3>(0);
        }
        if (kind == doorbell_kind::rq().val()) && is_qp {
            self.to.next = lit::<3>(1);
        }
        if ((kind == doorbell_kind::cq_consumer().val()) || (kind == doorbell_kind::cq_arm().val())) && is_cq
        {
            self.to.next = lit::<3>(2);
        }
        if (kind == doorbell_kind::event_consumer().val()) && is_one {
            self.to.next = lit::<3>(3);
        }
        if ((kind == doorbell_kind::raw_rx_consumer().val()) || (kind == doorbell_kind::raw_rx_arm().val()))
            && is_one
        {
            self.to.next = lit::<3>(4);
        }
        if (kind == doorbell_kind::raw_tx_producer().val()) && is_one {
            self.to.next = lit::<3>(5);
        }
        self.moves.next = self.to.val() == lit::<3>(NOWHERE);
        for i in 0..6 {
            self.back[i].rx.item.next = self.item.val();
            self.back[i].rx.valid.next = self.front.tx.valid.val() && (self.to.val() == i.to_bits());
            if self.to.val() == i.to_bits() {
                self.moves.next = self.back[i].rx.ready.val();
            }
        }
        self.front.tx.ready.next = self.moves.val();
        self.bad_now.d.next = self.front.tx.valid.val() && (self.to.val() == lit::<3>(NOWHERE));
        self.bad.next = self.bad_now.q.val();

        ItemSource::<Doorbell>::link(&mut self.sq, &mut self.back[0].tx);
        ItemSource::<Doorbell>::link(&mut self.rq, &mut self.back[1].tx);
        ItemSource::<Doorbell>::link(&mut self.cq, &mut self.back[2].tx);
        ItemSource::<Doorbell>::link(&mut self.ev, &mut self.back[3].tx);
        ItemSource::<Doorbell>::link(&mut self.raw_rx, &mut self.back[4].tx);
        ItemSource::<Doorbell>::link(&mut self.raw_tx, &mut self.back[5].tx);
    }
}
