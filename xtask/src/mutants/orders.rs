// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is to be tried.
use ferrowarp_tests::campaign::Shard;
use std::time::Instant;

/// What is to be tried, and until when.
pub struct Orders<'a> {
    /// Names of stages; none for all.
    pub stages: &'a [String],
    /// Share of the mutants.
    pub shard: Shard,
    /// What the places are drawn from.
    pub seed: u64,
    /// Mutants of each stage, in place of those of the table.
    pub count: Option<usize>,
    /// Keep what was tried before.
    pub resume: bool,
    /// Mutants at a time.
    pub jobs: u16,
    /// No mutant begins after this.
    pub until: Option<Instant>,
}

impl Orders<'_> {
    /// Whether mutants of the stage are to be tried.
    pub fn chosen(&self, stage: &str) -> bool {
        self.stages.is_empty() || self.stages.iter().any(|name| name == stage)
    }

    /// Whether a mutant belongs to the shard.
    pub fn has(&self, id: u32) -> bool {
        let Shard { nth, of } = self.shard;
        u64::from(id) % of == nth - 1
    }

    /// Whether the time is over.
    pub fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}
