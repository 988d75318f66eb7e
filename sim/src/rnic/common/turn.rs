// SPDX-License-Identifier: MIT OR Apache-2.0
//! What all devices of a common time do next, and what each says when it has done it.
use super::super::idle::Word;
use std::time::{Duration, Instant};

/// What all do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Run up to this cycle.
    Run {
        /// It does not count.
        until: u64,
        /// All have rested by wall time, at most until then.
        rested: Option<Instant>,
    },
    /// Look at orders: time stands.
    Look,
    /// Say how far nothing can move, up to this cycle.
    Ask {
        /// The most that is wanted.
        limit: u64,
    },
    /// Pass over all cycles up to this one.
    Skip {
        /// It does not count.
        to: u64,
    },
    /// End: one has failed.
    End,
}

/// What one says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Vote {
    /// Which device this is.
    pub(super) member: usize,
    /// Where it stands.
    pub(super) cycle: u64,
    /// Something moved or was ordered.
    pub(super) touched: bool,
    /// What passed between software and device last.
    pub(super) word: Option<Word>,
    /// Software waits for an answer.
    pub(super) asked: bool,
    /// It passed over the last block, and nothing was ordered since.
    pub(super) stood: bool,
    /// First cycle in which anything but software, a frame that is still to be sent, or a timer
    /// moves something.
    pub(super) wakes: u64,
    /// First cycle that has to be evaluated, if that was asked.
    pub(super) still_until: u64,
    /// With ticks of wall time: for how long it may rest; none if it has something to do.
    pub(super) rests: Option<Duration>,
}
