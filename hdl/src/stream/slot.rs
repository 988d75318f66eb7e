// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two-place register for one side-channel item.
use super::{ItemSink, ItemSource};
use crate::cell::{Flop, Reg};
use rust_hdl::prelude::*;

/// What [`super::Skid`] is to a beat: holds up to two items, `d_ready` and `q` come from registers,
/// one item a cycle, one cycle of latency.
#[derive(LogicBlock, Default)]
pub struct Slot<T: Synth> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
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

impl<T: Synth> Logic for Slot<T> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, main, spare, main_valid, spare_valid);
        self.main_valid.reset.next = self.reset.val();
        self.spare_valid.reset.next = self.reset.val();
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
