// SPDX-License-Identifier: MIT OR Apache-2.0
//! What queue pairs and work requests ask for, and what queue pairs can hold.

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
