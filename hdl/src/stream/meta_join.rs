// SPDX-License-Identifier: MIT OR Apache-2.0
//! Join of metadata and payload: item `n` beside frame `n`.
use super::{Beat, MetaSink, MetaSource, Skid, Slot, StreamSink, StreamSource};
use crate::prelude::*;

/// Brings the items of a metadata stream (`M` bits each) beside the frames that they describe.
///
/// **Contract.** The frames on `rx` belong, in order, to the items on `meta_rx` that are not
/// `empty`. On the way out `meta_tx.valid` rises in the same cycle as `tx.valid` for the frame's
/// first beat; `meta_tx.item` and `empty` stay through the frame, even after the item was taken, so
/// a reader may look at `item` with every beat and may take it at any time. The next item comes
/// when this one and every beat of its frame are taken. An item that says `empty` comes alone,
/// while `tx.valid` is low.
///
/// **Timing.** Two cycles of latency; one beat a cycle, no bubble between frames if the item is
/// taken no later than the frame's last beat. An `empty` item takes one cycle of `tx`.
#[block]
pub struct MetaJoin<const M: usize, const W: usize, const K: usize> {
    /// One item a frame.
    pub meta_rx: MetaSink<M>,
    /// Frames of the items that are not empty.
    pub rx: StreamSink<W, K>,
    /// The same items, each in time with its frame.
    pub meta_tx: MetaSource<M>,
    /// The same frames.
    pub tx: StreamSource<W, K>,
    front: Skid<W, K>,
    // Two slots in step carry one item.
    items: Slot<Bits<M>>,
    empties: Slot<Bit>,
    out: Flop<Beat<W, K>>,
    out_valid: Reg<Bit>,
    item: Flop<Bits<M>>,
    empty: Flop<Bit>,
    item_valid: Reg<Bit>,
    /// The frame of the present item has beats that have not reached `out`.
    running: Reg<Bit>,
    beat: Signal<Local, Beat<W, K>>,
}

#[kernel]
impl<const M: usize, const W: usize, const K: usize> Logic for MetaJoin<M, W, K> {
    fn update(&mut self) {
        regs!(out_valid, item_valid, running);
        flops!(out, item, empty);
        parts!(front, items, empties);
        StreamSink::<W, K>::link(&mut self.rx, &mut self.front.rx);
        self.items.rx.item.next = self.meta_rx.item.val();
        self.items.rx.valid.next = self.meta_rx.valid.val();
        self.empties.rx.item.next = self.meta_rx.empty.val();
        self.empties.rx.valid.next = self.meta_rx.valid.val();
        self.meta_rx.ready.next = self.items.rx.ready.val() && self.empties.rx.ready.val();
        self.tx.data.next = self.out.q.val().data;
        self.tx.bytes.next = self.out.q.val().bytes;
        self.tx.last.next = self.out.q.val().last;
        self.tx.err.next = self.out.q.val().err;
        self.tx.valid.next = self.out_valid.q.val();
        self.meta_tx.item.next = self.item.q.val();
        self.meta_tx.empty.next = self.empty.q.val();
        self.meta_tx.valid.next = self.item_valid.q.val();

        // A new item may enter when the one before and the last beat of its frame leave or have
        // left.
        let out_free: Bit = self.tx.ready.val() || !self.out_valid.q.val();
        let start: Bit = !self.running.q.val()
            && out_free
            && (self.meta_tx.ready.val() || !self.item_valid.q.val())
            && (self.items.tx.valid.val() && self.empties.tx.valid.val())
            && (self.empties.tx.item.val() || self.front.tx.valid.val());
        let pass: Bit = (self.running.q.val() && out_free && self.front.tx.valid.val())
            || (start && !self.empties.tx.item.val());
        self.items.tx.ready.next = start;
        self.empties.tx.ready.next = start;
        self.front.tx.ready.next = pass;
        if self.meta_tx.ready.val() {
            self.item_valid.d.next = false;
        }
        if start {
            self.item.d.next = self.items.tx.item.val();
            self.empty.d.next = self.empties.tx.item.val();
            self.item_valid.d.next = true;
        }
        self.beat.next.data = self.front.tx.data.val();
        self.beat.next.bytes = self.front.tx.bytes.val();
        self.beat.next.last = self.front.tx.last.val();
        self.beat.next.err = self.front.tx.err.val();
        if out_free {
            self.out_valid.d.next = pass;
        }
        if pass {
            self.out.d.next = self.beat.val();
            self.running.d.next = !self.front.tx.last.val();
        }
    }
}
