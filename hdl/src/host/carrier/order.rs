// SPDX-License-Identifier: MIT OR Apache-2.0
//! Order of the data frames that come, and what the device owes for them.
use crate::gen::consts::carrier_kind;
use crate::gen::CarrierHdr;
use crate::prelude::*;

/// Cycles that an acknowledgment waits for a data frame to go along with.
const DELAY: usize = 64;

/// Takes data frames in the order of their numbers.
///
/// **Contract.** `keep` stands in the cycle of `current`, for the store. A frame of another number
/// is dropped: behind a gap the device owes a nak, once a gap; for an old frame it owes an ack. A
/// frame without room in the store is dropped and owed nothing, so that its sender's timer brings
/// the frame again. `urgent` says that an ack is to leave alone: behind every second frame, for a
/// nak, an old frame or `ask`, or after 64 cycles. `sent` takes what is owed.
#[block]
pub struct Order {
    /// Pulse: a frame of the epoch has come.
    pub current: Signal<In, Bit>,
    /// Header of the frame.
    pub hdr: Signal<In, CarrierHdr>,
    /// The store had no room for the frame.
    pub full: Signal<In, Bit>,
    /// The epoch runs.
    pub open: Signal<In, Bit>,
    /// Pulse: a header with `expected` and `nak` leaves.
    pub sent: Signal<In, Bit>,
    /// The store keeps the frame.
    pub keep: Signal<Out, Bit>,
    /// Number of the next data frame.
    pub expected: Signal<Out, Bits<16>>,
    /// The device owes a nak.
    pub nak: Signal<Out, Bit>,
    /// An ack is to leave now.
    pub urgent: Signal<Out, Bit>,
    /// Pulse: a data frame was taken.
    pub taken: Signal<Out, Bit>,
    /// Pulse: a data frame of another number.
    pub out_of_order: Signal<Out, Bit>,
    /// Pulse: a data frame found no room.
    pub no_room: Signal<Out, Bit>,
    next_one: Reg<Bits<16>>,
    /// The gap in front of `expected` was told.
    told: Reg<Bit>,
    naks: Reg<Bit>,
    owed: Reg<Bits<2>>,
    waited: Reg<Bits<7>>,
}

#[kernel]
impl Logic for Order {
    fn update(&mut self) {
        regs!(next_one, told, naks, owed, waited);
        let data: Bit = self.current.val() && (self.hdr.val().kind == carrier_kind::data().val());
        let fits: Bit = self.hdr.val().sequence_number == self.next_one.q.val();
        let takes: Bit = data && fits && !self.full.val();
        let strange: Bit = data && !fits;
        let ahead: Bits<16> = self.hdr.val().sequence_number - self.next_one.q.val();
        let late: Bit = self.waited.q.val() == lit::<7>(DELAY);
        self.keep.next = takes;
        self.taken.next = takes;
        self.out_of_order.next = strange;
        self.no_room.next = data && fits && self.full.val();
        self.expected.next = self.next_one.q.val();
        self.nak.next = self.naks.q.val();
        self.urgent.next =
            self.owed.q.val().get_bit(1) || self.naks.q.val() || (self.owed.q.val().any() && late);
        if !late {
            self.waited.d.next = self.waited.q.val() + 1;
        }
        if !self.owed.q.val().any() || self.sent.val() {
            self.waited.d.next = 0.into();
        }
        if self.sent.val() {
            self.owed.d.next = 0.into();
            self.naks.d.next = false;
        }
        if takes {
            self.next_one.d.next = self.next_one.q.val() + 1;
            self.told.d.next = false;
            self.owed.d.next = lit::<2>(1);
            if self.owed.q.val().any() && !self.sent.val() {
                self.owed.d.next = lit::<2>(2);
            }
        }
        if strange || (self.current.val() && self.hdr.val().ask) {
            self.owed.d.next = lit::<2>(2);
        }
        if strange && !ahead.get_bit(15) && !self.told.q.val() {
            self.naks.d.next = true;
            self.told.d.next = true;
        }
        if !self.open.val() {
            self.next_one.d.next = 0.into();
            self.told.d.next = false;
            self.naks.d.next = false;
            self.owed.d.next = 0.into();
        }
    }
}
