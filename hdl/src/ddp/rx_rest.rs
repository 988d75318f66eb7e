// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a receive has beside the scatter that is being filled.
use super::rx_row::scatter;
use crate::gen::Sge;
use crate::prelude::*;
use crate::record::Rqe;

/// Second and third scatter and index of the receive that each of `2^C` queue pairs has taken, a
/// word each, so that what is moved with every FPDU need not have them.
///
/// A receive is kept in three cycles. Words mean nothing unless the queue pair has a message under
/// way, so nothing is scrubbed, and who forgets the message forgets them. No word is read in the
/// cycle in which it is written, if a scatter is asked for two cycles after `keep` at the earliest.
/// `A` = `C` + 2.
#[block]
pub struct RxRest<const C: usize, const A: usize> {
    /// Queue pair under way, the same until `rqe_ready`.
    pub qp: Signal<In, Bits<C>>,
    /// Answer to its take; not taken before `rqe_ready`.
    pub rqe: Signal<In, Rqe>,
    /// It is offered, the first cycle of it.
    pub keep: Signal<In, Bit>,
    /// It is kept, or nothing was found: taken.
    pub rqe_ready: Signal<Out, Bit>,
    /// An FPDU begins: its index is asked for.
    pub fresh: Signal<In, Bit>,
    /// Its queue pair.
    pub fresh_qp: Signal<In, Bits<C>>,
    /// The scatter after the one that was filled is asked for.
    pub turn: Signal<In, Bit>,
    /// It is the third one, not the second.
    pub is_third: Signal<In, Bit>,
    /// The cycle after `turn`: the index is asked for again.
    pub again: Signal<In, Bit>,
    /// In the cycle after `turn`: that scatter.
    pub after: Signal<Out, Sge>,
    /// From the cycle after `fresh`, or from the second one after `keep`, on; not in the one after
    /// `turn`.
    pub index: Signal<Out, Bits<32>>,

    // the index stands in the place of a `to`
    store: Sdp<Sge, A>,
    /// Second cycle: the second scatter is written.
    second: Reg<Bit>,
    /// Last cycle: the third one is.
    last: Reg<Bit>,
    put: Signal<Local, Sge>,
    put_at: Signal<Local, Bits<2>>,
    get: Signal<Local, Sge>,
    get_at: Signal<Local, Bits<2>>,
    get_qp: Signal<Local, Bits<C>>,
}

impl<const C: usize, const A: usize> RxRest<C, A> {
    /// Nothing is kept; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        assert!(A == C + 2, "four words for 2^{C} queue pairs are 2^{} words, not 2^{A}", C + 2);
        Self { store: Sdp::block(), ..Default::default() }
    }
}

#[kernel]
impl<const C: usize, const A: usize> Logic for RxRest<C, A> {
    fn update(&mut self) {
        regs!(second, last);
        clocked!(store);

        // Kept: the index first, so that it can be read in the second cycle and told in the third.
        self.second.d.next = self.keep.val() && self.rqe.val().found;
        self.last.d.next = self.second.q.val() || (self.keep.val() && !self.rqe.val().found);
        self.rqe_ready.next = self.last.q.val();
        self.put.next = self.rqe.val().sge1;
        self.put_at.next = lit::<2>(scatter::SECOND);
        if self.last.q.val() {
            self.put.next = self.rqe.val().sge2;
            self.put_at.next = lit::<2>(scatter::THIRD);
        }
        if self.keep.val() {
            self.put.next.to = bit_cast::<64, 32>(self.rqe.val().index);
            self.put_at.next = lit::<2>(scatter::INDEX);
        }
        self.store.write_enable.next = self.keep.val() || self.second.q.val() || self.last.q.val();
        self.store.write_address.next =
            (bit_cast::<A, C>(self.qp.val()) << 2) | bit_cast::<A, 2>(self.put_at.val());
        self.store.write_data.next = self.put.val();

        // Read.
        self.get_qp.next = self.qp.val();
        if self.fresh.val() {
            self.get_qp.next = self.fresh_qp.val();
        }
        self.get_at.next = lit::<2>(scatter::INDEX);
        if self.turn.val() {
            self.get_at.next = lit::<2>(scatter::SECOND);
            if self.is_third.val() {
                self.get_at.next = lit::<2>(scatter::THIRD);
            }
        }
        self.store.read_enable.next =
            self.fresh.val() || self.turn.val() || self.again.val() || self.second.q.val();
        self.store.read_address.next =
            (bit_cast::<A, C>(self.get_qp.val()) << 2) | bit_cast::<A, 2>(self.get_at.val());
        self.get.next = self.store.read_data.val();
        self.after.next = self.get.val();
        self.index.next = bit_cast::<32, 64>(self.get.val().to);
    }
}
