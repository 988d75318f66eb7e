// SPDX-License-Identifier: MIT OR Apache-2.0
//! A fault of the judge, beside the segment that it quotes.
use crate::prelude::*;
use crate::record::{Fault, Quoted};
use crate::stream::{Hold, ItemSink, ItemSource};

/// Holds one fault and its quote until both are taken, and starts the words of the quote.
///
/// `rx` is taken while nothing is held and the words of the quote before are all given. A fault
/// every two cycles, one cycle of latency.
#[block]
pub struct RxFault {
    /// First fault of a queue pair, from the judge, which offers it only after `ready`.
    pub rx: ItemSink<Fault>,
    /// The segment that caused it; with `rx`.
    pub quote: Signal<In, Quoted>,
    /// No words of a quote are being given.
    pub cite_ready: Signal<In, Bit>,
    /// Pulse: the words of `quote` are to be given.
    pub cites: Signal<Out, Bit>,
    /// The fault.
    pub tx: ItemSource<Fault>,
    /// The segment that caused it; with `tx`.
    pub quoted: Signal<Out, Quoted>,
    /// A fault waits for its taker.
    pub waits: Signal<Out, Bit>,
    fault: Hold<Fault>,
    /// In step with `fault`.
    beside: Hold<Quoted>,
}

#[kernel]
impl Logic for RxFault {
    fn update(&mut self) {
        parts!(fault, beside);
        self.fault.rx.item.next = self.rx.item.val();
        self.fault.rx.valid.next = self.rx.valid.val();
        self.beside.rx.item.next = self.quote.val();
        self.beside.rx.valid.next = self.rx.valid.val();
        self.rx.ready.next = self.fault.rx.ready.val() && self.beside.rx.ready.val() && self.cite_ready.val();
        self.cites.next = self.rx.valid.val() && self.quote.val().is_there;
        self.tx.item.next = self.fault.tx.item.val();
        self.quoted.next = self.beside.tx.item.val();
        self.tx.valid.next = self.fault.tx.valid.val() && self.beside.tx.valid.val();
        self.fault.tx.ready.next = self.tx.ready.val();
        self.beside.tx.ready.next = self.tx.ready.val();
        self.waits.next = self.fault.tx.valid.val();
    }
}
