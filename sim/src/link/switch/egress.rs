// SPDX-License-Identifier: MIT OR Apache-2.0
//! The queue in front of a port's transmitter.
use crate::link::mac::on_wire;
use crate::link::LinkConfig;
use std::collections::VecDeque;

/// A place that a frame got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    /// When its preamble begins, in picoseconds.
    pub(super) start_ps: u64,
    /// The queue is above the threshold.
    pub(super) marks: bool,
}

/// A drop-tail queue that a transmitter empties at the rate of its line. A frame waits from its
/// arrival until its preamble begins.
#[derive(Debug)]
pub(super) struct Egress {
    line: LinkConfig,
    /// Most octets that wait.
    most: u64,
    /// Above so many waiting octets frames are marked.
    threshold: Option<u64>,
    /// When the transmitter may begin the next preamble.
    free_ps: u64,
    /// Start and octets of each frame that waits.
    waiting: VecDeque<(u64, u64)>,
    octets: u64,
    deepest: u64,
}

impl Egress {
    pub(super) fn new(line: LinkConfig, most: u64, threshold: Option<u64>) -> Self {
        let (free_ps, waiting, octets, deepest) = Default::default();
        Self { line, most, threshold, free_ps, waiting, octets, deepest }
    }

    /// A frame of so many octets comes at `now_ps`, which is not before the last call's; none if
    /// there is no room. A frame that finds the transmitter free does not wait.
    pub(super) fn admit(&mut self, now_ps: u64, octets: u64) -> Option<Slot> {
        while self.waiting.front().is_some_and(|&(start_ps, _)| start_ps <= now_ps) {
            self.octets -= self.waiting.pop_front().map_or(0, |(_, octets)| octets);
        }
        let start_ps = self.free_ps.max(now_ps);
        let waits = start_ps > now_ps;
        if waits {
            if self.octets + octets > self.most {
                return None;
            }
            self.octets += octets;
            self.waiting.push_back((start_ps, octets));
            self.deepest = self.deepest.max(self.octets);
        }
        self.free_ps = start_ps + self.line.wire_ps(on_wire(octets));
        let marks = waits && self.threshold.is_some_and(|threshold| self.octets > threshold);
        Some(Slot { start_ps, marks })
    }

    /// Most octets that waited at a time.
    pub(super) fn deepest(&self) -> u64 {
        self.deepest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: LinkConfig = LinkConfig { rate_bps: 10_000_000_000, clock_ps: 6_400, delay_ns: 500 };

    /// 100 octets take 124 of 800 ps.
    const FRAME_PS: u64 = 124 * 800;

    #[test]
    fn frames_leave_one_after_the_other_and_the_last_that_finds_no_room_is_dropped() {
        let mut egress = Egress::new(LINE, 250, Some(100));
        let slot = |start_ps, marks| Some(Slot { start_ps, marks });
        assert_eq!(egress.admit(10, 100), slot(10, false));
        assert_eq!(egress.admit(10, 100), slot(10 + FRAME_PS, false));
        assert_eq!(egress.admit(11, 100), slot(10 + 2 * FRAME_PS, true));
        assert_eq!(egress.admit(11, 100), None);
        // a shorter one still has room
        assert_eq!(egress.admit(11, 50), slot(10 + 3 * FRAME_PS, true));
        assert_eq!(egress.deepest(), 250);
        // the second one begins in this picosecond, and waits no more
        assert_eq!(egress.admit(10 + FRAME_PS, 101), None);
        assert_eq!(egress.admit(10 + FRAME_PS, 100), slot(10 + 3 * FRAME_PS + 84 * 800, true));
    }

    #[test]
    fn a_queue_of_nothing_lets_a_frame_pass_that_need_not_wait() {
        let mut egress = Egress::new(LINE, 0, Some(0));
        assert!(egress.admit(0, 100).is_some_and(|slot| !slot.marks));
        assert_eq!(egress.admit(FRAME_PS - 1, 100), None);
        assert!(egress.admit(FRAME_PS, 100).is_some());
        assert_eq!(egress.deepest(), 0);
    }
}
