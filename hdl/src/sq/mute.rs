// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queue pairs in reset: nothing of them leaves again or completes.
use crate::cell::{Const, Reg};
use crate::gen::consts::qp_state;
use crate::gen::QpRow;
use rust_hdl::prelude::*;

/// A bit for each of `NC` = `2^C` queue pairs, set by a row in state *reset* until the next insert:
/// what is in flight belongs to the connection before.
#[derive(LogicBlock, Default)]
pub struct SqMute<const C: usize, const NC: usize> {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Queue pair whose row is written.
    pub qp: Signal<In, Bits<C>>,
    /// The row.
    pub row: Signal<In, QpRow>,
    /// In this cycle.
    pub written: Signal<In, Bit>,
    /// Queue pair whose connection is inserted.
    pub fresh_qp: Signal<In, Bits<C>>,
    /// In this cycle.
    pub fresh: Signal<In, Bit>,
    /// A bit for each queue pair in reset.
    pub q: Signal<Out, Bits<NC>>,
    /// Queue pairs in error, a bit each.
    pub dead: Signal<In, Bits<NC>>,
    /// Those, and those in reset.
    pub silent: Signal<Out, Bits<NC>>,
    mute: Reg<Bits<NC>>,
    in_reset: Const<Bits<8>>,
    now: Signal<Local, Bits<NC>>,
}

impl<const C: usize, const NC: usize> SqMute<C, NC> {
    /// None is in reset that had a connection.
    pub fn new() -> Self {
        Self { in_reset: qp_state::reset(), ..Default::default() }
    }
}

impl<const C: usize, const NC: usize> Logic for SqMute<C, NC> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, mute);
        self.mute.reset.next = self.reset.val();
        self.q.next = self.mute.q.val();
        self.silent.next = self.dead.val() | self.mute.q.val();
        self.now.next = self.mute.q.val();
        if self.written.val() && (self.row.val().state == self.in_reset.val()) {
            self.now.next = self.now.val().replace_bit(self.qp.val().index(), true);
        }
        if self.fresh.val() {
            self.now.next = self.now.val().replace_bit(self.fresh_qp.val().index(), false);
        }
        self.mute.d.next = self.now.val();
    }
}
