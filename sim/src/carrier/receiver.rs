// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames of the device in their order, and what is owed for them.
use super::NEVER;

/// Frames after which an acknowledgment is owed at once.
const AT_ONCE: u32 = 2;

/// Where the number of a frame stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It is the expected one.
    Next,
    /// It was taken before.
    Before,
    /// An earlier one is missing.
    Ahead,
}

/// One direction of an epoch, receiving.
#[derive(Debug, Clone)]
pub(super) struct Receiver {
    expected: u16,
    /// The gap before `expected` was reported.
    reported: bool,
    /// The gap is to be reported by the next frame.
    nak: bool,
    owed: u32,
    due: u64,
}

impl Default for Receiver {
    fn default() -> Self {
        Self { expected: 0, reported: false, nak: false, owed: 0, due: NEVER }
    }
}

impl Receiver {
    /// Number of the next frame.
    pub(super) fn expected(&self) -> u16 {
        self.expected
    }

    /// Half of all numbers are before the expected one.
    pub(super) fn place(&self, sequence: u16) -> Place {
        match sequence.wrapping_sub(self.expected) {
            0 => Place::Next,
            1..0x8000 => Place::Ahead,
            _ => Place::Before,
        }
    }

    /// The expected frame was taken; its acknowledgment may wait for `wait` nanoseconds.
    pub(super) fn takes(&mut self, now: u64, wait: u64) {
        self.expected = self.expected.wrapping_add(1);
        (self.reported, self.nak) = (false, false);
        self.owed += 1;
        self.due = self.due.min(if self.owed < AT_ONCE { now.saturating_add(wait) } else { now });
    }

    /// A frame came that was taken before: its acknowledgment was lost.
    pub(super) fn repeats(&mut self, now: u64) {
        self.due = now;
    }

    /// A frame came before an earlier one. True if that is news.
    pub(super) fn misses(&mut self, now: u64) -> bool {
        if self.reported {
            return false;
        }
        (self.reported, self.nak, self.due) = (true, true, now);
        true
    }

    /// When an acknowledgment is due.
    pub(super) fn due(&self) -> u64 {
        self.due
    }

    /// A frame leaves with an acknowledgment; whether the frame reports a gap.
    pub(super) fn tell(&mut self) -> bool {
        (self.owed, self.due) = (0, NEVER);
        std::mem::take(&mut self.nak)
    }
}
