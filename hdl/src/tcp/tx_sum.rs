//! Payload of segments: kept until its checksum is known; the hole that one leaves whose gather failed.
use super::tx_row::TxJob;
use super::{seg_kind, TxFpdu};
use crate::cell::{Checksum, Const, Flop, LutRam, Reg, CHECKSUM_ITEM};
use crate::stream::{Fork, OnFull, PacketFifo, Place, Queue, StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// Stores FPDUs, `2^A` beats of them, and sums them up. An FPDU that ends with `err` (the gather behind it failed)
/// is dropped whole, its item with it.
///
/// If it would have left for the first time, its place is the *hole* of its stream, and everything granted behind it is dropped
/// too, until the segment that is granted that place comes: see [`super::tx_seq::TxSeq`]. What stands before it has left and
/// may leave again. If it would have left again nothing can take its place: the connection stops until it is set up again. It stops
/// for `mute` too.
///
/// A job is offered no sooner than the sum of its FPDU is known; the FPDU itself is then on `tx` as soon as
/// those before it were taken. FIN has no frame: its item is its job.
#[derive(LogicBlock, Default)]
pub struct TxSum<const C: usize, const NC: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Connection that is set up.
    pub set_qp: Signal<In, Bits<C>>,
    /// With this SND.NXT.
    pub set_nxt: Signal<In, Bits<32>>,
    /// It is, in this cycle.
    pub set_valid: Signal<In, Bit>,
    /// Connection whose place is asked for; `past` and `broken` say it one cycle later.
    pub look_qp: Signal<In, Bits<C>>,
    /// It is, in this cycle; otherwise `past` means nothing.
    pub look_valid: Signal<In, Bit>,
    /// Sequence number after the last of its segments that came here for the first time; of its hole if there is one.
    pub past: Signal<Out, Bits<32>>,
    /// It has a hole.
    pub broken: Signal<Out, Bit>,
    /// Connection that has to stop.
    pub mute_qp: Signal<In, Bits<C>>,
    /// In this cycle.
    pub mute_valid: Signal<In, Bit>,
    /// What the next segment is.
    pub seg: Signal<In, TxFpdu>,
    /// It is offered.
    pub seg_valid: Signal<In, Bit>,
    /// It is taken.
    pub seg_ready: Signal<Out, Bit>,
    /// FPDUs and raw octets, one frame an item but those of FIN, in the same order.
    pub rx: StreamSink<64, 4>,
    /// Segment to be built.
    pub job: Signal<Out, TxJob>,
    /// It is offered.
    pub job_valid: Signal<Out, Bit>,
    /// It is taken.
    pub job_ready: Signal<In, Bit>,
    /// Its payload.
    pub tx: StreamSource<64, 4>,
    /// Pulse: an FPDU was dropped for `err`.
    pub spoilt: Signal<Out, Bit>,
    /// Pulse: the oldest item went on, or was dropped.
    pub given: Signal<Out, Bit>,
    /// Its connection.
    pub given_qp: Signal<Out, Bits<C>>,
    /// Pulse: a job was made.
    pub made_job: Signal<Out, Bit>,
    /// Connections that have stopped, a bit each; set no later than the next job of the connection is offered.
    pub stopped: Signal<Out, Bits<NC>>,
    stops: Reg<Bits<NC>>,
    breaks: Reg<Bits<NC>>,
    // what `past` says
    pasts: LutRam<Bits<32>, C>,
    /// In the cycle before the item was there, and its connection's hole was read.
    seen: Reg<Bit>,
    hole_now: Flop<Bits<32>>,
    past_q: Flop<Bits<32>>,
    broken_q: Flop<Bit>,
    split: Fork<64, 4>,
    store: PacketFifo<64, 4, A>,
    adder: Checksum<64, 4>,
    items: Queue<TxFpdu, 4>,
    sums: Queue<Bits<CHECKSUM_ITEM>, 4>,
    /// One place does, since headers take cycles.
    jobs: Place<TxJob>,
    fin: Const<Bits<2>>,
    item: Signal<Local, TxFpdu>,
    made: Signal<Local, TxJob>,
    field: Signal<Local, Bits<16>>,
    is_fin: Signal<Local, Bit>,
    spoils: Signal<Local, Bit>,
    is_broken: Signal<Local, Bit>,
    is_hole: Signal<Local, Bit>,
    upto: Signal<Local, Bits<32>>,
    over: Signal<Local, Bits<32>>,
    fills: Signal<Local, Bit>,
    stale: Signal<Local, Bit>,
    is_bad: Signal<Local, Bit>,
    silent: Signal<Local, Bit>,
    opens: Signal<Local, Bit>,
    after: Signal<Local, Bits<32>>,
    passes: Signal<Local, Bit>,
    past_qp: Signal<Local, Bits<C>>,
    breaks_up: Signal<Local, Bits<NC>>,
    both: Signal<Local, Bit>,
    give: Signal<Local, Bit>,
    stop_qp: Signal<Local, Bits<C>>,
    stops_up: Signal<Local, Bits<NC>>,
}

