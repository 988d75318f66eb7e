// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a device must say of a fault.

/// What a device must say of a queue pair that it stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blame {
    /// Which host: 0 is A.
    pub host: usize,
    /// One of `wc_status`.
    pub status: u8,
    /// Layer, type and code as in a Terminate.
    pub error: u16,
    /// Name of the work request that is told.
    pub wr_id: Option<u64>,
    /// It is one of the send queue or of the device's own: the error is told on the send queue's
    /// completion queue.
    pub is_local: bool,
    /// The completion is the receive queue's: of what a peer did.
    pub is_recv: bool,
    /// One of `event_kind`.
    pub event: u8,
    /// Its cause: this completion queue had no room, which is an event too.
    pub overrun: Option<u16>,
}

impl Blame {
    /// What the device at `host` says of a fault of its peer.
    pub fn remote(host: usize, status: u8, error: u16, event: u8) -> Self {
        Self { host, status, error, wr_id: None, is_local: false, is_recv: true, event, overrun: None }
    }

    /// Whether a segment that came whole is at fault.
    pub(super) fn quotes(&self) -> bool {
        !self.is_local && self.overrun.is_none() && self.error != 0 && self.error >> 12 != 2
    }

    /// `has_wr` and `wr_id`, which is 0 where there is none.
    pub(super) fn told_wr(&self) -> (bool, u64) {
        (self.wr_id.is_some(), self.wr_id.unwrap_or(0))
    }
}
