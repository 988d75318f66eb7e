// SPDX-License-Identifier: MIT OR Apache-2.0
//! Throughput of one boundary.

/// Transfers on a boundary since it was attached or since
/// [`Bench::restart_rates`](super::Bench::restart_rates).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Rate {
    /// Beats transferred.
    pub beats: u64,
    /// Cycle of the first one.
    pub first_cycle: u64,
    /// Cycle of the last one.
    pub last_cycle: u64,
}

impl Rate {
    pub(super) fn beat(&mut self, cycle: u64) {
        if self.beats == 0 {
            self.first_cycle = cycle;
        }
        self.beats += 1;
        self.last_cycle = cycle;
    }

    /// Cycles from the first to the last beat, both counted; 0 without a beat.
    pub fn cycles(&self) -> u64 {
        match self.beats {
            0 => 0,
            _ => self.last_cycle - self.first_cycle + 1,
        }
    }

    /// Cycles between the first and the last beat in which none was transferred.
    pub fn bubbles(&self) -> u64 {
        self.cycles() - self.beats
    }

    /// 1.0 is full rate; 0 without a beat.
    pub fn beats_per_cycle(&self) -> f64 {
        self.beats as f64 / self.cycles().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_count() {
        let mut rate = Rate::default();
        assert_eq!((rate.cycles(), rate.beats_per_cycle()), (0, 0.0));
        [10, 11, 13].into_iter().for_each(|c| rate.beat(c));
        assert_eq!((rate.cycles(), rate.bubbles(), rate.beats_per_cycle()), (4, 1, 0.75));
    }
}
