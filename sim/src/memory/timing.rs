// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast, how evenly and in what order the host's memory answers.
use crate::bench::Pattern;

/// Latency of a read in nanoseconds, doorbell figures are given against it.
const READ_NS: u64 = 600;
/// Nanoseconds from a write's last beat until the host sees it.
const WRITE_NS: u64 = 100;
/// Reads or writes that may wait.
const CREDITS: usize = 32;

/// Times, credits and manners of a memory model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryTiming {
    /// Clock period in picoseconds: 6,400 is 156.25 MHz.
    pub clock_ps: u64,
    /// Nanoseconds from a read request to the first octet of its answer.
    pub read_ns: u64,
    /// Up to so many nanoseconds are added, drawn anew for each read.
    pub jitter_ns: u64,
    /// Nanoseconds from the last beat of a write until the host sees its first octet.
    pub write_ns: u64,
    /// Reads that may be outstanding; beyond, `req_ready` is low. At least 1.
    pub read_credits: usize,
    /// Writes that may wait until they are visible; beyond, `ready` of commands and frames is low.
    /// At least 1.
    pub write_credits: usize,
    /// Answers of different tags change places, and an answer comes in several frames, cut at
    /// multiples of 64 octets of address.
    pub shuffle: bool,
    /// When requests, commands and write frames are taken, and when answers pause.
    pub stalls: Pattern,
}

impl MemoryTiming {
    /// 600 ns, answers whole and in order, no stalls: for figures.
    pub fn steady(clock_ps: u64) -> Self {
        Self {
            clock_ps,
            read_ns: READ_NS,
            jitter_ns: 0,
            write_ns: WRITE_NS,
            read_credits: CREDITS,
            write_credits: CREDITS,
            shuffle: false,
            stalls: Pattern::None,
        }
    }

    /// 600 ns and up to as much again, answers cut and out of order, random stalls, few credits:
    /// for tests.
    pub fn rough(clock_ps: u64) -> Self {
        Self {
            jitter_ns: READ_NS,
            read_credits: CREDITS / 4,
            write_credits: CREDITS / 4,
            shuffle: true,
            stalls: Pattern::Random,
            ..Self::steady(clock_ps)
        }
    }

    /// Whole cycles that hold `ns` nanoseconds.
    pub(crate) fn cycles(&self, ns: u64) -> u64 {
        ns.saturating_mul(1000).div_ceil(self.clock_ps.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_become_whole_cycles() {
        let timing = MemoryTiming::steady(6_400);
        assert_eq!(timing.cycles(timing.read_ns), 94);
        assert_eq!(timing.cycles(0), 0);
        assert_eq!(MemoryTiming::steady(16_000).cycles(600), 38);
    }
}
