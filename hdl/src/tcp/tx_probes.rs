// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two reasons for an ACK.
use super::tx_row::AckAsk;
use crate::stream::{ItemSink, ItemSource};
use rust_hdl::prelude::*;

/// Offers the connections that owe an ACK, then those that a timer wants to probe: a probe comes
/// behind the facts that wait. Combinational.
#[derive(LogicBlock, Default)]
pub struct TxProbes<const C: usize> {
    /// Connections that owe an ACK.
    pub rx: ItemSink<Bits<8>>,
    /// Connections to probe.
    pub probe: ItemSink<Bits<C>>,
    /// Connections to send an ACK of.
    pub tx: ItemSource<AckAsk>,
    of_timer: Signal<Local, Bit>,
}

impl<const C: usize> Logic for TxProbes<C> {
    #[hdl_gen]
    fn update(&mut self) {
        self.of_timer.next = self.probe.valid.val() && !self.rx.valid.val();
        self.tx.item.next.qp = self.rx.item.val();
        if self.of_timer.val() {
            self.tx.item.next.qp = bit_cast::<8, C>(self.probe.item.val());
        }
        self.tx.item.next.probes = self.of_timer.val();
        self.tx.valid.next = self.rx.valid.val() || self.probe.valid.val();
        self.rx.ready.next = self.tx.ready.val() && self.rx.valid.val();
        self.probe.ready.next = self.of_timer.val() && self.tx.ready.val();
    }
}
