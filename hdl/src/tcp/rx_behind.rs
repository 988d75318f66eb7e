// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether anybody waits behind the frame that is routed.
use super::rx_record::{job, RxJob};
use crate::prelude::*;

/// Frames that are decided on wait in one line: for the octets of one connection, whoever else is
/// in the line waits with them.
///
/// It is told of each job. The line is *mixed* if it has had octets of two connections, or a raw
/// frame, since it was empty. Jobs without octets are no matter: what they tell was told when they
/// were decided on.
#[block(clock)]
pub struct RxBehind {
    /// Synchronous reset: nothing waits.
    pub reset: Signal<In, Bit>,
    /// A job.
    pub what: Signal<In, RxJob>,
    /// Its connection, if it is for octets.
    pub qp: Signal<In, Bits<8>>,
    /// It is given in this cycle.
    pub given: Signal<In, Bit>,
    /// The line is empty.
    pub empty: Signal<In, Bit>,
    /// There is room for one more in it.
    pub room: Signal<In, Bit>,
    /// An insertion waits for frames of the line.
    pub ordered: Signal<In, Bit>,
    /// Somebody waits, from a register.
    pub waiting: Signal<Out, Bit>,
    some: Reg<Bit>,
    mixed: Reg<Bit>,
    waits: Reg<Bit>,
    last: Flop<Bits<8>>,
    item: Signal<Local, RxJob>,
}

#[kernel]
impl Logic for RxBehind {
    fn update(&mut self) {
        regs!(some, mixed, waits);
        flops!(last);
        self.item.next = self.what.val();
        if self.given.val() {
            if self.item.val().kind == lit::<2>(job::RAW) {
                self.mixed.d.next = true;
            }
            if self.item.val().kind == lit::<2>(job::OCTETS) {
                self.some.d.next = true;
                self.last.d.next = self.qp.val();
                if self.some.q.val() && (self.last.q.val() != self.qp.val()) {
                    self.mixed.d.next = true;
                }
            }
        } else if self.empty.val() {
            self.some.d.next = false;
            self.mixed.d.next = false;
        }
        self.waits.d.next = self.mixed.q.val() || !self.room.val() || self.ordered.val();
        self.waiting.next = self.waits.q.val();
    }
}
