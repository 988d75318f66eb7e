// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a received segment means for each part of transmit.
use crate::prelude::*;
use crate::record::TxFact;
use crate::stream::{ItemSink, ItemSource};

/// Gives each fact to whom it concerns: what moves the window to the sequence state, what asks for
/// an ACK to the ACK state, a sign of life to the timers. A fact is taken while both queues behind
/// have room. Combinational, a fact a cycle.
#[block(comb)]
pub struct TxFacts<const C: usize> {
    /// Facts in the order of the segments.
    pub rx: ItemSink<TxFact>,
    /// Facts that move the window, or are duplicates.
    pub seq: ItemSource<TxFact>,
    /// Connections that owe an ACK now.
    pub ack: ItemSource<Bits<8>>,
    /// Connection whose octets arrive.
    pub done_conn: Signal<In, Bits<C>>,
    /// Connection that lives; `done_conn` unless `alive_valid`.
    pub alive_qp: Signal<Out, Bits<C>>,
    /// Pulse: a pure ACK of nothing new came.
    pub alive_valid: Signal<Out, Bit>,
    f: Signal<Local, TxFact>,
}

#[kernel]
impl<const C: usize> Logic for TxFacts<C> {
    fn update(&mut self) {
        self.f.next = self.rx.item.val();
        let both: Bit = self.seq.ready.val() && self.ack.ready.val();
        self.rx.ready.next = both;
        self.seq.item.next = self.rx.item.val();
        self.seq.valid.next = self.rx.valid.val()
            && both
            && (self.f.val().has_ack || self.f.val().has_window || self.f.val().is_dup);
        self.ack.item.next = self.f.val().qp;
        self.ack.valid.next = self.rx.valid.val() && both && self.f.val().ack_now;
        let lives: Bit = self.rx.valid.val() && both && self.f.val().has_window && !self.f.val().has_ack;
        self.alive_valid.next = lives;
        self.alive_qp.next = self.done_conn.val();
        if lives {
            self.alive_qp.next = bit_cast::<C, 8>(self.f.val().qp);
        }
    }
}
