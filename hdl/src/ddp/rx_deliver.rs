// SPDX-License-Identifier: MIT OR Apache-2.0
//! Holds deliveries until the octets before them were handed over.
use super::rx_row::{delivery, RxDelivery};
use crate::prelude::*;
use crate::record::CqeItem;
use crate::stream::{ItemSink, ItemSource, Trail};

/// One place where delivery waits for placement: messages in order, each after its pulse.
#[block]
pub struct RxDeliver<const C: usize> {
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
    cqe: Signal<Local, CqeItem>,
}

#[kernel]
impl<const C: usize> Logic for RxDeliver<C> {
    fn update(&mut self) {
        regs!(allowed);
        parts!(queue);
        self.queue.rx.item.next = self.rx.item.val();
        self.queue.rx.valid.next = self.rx.valid.val();
        self.rx.ready.next = self.queue.rx.ready.val();
        self.cqe.next = self.queue.tx.item.val().cqe;
        self.tx.item.next = self.cqe.val();
        let some: Bit = self.queue.tx.valid.val() && self.allowed.q.val().any();
        self.tx.valid.next = some && (self.queue.tx.item.val().kind == lit::<2>(delivery::COMPLETION));
        let is_done: Bit = some && (self.queue.tx.item.val().kind == lit::<2>(delivery::READ_DONE));
        let is_request: Bit = some
            && (self.queue.tx.item.val().kind == lit::<2>(delivery::REQUEST))
            && self.request_ready.val();
        self.rdone_qp.next = bit_cast::<C, 16>(self.cqe.val().qp);
        self.rdone_valid.next = is_done;
        self.request.next = is_request;
        let gone: Bit = is_done
            || is_request
            || (some
                && (self.queue.tx.item.val().kind == lit::<2>(delivery::COMPLETION))
                && self.tx.ready.val());
        self.queue.tx.ready.next = gone;
        self.told.next = gone;
        if self.delivered.val() && !gone {
            self.allowed.d.next = self.allowed.q.val() + 1;
        } else if gone && !self.delivered.val() {
            self.allowed.d.next = self.allowed.q.val() - 1;
        }
    }
}
