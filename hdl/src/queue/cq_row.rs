// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of a completion queue's row, a column each, and what a doorbell makes of it.
use crate::gen::consts::doorbell_kind;
use crate::gen::Doorbell;
use crate::prelude::*;

/// What the admin port fixes.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct CqSetup {
    /// First octet of slot 0, a multiple of 32.
    pub base: Bits<64>,
    /// log2 of its slots, 0 to 16.
    pub log2: Bits<5>,
    /// The queue exists.
    pub is_valid: Bit,
}

/// What moves. All indices count entries for ever, modulo 2^32.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct CqState {
    /// Entries written.
    pub producer: Bits<32>,
    /// Entries that software has done with.
    pub consumer: Bits<32>,
    /// Index after the last entry that was solicited or an error, and made no event.
    pub woken: Bits<32>,
    /// Entries behind `consumer` that events have told of, at most 2^16.
    pub told: Bits<17>,
    /// Any entry makes the event.
    pub any: Bit,
    /// A solicited entry or an error makes the event.
    pub solicited: Bit,
    /// There was no room once: nothing is written any more.
    pub is_over: Bit,
}

/// A doorbell of kind `cq_consumer` or `cq_arm` on a row; the outputs follow one cycle later.
///
/// An event tells of one entry: the oldest that was neither taken nor told of. An arm makes the
/// event at once if such an entry is there. So no entry is missed between an event and the next
/// arm, and an entry that was told of makes no second event.
#[block(clock)]
pub struct CqBell {
    /// The doorbell.
    pub bell: Signal<In, Doorbell>,
    /// The queue exists.
    pub is_valid: Signal<In, Bit>,
    /// Its row.
    pub state: Signal<In, CqState>,
    /// Its row afterwards.
    pub after: Signal<Out, CqState>,
    /// An event is due at once: what it was armed for is there already.
    pub tell: Signal<Out, Bit>,
    /// The index is impossible, or the kind is another: nothing changes.
    pub refused: Signal<Out, Bit>,
    after_q: Flop<CqState>,
    tell_q: Flop<Bit>,
    refused_q: Flop<Bit>,
    now: Signal<Local, Bit>,
    row: Signal<Local, CqState>,
}

#[kernel]
impl Logic for CqBell {
    fn update(&mut self) {
        flops!(after_q, tell_q, refused_q);
        let to: Bits<32> = self.bell.val().value;
        let moved: Bits<32> = to - self.state.val().consumer;
        let held: Bits<32> = self.state.val().producer - self.state.val().consumer;
        let beyond: Bits<32> = self.state.val().producer - to;
        let woken: Bits<32> = self.state.val().woken - to;
        // what is between consumer and producer of a good doorbell fits
        let near: Bits<17> = moved.get_bits::<17>(0);
        let leaves: Bit = near <= self.state.val().told;
        let left: Bits<17> = self.state.val().told - near;
        let untold: Bit = held.get_bits::<17>(0) != self.state.val().told;
        let is_arm: Bit = self.bell.val().kind == doorbell_kind::cq_arm().val();
        let no: Bit = !self.is_valid.val()
            || (moved > held)
            || (!is_arm && (self.bell.val().kind != doorbell_kind::cq_consumer().val()));
        // the doorbell takes all entries that were told of, or leaves some
        self.now.next = beyond.any();
        if leaves {
            self.now.next = untold;
        }
        // `woken` lies behind the index given if it is not between that and the producer
        if self.bell.val().solicited_only {
            self.now.next = woken.any() && (woken <= beyond);
        }
        self.row.next = self.state.val();
        if !no {
            self.row.next.consumer = to;
            self.row.next.told = 0.into();
            if leaves {
                self.row.next.told = left;
            }
            if is_arm && !self.now.val() {
                if self.bell.val().solicited_only {
                    self.row.next.solicited = true;
                } else {
                    self.row.next.any = true;
                }
            }
            if is_arm && self.now.val() {
                self.row.next.solicited = false;
                self.row.next.any = false;
                if self.bell.val().solicited_only {
                    self.row.next.woken = to;
                }
                self.row.next.told = 1.into();
                if leaves && untold {
                    self.row.next.told = left + 1;
                }
                if leaves && !untold {
                    self.row.next.told = left;
                }
            }
        }
        self.after_q.d.next = self.row.val();
        self.tell_q.d.next = is_arm && self.now.val() && !no;
        self.refused_q.d.next = no;
        self.after.next = self.after_q.q.val();
        self.tell.next = self.tell_q.q.val();
        self.refused.next = self.refused_q.q.val();
    }
}
