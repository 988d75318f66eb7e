// SPDX-License-Identifier: MIT OR Apache-2.0
//! Header and payload to one ULPDU without gaps.
use crate::cell::{Const, Flop, Reg};
use crate::gen::consts::{term_error, wc_status};
use crate::record::{Fault, TxHead, TxMade, TxOctets};
use crate::stream::{Beat, ItemSink, ItemSource, StreamSource};
use rust_hdl::prelude::*;

/// Makes frames: the header's whole beats, then what is left of it and the payload, shifted so that
/// octet follows octet wherever the payload was cut.
///
/// The first beat of a tagged header takes one cycle, those of an untagged one two, no header one;
/// then a beat of payload a cycle; one more if octets are left over at the end. Payload of a ULPDU
/// that never leaves is taken, and there is no frame. If it is to blame there is a [`Fault`]. A
/// ULPDU that leaves again and cannot be read is the end of the stream, and the fault says so.
#[derive(LogicBlock, Default)]
pub struct TxWeld {
    /// Clock, rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// The next ULPDU, taken when its frame was made.
    pub made: ItemSink<TxMade>,
    /// Its head; with `made.valid`.
    pub head: Signal<In, TxHead>,
    /// Payload in order.
    pub beat: ItemSink<TxOctets>,
    /// ULPDUs.
    pub tx: StreamSource<64, 4>,
    /// A read failed.
    pub fault: ItemSource<Fault>,
    /// The header's first beat has left.
    begun: Reg<Bit>,
    /// Payload follows.
    body: Reg<Bit>,
    /// What is held is the frame's last beat.
    flush: Reg<Bit>,
    /// Octets that have not left, zero beyond `fill`.
    rest: Flop<Bits<64>>,
    fill: Flop<Bits<4>>,
    o: Flop<Beat<64, 4>>,
    o_valid: Reg<Bit>,
    fault_q: Flop<Fault>,
    fault_full: Reg<Bit>,
    full: Const<Bits<4>>,
    tagged_fill: Const<Bits<4>>,
    untagged_fill: Const<Bits<4>>,
    ones: Const<Bits<8>>,
    octet: Const<Bits<64>>,
    left: [Const<Bits<7>>; 3],
    right: [Const<Bits<7>>; 3],
    octets: [Const<Bits<3>>; 3],
    place: [Const<Bits<6>>; 8],
    status: Const<Bits<8>>,
    stream_lost: Const<Bits<16>>,
    item: Signal<Local, TxHead>,
    header: Signal<Local, Bits<144>>,
    came: Signal<Local, TxOctets>,
    advance: Signal<Local, Bit>,
    turned: Signal<Local, Bits<64>>,
    /// Octets from `fill` on, a bit each.
    low: Signal<Local, Bits<8>>,
    /// Octets below `fill`.
    spread: Signal<Local, Bits<64>>,
    merged: Signal<Local, Bits<64>>,
    over: Signal<Local, Bits<64>>,
    total: Signal<Local, Bits<4>>,
    take: Signal<Local, Bit>,
    after_header: Signal<Local, Bit>,
    finished: Signal<Local, Bit>,
    wrong: Signal<Local, Fault>,
    ob: Signal<Local, Beat<64, 4>>,
}

impl TxWeld {
    /// Nothing under way.
    pub fn new() -> Self {
        Self {
            full: Const::of(8),
            tagged_fill: Const::of(14 - 8),
            untagged_fill: Const::of(18 - 16),
            ones: Const::of(0xFF),
            octet: Const::of(0xFF),
            left: std::array::from_fn(|i| Const::of(8 << i)),
            right: std::array::from_fn(|i| Const::of(64 - (8 << i))),
            octets: std::array::from_fn(|i| Const::of(1 << i)),
            place: std::array::from_fn(|i| Const::of(8 * i)),
            status: wc_status::general_err(),
            stream_lost: term_error::mpa_connection_lost(),
            ..Default::default()
        }
    }
}

