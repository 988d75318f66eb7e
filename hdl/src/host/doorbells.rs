// SPDX-License-Identifier: MIT OR Apache-2.0
//! Doorbells on their way to the queues that they ring.
use crate::cell::{Const, Reg};
use crate::gen::consts::doorbell_kind;
use crate::gen::Doorbell;
use crate::stream::{Hold, ItemSink, ItemSource, Slot};
use rust_hdl::prelude::*;

/// Sends each doorbell to its queue by kind. One of an unknown kind, or whose number names nothing,
/// is dropped and told on `bad` (D11). Whether an index is possible is for the queue to judge,
/// which knows its size.
///
/// `2^C` queue pairs, `2^Q` completion queues; rings that exist once have number 0. Two cycles.
/// Each queue takes its doorbells at once: one that does not holds those behind.
#[derive(LogicBlock, Default)]
pub struct Doorbells<const C: usize, const Q: usize> {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
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
    k_sq: Const<Bits<8>>,
    k_rq: Const<Bits<8>>,
    k_cq: Const<Bits<8>>,
    k_arm: Const<Bits<8>>,
    k_ev: Const<Bits<8>>,
    k_raw_rx: Const<Bits<8>>,
    k_raw_arm: Const<Bits<8>>,
    k_raw_tx: Const<Bits<8>>,
    above_qp: Const<Bits<5>>,
    above_cq: Const<Bits<5>>,
    place: Vec<Const<Bits<3>>>,
    nowhere: Const<Bits<3>>,
    item: Signal<Local, Doorbell>,
    kind: Signal<Local, Bits<8>>,
    beyond_qp: Signal<Local, Bits<16>>,
    beyond_cq: Signal<Local, Bits<16>>,
    is_qp: Signal<Local, Bit>,
    is_cq: Signal<Local, Bit>,
    is_one: Signal<Local, Bit>,
    to: Signal<Local, Bits<3>>,
    moves: Signal<Local, Bit>,
}

impl<const C: usize, const Q: usize> Doorbells<C, Q> {
    /// Panics at elaboration if there are more queues than a doorbell can number.
    pub fn new() -> Self {
        assert!(C <= 16 && Q <= 16, "2^{C} queue pairs, 2^{Q} completion queues: a doorbell numbers 2^16");
        Self {
            k_sq: doorbell_kind::sq(),
            k_rq: doorbell_kind::rq(),
            k_cq: doorbell_kind::cq_consumer(),
            k_arm: doorbell_kind::cq_arm(),
            k_ev: doorbell_kind::event_consumer(),
            k_raw_rx: doorbell_kind::raw_rx_consumer(),
            k_raw_arm: doorbell_kind::raw_rx_arm(),
            k_raw_tx: doorbell_kind::raw_tx_producer(),
            above_qp: Const::of(C),
            above_cq: Const::of(Q),
            place: (0..6).map(Const::of).collect(),
            nowhere: Const::of(7),
            ..Default::default()
        }
    }
}

impl<const C: usize, const Q: usize> Logic for Doorbells<C, Q> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, front);
        dff_setup!(self, clock, bad_now);
        self.front.reset.next = self.reset.val();
        self.bad_now.reset.next = self.reset.val();
        for i in 0..6 {
            self.back[i].clock.next = self.clock.val();
            self.back[i].reset.next = self.reset.val();
        }
        ItemSink::<Doorbell>::link(&mut self.db, &mut self.front.rx);

        self.item.next = self.front.tx.item.val();
        self.kind.next = self.item.val().kind;
        self.beyond_qp.next = self.item.val().number >> self.above_qp.val();
        self.beyond_cq.next = self.item.val().number >> self.above_cq.val();
        self.is_qp.next = !self.beyond_qp.val().any();
        self.is_cq.next = !self.beyond_cq.val().any();
        self.is_one.next = !self.item.val().number.any();
        self.to.next = self.nowhere.val();
        if (self.kind.val() == self.k_sq.val()) && self.is_qp.val() {
            self.to.next = self.place[0].val();
        }
        if (self.kind.val() == self.k_rq.val()) && self.is_qp.val() {
            self.to.next = self.place[1].val();
        }
        if ((self.kind.val() == self.k_cq.val()) || (self.kind.val() == self.k_arm.val())) && self.is_cq.val()
        {
            self.to.next = self.place[2].val();
        }
        if (self.kind.val() == self.k_ev.val()) && self.is_one.val() {
            self.to.next = self.place[3].val();
        }
        if ((self.kind.val() == self.k_raw_rx.val()) || (self.kind.val() == self.k_raw_arm.val()))
            && self.is_one.val()
        {
            self.to.next = self.place[4].val();
        }
        if (self.kind.val() == self.k_raw_tx.val()) && self.is_one.val() {
            self.to.next = self.place[5].val();
        }
        self.moves.next = self.to.val() == self.nowhere.val();
        for i in 0..6 {
            self.back[i].rx.item.next = self.item.val();
            self.back[i].rx.valid.next = self.front.tx.valid.val() && (self.to.val() == self.place[i].val());
            if self.to.val() == self.place[i].val() {
                self.moves.next = self.back[i].rx.ready.val();
            }
        }
        self.front.tx.ready.next = self.moves.val();
        self.bad_now.d.next = self.front.tx.valid.val() && (self.to.val() == self.nowhere.val());
        self.bad.next = self.bad_now.q.val();

        ItemSource::<Doorbell>::link(&mut self.sq, &mut self.back[0].tx);
        ItemSource::<Doorbell>::link(&mut self.rq, &mut self.back[1].tx);
        ItemSource::<Doorbell>::link(&mut self.cq, &mut self.back[2].tx);
        ItemSource::<Doorbell>::link(&mut self.ev, &mut self.back[3].tx);
        ItemSource::<Doorbell>::link(&mut self.raw_rx, &mut self.back[4].tx);
        ItemSource::<Doorbell>::link(&mut self.raw_tx, &mut self.back[5].tx);
    }
}
