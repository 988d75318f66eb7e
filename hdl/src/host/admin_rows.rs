// SPDX-License-Identifier: MIT OR Apache-2.0
//! What software wrote, kept to be read back.
use crate::cell::BlankRam;
use crate::prelude::*;
use crate::record::CiteSource;

/// Connection, queue pair and completion queue rows as they were written, in words of 64 bits; zero
/// after reset.
///
/// Of each queue pair 32 words: the connection's 18 from 0, the queue pair's 4 from 20. The 2 words
/// from 24 are of the completion queue of the same number. The 2 words from 26 are of the
/// completion queue whose number is `2^C` higher. `2^C` queue pairs, `2^Q` completion queues, `A` =
/// `C + 5`.
///
/// The stages keep what they need of a row in columns of their own and cannot
/// put it together again.
#[block]
pub struct AdminRows<const C: usize, const Q: usize, const A: usize> {
    /// Rows are scrubbed.
    pub scrubbed: Signal<Out, Bit>,
    /// Keeps a row, a word a cycle.
    pub store: Signal<In, Bit>,
    /// Reads a row.
    pub read: Signal<In, Bit>,
    /// Which kind: 0 connection, 1 queue pair, 2 completion queue; taken with `store` or `read`.
    pub kind: Signal<In, Bits<2>>,
    /// Which row; taken with `store` or `read`.
    pub index: Signal<In, Bits<Q>>,
    /// Word of the row to keep that is wanted.
    pub wants: Signal<Out, Bits<5>>,
    /// That word, a cycle later.
    pub word: Signal<In, Bits<64>>,
    /// Words of the row that is read.
    pub out: CiteSource,
    /// The row is kept; a pulse.
    pub done: Signal<Out, Bit>,
    ram: BlankRam<Bits<64>, A>,
    storing: Reg<Bit>,
    /// The word that was wanted a cycle ago is there, and which it is.
    writing: Reg<Bit>,
    late: Flop<Bits<5>>,
    reading: Reg<Bit>,
    fetched: Reg<Bit>,
    at: Flop<Bits<5>>,
    kind_q: Flop<Bits<2>>,
    index_q: Flop<Bits<Q>>,
    base: Signal<Local, Bits<5>>,
    size: Signal<Local, Bits<5>>,
    place: Signal<Local, Bits<5>>,
    ends: Flop<Bit>,
}

impl<const C: usize, const Q: usize, const A: usize> AdminRows<C, Q, A> {
    /// Empty rows.
    pub fn new() -> Self {
        assert!(
            A == C + 5 && (Q == C || Q == C + 1),
            "{Q} bits of completion queues beside {C} of queue pairs"
        );
        Self::default()
    }
}

#[kernel]
impl<const C: usize, const Q: usize, const A: usize> Logic for AdminRows<C, Q, A> {
    fn update(&mut self) {
        regs!(storing, writing, reading, fetched);
        flops!(late, at, kind_q, index_q, ends);
        parts!(ram);
        self.scrubbed.next = self.ram.ready.val();

        let upper: Bits<Q> = self.index_q.q.val() >> lit::<8>(C);
        self.base.next = 0.into();
        self.size.next = 18.into();
        if self.kind_q.q.val() == 1 {
            self.base.next = 20.into();
            self.size.next = 4.into();
        }
        if self.kind_q.q.val().get_bit(1) {
            self.base.next = 24.into();
            self.size.next = 2.into();
            if upper.any() {
                self.base.next = 26.into();
            }
        }
        self.place.next = self.base.val() + self.at.q.val();
        if self.writing.q.val() {
            self.place.next = self.base.val() + self.late.q.val();
        }
        let address: Bits<A> = (bit_cast::<A, C>(bit_cast::<C, Q>(self.index_q.q.val())) << 5)
            | bit_cast::<A, 5>(self.place.val());
        self.ram.write_enable.next = self.writing.q.val();
        self.ram.write_address.next = address;
        self.ram.write_data.next = self.word.val();
        self.ram.read_enable.next = self.reading.q.val() && !self.fetched.q.val();
        self.ram.read_address.next = address;
        self.wants.next = self.at.q.val();
        self.out.data.next = self.ram.read_data.val();
        self.out.valid.next = self.fetched.q.val();
        let up: Bits<5> = self.at.q.val() + 1;
        self.out.last.next = self.ends.q.val();
        self.done.next = self.writing.q.val() && !self.storing.q.val();

        if self.store.val() || self.read.val() {
            self.kind_q.d.next = self.kind.val();
            self.index_q.d.next = self.index.val();
        }
        if self.store.val() {
            self.storing.d.next = true;
            self.at.d.next = 0.into();
        }
        self.writing.d.next = self.storing.q.val();
        self.late.d.next = self.at.q.val();
        if self.storing.q.val() {
            self.at.d.next = up;
            if up == self.size.val() {
                self.storing.d.next = false;
            }
        }
        if self.read.val() {
            self.reading.d.next = true;
            self.at.d.next = 0.into();
        }
        if self.reading.q.val() && !self.fetched.q.val() {
            self.fetched.d.next = true;
            self.at.d.next = up;
            self.ends.d.next = up == self.size.val();
        }
        if self.fetched.q.val() && self.out.ready.val() {
            self.fetched.d.next = false;
            if self.ends.q.val() {
                self.reading.d.next = false;
            }
        }
    }
}
