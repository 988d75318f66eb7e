// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two-place register for one side-channel item.
use super::{ItemSink, ItemSource};
use crate::prelude::*;

/// What [`super::Skid`] is to a beat: holds up to two items, `d_ready` and `q` come from registers,
/// one item a cycle, one cycle of latency.
#[block]
pub struct Slot<T: Synth> {
    /// Item in.
    pub rx: ItemSink<T>,
    /// Oldest item.
    /// `q` holds an item.
    pub tx: ItemSource<T>,
    main: Flop<T>,
    spare: Flop<T>,
    main_valid: Reg<Bit>,
    spare_valid: Reg<Bit>,
}

#[kernel]
impl<T: Synth> Logic for Slot<T> {
    fn update(&mut self) {
        regs!(main_valid, spare_valid);
        flops!(main, spare);
        self.tx.item.next = self.main.q.val();
        self.tx.valid.next = self.main_valid.q.val();
        self.rx.ready.next = !self.spare_valid.q.val();
        if self.tx.ready.val() || !self.main_valid.q.val() {
            if self.spare_valid.q.val() {
                self.main.d.next = self.spare.q.val();
                self.main_valid.d.next = true;
                self.spare_valid.d.next = false;
            } else {
                self.main.d.next = self.rx.item.val();
                self.main_valid.d.next = self.rx.valid.val();
            }
        } else if self.rx.valid.val() && !self.spare_valid.q.val() {
            self.spare.d.next = self.rx.item.val();
            self.spare_valid.d.next = true;
        }
    }
}
