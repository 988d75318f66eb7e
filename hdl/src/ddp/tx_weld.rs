// SPDX-License-Identifier: MIT OR Apache-2.0
//! Header and payload to one ULPDU without gaps.
use crate::gen::consts::{term_error, wc_status};
use crate::prelude::*;
use crate::record::{Fault, TxHead, TxMade, TxOctets};
use crate::stream::{Beat, ItemSink, ItemSource, StreamSource};

const FULL: usize = 8;

/// Makes frames: the header's whole beats, then what is left of it and the payload, shifted so that
/// octet follows octet wherever the payload was cut.
///
/// The first beat of a tagged header takes one cycle, those of an untagged one two, no header one;
/// then a beat of payload a cycle; one more if octets are left over at the end. Payload of a ULPDU
/// that never leaves is taken, and there is no frame. If it is to blame there is a [`Fault`]. A
/// ULPDU that leaves again and cannot be read is the end of the stream, and the fault says so.
#[block]
pub struct TxWeld {
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
    ones: Const<Bits<8>>,
    octet: Const<Bits<64>>,
    left: [Const<Bits<7>>; 3],
    right: [Const<Bits<7>>; 3],
    octets: [Const<Bits<3>>; 3],
    place: [Const<Bits<6>>; 8],
    item: Signal<Local, TxHead>,
    came: Signal<Local, TxOctets>,
    turned: Signal<Local, Bits<64>>,
    /// Octets from `fill` on, a bit each.
    low: Signal<Local, Bits<8>>,
    /// Octets below `fill`.
    spread: Signal<Local, Bits<64>>,
    after_header: Signal<Local, Bit>,
    finished: Signal<Local, Bit>,
    wrong: Signal<Local, Fault>,
    ob: Signal<Local, Beat<64, 4>>,
}

impl TxWeld {
    /// Nothing under way.
    pub fn new() -> Self {
        Self {
            ones: Const::of(0xFF),
            octet: Const::of(0xFF),
            left: std::array::from_fn(|i| Const::of(8 << i)),
            right: std::array::from_fn(|i| Const::of(64 - (8 << i))),
            octets: std::array::from_fn(|i| Const::of(1 << i)),
            place: std::array::from_fn(|i| Const::of(8 * i)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for TxWeld {
    fn update(&mut self) {
        regs!(begun, body, flush, o_valid, fault_full);
        flops!(rest, fill, o, fault_q);
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
        let header: Bits<144> = self.item.val().octets;
        self.came.next = self.beat.item.val();
        let advance: Bit = self.tx.ready.val() || !self.o_valid.q.val();
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
        let merged: Bits<64> = self.rest.q.val() | (self.turned.val() & (!self.spread.val()));
        let over: Bits<64> = self.turned.val() & self.spread.val();
        let total: Bits<4> = self.fill.q.val() + self.came.val().bytes;
        let take: Bit = self.body.q.val() && self.beat.valid.val() && advance && !self.fault_full.q.val();
        self.beat.ready.next = self.body.q.val() && advance && !self.fault_full.q.val();
        self.wrong.next.qp = self.item.val().qp;
        self.wrong.next.error = 0.into();
        if self.item.val().replay {
            self.wrong.next.error = term_error::mpa_connection_lost().val();
        }
        self.wrong.next.status = wc_status::general_err().val();
        self.wrong.next.is_local = self.item.val().has_wr;
        self.wrong.next.index = self.item.val().index;
        self.wrong.next.has_wr = self.item.val().has_wr;

        self.ob.next.data = self.rest.q.val();
        self.ob.next.bytes = lit::<4>(FULL);
        self.ob.next.last = false;
        self.ob.next.err = false;
        self.finished.next = false;
        self.after_header.next = false;
        if advance {
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
                    self.ob.next.data = header.get_bits::<64>(64);
                    self.rest.d.next = bit_cast::<64, 16>(header.get_bits::<16>(128));
                    self.fill.d.next = lit::<4>(18 - 16);
                    self.after_header.next = true;
                } else {
                    self.ob.next.data = header.get_bits::<64>(0);
                    self.rest.d.next = bit_cast::<64, 48>(header.get_bits::<48>(64));
                    self.fill.d.next = lit::<4>(14 - 8);
                    self.begun.d.next = true;
                    self.after_header.next = self.item.val().is_tagged;
                }
            }
        }
        if self.after_header.val() {
            self.body.d.next = !self.item.val().empty;
            self.flush.d.next = self.item.val().empty;
        }
        if take {
            self.ob.next.data = merged;
            self.rest.d.next = merged;
            self.fill.d.next = total;
            if total >= lit::<4>(FULL) {
                self.o_valid.d.next = true;
                self.rest.d.next = over;
                self.fill.d.next = total - lit::<4>(FULL);
            }
            if self.came.val().ends {
                if self.made.item.val().blames {
                    self.fault_q.d.next = self.wrong.val();
                    self.fault_full.d.next = true;
                }
                if total > lit::<4>(FULL) {
                    self.body.d.next = false;
                    self.flush.d.next = true;
                } else {
                    self.o_valid.d.next = true;
                    self.ob.next.bytes = total;
                    self.ob.next.last = true;
                    self.finished.next = true;
                }
            }
        }
        if advance && self.made.item.val().drops {
            self.o_valid.d.next = false;
        }
        self.made.ready.next = self.finished.val();
        if self.finished.val() {
            self.begun.d.next = false;
            self.body.d.next = false;
            self.flush.d.next = false;
        }
        self.o.d.next = self.o.q.val();
        if advance {
            self.o.d.next = self.ob.val();
        }
    }
}
