// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two reasons for an ACK.
use crate::stream::ItemSink;
use rust_hdl::prelude::*;

/// Offers the connections that owe an ACK, then those that a timer wants to probe: a probe comes
/// behind the facts that wait. Combinational.
#[derive(LogicBlock, Default)]
pub struct TxProbes<const C: usize> {
    /// Connections that owe an ACK.
    pub rx: ItemSink<Bits<8>>,
    /// Connection to probe.
    pub probe_qp: Signal<In, Bits<C>>,
    /// There is one.
    pub probe_valid: Signal<In, Bit>,
    /// The probe is taken in this cycle.
    pub probe_take: Signal<Out, Bit>,
    /// Connection to send an ACK of.
    pub qp: Signal<Out, Bits<C>>,
    /// The ACK is a probe.
    pub probes: Signal<Out, Bit>,
    /// There is a connection.
    pub valid: Signal<Out, Bit>,
    /// The connection is taken in this cycle.
    pub take: Signal<In, Bit>,
    of_timer: Signal<Local, Bit>,
}

impl<const C: usize> Logic for TxProbes<C> {
    #[hdl_gen]
    fn update(&mut self) {
        self.of_timer.next = self.probe_valid.val() && !self.rx.valid.val();
        self.qp.next = bit_cast::<C, 8>(self.rx.item.val());
        if self.of_timer.val() {
            self.qp.next = self.probe_qp.val();
        }
        self.probes.next = self.of_timer.val();
        self.valid.next = self.rx.valid.val() || self.probe_valid.val();
        self.rx.ready.next = self.take.val() && self.rx.valid.val();
        self.probe_take.next = self.of_timer.val() && self.take.val();
    }
}
