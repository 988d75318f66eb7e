// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queue pairs in reset: nothing of them leaves again or completes.
use crate::gen::consts::qp_state;
use crate::gen::QpRow;
use crate::prelude::*;

/// A bit for each of `NC` = `2^C` queue pairs, set by a row in state *reset* until the next insert:
/// what is in flight belongs to the connection before.
#[block]
pub struct SqMute<const C: usize, const NC: usize> {
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
    now: Signal<Local, Bits<NC>>,
}

#[kernel]
impl<const C: usize, const NC: usize> Logic for SqMute<C, NC> {
    fn update(&mut self) {
        regs!(mute);
        self.q.next = self.mute.q.val();
        self.silent.next = self.dead.val() | self.mute.q.val();
        self.now.next = self.mute.q.val();
        if self.written.val() && (self.row.val().state == qp_state::reset().val()) {
            self.now.next = self.now.val().replace_bit(self.qp.val().index(), true);
        }
        if self.fresh.val() {
            self.now.next = self.now.val().replace_bit(self.fresh_qp.val().index(), false);
        }
        self.mute.d.next = self.now.val();
    }
}
