// SPDX-License-Identifier: MIT OR Apache-2.0
//! What queue pairs and work requests ask for, and what queue pairs can hold.
use ferrowarp_abi::types::STag;

/// Messages of the driver's own that a send queue holds beside the application's: Reply,
/// ready-to-receive.
pub(super) const OWN_MESSAGES: u32 = 2;

/// How large the queues are.
#[derive(Debug, Clone, Copy)]
pub struct QpOptions {
    /// Sends, Writes and Reads outstanding at once.
    pub sends: u32,
    /// Receives posted at once.
    pub receives: u32,
}

impl Default for QpOptions {
    fn default() -> Self {
        Self { sends: 16, receives: 16 }
    }
}

/// What a queue pair can hold: rdma-core's `ibv_qp_cap`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct QpLimits {
    /// Sends, Writes and Reads outstanding at once.
    pub sends: u32,
    /// Receives posted at once.
    pub receives: u32,
    /// Gathers of a Send or Write; a Read has one sink.
    pub send_segments: usize,
    /// Scatters of a receive.
    pub receive_segments: usize,
    /// Octets that go into the request itself.
    pub inline: usize,
}

/// What a Send asks for besides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SendOptions {
    /// The receiver is to be woken.
    pub solicited: bool,
    /// A region of the peer that is not needed any more.
    pub invalidate: Option<STag>,
    /// No completion if it is done.
    pub unsignaled: bool,
    /// It begins when all Reads that were posted before have completed, and so does what is posted
    /// behind it: rdma-core's `IBV_SEND_FENCE`.
    pub fenced: bool,
}

/// What a Write or a Read asks for besides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RdmaOptions {
    /// No completion if it is done.
    pub unsignaled: bool,
    /// As [`SendOptions::fenced`].
    pub fenced: bool,
}
