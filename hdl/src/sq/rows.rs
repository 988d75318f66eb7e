// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of the send queue: what is kept of a queue pair, and what its steps tell each other.
use rust_hdl::prelude::*;

/// Whose message a turn is for, as numbers in the emitted Verilog.
pub mod turn_kind {
    /// A work request's, which was fetched from the host.
    pub const WQE: usize = 0;
    /// The answer to a Read Request of the peer.
    pub const RESPONSE: usize = 1;
    /// A Terminate.
    pub const CONTROL: usize = 2;
    /// The end of our side of the stream.
    pub const FIN: usize = 3;
}

/// What set-up gives of a queue pair; written by set-up alone.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct SqConf {
    /// The state is *ready*.
    pub ready: Bit,
    /// Log2 of the blocks.
    pub log2: Bits<4>,
    /// IOVA of block 0; a multiple of 64 octets, the low bits are taken as zero.
    pub base: Bits<64>,
    /// Protection domain.
    pub pd: Bits<16>,
    /// RDMA Reads that may be outstanding.
    pub ord: Bits<8>,
}

/// Where a queue pair stands; written by the scheduler alone. With none of `queued`, `away`,
/// `parked` and `halted` it is idle.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct SqRow {
    /// Blocks rung so far, modulo 2^32.
    pub producer: Bits<32>,
    /// Blocks fetched so far, modulo 2^32.
    pub consumer: Bits<32>,
    /// It is in the run queue.
    pub queued: Bit,
    /// Its WQE is being fetched or it has the turn.
    pub away: Bit,
    /// It waits for a wake-up.
    pub parked: Bit,
    /// It does nothing until it is set up again.
    pub halted: Bit,
    /// A wake-up came while it had the turn.
    pub woken: Bit,
    /// It was set up anew while it was away: what comes back belongs to its life before.
    pub stale: Bit,
    /// The WQE whose last block is that at `consumer - 1` is there and not done.
    pub has: Bit,
    /// That WQE has two blocks, or its first is there and says so.
    pub two: Bit,
    /// That WQE was checked.
    pub started: Bit,
    /// It could not be read.
    pub broken: Bit,
    /// It waits for RDMA Reads to complete.
    pub held: Bit,
    /// Responses that are not sent whole, and the slot of the oldest.
    pub responses: Bits<5>,
    /// See `responses`.
    pub response: Bits<4>,
    /// That one was begun.
    pub responding: Bit,
    /// The last message was a response: a WQE goes first.
    pub answered: Bit,
    /// A Terminate waits.
    pub term: Bit,
    /// The end of the stream waits.
    pub fin: Bit,
    /// A Terminate or the end of the stream was sent: nothing but those may follow.
    pub closing: Bit,
    /// The end of the stream was sent: nothing may follow.
    pub finished: Bit,
    /// What is not acknowledged leaves again, before anything else.
    pub replay: Bit,
    /// It does from the oldest message on.
    pub restart: Bit,
    /// For that the WQE at `again` is needed.
    pub lacks: Bit,
    /// It is there.
    pub image: Bit,
    /// It could not be read.
    pub torn: Bit,
    /// Some of an FPDU was announced, the rest not.
    pub half: Bit,
    /// See `lacks`: its first block.
    pub again: Bits<32>,
}

/// A block to be fetched.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct SqFetchJob {
    /// Queue pair.
    pub qp: Bits<8>,
    /// IOVA of the block.
    pub addr: Bits<64>,
    /// It is the second of its WQE.
    pub second: Bit,
    /// What follows it in the ring is read, too: probably it is the second.
    pub both: Bit,
    /// For a replay: it has a place of its own.
    pub again: Bit,
}

/// A block that has come.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct SqLanded {
    /// Queue pair.
    pub qp: Bits<8>,
    /// The read failed.
    pub failed: Bit,
    /// It is the first block of a WQE that has two.
    pub more: Bit,
    /// They are the two of a WQE.
    pub both: Bit,
}

/// One queue pair has the turn: it may send one FPDU.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct SqTurn {
    /// Queue pair.
    pub qp: Bits<8>,
    /// One of [`turn_kind`].
    pub kind: Bits<2>,
    /// Its message was judged in an earlier turn.
    pub started: Bit,
    /// Its WQE could not be read.
    pub broken: Bit,
    /// Two blocks of its WQE were read.
    pub two: Bit,
    /// Absolute index of the WQE's first block, or slot of the response.
    pub index: Bits<32>,
    /// Protection domain.
    pub pd: Bits<16>,
    /// RDMA Reads that may be outstanding.
    pub ord: Bits<8>,
    /// Something leaves again; what, the in-flight ring knows.
    pub replay: Bit,
    /// From the oldest message on.
    pub restart: Bit,
    /// The WQE that the turn before asked for is there.
    pub image: Bit,
}

