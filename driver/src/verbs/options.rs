// SPDX-License-Identifier: MIT OR Apache-2.0
//! What queue pairs ask for, and what they can hold.
use crate::rings::{INLINE_MOST, RECEIVE_SEGMENTS, SEND_SEGMENTS};

/// Most octets of a Reply: its header and 512 octets.
const REPLY_MOST: usize = 532;

/// Requests of the driver's own that a send queue holds beside the application's: the parts of a
/// Reply, or a ready-to-receive message.
pub(super) const OWN_REQUESTS: u32 = REPLY_MOST.div_ceil(INLINE_MOST) as u32;

/// How large the queues are: `QpOptions::default().sends(64)`. By default each queue has 128
/// places, and both together have 40 KiB of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct QpOptions {
    /// Sends, Writes and Reads outstanding at once.
    pub sends: u32,
    /// Receives posted at once.
    pub receives: u32,
}

impl Default for QpOptions {
    fn default() -> Self {
        Self { sends: 128, receives: 128 }
    }
}

impl QpOptions {
    /// Sends, Writes and Reads outstanding at once.
    pub fn sends(self, sends: u32) -> Self {
        Self { sends, ..self }
    }

    /// Receives posted at once.
    pub fn receives(self, receives: u32) -> Self {
        Self { receives, ..self }
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

impl QpLimits {
    /// Of queues of so many requests, the driver's own among those of the send queue.
    pub(crate) fn of(sends: u32, receives: u32) -> Self {
        let (send_segments, receive_segments, inline) = (SEND_SEGMENTS, RECEIVE_SEGMENTS, INLINE_MOST);
        let sends = sends.saturating_sub(OWN_REQUESTS);
        Self { sends, receives, send_segments, receive_segments, inline }
    }

    /// Most of a device whose queues hold so many requests.
    pub(crate) fn most(requests: u32) -> Self {
        Self::of(requests, requests)
    }
}
