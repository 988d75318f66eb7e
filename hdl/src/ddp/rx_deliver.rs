// SPDX-License-Identifier: MIT OR Apache-2.0
//! Holds deliveries until the octets before them were handed over.
use super::rx_row::{delivery, RxDelivery};
use crate::cell::{Const, Reg};
use crate::record::CqeItem;
use crate::stream::{ItemSink, ItemSource, Trail};
use rust_hdl::prelude::*;

/// One place where delivery waits for placement: messages in order, each after its pulse.
#[derive(LogicBlock, Default)]
pub struct RxDeliver<const C: usize> {
    /// Clock, rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Message.
    pub rx: ItemSink<RxDelivery>,
    /// The octets before one more message were handed over.
    pub delivered: Signal<In, Bit>,
    /// Completion that may be seen.
    pub tx: ItemSource<CqeItem>,
    /// The oldest message was told, in this cycle.
    pub told: Signal<Out, Bit>,
    /// Queue pair whose oldest Read is done.
    pub rdone_qp: Signal<Out, Bits<C>>,
    /// In this cycle.
    pub rdone_valid: Signal<Out, Bit>,
    /// The oldest Read Request that waits beside is delivered.
    pub request: Signal<Out, Bit>,
    /// That can be noted.
    pub request_ready: Signal<In, Bit>,

    queue: Trail<RxDelivery>,
    /// Messages that may leave; never more than the queue and its register before hold.
    allowed: Reg<Bits<4>>,
    completion: Const<Bits<2>>,
    read_done: Const<Bits<2>>,
    read_request: Const<Bits<2>>,
    cqe: Signal<Local, CqeItem>,
    some: Signal<Local, Bit>,
    is_done: Signal<Local, Bit>,
    is_request: Signal<Local, Bit>,
    gone: Signal<Local, Bit>,
}

impl<const C: usize> RxDeliver<C> {
    /// Nothing waits.
    pub fn new() -> Self {
        Self {
            completion: Const::of(delivery::COMPLETION),
            read_done: Const::of(delivery::READ_DONE),
            read_request: Const::of(delivery::REQUEST),
            ..Default::default()
        }
    }
}

impl<const C: usize> Logic for RxDeliver<C> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, queue);
        dff_setup!(self, clock, allowed);
        self.queue.reset.next = self.reset.val();
        self.allowed.reset.next = self.reset.val();
        self.queue.rx.item.next = self.rx.item.val();
        self.queue.rx.valid.next = self.rx.valid.val();
        self.rx.ready.next = self.queue.rx.ready.val();
        self.cqe.next = self.queue.tx.item.val().cqe;
        self.tx.item.next = self.cqe.val();
        self.some.next = self.queue.tx.valid.val() && self.allowed.q.val().any();
        self.tx.valid.next = self.some.val() && (self.queue.tx.item.val().kind == self.completion.val());
        self.is_done.next = self.some.val() && (self.queue.tx.item.val().kind == self.read_done.val());
        self.is_request.next = self.some.val()
            && (self.queue.tx.item.val().kind == self.read_request.val())
            && self.request_ready.val();
        self.rdone_qp.next = bit_cast::<C, 16>(self.cqe.val().qp);
        self.rdone_valid.next = self.is_done.val();
        self.request.next = self.is_request.val();
        self.gone.next = self.is_done.val()
            || self.is_request.val()
            || (self.some.val()
                && (self.queue.tx.item.val().kind == self.completion.val())
                && self.tx.ready.val());
        self.queue.tx.ready.next = self.gone.val();
        self.told.next = self.gone.val();
        if self.delivered.val() && !self.gone.val() {
            self.allowed.d.next = self.allowed.q.val() + 1;
        } else if self.gone.val() && !self.delivered.val() {
            self.allowed.d.next = self.allowed.q.val() - 1;
        }
    }
}