impl<const C: usize, const NC: usize, const A: usize> TxSum<C, NC, A> {
    /// An empty store.
    pub fn new() -> Self {
        Self {
            store: PacketFifo::new(OnFull::Wait),
            adder: Checksum::new(),
            fin: Const::of(seg_kind::FIN),
            ..Default::default()
        }
    }
}

impl<const C: usize, const NC: usize, const A: usize> Logic for TxSum<C, NC, A> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, split, store, adder, items, sums, jobs, pasts);
        dff_setup!(self, clock, stops, breaks, seen, hole_now, past_q, broken_q);
        self.seen.reset.next = self.reset.val();
        self.stops.reset.next = self.reset.val();
        self.breaks.reset.next = self.reset.val();
        self.split.reset.next = self.reset.val();
        self.store.reset.next = self.reset.val();
        self.adder.reset.next = self.reset.val();
        self.items.reset.next = self.reset.val();
        self.sums.reset.next = self.reset.val();
        self.jobs.reset.next = self.reset.val();
        StreamSink::<64, 4>::link(&mut self.rx, &mut self.split.rx);
        StreamSource::<64, 4>::join(&mut self.split.left, &mut self.store.rx);
        StreamSource::<64, 4>::join(&mut self.split.right, &mut self.adder.rx);
        StreamSource::<64, 4>::link(&mut self.tx, &mut self.store.tx);
        self.store.discard.next = false;
        self.adder.start_sum.next = 0.into();
        self.items.d.next = self.seg.val();
        self.items.d_valid.next = self.seg_valid.val();
        self.seg_ready.next = self.items.d_ready.val();
        self.sums.d.next = self.adder.tx.item.val();
        self.sums.d_valid.next = self.adder.tx.valid.val();
        self.adder.tx.ready.next = self.sums.d_ready.val();

        self.item.next = self.items.q.val();
        // the cell gives what a zero field must become, the complement of the sum
        self.field.next = !self.sums.q.val().get_bits::<16>(0);
        self.is_fin.next = self.item.val().kind == self.fin.val();
        self.stop_qp.next = bit_cast::<C, 8>(self.item.val().qp);
        self.is_bad.next = self.sums.q.val().get_bit(17) && !self.is_fin.val();
        // Behind a hole: what leaves again is good if it stands before it; of the others only that which fills it.
        self.pasts.read_address.next = bit_cast::<C, 8>(self.item.val().qp);
        if self.look_valid.val() {
            self.pasts.read_address.next = self.look_qp.val();
        }
        self.is_broken.next = self.breaks.q.val().get_bit(self.stop_qp.val().index());
        self.hole_now.d.next = self.pasts.read_data.val();
        self.is_hole.next = self.item.val().seq == self.hole_now.q.val();
        self.upto.next = self.item.val().seq + bit_cast::<32, 16>(self.item.val().octets);
        self.over.next = self.upto.val() - self.hole_now.q.val();
        self.both.next =
            self.items.q_valid.val() && self.seen.q.val() && (self.sums.q_valid.val() || self.is_fin.val());
        self.fills.next = self.is_broken.val() && !self.item.val().replay && self.is_hole.val();
        self.stale.next = self.is_broken.val() && !self.is_hole.val() && !self.item.val().replay;
        if self.item.val().replay {
            // its pieces need not be those of the first time, and none may reach beyond the hole
            self.stale.next = self.is_broken.val() && self.over.val().any() && !self.over.val().get_bit(31);
        }
        self.spoils.next = self.is_bad.val() && !self.stale.val();
        // a bad frame is dropped by the store, and FIN has none: no job
        self.silent.next = self.is_bad.val() || (self.stale.val() && self.is_fin.val());
        self.give.next =
            self.both.val() && (self.silent.val() || self.jobs.d_ready.val()) && !self.set_valid.val();
        self.seen.d.next =
            self.items.q_valid.val() && !self.look_valid.val() && !self.give.val() && !self.set_valid.val();
        self.items.q_ready.next = self.give.val();
        self.sums.q_ready.next = self.give.val() && !self.is_fin.val();
        self.spoilt.next = self.give.val() && self.spoils.val();
        self.stopped.next = self.stops.q.val();
        self.stops_up.next = self.stops.q.val();
        if self.set_valid.val() {
            self.stops_up.next = self.stops_up.val().replace_bit(self.set_qp.val().index(), false);
        }
        if self.mute_valid.val() {
            self.stops_up.next = self.stops_up.val().replace_bit(self.mute_qp.val().index(), true);
        }
        if self.give.val() && self.spoils.val() && self.item.val().replay {
            self.stops_up.next = self.stops_up.val().replace_bit(self.stop_qp.val().index(), true);
        }
        self.stops.d.next = self.stops_up.val();
        self.breaks_up.next = self.breaks.q.val();
        if self.set_valid.val() {
            self.breaks_up.next = self.breaks_up.val().replace_bit(self.set_qp.val().index(), false);
        }
        if self.give.val() && self.fills.val() {
            self.breaks_up.next = self.breaks_up.val().replace_bit(self.stop_qp.val().index(), false);
        }
        self.opens.next = self.give.val() && self.spoils.val() && !self.item.val().replay;
        if self.opens.val() {
            self.breaks_up.next = self.breaks_up.val().replace_bit(self.stop_qp.val().index(), true);
        }
        self.breaks.d.next = self.breaks_up.val();
        self.broken_q.d.next = self.breaks.q.val().get_bit(self.look_qp.val().index());
        self.broken.next = self.broken_q.q.val();

        // How far the stream has come here: up to its hole if it has one.
        self.after.next = self.upto.val();
        self.passes.next =
            (self.give.val() && !self.item.val().replay && !self.is_bad.val() && !self.stale.val())
                || self.set_valid.val();
        self.past_qp.next = self.stop_qp.val();
        if self.set_valid.val() {
            self.past_qp.next = self.set_qp.val();
            self.after.next = self.set_nxt.val();
        }
        self.pasts.write_enable.next = self.passes.val();
        self.pasts.write_address.next = self.past_qp.val();
        self.pasts.write_data.next = self.after.val();
        self.past_q.d.next = self.pasts.read_data.val();
        self.past.next = self.past_q.q.val();
        self.made.next.qp = self.item.val().qp;
        self.made.next.seq = self.item.val().seq;
        self.made.next.after = self.upto.val();
        self.made.next.octets = self.item.val().octets;
        self.made.next.sum = self.field.val();
        self.made.next.fin = self.is_fin.val();
        self.made.next.replay = self.item.val().replay;
        self.made.next.gone = self.stale.val();
        self.jobs.d.next = self.made.val();
        self.jobs.d_valid.next = self.both.val() && !self.silent.val() && !self.set_valid.val();
        self.jobs.q_ready.next = self.job_ready.val();
        self.given.next = self.give.val();
        self.given_qp.next = self.stop_qp.val();
        self.made_job.next = self.give.val() && !self.silent.val();
        self.job.next = self.jobs.q.val();
        self.job_valid.next = self.jobs.q_valid.val();
    }
}
