// SPDX-License-Identifier: MIT OR Apache-2.0
//! What verbs say: completions, what is waited for, and the peer's buffers.
use ferrowarp_abi::consts::wc_status;
use ferrowarp_abi::opcode::Opcode;
use ferrowarp_abi::types::{STag, TaggedOffset};
use std::fmt;

/// Where a queue pair is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QpState {
    /// Receives may be posted.
    Idle,
    /// A connection is being made.
    Connecting,
    /// Everything may be posted.
    Connected,
    /// What is posted still leaves. Receives may be posted, nothing else.
    Finished,
    /// What is posted is flushed.
    Error,
}

/// How a work request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// Done.
    Success,
    /// A message is longer than its receive, or than what may be sent.
    LocalLength,
    /// The work request is not possible.
    LocalOperation,
    /// A segment lies outside the regions of the protection domain.
    LocalProtection,
    /// The queue pair was in error before the request was begun.
    Flushed,
    /// A region does not allow what the peer asked of it.
    LocalAccess,
    /// The peer refused access.
    RemoteAccess,
    /// The peer could not do it.
    RemoteOperation,
    /// The peer did not answer.
    RetriesExceeded,
    /// The queue pair stopped for a fault of the stream.
    Fatal,
    /// None of the others.
    General,
}

impl Status {
    /// From a number of `wc_status`; a number beyond them is [`Status::General`].
    pub(crate) fn of(number: u8) -> Self {
        match number {
            wc_status::SUCCESS => Self::Success,
            wc_status::LOC_LEN_ERR => Self::LocalLength,
            wc_status::LOC_QP_OP_ERR => Self::LocalOperation,
            wc_status::LOC_PROT_ERR => Self::LocalProtection,
            wc_status::WR_FLUSH_ERR => Self::Flushed,
            wc_status::LOC_ACCESS_ERR => Self::LocalAccess,
            wc_status::REM_ACCESS_ERR => Self::RemoteAccess,
            wc_status::REM_OP_ERR => Self::RemoteOperation,
            wc_status::RETRY_EXC_ERR => Self::RetriesExceeded,
            wc_status::FATAL_ERR => Self::Fatal,
            _ => Self::General,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Success => "done",
            Self::LocalLength => "the message is longer than its buffer",
            Self::LocalOperation => "the work request is not possible",
            Self::LocalProtection => "a segment lies outside the regions of the protection domain",
            Self::Flushed => "flushed: the queue pair was in error or its connection over",
            Self::LocalAccess => "a region does not allow what the peer asked of it",
            Self::RemoteAccess => "the peer refused access",
            Self::RemoteOperation => "the peer could not do it",
            Self::RetriesExceeded => "the peer did not answer",
            Self::Fatal => "the stream had a fault",
            Self::General => "the device could not do it",
        })
    }
}

/// What kind of work completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WcOpcode {
    /// A Send of ours, of any of the four kinds.
    Send,
    /// An RDMA Write of ours.
    Write,
    /// An RDMA Read of ours.
    Read,
    /// A message of the peer.
    Receive,
}

impl WcOpcode {
    /// Of a send work request with this RDMAP opcode.
    pub(crate) fn of_send(opcode: u8) -> Self {
        match opcode {
            o if o == Opcode::RdmaWrite as u8 => Self::Write,
            o if o == Opcode::ReadRequest as u8 => Self::Read,
            _ => Self::Send,
        }
    }
}

/// A work completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Completion {
    /// As it was posted.
    pub wr_id: u64,
    /// How it ended.
    pub status: Status,
    /// What it was.
    pub opcode: WcOpcode,
    /// Octets received or read; 0 for others.
    pub octets: u32,
    /// Queue pair.
    pub qp: u16,
    /// The region of ours that the message invalidated.
    pub invalidated: Option<STag>,
    /// The sender asked that the receiver be woken.
    pub is_solicited: bool,
    /// Layer, type and code as a Terminate has them; 0 if there is none.
    pub error: u16,
}

/// What an armed completion queue waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arm {
    /// The next completion.
    Next,
    /// The next one that the sender marked as solicited, or that is an error.
    Solicited,
}

/// A place in the peer's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Remote {
    /// The buffer.
    pub stag: STag,
    /// Where in it.
    pub to: TaggedOffset,
}
