//! Records of the receive side: what is known of an FPDU at each step, and the columns of a queue pair.
use crate::gen::Sge;
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
    /// Of a tagged segment.
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
}

/// The message of queue 0 under way. All zero: none, and none was before.
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
    /// Octets of `sge0` filled.
    pub used: Bits<32>,
    /// Of the receive.
    pub wr_id: Bits<64>,
    /// Scatter to fill next.
    pub sge0: Sge,
    /// The one after it.
    pub sge1: Sge,
    /// The last one.
    pub sge2: Sge,
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
    /// Pieces of the payload, 0 to 3: a check was asked for each.
    pub pieces: Bits<2>,
    /// Octets of the first piece.
    pub n0: Bits<16>,
    /// Octets of the second.
    pub n1: Bits<16>,
    /// Octets of the third.
    pub n2: Bits<16>,
    /// `wr_id` is that of a receive.
    pub has_wr: Bit,
    /// Of the receive.
    pub wr_id: Bits<64>,
    /// It ends a message that has a completion.
    pub delivers: Bit,
    /// Octets of that message.
    pub byte_len: Bits<32>,
    /// Its opcode.
    pub opcode: Bits<4>,
    /// Completion queue of receives.
    pub recv_cq: Bits<16>,
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
