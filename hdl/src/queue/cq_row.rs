// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of a completion queue's row, a column each, and what a doorbell makes of it.
use crate::cell::{Const, Flop};
use crate::gen::consts::doorbell_kind;
use crate::gen::Doorbell;
use rust_hdl::prelude::*;

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
    /// Index after the last entry that was solicited or an error.
    pub woken: Bits<32>,
    /// Any entry makes the event.
    pub any: Bit,
    /// A solicited entry or an error makes the event.
    pub solicited: Bit,
    /// There was no room once: nothing is written any more.
    pub is_over: Bit,
}

/// A doorbell of kind `cq_consumer` or `cq_arm` on a row; the outputs follow one cycle later.
#[derive(LogicBlock, Default)]
pub struct CqBell {
    /// Clock of all state.
    pub clock: Signal<In, Clock>,
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
    k_consumer: Const<Bits<8>>,
    k_arm: Const<Bits<8>>,
    to: Signal<Local, Bits<32>>,
    moved: Signal<Local, Bits<32>>,
    held: Signal<Local, Bits<32>>,
    beyond: Signal<Local, Bits<32>>,
    woken: Signal<Local, Bits<32>>,
    is_arm: Signal<Local, Bit>,
    no: Signal<Local, Bit>,
    now: Signal<Local, Bit>,
    row: Signal<Local, CqState>,
}

impl CqBell {
    /// The judge.
    pub fn new() -> Self {
        Self {
            k_consumer: doorbell_kind::cq_consumer(),
            k_arm: doorbell_kind::cq_arm(),
            ..Default::default()
        }
    }
}

impl Logic for CqBell {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, after_q, tell_q, refused_q);
        self.to.next = self.bell.val().value;
        self.moved.next = self.to.val() - self.state.val().consumer;
        self.held.next = self.state.val().producer - self.state.val().consumer;
        self.beyond.next = self.state.val().producer - self.to.val();
        self.woken.next = self.state.val().woken - self.to.val();
        self.is_arm.next = self.bell.val().kind == self.k_arm.val();
        self.no.next = !self.is_valid.val()
            || (self.moved.val() > self.held.val())
            || (!self.is_arm.val() && (self.bell.val().kind != self.k_consumer.val()));
        // `woken` lies behind the index given if it is not between that and the producer
        self.now.next = self.beyond.val().any();
        if self.bell.val().solicited_only {
            self.now.next = self.woken.val().any() && (self.woken.val() <= self.beyond.val());
        }
        self.row.next = self.state.val();
        if !self.no.val() {
            self.row.next.consumer = self.to.val();
            if self.is_arm.val() && !self.now.val() {
                if self.bell.val().solicited_only {
                    self.row.next.solicited = true;
                } else {
                    self.row.next.any = true;
                }
            }
            if self.is_arm.val() && self.now.val() {
                self.row.next.solicited = false;
                self.row.next.any = false;
            }
        }
        self.after_q.d.next = self.row.val();
        self.tell_q.d.next = self.is_arm.val() && self.now.val() && !self.no.val();
        self.refused_q.d.next = self.no.val();
        self.after.next = self.after_q.q.val();
        self.tell.next = self.tell_q.q.val();
        self.refused.next = self.refused_q.q.val();
    }
}