impl Logic for TxWeld {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, begun, body, flush, rest, fill, o, o_valid, fault_q, fault_full);
        self.begun.reset.next = self.reset.val();
        self.body.reset.next = self.reset.val();
        self.flush.reset.next = self.reset.val();
        self.o_valid.reset.next = self.reset.val();
        self.fault_full.reset.next = self.reset.val();
        self.tx.data.next = self.o.q.val().data;
        self.tx.bytes.next = self.o.q.val().bytes;
        self.tx.last.next = self.o.q.val().last;
        self.tx.err.next = self.o.q.val().err;
        self.tx.valid.next = self.o_valid.q.val();
        self.fault.item.next = self.fault_q.q.val();
        self.fault.valid.next = self.fault_full.q.val();
        if self.fault.ready.val() {
            self.fault_full.d.next = false;
        }

        self.item.next = self.head.val();
        self.header.next = self.item.val().octets;
        self.came.next = self.beat.item.val();
        self.advance.next = self.tx.ready.val() || !self.o_valid.q.val();
        // while there is payload, `fill` is below 8: turned by as many octets, what goes beyond the
        // beat is at its bottom
        self.turned.next = self.came.val().data;
        self.low.next = self.ones.val();
        for i in 0..3 {
            if self.fill.q.val().get_bit(i) {
                self.turned.next =
                    (self.turned.val() << self.left[i].val()) | (self.turned.val() >> self.right[i].val());
                self.low.next = self.low.val() << self.octets[i].val();
            }
        }
        self.spread.next = 0.into();
        for i in 0..8 {
            if !self.low.val().get_bit(i) {
                self.spread.next = self.spread.val() | (self.octet.val() << self.place[i].val());
            }
        }
        self.merged.next = self.rest.q.val() | (self.turned.val() & (!self.spread.val()));
        self.over.next = self.turned.val() & self.spread.val();
        self.total.next = self.fill.q.val() + self.came.val().bytes;
        self.take.next =
            self.body.q.val() && self.beat.valid.val() && self.advance.val() && !self.fault_full.q.val();
        self.beat.ready.next = self.body.q.val() && self.advance.val() && !self.fault_full.q.val();
        self.wrong.next.qp = self.item.val().qp;
        self.wrong.next.error = 0.into();
        if self.item.val().replay {
            self.wrong.next.error = self.stream_lost.val();
        }
        self.wrong.next.status = self.status.val();
        self.wrong.next.is_local = self.item.val().has_wr;
        self.wrong.next.index = self.item.val().index;
        self.wrong.next.has_wr = self.item.val().has_wr;

        self.ob.next.data = self.rest.q.val();
        self.ob.next.bytes = self.full.val();
        self.ob.next.last = false;
        self.ob.next.err = false;
        self.finished.next = false;
        self.after_header.next = false;
        if self.advance.val() {
            self.o_valid.d.next = false;
            if self.flush.q.val() {
                self.o_valid.d.next = true;
                self.ob.next.bytes = self.fill.q.val();
                self.ob.next.last = true;
                self.finished.next = true;
            } else if !self.body.q.val()
                && self.made.valid.val()
                && (self.item.val().bare || self.made.item.val().drops)
            {
                self.rest.d.next = 0.into();
                self.fill.d.next = 0.into();
                self.after_header.next = true;
            } else if !self.body.q.val() && self.made.valid.val() {
                self.o_valid.d.next = true;
                if self.begun.q.val() {
                    self.ob.next.data = self.header.val().get_bits::<64>(64);
                    self.rest.d.next = bit_cast::<64, 16>(self.header.val().get_bits::<16>(128));
                    self.fill.d.next = self.untagged_fill.val();
                    self.after_header.next = true;
                } else {
                    self.ob.next.data = self.header.val().get_bits::<64>(0);
                    self.rest.d.next = bit_cast::<64, 48>(self.header.val().get_bits::<48>(64));
                    self.fill.d.next = self.tagged_fill.val();
                    self.begun.d.next = true;
                    self.after_header.next = self.item.val().is_tagged;
                }
            }
        }
        if self.after_header.val() {
            self.body.d.next = !self.item.val().empty;
            self.flush.d.next = self.item.val().empty;
        }
        if self.take.val() {
            self.ob.next.data = self.merged.val();
            self.rest.d.next = self.merged.val();
            self.fill.d.next = self.total.val();
            if self.total.val() >= self.full.val() {
                self.o_valid.d.next = true;
                self.rest.d.next = self.over.val();
                self.fill.d.next = self.total.val() - self.full.val();
            }
            if self.came.val().ends {
                if self.made.item.val().blames {
                    self.fault_q.d.next = self.wrong.val();
                    self.fault_full.d.next = true;
                }
                if self.total.val() > self.full.val() {
                    self.body.d.next = false;
                    self.flush.d.next = true;
                } else {
                    self.o_valid.d.next = true;
                    self.ob.next.bytes = self.total.val();
                    self.ob.next.last = true;
                    self.finished.next = true;
                }
            }
        }
        if self.advance.val() && self.made.item.val().drops {
            self.o_valid.d.next = false;
        }
        self.made.ready.next = self.finished.val();
        if self.finished.val() {
            self.begun.d.next = false;
            self.body.d.next = false;
            self.flush.d.next = false;
        }
        self.o.d.next = self.o.q.val();
        if self.advance.val() {
            self.o.d.next = self.ob.val();
        }
    }
}
