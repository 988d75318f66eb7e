// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ranges belong to the ULPDU that was claimed last.
use crate::prelude::*;
use crate::record::{TxOwned, TxRange};
use crate::stream::{ItemSink, ItemSource};

/// Writes beside each range the slot of its ULPDU. A range a cycle, no latency.
#[block(clock)]
pub struct TxOwner {
    /// Pulse: a ULPDU is claimed.
    pub claim: Signal<In, Bit>,
    /// Its slot.
    pub slot: Signal<In, Bits<3>>,
    /// Slot of the ULPDU that was claimed last, from the next cycle on.
    pub latest: Signal<Out, Bits<3>>,
    /// Ranges of that ULPDU.
    pub rx: ItemSink<TxRange>,
    /// The same ranges with the slot.
    pub tx: ItemSource<TxOwned>,
    /// Pulse: a range passes.
    pub enters: Signal<Out, Bit>,
    held: Flop<Bits<3>>,
    given: Signal<Local, TxRange>,
    owned: Signal<Local, TxOwned>,
}

#[kernel]
impl Logic for TxOwner {
    fn update(&mut self) {
        flops!(held);
        if self.claim.val() {
            self.held.d.next = self.slot.val();
        }
        self.latest.next = self.held.q.val();
        self.given.next = self.rx.item.val();
        self.owned.next.addr = self.given.val().addr;
        self.owned.next.octets = self.given.val().octets;
        self.owned.next.in_slot = self.given.val().in_slot;
        self.owned.next.ends = self.given.val().ends;
        self.owned.next.slot = self.held.q.val();
        self.tx.item.next = self.owned.val();
        self.tx.valid.next = self.rx.valid.val();
        self.rx.ready.next = self.tx.ready.val();
        self.enters.next = self.rx.valid.val() && self.tx.ready.val();
    }
}
