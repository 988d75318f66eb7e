// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records that the queues exchange with the stages around them.
use crate::cell::Const;
use crate::gen::{CqRow, QpRow, Sge};
use rust_hdl::prelude::*;

/// A row of a queue pair on its way to a stage.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct QpWrite {
    /// Queue pair.
    pub qp: Bits<8>,
    /// Its row.
    pub row: QpRow,
}

/// A row of a completion queue on its way to the queue.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct CqWrite {
    /// Completion queue.
    pub cq: Bits<16>,
    /// Its row.
    pub row: CqRow,
}

/// First error of a queue pair, as a stage reports the error.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Fault {
    /// Queue pair.
    pub qp: Bits<8>,
    /// Layer (4), type (4) and code (8) as in a Terminate.
    pub error: Bits<16>,
    /// One of `wc_status`.
    pub status: Bits<8>,
    /// A work request of this device caused the fault, not the peer.
    pub is_local: Bit,
    /// With `has_wr`: absolute index of that work request in its queue. Otherwise undefined.
    pub index: Bits<32>,
    /// `index` is valid.
    pub has_wr: Bit,
}

impl Fault {
    /// A fault of our own, of no work request: for a kernel that adds `qp`.
    pub fn local(status: Const<Bits<8>>) -> Const<Self> {
        Const::new(Self { status: status.val(), is_local: true, ..Default::default() })
    }
}

/// The segment of a peer that caused a fault, for the Terminate that quotes the segment. Without a
/// segment all fields are zero.
///
/// Its first octets come word by word behind the fault: 72 of a segment on queue 1 or 2, else 24;
/// beyond its end they mean nothing.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Quoted {
    /// The segment exists and arrived whole.
    pub is_there: Bit,
    /// The segment is a good Terminate.
    pub is_terminate: Bit,
    /// ULPDU_Length in octets.
    pub length: Bits<16>,
}

/// A completion on its way to its queue, which adds the phase bit.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct CqeItem {
    /// Completion queue.
    pub cq: Bits<16>,
    /// Absolute index of the work request in its queue, with `has_wr`.
    pub index: Bits<32>,
    /// Octets received; 0 for a send queue's entry.
    pub byte_len: Bits<32>,
    /// Queue pair.
    pub qp: Bits<16>,
    /// One of `wc_status`.
    pub status: Bits<8>,
    /// RDMAP opcode of the message.
    pub opcode: Bits<8>,
    /// STag that the message invalidated, with `has_invalidate`.
    pub invalidated_stag: Bits<32>,
    /// Layer, type and code as in a Terminate; with a bad `status` only.
    pub error: Bits<16>,
    /// Of a receive queue.
    pub is_recv: Bit,
    /// The sender asked for a wake-up of the receiver (solicited).
    pub is_solicited: Bit,
    /// `invalidated_stag` is valid.
    pub has_invalidate: Bit,
    /// `index` is valid.
    pub has_wr: Bit,
}

/// Answer to a take from a receive queue.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Rqe {
    /// A work request was found. Otherwise all other fields are undefined.
    pub found: Bit,
    /// Absolute index of the work request in its queue.
    pub index: Bits<32>,
    /// Number of valid scatters, 0 to 3.
    pub num_sge: Bits<2>,
    /// First scatter.
    pub sge0: Sge,
    /// Second scatter.
    pub sge1: Sge,
    /// Third scatter.
    pub sge2: Sge,
    /// The work request could not be read or is impossible, so the queue pair must stop.
    pub bad: Bit,
}

/// Limits of a connection from its insert; written by inserts alone.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxLimits {
    /// Largest ULPDU of messages that begin.
    pub mulpdu: Bits<16>,
    /// Largest segment.
    pub emss: Bits<16>,
}

/// Places of a connection's markers; written by inserts alone.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxStart {
    /// The stream has markers.
    pub markers: Bit,
    /// Words between SeqStart and stream offset 0, modulo 128, rounded up. An FPDU stands behind
    /// SeqStart by this number and the words of its offset.
    pub phase: Bits<7>,
}

/// Octets of the segment that a fault quotes, word by word.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "CiteSource"]
pub struct CiteSink {
    /// Eight octets, the first in bits 7:0.
    pub data: Signal<In, Bits<64>>,
    /// The last word, or the only one if no segment is quoted.
    pub last: Signal<In, Bit>,
    /// A word is offered.
    pub valid: Signal<In, Bit>,
    /// The word is taken.
    pub ready: Signal<Out, Bit>,
}

/// Octets of the segment that a fault quotes, sending side: one to nine words.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "CiteSink"]
pub struct CiteSource {
    /// Eight octets, the first in bits 7:0.
    pub data: Signal<Out, Bits<64>>,
    /// The last word, or the only one if no segment is quoted.
    pub last: Signal<Out, Bit>,
    /// A word is offered.
    pub valid: Signal<Out, Bit>,
    /// The word is taken.
    pub ready: Signal<In, Bit>,
}
