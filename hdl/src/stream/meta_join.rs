// SPDX-License-Identifier: MIT OR Apache-2.0
//! Join of metadata and payload: item `n` beside frame `n`.
use super::{Beat, MetaSink, MetaSource, Skid, Slot, StreamSink, StreamSource};
use crate::cell::{Flop, Reg};
use rust_hdl::prelude::*;

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
#[derive(LogicBlock, Default)]
pub struct MetaJoin<const M: usize, const W: usize, const K: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
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
    out_free: Signal<Local, Bit>,
    start: Signal<Local, Bit>,
    pass: Signal<Local, Bit>,
}

impl<const M: usize, const W: usize, const K: usize> Logic for MetaJoin<M, W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, front, items, empties);
        dff_setup!(self, clock, out, out_valid, item, empty, item_valid, running);
        self.front.reset.next = self.reset.val();
        self.items.reset.next = self.reset.val();
        self.empties.reset.next = self.reset.val();
        self.out_valid.reset.next = self.reset.val();
        self.item_valid.reset.next = self.reset.val();
        self.running.reset.next = self.reset.val();
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
        self.out_free.next = self.tx.ready.val() || !self.out_valid.q.val();
        self.start.next = !self.running.q.val()
            && self.out_free.val()
            && (self.meta_tx.ready.val() || !self.item_valid.q.val())
            && (self.items.tx.valid.val() && self.empties.tx.valid.val())
            && (self.empties.tx.item.val() || self.front.tx.valid.val());
        self.pass.next = (self.running.q.val() && self.out_free.val() && self.front.tx.valid.val())
            || (self.start.val() && !self.empties.tx.item.val());
        self.items.tx.ready.next = self.start.val();
        self.empties.tx.ready.next = self.start.val();
        self.front.tx.ready.next = self.pass.val();
        if self.meta_tx.ready.val() {
            self.item_valid.d.next = false;
        }
        if self.start.val() {
            self.item.d.next = self.items.tx.item.val();
            self.empty.d.next = self.empties.tx.item.val();
            self.item_valid.d.next = true;
        }
        self.beat.next.data = self.front.tx.data.val();
        self.beat.next.bytes = self.front.tx.bytes.val();
        self.beat.next.last = self.front.tx.last.val();
        self.beat.next.err = self.front.tx.err.val();
        if self.out_free.val() {
            self.out_valid.d.next = self.pass.val();
        }
        if self.pass.val() {
            self.out.d.next = self.beat.val();
            self.running.d.next = !self.front.tx.last.val();
        }
    }
}
