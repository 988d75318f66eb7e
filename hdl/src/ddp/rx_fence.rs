// SPDX-License-Identifier: MIT OR Apache-2.0
//! Read Requests wait until what was placed before them is out of the device (D6).
use crate::prelude::*;
use crate::record::ReadRequest;
use crate::stream::{Hold, ItemSink, ItemSource, Queue, Trail};

/// A Read Request that is delivered gets the number of posted writes that were begun so far as its
/// mark, and goes to the send queue when as many have left the posted FIFO: the reads of its source
/// cannot pass those writes.
///
/// Requests keep their order; completions behind them do not wait. Numbers are modulo 2^16: the
/// send queue takes a Request in less than 2^15 writes.
#[block]
pub struct RxFence {
    /// Read Request, before its delivery.
    /// Offered only while `ready` is high.
    pub rx: ItemSink<ReadRequest>,
    /// The oldest one without a mark is delivered.
    pub mark: Signal<In, Bit>,
    /// There is room for its mark.
    pub mark_ready: Signal<Out, Bit>,
    /// Posted writes begun so far, whole or not.
    pub accepted: Signal<In, Bits<16>>,
    /// Posted writes of which command and frame are on the bus.
    pub left: Signal<In, Bits<16>>,
    /// Read Request that may be answered.
    pub tx: ItemSource<ReadRequest>,

    requests: Trail<ReadRequest>,
    marks: Queue<Bits<16>, 3>,
    slot: Hold<ReadRequest>,
}

#[kernel]
impl Logic for RxFence {
    fn update(&mut self) {
        parts!(requests, marks, slot);
        self.requests.rx.item.next = self.rx.item.val();
        self.requests.rx.valid.next = self.rx.valid.val();
        self.rx.ready.next = self.requests.rx.ready.val();
        self.marks.rx.item.next = self.accepted.val();
        self.marks.rx.valid.next = self.mark.val();
        self.mark_ready.next = self.marks.rx.ready.val();
        let ahead: Bits<16> = self.left.val() - self.marks.tx.item.val();
        let goes: Bit = self.requests.tx.valid.val()
            && self.marks.tx.valid.val()
            && !ahead.get_bit(15)
            && self.slot.rx.ready.val();
        self.slot.rx.item.next = self.requests.tx.item.val();
        self.slot.rx.valid.next = goes;
        self.requests.tx.ready.next = goes;
        self.marks.tx.ready.next = goes;
        self.tx.item.next = self.slot.tx.item.val();
        self.tx.valid.next = self.slot.tx.valid.val();
        self.slot.tx.ready.next = self.tx.ready.val();
    }
}
