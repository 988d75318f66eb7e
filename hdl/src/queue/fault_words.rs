// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets of the segments that faults quote: kept word by word, shown word by word.
use crate::prelude::*;
use crate::record::{CiteSink, CiteSource};

const LAST_AT: usize = 8;

/// Nine words of 64 bits for each of `2^C` queue pairs; `A` = `C` + 4 bits name a word: queue pair,
/// then word.
///
/// The words of a fault that is not kept are pulled as well: their source waits until it is rid of
/// them. A segment that has fewer words is filled up with zeros, so that all nine are always shown.
#[block]
pub struct FaultWords<const C: usize, const A: usize> {
    /// Words of source 0.
    pub a: CiteSink,
    /// Of source 1.
    pub b: CiteSink,
    /// Queue pair, with `pull` and with `show`.
    pub qp: Signal<In, Bits<C>>,
    /// Pulls the words of a fault from the next cycle on.
    pub pull: Signal<In, Bit>,
    /// With `pull`: those of source 1.
    pub second: Signal<In, Bit>,
    /// With `pull`: they are kept.
    pub keep: Signal<In, Bit>,
    /// They are still to come.
    pub pulls: Signal<Out, Bit>,
    /// Shows the words of a queue pair from the next cycle on; meanwhile none of it are pulled.
    pub show: Signal<In, Bit>,
    /// With `show`: some were kept, otherwise zeros are shown.
    pub there: Signal<In, Bit>,
    /// They are not all taken.
    pub shows: Signal<Out, Bit>,
    /// The nine words.
    pub shown: CiteSource,
    store: Sdp<Bits<64>, A>,
    pulling: Reg<Bit>,
    from_b: Flop<Bit>,
    keeping: Flop<Bit>,
    /// The source has no more.
    ended: Flop<Bit>,
    write_qp: Flop<Bits<C>>,
    write_at: Flop<Bits<4>>,
    reading: Reg<Bit>,
    /// The RAM gives the word that is offered.
    fetched: Reg<Bit>,
    hides: Flop<Bit>,
    read_qp: Flop<Bits<C>>,
    read_at: Flop<Bits<4>>,
    came: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    octets: Signal<Local, Bits<64>>,
}

impl<const C: usize, const A: usize> FaultWords<C, A> {
    /// Nothing kept; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        assert!(A == C + 4, "a word of 2^{C} queue pairs with 16 each has no address of {A} bits");
        Self { ..Default::default() }
    }
}

#[kernel]
impl<const C: usize, const A: usize> Logic for FaultWords<C, A> {
    fn update(&mut self) {
        regs!(pulling, reading, fetched);
        flops!(from_b, keeping, ended, write_qp, write_at, hides, read_qp, read_at);
        clocked!(store);

        // In: from the source, then zeros.
        self.pulls.next = self.pulling.q.val();
        self.a.ready.next = self.pulling.q.val() && !self.ended.q.val() && !self.from_b.q.val();
        self.b.ready.next = self.pulling.q.val() && !self.ended.q.val() && self.from_b.q.val();
        self.came.next = self.a.valid.val();
        self.over.next = self.a.last.val();
        self.octets.next = self.a.data.val();
        if self.from_b.q.val() {
            self.came.next = self.b.valid.val();
            self.over.next = self.b.last.val();
            self.octets.next = self.b.data.val();
        }
        if self.ended.q.val() {
            self.came.next = true;
            self.over.next = true;
            self.octets.next = 0.into();
        }
        let write_up: Bits<4> = self.write_at.q.val() + 1;
        self.store.write_enable.next = self.pulling.q.val() && self.keeping.q.val() && self.came.val();
        self.store.write_address.next =
            (bit_cast::<A, C>(self.write_qp.q.val()) << 4) | bit_cast::<A, 4>(self.write_at.q.val());
        self.store.write_data.next = self.octets.val();
        if self.pulling.q.val() && self.came.val() {
            self.ended.d.next = self.over.val();
            self.write_at.d.next = write_up;
            if self.over.val() && (!self.keeping.q.val() || (self.write_at.q.val() == lit::<4>(LAST_AT))) {
                self.pulling.d.next = false;
            }
        }
        if self.pull.val() {
            self.pulling.d.next = true;
            self.from_b.d.next = self.second.val();
            self.keeping.d.next = self.keep.val();
            self.ended.d.next = false;
            self.write_qp.d.next = self.qp.val();
            self.write_at.d.next = 0.into();
        }

        // Out: a word every other cycle.
        self.shows.next = self.reading.q.val();
        self.store.read_enable.next = self.reading.q.val() && !self.fetched.q.val();
        self.store.read_address.next =
            (bit_cast::<A, C>(self.read_qp.q.val()) << 4) | bit_cast::<A, 4>(self.read_at.q.val());
        self.shown.valid.next = self.fetched.q.val();
        self.shown.last.next = self.read_at.q.val() == lit::<4>(LAST_AT);
        self.shown.data.next = self.store.read_data.val();
        if self.hides.q.val() {
            self.shown.data.next = 0.into();
        }
        let read_up: Bits<4> = self.read_at.q.val() + 1;
        if self.reading.q.val() && !self.fetched.q.val() {
            self.fetched.d.next = true;
        }
        if self.fetched.q.val() && self.shown.ready.val() {
            self.fetched.d.next = false;
            self.read_at.d.next = read_up;
            if self.read_at.q.val() == lit::<4>(LAST_AT) {
                self.reading.d.next = false;
            }
        }
        if self.show.val() {
            self.reading.d.next = true;
            self.hides.d.next = !self.there.val();
            self.read_qp.d.next = self.qp.val();
            self.read_at.d.next = 0.into();
        }
    }
}
