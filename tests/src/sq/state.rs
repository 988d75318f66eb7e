// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a test knows of a queue pair, its connection and its segments.
use crate::record::Record;
use ferrowarp_hdl::record::{ReadOut, TxFpdu};
use std::collections::VecDeque;

/// Read Requests that a peer may have sent without an answer.
pub const IRD: u32 = 8;

/// A fault as the stage reports it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Queue pair.
    pub qp: usize,
    /// Layer, type and code.
    pub error: u64,
    /// One of `wc_status`.
    pub status: u64,
    /// Name of its work request, if it has one.
    pub wr_id: Option<u64>,
    /// The work request was our own.
    pub is_local: bool,
}

/// A send completion.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Queue pair.
    pub qp: usize,
    /// Completion queue.
    pub cq: u64,
    /// Name of the work request.
    pub wr_id: u64,
    /// RDMAP opcode.
    pub opcode: u64,
    /// Octets that an RDMA Read brought.
    pub byte_len: u64,
}

/// One queue pair and its connection, as the test has set them up.
#[derive(Clone, Debug, Default)]
pub struct Qp {
    /// Log2 of the requests that have room, if each has two blocks.
    pub log2: u32,
    /// Protection domain.
    pub pd: u64,
    /// MULPDU of its connection.
    pub mulpdu: usize,
    /// Blocks written.
    pub producer: u32,
    /// Name of the request in each block that was written, by its index.
    pub(super) names: Vec<u64>,
    /// RDMA Reads that may be outstanding.
    pub ord: u64,
    /// MSN of its next message on each queue.
    pub(super) msn: [u32; 3],
    /// ULPDUs of work requests that must still come.
    pub expected: VecDeque<Vec<u8>>,
    /// What else its connection carries.
    pub stream: Stream,
    /// Completions that must come, each with the ULPDUs and the RDMA Reads up to it; in order.
    pub(super) completions: VecDeque<(usize, usize, Done)>,
    /// Stream offset after all frames that came, and what was acknowledged.
    pub(super) offset: u64,
    pub(super) acked: u64,
    /// It was told that the end of the stream is acknowledged.
    pub fin_told: bool,
    /// Stream offset of a segment that could not be read: the next Terminate or end stands there.
    pub(super) hole: Option<u64>,
    /// Room was given back.
    pub(super) is_cut: bool,
    pub(super) phase: u64,
    /// Segments that were granted, and the stream offset after the last.
    pub(super) segments: Vec<Segment>,
    pub(super) reserved: u64,
    /// Stream offset after each segment that was announced.
    pub(super) ends: Vec<u64>,
    /// Stream offset after each ULPDU of a work request that came.
    pub(super) wqe_ends: Vec<u64>,
    /// RDMA Reads that were posted.
    pub(super) reads: usize,
    /// ULPDUs of all messages up to each one that was posted.
    pub(super) posted: Vec<usize>,
}

impl Qp {
    /// Segments that were announced since the connection was inserted.
    pub fn ulpdus(&self) -> usize {
        self.ends.len()
    }

    /// Name of the request with an index.
    pub(super) fn named(&self, index: u64) -> Result<u64, String> {
        let name = self.names.get(index as usize).copied();
        name.ok_or_else(|| format!("request {index} of {} that were posted", self.names.len()))
    }

    /// A ULPDU has come; the segment that ends it stands before this stream offset.
    pub(super) fn is_over(&mut self, opcode: u8, end: Option<u64>) {
        match opcode {
            2 => self.stream.response_ends.extend(end),
            7 => {}
            _ => self.wqe_ends.extend(end),
        }
    }

    /// All that is expected has come, and is completed if somebody acknowledges.
    pub(super) fn is_done(&self, acks: bool) -> bool {
        let is_told = !self.stream.finished || self.fin_told;
        self.expected.is_empty()
            && self.stream.is_empty()
            && (!acks || (self.completions.is_empty() && is_told))
    }
}

