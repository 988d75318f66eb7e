// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two reasons for an ACK.
use super::tx_row::AckAsk;
use crate::prelude::*;
use crate::stream::{ItemSink, ItemSource};

/// Offers the connections that owe an ACK, then those that a timer wants to probe: a probe comes
/// behind the facts that wait. Combinational.
#[block(comb)]
pub struct TxProbes<const C: usize> {
    /// Connections that owe an ACK.
    pub rx: ItemSink<Bits<8>>,
    /// Connections to probe.
    pub probe: ItemSink<Bits<C>>,
    /// Connections to send an ACK of.
    pub tx: ItemSource<AckAsk>,
}

#[kernel]
impl<const C: usize> Logic for TxProbes<C> {
    fn update(&mut self) {
        let of_timer: Bit = self.probe.valid.val() && !self.rx.valid.val();
        self.tx.item.next.qp = self.rx.item.val();
        if of_timer {
            self.tx.item.next.qp = bit_cast::<8, C>(self.probe.item.val());
        }
        self.tx.item.next.probes = of_timer;
        self.tx.valid.next = self.rx.valid.val() || self.probe.valid.val();
        self.rx.ready.next = self.tx.ready.val() && self.rx.valid.val();
        self.probe.ready.next = of_timer && self.tx.ready.val();
    }
}
