// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the manager counts.

/// What was dropped or answered without a connection, since the start.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Frames for which the raw transmit ring had no room.
    pub frames_dropped: u64,
    /// Segments of no connection that were answered with a reset.
    pub strays: u64,
    /// Those that were not: strangers may have a thousand resets a second.
    pub unanswered: u64,
    /// SYNs dropped, or half-open connections given up, because of a backlog or the limit of
    /// connections.
    pub backlog: u64,
    /// Frames on raw-ring slots of connections that the hardware has.
    pub late: u64,
    /// Events and answers of the hardware that belong to no connection.
    pub orphans: u64,
}
