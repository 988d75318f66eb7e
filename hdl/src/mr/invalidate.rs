// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the peer may invalidate: the client for Sends with Invalidate (RFC 5040 section 5.3).
use crate::gen::MrRow;
use crate::prelude::*;
use crate::record::MrInv;
use crate::stream::{ItemSink, ItemSource};

/// Step of the one invalidation under way.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Takes one.
    Idle,
    /// Waits for the row port.
    Look,
    /// Judges the row.
    Judge,
    /// Makes it invalid, if it may.
    Kill,
    /// Answers.
    Say,
}

const TO_INDEX: usize = 8;

/// One invalidation at a time. From the cycle after it was taken until its answer no row changes
/// otherwise, so that what was judged is what becomes invalid.
///
/// A region may be invalidated by the peer of the one queue pair to which it is bound. One that
/// serves a whole protection domain may be shared by several streams, and no peer may take it from
/// the others (section 8.1.1).
#[block]
pub struct MrInvalidate<const A: usize> {
    /// STags to invalidate, from DDP receive.
    pub inv: ItemSink<MrInv>,
    /// The answer to each: high if the STag is invalid now, low if nothing changed.
    pub invd: ItemSource<Bit>,
    /// Nobody else may write or revoke a row.
    pub locks: Signal<Out, Bit>,
    /// Wants to read row `index`.
    pub wants: Signal<Out, Bit>,
    /// Reads it in this cycle.
    pub looks: Signal<In, Bit>,
    /// The row read, in the cycle after.
    pub row: Signal<In, MrRow>,
    /// It is valid.
    pub live: Signal<In, Bit>,
    /// Row to read or to make invalid.
    pub index: Signal<Out, Bits<A>>,
    /// Row `index` is invalid from the next edge but one on.
    pub kills: Signal<Out, Bit>,

    st: Reg<St>,
    asked: Flop<Bits<32>>,
    asker: Flop<Bits<8>>,
    allowed: Reg<Bit>,
}

#[kernel]
impl<const A: usize> Logic for MrInvalidate<A> {
    fn update(&mut self) {
        regs!(st, allowed);
        flops!(asked, asker);
        self.inv.ready.next = self.st.q.val() == St::Idle;
        self.locks.next = self.st.q.val() != St::Idle;
        self.wants.next = self.st.q.val() == St::Look;
        self.kills.next = (self.st.q.val() == St::Kill) && self.allowed.q.val();
        self.invd.valid.next = self.st.q.val() == St::Say;
        self.invd.item.next = self.allowed.q.val();
        let named: Bits<32> = self.asked.q.val() >> lit::<6>(TO_INDEX);
        self.index.next = bit_cast::<A, 32>(named);
        let beyond: Bits<32> = self.asked.q.val() >> lit::<6>(8 + A);
        let key: Bits<8> = self.asked.q.val().get_bits::<8>(0);

        match self.st.q.val() {
            St::Idle => {
                self.asked.d.next = self.inv.item.val().stag;
                self.asker.d.next = self.inv.item.val().qp;
                if self.inv.valid.val() {
                    self.st.d.next = St::Look;
                }
            }
            St::Look => {
                if self.looks.val() {
                    self.st.d.next = St::Judge;
                }
            }
            St::Judge => {
                self.allowed.d.next = self.live.val()
                    && !beyond.any()
                    && (key == self.row.val().key)
                    && self.row.val().bound_to_qp
                    && (self.row.val().qp == bit_cast::<16, 8>(self.asker.q.val()));
                self.st.d.next = St::Kill;
            }
            St::Kill => {
                self.st.d.next = St::Say;
            }
            St::Say => {
                if self.invd.ready.val() {
                    self.st.d.next = St::Idle;
                }
            }
            _ => {}
        }
    }
}
