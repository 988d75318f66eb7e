// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far the end of a stream is that the hardware has: both FINs (RFC 9293 section 3.6).

/// The two FINs of a connection.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Closing {
    /// Our FIN was ordered, before the peer's came.
    first: bool,
    /// Our FIN was ordered.
    ordered: bool,
    /// Our FIN was acknowledged.
    acked: bool,
    /// The peer's came.
    peer: bool,
    /// The end is timed. Half of a connection may last as long as the application likes.
    timed: bool,
}

impl Closing {
    /// Our FIN is ordered; `false` if it was before.
    pub fn order(&mut self) -> bool {
        let is_first = !core::mem::replace(&mut self.ordered, true);
        self.first |= is_first && !self.peer;
        is_first
    }

    /// The end is timed from now on; `false` if it was before.
    pub fn time(&mut self) -> bool {
        !core::mem::replace(&mut self.timed, true)
    }

    /// The peer's FIN came; `false` if it had come before.
    pub fn peer_finished(&mut self) -> bool {
        !core::mem::replace(&mut self.peer, true)
    }

    /// A FIN of ours was acknowledged: that of a connection before this one of the queue pair, if
    /// this one has ordered none.
    pub fn acknowledged(&mut self) {
        self.acked |= self.ordered;
    }

    /// Whether the end is timed.
    pub fn is_timed(&self) -> bool {
        self.timed
    }

    /// Whether our direction alone was ended.
    pub fn is_half(&self) -> bool {
        self.ordered && !self.timed
    }

    /// Whether nothing but our own FIN is awaited, and nobody has timed that.
    pub fn is_last(&self) -> bool {
        self.is_half() && self.peer && !self.acked
    }

    /// Whether the peer's FIN came, and ours was ordered.
    pub fn is_final(&self) -> bool {
        self.ordered && self.peer
    }

    /// Whether both FINs are through.
    pub fn is_over(&self) -> bool {
        self.acked && self.peer
    }

    /// Whether TIME-WAIT is ours: both finished, and this end was the first.
    pub fn keeps_time_wait(&self) -> bool {
        self.is_over() && self.first
    }
}
