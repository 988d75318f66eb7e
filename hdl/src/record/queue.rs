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

/// The first thing that went wrong with a queue pair, as a stage reports it.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Fault {
    /// Queue pair.
    pub qp: Bits<8>,
    /// Layer (4), type (4) and code (8) as in a Terminate.
    pub error: Bits<16>,
    /// One of `wc_status`.
    pub status: Bits<8>,
    /// Raised by a work request of our own, not by the peer.
    pub is_local: Bit,
    /// Absolute index of that work request in its queue, with `has_wr`; otherwise it has no
    /// meaning.
    pub index: Bits<32>,
    /// `index` counts.
    pub has_wr: Bit,
}

impl Fault {
    /// A fault of our own, of no work request: for a kernel that adds `qp`.
    pub fn local(status: Const<Bits<8>>) -> Const<Self> {
        Const::new(Self { status: status.val(), is_local: true, ..Default::default() })
    }
}

/// The segment of a peer that caused a fault, for the Terminate that quotes it. All zero: there is
/// none.
///
/// Its first octets come word by word behind the fault: 72 of a segment on queue 1 or 2, else 24;
/// beyond its end they mean nothing.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Quoted {
    /// There is one, and it came whole.
    pub is_there: Bit,
    /// It is a good Terminate.
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
    /// The sender asked that the receiver be woken.
    pub is_solicited: Bit,
    /// `invalidated_stag` counts.
    pub has_invalidate: Bit,
    /// `index` counts.
    pub has_wr: Bit,
}

/// Answer to a take from a receive queue.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Rqe {
    /// There was one; otherwise the rest has no meaning.
    pub found: Bit,
    /// Its absolute index in its queue.
    pub index: Bits<32>,
    /// Scatters that count, 0 to 3.
    pub num_sge: Bits<2>,
    /// First scatter.
    pub sge0: Sge,
    /// Second scatter.
    pub sge1: Sge,
    /// Third scatter.
    pub sge2: Sge,
    /// There was one, but it could not be read or is impossible: the queue pair must stop.
    pub bad: Bit,
}

/// What an insert gives of a connection; written by inserts alone.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxLimits {
    /// Largest ULPDU of messages that begin.
    pub mulpdu: Bits<16>,
    /// Largest segment.
    pub emss: Bits<16>,
}

/// Where the markers of a connection stand; written by inserts alone.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxStart {
    /// There are markers.
    pub markers: Bit,
    /// Words between SeqStart and stream offset 0, modulo 128, rounded up. An FPDU stands so many
    /// words, and those of its offset, behind SeqStart.
    pub phase: Bits<7>,
}

/// Octets of the segment that a fault quotes, word by word.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "CiteSource"]
pub struct CiteSink {
    /// Eight octets, the first in bits 7:0.
    pub data: Signal<In, Bits<64>>,
    /// The segment has no more, or none that anybody quotes.
    pub last: Signal<In, Bit>,
    /// The word is offered.
    pub valid: Signal<In, Bit>,
    /// It is taken.
    pub ready: Signal<Out, Bit>,
}

/// Who has such octets: at least one word, nine at most.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "CiteSink"]
pub struct CiteSource {
    /// Eight octets, the first in bits 7:0.
    pub data: Signal<Out, Bits<64>>,
    /// The segment has no more, or none that anybody quotes.
    pub last: Signal<Out, Bit>,
    /// The word is offered.
    pub valid: Signal<Out, Bit>,
    /// It is taken.
    pub ready: Signal<In, Bit>,
}
