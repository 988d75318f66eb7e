// SPDX-License-Identifier: MIT OR Apache-2.0
//! The MAC of one port, between the wire's clock and the device's clock.
use super::{MacRx, MacStats, MacTx};
use crate::cell::AsyncFifo;
use crate::prelude::*;
use crate::stream::{Beat, StreamSink, StreamSource};

/// MAC of a port of 1 Gb/s: `clock` is the wire's, 125 MHz; `core_clock` the device's, 20 MHz or
/// more.
///
/// Both resets are high together for four cycles of the slower clock.
#[block]
pub struct MacPort {
    /// Clock of `from_wire` and `to_wire`, rising edge.
    pub core_clock: Signal<In, Clock>,
    /// Synchronous reset on `core_clock`, active high.
    pub core_reset: Signal<In, Bit>,
    /// Octet that came, with `rx_carrier`.
    pub rx_octet: Signal<In, Bits<8>>,
    /// RX_DV: an octet is there.
    pub rx_carrier: Signal<In, Bit>,
    /// RX_ER, with `rx_carrier`.
    pub rx_fault: Signal<In, Bit>,
    /// Octet that leaves, with `tx_carrier`.
    pub tx_octet: Signal<Out, Bits<8>>,
    /// TX_EN: an octet is there.
    pub tx_carrier: Signal<Out, Bit>,
    /// Frames that came, on `core_clock`; `err` at the end of a bad frame.
    pub from_wire: StreamSource<64, 4>,
    /// Frames to send, on `core_clock`.
    pub to_wire: StreamSink<64, 4>,
    /// Counter to show, see `MacStats`.
    pub index: Signal<In, Bits<3>>,
    /// Frames counted by counter `index` of the cycle before.
    pub count: Signal<Out, Bits<32>>,
    rx: MacRx,
    tx: MacTx,
    stats: MacStats,
    inward: AsyncFifo<Beat<64, 4>, 5>,
    outward: AsyncFifo<Beat<64, 4>, 5>,
    came: Signal<Local, Beat<64, 4>>,
    leaves: Signal<Local, Beat<64, 4>>,
}

impl MacPort {
    /// Frames of at most `longest` octets come in, FCS included.
    pub fn new(longest: usize) -> Self {
        Self { rx: MacRx::new(longest), tx: MacTx::new(), ..Default::default() }
    }
}

#[kernel]
impl Logic for MacPort {
    fn update(&mut self) {
        parts!(rx, tx, stats, inward);
        self.inward.read_clock.next = self.core_clock.val();
        self.inward.read_reset.next = self.core_reset.val();
        self.outward.clock.next = self.core_clock.val();
        self.outward.reset.next = self.core_reset.val();
        self.outward.read_clock.next = self.clock.val();
        self.outward.read_reset.next = self.reset.val();
        self.rx.octet.next = self.rx_octet.val();
        self.rx.carrier.next = self.rx_carrier.val();
        self.rx.fault.next = self.rx_fault.val();
        self.tx_octet.next = self.tx.octet.val();
        self.tx_carrier.next = self.tx.carrier.val();

        self.came.next.data = self.rx.tx.data.val();
        self.came.next.bytes = self.rx.tx.bytes.val();
        self.came.next.last = self.rx.tx.last.val();
        self.came.next.err = self.rx.tx.err.val();
        self.inward.rx_item.next = self.came.val();
        self.inward.rx_valid.next = self.rx.tx.valid.val();
        self.rx.tx.ready.next = self.inward.rx_ready.val();
        self.from_wire.data.next = self.inward.tx_item.val().data;
        self.from_wire.bytes.next = self.inward.tx_item.val().bytes;
        self.from_wire.last.next = self.inward.tx_item.val().last;
        self.from_wire.err.next = self.inward.tx_item.val().err;
        self.from_wire.valid.next = self.inward.tx_valid.val();
        self.inward.tx_ready.next = self.from_wire.ready.val();

        self.leaves.next.data = self.to_wire.data.val();
        self.leaves.next.bytes = self.to_wire.bytes.val();
        self.leaves.next.last = self.to_wire.last.val();
        self.leaves.next.err = self.to_wire.err.val();
        self.outward.rx_item.next = self.leaves.val();
        self.outward.rx_valid.next = self.to_wire.valid.val();
        self.to_wire.ready.next = self.outward.rx_ready.val();
        self.tx.rx.data.next = self.outward.tx_item.val().data;
        self.tx.rx.bytes.next = self.outward.tx_item.val().bytes;
        self.tx.rx.last.next = self.outward.tx_item.val().last;
        self.tx.rx.err.next = self.outward.tx_item.val().err;
        self.tx.rx.valid.next = self.outward.tx_valid.val();
        self.outward.tx_ready.next = self.tx.rx.ready.val();

        self.stats.good.next = self.rx.good.val();
        self.stats.bad_fcs.next = self.rx.bad_fcs.val();
        self.stats.runt.next = self.rx.runt.val();
        self.stats.long.next = self.rx.long.val();
        self.stats.error.next = self.rx.error.val();
        self.stats.lost.next = self.rx.lost.val();
        self.stats.sent.next = self.tx.sent.val();
        self.stats.spoilt.next = self.tx.spoilt.val();
        self.stats.index.next = self.index.val();
        self.count.next = self.stats.count.val();
    }
}