/// What became of a turn: exactly one of `again`, `done`, `parked`, `held`, `halted`, `over` and
/// `lacks`.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct SqResult {
    /// Queue pair.
    pub qp: Bits<8>,
    /// That of the turn.
    pub kind: Bits<2>,
    /// The message is judged.
    pub started: Bit,
    /// An FPDU was made, the message has more.
    pub again: Bit,
    /// The message's last FPDU was made.
    pub done: Bit,
    /// There was no room: wait for a wake-up.
    pub parked: Bit,
    /// Too many RDMA Reads are outstanding: the WQE waits for a wake-up.
    pub held: Bit,
    /// A fault was reported.
    pub halted: Bit,
    /// It was a replay's turn.
    pub replay: Bit,
    /// Nothing more has to leave again.
    pub over: Bit,
    /// The WQE at `index` has to be read first.
    pub lacks: Bit,
    /// With a turn that was no replay's: some of an FPDU was announced, the rest not.
    pub half: Bit,
    /// See `lacks`.
    pub index: Bits<32>,
}

/// Transmit state of a queue pair; written by the turns alone.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxRow {
    /// MSN of the next message on untagged queue 0.
    pub msn: Bits<32>,
    /// MSN of the next message on untagged queue 1.
    pub msn_read: Bits<32>,
    /// Stream offset after the last FPDU, from SND.UNA of the insert.
    pub offset: Bits<40>,
    /// Octets of the present message already made into FPDUs.
    pub sent: Bits<32>,
    /// SGE that holds the next one.
    pub sge: Bits<3>,
    /// Octets of that SGE already used; in a replay, of this SGE and those behind it.
    pub used: Bits<32>,
    /// MULPDU of the present message, latched at its start.
    pub mulpdu: Bits<16>,
    /// Octets of the next FPDU that were announced: 0, or the FPDU leaves in several segments.
    pub into: Bits<16>,
}

/// A message of which FPDUs were made and are not acknowledged (D2): what retires it and what
/// rebuilds it. Its first octet stands behind the last one of the message before, its completion
/// queue in [`super::inflight::SqRing`].
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct InFlight {
    /// One of [`turn_kind`].
    pub kind: Bits<2>,
    /// RDMAP opcode, or one of `work_opcode`.
    pub opcode: Bits<8>,
    /// A CQE is due.
    pub signaled: Bit,
    /// It is an RDMA Read, which retires when its response has come.
    pub is_read: Bit,
    /// Its last FPDU was made; `upto` is final.
    pub closed: Bit,
    /// All its ULPDUs but the last have one size.
    pub even: Bit,
    /// Absolute index of its WQE's first block, or slot of the response.
    pub index: Bits<32>,
    /// Stream offset after its last FPDU so far.
    pub upto: Bits<40>,
    /// Octets of payload, or those that a Read asks for.
    pub length: Bits<32>,
    /// MULPDU of its FPDUs.
    pub mulpdu: Bits<16>,
    /// Low bits of the MSN of an untagged message: a ring has fewer messages than they can tell
    /// apart.
    pub msn: Bits<7>,
}

/// Where the stream of a queue pair goes on after a message that could not be read: the first of
/// Terminate and end stands there. What lies before it in the in-flight ring and reaches beyond
/// that place has left up to there alone.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Cut {
    /// There is such a place.
    pub on: Bit,
    /// Its stream offset.
    pub offset: Bits<40>,
}

/// The next segment of a message, as [`super::decode::SqPlan`] cuts it.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Planned {
    /// The message is tagged.
    pub is_tagged: Bit,
    /// The message is a Read Request.
    pub is_read: Bit,
    /// The message is raw octets.
    pub is_raw: Bit,
    /// MSN of the message.
    pub msn: Bits<32>,
    /// Octets of payload of the segment; a Read Request's 28 count as such.
    pub payload: Bits<16>,
    /// Octets of the segment's header and payload.
    pub ulpdu: Bits<16>,
    /// The segment is the message's last.
    pub last: Bit,
    /// Header of the segment, octet 0 in bits 7:0.
    pub header: Bits<144>,
    /// Octets of the message from the segment on.
    pub rest: Bits<32>,
}

/// How far a message is in its replay.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Again {
    /// It has begun; otherwise what follows `offset` has no meaning.
    pub begun: Bit,
    /// Stream offset of its next FPDU, also before it has begun.
    pub offset: Bits<40>,
    /// As in [`TxRow`].
    pub sent: Bits<32>,
    /// As in [`TxRow`].
    pub sge: Bits<3>,
    /// As in [`TxRow`].
    pub used: Bits<32>,
    /// As in [`TxRow`].
    pub into: Bits<16>,
}

/// Steps of a turn.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Work {
    /// No turn.
    Idle,
    /// The message that leaves again is looked for.
    Entry,
    /// It is there.
    Open,
    /// The head of the slot is being read.
    Head,
    /// It is there.
    Judge,
    /// The SGEs are judged.
    Whole,
    /// The FPDU's size is known.
    Plan,
    /// The ranges of its payload are looked for.
    Find,
    /// Room in the stream is asked for.
    Reserve,
    /// The answer is awaited.
    Grant,
    /// The receive side is told of an RDMA Read.
    Offer,
    /// The FPDU is announced.
    Hand,
    /// It is acknowledged: it does not leave again.
    Pass,
    /// Its ranges go to the gather.
    Give,
    /// A fault is reported.
    Fail,
    /// The scheduler is told.
    Tell,
}