/// A memory region as the stage's neighbour knows it.
#[derive(Copy, Clone, Debug)]
pub(super) struct Region {
    pub(super) key: u32,
    pub(super) pd: u64,
    pub(super) base: u64,
    pub(super) length: u64,
    /// TO of its first octet.
    pub(super) to_base: u64,
    pub(super) access: Access,
}

/// A segment that was announced and whose frame has not come.
#[derive(Copy, Clone, Debug)]
pub(super) struct Announced {
    pub(super) qp: usize,
    /// Stream offset after it.
    pub(super) end: u64,
    pub(super) is_raw: bool,
    pub(super) is_control: bool,
    /// Which of its connection's segments it is.
    pub(super) index: usize,
    /// It has left before.
    pub(super) is_again: bool,
}

/// A segment as it was granted first.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// Stream offset of its first octet.
    pub from: u64,
    /// What `fpdu` said of it.
    pub told: Record<TxFpdu>,
    /// It was of the control plane.
    pub is_control: bool,
    /// The frame of its FPDU, once that came.
    pub frame: Option<Vec<u8>>,
    /// Its FPDU ends there.
    pub ends: bool,
}

impl Segment {
    /// Stream offset after its last octet.
    pub(super) fn end(&self) -> u64 {
        self.from + self.told.get("octets")
    }
}

/// What a region allows, apart from being read by its owner.
#[derive(Copy, Clone, Debug)]
pub struct Access {
    /// The peer may read it.
    pub remote_read: bool,
    /// Receives and responses may be written to it.
    pub local_write: bool,
}

impl Default for Access {
    fn default() -> Self {
        Self { remote_read: true, local_write: true }
    }
}

/// A connection, apart from the messages of its work requests.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    /// ULPDUs of responses that must still come.
    pub responses: VecDeque<Vec<u8>>,
    /// Terminates that must still come.
    pub terminates: VecDeque<Vec<u8>>,
    /// The end of the stream must still come.
    pub fin: bool,
    /// The end has come.
    pub finished: bool,
    /// Stream offset after each ULPDU of a response that came.
    pub(super) response_ends: Vec<u64>,
    /// Read Requests that the peer may send now.
    pub credit: u32,
    /// What the receive side must be told of the next Reads.
    pub(super) offers: VecDeque<Record<ReadOut>>,
    /// Reads that it was told of, whose Requests came, and whose responses have come.
    pub offered: usize,
    pub(super) requested: usize,
    pub(super) done: usize,
    /// Most that were outstanding at once.
    pub most: usize,
    /// Opcode of the message that is half sent.
    half: Option<u8>,
}

impl Stream {
    /// A connection that was inserted.
    pub(super) fn new() -> Self {
        Self { credit: IRD, ..Self::default() }
    }

    /// Nothing more is due.
    pub(super) fn is_empty(&self) -> bool {
        self.responses.is_empty() && self.terminates.is_empty() && !self.fin && self.done == self.requested
    }

    /// Messages do not interleave, but a Terminate may end a half-sent one.
    pub(super) fn boundary(&mut self, opcode: u8, last: bool) -> Result<(), String> {
        if self.half.is_some_and(|half| half != opcode && opcode != 7) {
            return Err(format!("opcode {opcode} inside a message of opcode {:?}", self.half));
        }
        self.half = (!last).then_some(opcode);
        Ok(())
    }

    /// A segment without payload came.
    pub(super) fn end(&mut self, is_control: bool) -> Result<(), String> {
        if !std::mem::take(&mut self.fin) || !is_control {
            return Err("an end of the stream that nobody asked for".into());
        }
        self.finished = true;
        Ok(())
    }

    /// A Read Request came.
    pub(super) fn asked(&mut self) -> Result<(), String> {
        self.requested += 1;
        match self.requested <= self.offered {
            true => Ok(()),
            false => Err("a Read Request of which the receive side knows nothing".into()),
        }
    }
}
