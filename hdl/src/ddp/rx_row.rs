// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of the receive side: what is known of an FPDU at each step, and the columns of a queue
//! pair.
use crate::gen::Sge;
use crate::record::CqeItem;
use rust_hdl::prelude::*;

/// An FPDU or a bad verdict, as MPA says it.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxFpdu {
    /// Queue pair.
    pub qp: Bits<8>,
    /// One of `mpa::verdict`; only a good one has a frame.
    pub verdict: Bits<3>,
    /// ULPDU_Length in octets.
    pub length: Bits<16>,
}

/// First octets of a ULPDU, and where all that a Terminate may quote of it is kept.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxFirst {
    /// Header and what follows it, to the end of a Read Request; beyond the ULPDU's end they mean
    /// nothing.
    pub octets: Bits<368>,
    /// Slot of the store.
    pub slot: Bits<4>,
    /// Words of 64 bits in it, 1 to 9.
    pub kept: Bits<4>,
}

/// What the headers of an FPDU say, and whether they may.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxLooked {
    /// `error` is the first thing wrong.
    pub has_error: Bit,
    /// As in a Terminate.
    pub error: Bits<16>,
    /// T.
    pub is_tagged: Bit,
    /// L.
    pub is_last: Bit,
    /// RDMAP opcode.
    pub opcode: Bits<4>,
    /// QN of an untagged segment without error: 0, 1 or 2.
    pub queue: Bits<2>,
    /// A Terminate, whatever is wrong with it.
    pub is_terminate: Bit,
    /// The opcode names an STag to invalidate.
    pub invalidates: Bit,
    /// STag of a tagged segment, Invalidate STag of an untagged one.
    pub stag: Bits<32>,
    /// Of a tagged segment.
    pub to: Bits<64>,
    /// Of an untagged segment.
    pub msn: Bits<32>,
    /// Of an untagged segment.
    pub mo: Bits<32>,
    /// Octets behind the header.
    pub payload: Bits<16>,
}

/// What a queue pair row fixes for the receive side.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxConf {
    /// The queue pair works.
    pub is_ready: Bit,
    /// Protection domain.
    pub pd: Bits<16>,
    /// Completion queue of receives.
    pub recv_cq: Bits<16>,
    /// Read Requests of the peer that may be under way at once.
    pub ird: Bits<8>,
}

/// Queue 1 and the Reads of ours. All zero: nothing was yet.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxReads {
    /// Read Requests of the peer that were taken; the MSN of the next one is one more.
    pub requests: Bits<32>,
    /// Number, modulo 32, of our oldest Read whose response is not whole.
    pub first: Bits<5>,
    /// Number of our next Read.
    pub put: Bits<5>,
    /// Octets of the oldest Read's response so far.
    pub got: Bits<32>,
}

/// A Read of ours, in a slot of its queue pair's ring.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxRead {
    /// Region of the sink.
    pub stag: Bits<32>,
    /// IOVA of the first octet: tagged offset of the response's first.
    pub to: Bits<64>,
    /// Octets.
    pub length: Bits<32>,
}

/// What a segment of a message is that takes no receive.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxVerdict {
    /// `error` and `status` say what is wrong, or what a Terminate tells.
    pub has_error: Bit,
    /// As in a Terminate.
    pub error: Bits<16>,
    /// One of `wc_status`.
    pub status: Bits<8>,
    /// A good Read Request.
    pub is_request: Bit,
    /// A good Terminate.
    pub is_terminate: Bit,
    /// It ends its message.
    pub delivers: Bit,
    /// A region is to be checked.
    pub asks: Bit,
    /// Control field of a Terminate.
    pub info: Bits<32>,
}

/// The message of queue 0 under way, as far as every FPDU needs it. All zero: none, and none was
/// before.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxMessage {
    /// Messages that are finished; the MSN of the next one is one more.
    pub done: Bits<32>,
    /// A message is under way: a receive was taken for it.
    pub open: Bit,
    /// Octets of it so far.
    pub got: Bits<32>,
    /// Octets that the receive takes.
    pub total: Bits<34>,
    /// Octets of `sge` filled.
    pub used: Bits<32>,
    /// `sge` is not the first one: after it comes the third.
    pub is_third: Bit,
    /// Scatter to fill next.
    pub sge: Sge,
}

/// Words of a receive that are read only when they are needed, as numbers in the emitted Verilog.
pub mod scatter {
    /// Second scatter.
    pub const SECOND: usize = 0;
    /// Third scatter.
    pub const THIRD: usize = 1;
    /// Its index.
    pub const INDEX: usize = 2;
}

/// An FPDU whose headers and rows are known and whose checks of regions are asked for.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxJob {
    /// Queue pair.
    pub qp: Bits<8>,
    /// It has a frame.
    pub has_frame: Bit,
    /// ULPDU_Length in octets.
    pub length: Bits<16>,
    /// The queue pair takes nothing: drop it and say nothing.
    pub silent: Bit,
    /// `error` and `status` say what is wrong.
    pub has_error: Bit,
    /// As in a Terminate.
    pub error: Bits<16>,
    /// One of `wc_status`.
    pub status: Bits<8>,
    /// T.
    pub is_tagged: Bit,
    /// A Read Request: it waits beside, and its check is that of a peer's read.
    pub is_request: Bit,
    /// A whole Terminate; `byte_len` is its control field. It always has an `error`: the one that
    /// it tells.
    pub is_terminate: Bit,
    /// Before the message is delivered `stag` becomes invalid.
    pub invalidates: Bit,
    /// See `invalidates`.
    pub stag: Bits<32>,
    /// Pieces of the payload, 0 to 3: a check was asked for each. What a check says counts before
    /// `error`.
    pub pieces: Bits<2>,
    /// Octets of the first piece.
    pub n0: Bits<16>,
    /// Octets of the second.
    pub n1: Bits<16>,
    /// Octets of the third.
    pub n2: Bits<16>,
    /// `index` is that of a receive.
    pub has_wr: Bit,
    /// Of the receive.
    pub index: Bits<32>,
    /// It ends a message of which somebody is told: a Send, a Read Request, a Read Response.
    pub delivers: Bit,
    /// Octets of a Send.
    pub byte_len: Bits<32>,
    /// Its opcode.
    pub opcode: Bits<4>,
    /// Completion queue of receives.
    pub recv_cq: Bits<16>,
    /// With `has_frame`: slot in which the first octets of the ULPDU are kept.
    pub slot: Bits<4>,
    /// Words of 64 bits in it, 1 to 9.
    pub kept: Bits<4>,
}

/// Kinds of delivery, as numbers in the emitted Verilog.
pub mod delivery {
    /// Completion of a receive.
    pub const COMPLETION: usize = 0;
    /// A Read of ours is done.
    pub const READ_DONE: usize = 1;
    /// A Read Request of the peer, which waits beside.
    pub const REQUEST: usize = 2;
}

/// A message whose octets were all judged good.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxDelivery {
    /// One of [`delivery`].
    pub kind: Bits<2>,
    /// The completion; of a Read only `qp` counts.
    pub cqe: CqeItem,
}

/// What becomes of the next octets.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxPart {
    /// How many, at least 1.
    pub length: Bits<16>,
    /// They are dropped.
    pub drop: Bit,
    /// They end an FPDU that delivers a message.
    pub delivers: Bit,
    /// IOVA of the first.
    pub addr: Bits<64>,
}
