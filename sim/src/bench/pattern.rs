// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a source offers and a sink takes.
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Idle pattern of a source, stall pattern of a sink.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Never idle, never stalled.
    None,
    /// Three cycles idle, one active, in turn.
    Cycle,
    /// Runs of 1 to 12 idle cycles and of 1 to 12 active ones.
    Random,
}

impl Pattern {
    /// All patterns.
    pub const ALL: [Pattern; 3] = [Pattern::None, Pattern::Cycle, Pattern::Random];

    /// Name in the names of cases.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::None => "none",
            Pattern::Cycle => "cycle",
            Pattern::Random => "random",
        }
    }
}

/// Longest run of a random pattern in cycles: longer than the latency of any cell, so that it
/// empties.
const LONGEST_RUN: u32 = 12;

/// A pattern in motion.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    pattern: Pattern,
    /// Cycles left of the present run.
    left: u32,
    open: bool,
    /// Closed by hand, whatever the pattern says.
    pub(crate) held: bool,
}

impl Gate {
    pub(crate) fn new(pattern: Pattern) -> Self {
        Self { pattern, left: 0, open: false, held: false }
    }

    /// Every cycle is like the one before, until somebody holds the gate or lets it go.
    pub(crate) fn is_constant(&self) -> bool {
        self.pattern == Pattern::None
    }

    /// Whether this cycle is an active one.
    pub(crate) fn open(&mut self, rng: &mut ChaCha8Rng) -> bool {
        if self.left == 0 {
            self.open = !self.open;
            self.left = match (self.pattern, self.open) {
                (Pattern::None, _) => {
                    self.open = true;
                    1
                }
                (Pattern::Cycle, true) => 1,
                (Pattern::Cycle, false) => 3,
                (Pattern::Random, _) => rng.random_range(1..=LONGEST_RUN),
            };
        }
        self.left -= 1;
        self.open && !self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn active(pattern: Pattern) -> usize {
        let (mut gate, mut rng) = (Gate::new(pattern), ChaCha8Rng::seed_from_u64(1));
        (0..4000).filter(|_| gate.open(&mut rng)).count()
    }

    #[test]
    fn patterns_are_active_as_often_as_they_say() {
        assert_eq!(active(Pattern::None), 4000);
        assert_eq!(active(Pattern::Cycle), 1000);
        assert!((1500..2500).contains(&active(Pattern::Random)));
    }

    #[test]
    fn a_held_gate_is_closed() {
        let (mut gate, mut rng) = (Gate::new(Pattern::None), ChaCha8Rng::seed_from_u64(1));
        gate.held = true;
        assert!(!gate.open(&mut rng));
    }
}
