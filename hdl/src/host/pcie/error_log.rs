// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first error at the bus edge, and a pulse for each.
use super::bar_ports::Fault;
use super::ports::ReadFaults;
use crate::gen::consts::edge_error;
use crate::prelude::*;
use crate::stream::ItemSink;

/// Errors of requests: `edge_error` 1 to 9.
const OF_REQUESTS: usize = 9;
/// Errors of the device's own requests, from `edge_error::CPL_UNEXPECTED` on.
const OF_READS: usize = 8;

/// Keeps the first error until it is cleared, and makes a pulse of each for the counters.
#[block(clock)]
pub struct ErrorLog {
    /// Synchronous reset: no error.
    pub reset: Signal<In, Bit>,
    /// Of a request.
    pub request: Signal<In, Fault>,
    /// There is one.
    pub request_valid: Signal<In, Bit>,
    /// Of a read of a register.
    /// Noted when `request` is not, so that one of a kind is never lost.
    pub answer: ItemSink<Fault>,
    /// Pulse: the admin window was used in a way that is not possible.
    pub admin: Signal<In, Bit>,
    /// Pulses of the reads of host memory.
    pub reads: Signal<In, ReadFaults>,
    /// Pulse: a request was dropped for want of Bus Master Enable.
    pub dropped: Signal<In, Bit>,
    /// Forgets the first error.
    pub clear: Signal<In, Bit>,
    /// The first error; kind 0: none.
    pub first: Signal<Out, Fault>,
    /// Pulses: requests' errors by kind from 1 on, then reads'.
    pub pulse: Signal<Out, Bits<17>>,
    kept: Flop<Fault>,
    some: Reg<Bit>,
    pulses: Reg<Bits<17>>,
    now: Signal<Local, Fault>,
    is_now: Signal<Local, Bit>,
    marks: Signal<Local, Bits<17>>,
    kinds: Vec<Const<Bits<8>>>,
    read_kinds: Vec<Const<Bits<8>>>,
    kind_bit: Vec<Const<Bits<17>>>,
    read_bit: Vec<Const<Bits<17>>>,
    nothing: Const<Fault>,
    read: [Signal<Local, Bit>; OF_READS],
}

impl ErrorLog {
    /// No error.
    pub fn new() -> Self {
        let first_read = usize::from(ferrowarp_abi::consts::edge_error::CPL_UNEXPECTED);
        Self {
            kinds: (1..=OF_REQUESTS).map(Const::of).collect(),
            read_kinds: (0..OF_READS).map(|i| Const::of(first_read + i)).collect(),
            kind_bit: (0..OF_REQUESTS).map(|i| Const::of(1 << i)).collect(),
            read_bit: (0..OF_READS).map(|i| Const::of(1 << (OF_REQUESTS + i))).collect(),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for ErrorLog {
    fn update(&mut self) {
        regs!(some, pulses);
        flops!(kept);
        self.answer.ready.next = !self.request_valid.val();
        self.read[0].next = self.reads.val().unexpected;
        self.read[1].next = self.reads.val().late;
        self.read[2].next = self.reads.val().refused;
        self.read[3].next = self.reads.val().aborted;
        self.read[4].next = self.reads.val().poisoned;
        self.read[5].next = self.reads.val().malformed;
        self.read[6].next = self.reads.val().expired;
        self.read[7].next = self.dropped.val();

        // Of those of one cycle the last that is named here is kept.
        self.now.next = self.nothing.val();
        self.is_now.next = false;
        self.marks.next = 0.into();
        for i in 0..OF_READS {
            if self.read[i].val() {
                self.now.next.kind = self.read_kinds[i].val();
                self.is_now.next = true;
                self.marks.next = self.marks.val() | self.read_bit[i].val();
            }
        }
        if self.admin.val() {
            self.now.next.kind = edge_error::admin().val();
            self.is_now.next = true;
            self.marks.next = self.marks.val() | lit::<17>(1 << (OF_REQUESTS - 1));
        }
        if self.request_valid.val() {
            self.now.next = self.request.val();
            self.is_now.next = true;
        } else if self.answer.valid.val() {
            self.now.next = self.answer.item.val();
            self.is_now.next = true;
        }
        for i in 0..OF_REQUESTS {
            if (self.request_valid.val() || self.answer.valid.val())
                && (self.now.val().kind == self.kinds[i].val())
            {
                self.marks.next = self.marks.val() | self.kind_bit[i].val();
            }
        }
        self.pulses.d.next = self.marks.val();
        if self.is_now.val() && !self.some.q.val() {
            self.kept.d.next = self.now.val();
            self.some.d.next = true;
        }
        if self.clear.val() {
            self.some.d.next = false;
        }
        self.first.next = self.nothing.val();
        if self.some.q.val() {
            self.first.next = self.kept.q.val();
        }
        self.pulse.next = self.pulses.q.val();
    }
}
