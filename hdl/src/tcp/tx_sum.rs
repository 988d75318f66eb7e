// SPDX-License-Identifier: MIT OR Apache-2.0
//! Payload of segments: kept until its checksum is known.
use super::tx_row::TxJob;
use crate::prelude::*;
use crate::record::{seg_kind, TxFpdu};
use crate::stream::{
    Checksum, Fork, Hold, ItemSink, ItemSource, OnFull, PacketFifo, Queue, StreamSink, StreamSource,
    CHECKSUM_ITEM,
};

/// Stores FPDUs, `2^A` beats of them, and sums them up. An FPDU that ends with `err`, which MPA
/// makes of what breaks its contract alone, is dropped whole, its item with it. Nothing can take
/// its place: the connection stops until it is set up again. It stops for `mute` too.
///
/// A job is offered no sooner than the sum of its FPDU is known; the FPDU itself is then on `tx` as
/// soon as those before it were taken. FIN has no frame: its item is its job.
#[block]
pub struct TxSum<const C: usize, const NC: usize, const A: usize> {
    /// Connection that is set up.
    pub set_qp: Signal<In, Bits<C>>,
    /// It is, in this cycle.
    pub set_valid: Signal<In, Bit>,
    /// Connection that has to stop.
    pub mute_qp: Signal<In, Bits<C>>,
    /// In this cycle.
    pub mute_valid: Signal<In, Bit>,
    /// What the next segment is.
    pub seg: ItemSink<TxFpdu>,
    /// FPDUs and raw octets, one frame an item but those of FIN, in the same order.
    pub rx: StreamSink<64, 4>,
    /// Segment to be built.
    pub job: ItemSource<TxJob>,
    /// Its payload.
    pub tx: StreamSource<64, 4>,
    /// Pulse: an FPDU was dropped for `err`.
    pub spoilt: Signal<Out, Bit>,
    /// Pulse: the oldest item went on, or was dropped.
    pub given: Signal<Out, Bit>,
    /// Pulse: a job was made.
    pub made_job: Signal<Out, Bit>,
    /// Connections that have stopped, a bit each; set no later than the next job of the connection
    /// is offered.
    pub stopped: Signal<Out, Bits<NC>>,
    stops: Reg<Bits<NC>>,
    split: Fork<64, 4>,
    store: PacketFifo<64, 4, A>,
    adder: Checksum<64, 4>,
    items: Queue<TxFpdu, 4>,
    sums: Queue<Bits<CHECKSUM_ITEM>, 4>,
    /// One place does, since headers take cycles.
    jobs: Hold<TxJob>,
    item: Signal<Local, TxFpdu>,
    made: Signal<Local, TxJob>,
    stops_up: Signal<Local, Bits<NC>>,
}

impl<const C: usize, const NC: usize, const A: usize> TxSum<C, NC, A> {
    /// An empty store.
    pub fn new() -> Self {
        Self { store: PacketFifo::new(OnFull::Wait), adder: Checksum::new(), ..Default::default() }
    }
}

#[kernel]
impl<const C: usize, const NC: usize, const A: usize> Logic for TxSum<C, NC, A> {
    fn update(&mut self) {
        regs!(stops);
        parts!(split, store, adder, items, sums, jobs);
        StreamSink::<64, 4>::link(&mut self.rx, &mut self.split.rx);
        StreamSource::<64, 4>::join(&mut self.split.left, &mut self.store.rx);
        StreamSource::<64, 4>::join(&mut self.split.right, &mut self.adder.rx);
        StreamSource::<64, 4>::link(&mut self.tx, &mut self.store.tx);
        self.store.discard.next = false;
        self.adder.start_sum.next = 0.into();
        self.items.rx.item.next = self.seg.item.val();
        self.items.rx.valid.next = self.seg.valid.val();
        self.seg.ready.next = self.items.rx.ready.val();
        self.sums.rx.item.next = self.adder.tx.item.val();
        self.sums.rx.valid.next = self.adder.tx.valid.val();
        self.adder.tx.ready.next = self.sums.rx.ready.val();

        self.item.next = self.items.tx.item.val();
        // the cell gives what a zero field must become, the complement of the sum
        let field: Bits<16> = !self.sums.tx.item.val().get_bits::<16>(0);
        let is_fin: Bit = self.item.val().kind == lit::<2>(seg_kind::FIN);
        let stop_qp: Bits<C> = bit_cast::<C, 8>(self.item.val().qp);
        let is_bad: Bit = self.sums.tx.item.val().get_bit(17) && !is_fin;
        let both: Bit = self.items.tx.valid.val() && (self.sums.tx.valid.val() || is_fin);
        // a bad frame is dropped by the store
        let give: Bit = both && (is_bad || self.jobs.rx.ready.val()) && !self.set_valid.val();
        self.items.tx.ready.next = give;
        self.sums.tx.ready.next = give && !is_fin;
        self.spoilt.next = give && is_bad;
        self.stopped.next = self.stops.q.val();
        self.stops_up.next = self.stops.q.val();
        if self.set_valid.val() {
            self.stops_up.next = self.stops_up.val().replace_bit(self.set_qp.val().index(), false);
        }
        if self.mute_valid.val() {
            self.stops_up.next = self.stops_up.val().replace_bit(self.mute_qp.val().index(), true);
        }
        if give && is_bad {
            self.stops_up.next = self.stops_up.val().replace_bit(stop_qp.index(), true);
        }
        self.stops.d.next = self.stops_up.val();

        self.made.next.qp = self.item.val().qp;
        self.made.next.seq = self.item.val().seq;
        self.made.next.after = self.item.val().seq + bit_cast::<32, 16>(self.item.val().octets);
        self.made.next.octets = self.item.val().octets;
        self.made.next.sum = field;
        self.made.next.fin = is_fin;
        self.made.next.replay = self.item.val().replay;
        self.jobs.rx.item.next = self.made.val();
        self.jobs.rx.valid.next = both && !is_bad && !self.set_valid.val();
        self.jobs.tx.ready.next = self.job.ready.val();
        self.given.next = give;
        self.made_job.next = give && !is_bad;
        self.job.item.next = self.jobs.tx.item.val();
        self.job.valid.next = self.jobs.tx.valid.val();
    }
}
