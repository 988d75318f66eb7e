// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waveforms of a device that may fail: two files by turns, so that its last cycles are there when
//! it does.
use crate::bench::Bench;
use std::path::PathBuf;

/// Where waveforms go.
#[derive(Debug, Clone)]
pub struct TraceFiles {
    /// The beginning of two files' names.
    pub stem: PathBuf,
    /// They stay also if the device did not fail.
    pub keep: bool,
    /// Cycles that a file holds, 1 at least.
    pub cycles: u64,
}

/// The files. A device that cannot be run again, as its peer is real, is recorded all the time.
pub(super) struct Trace {
    files: [PathBuf; 2],
    keep: bool,
    cycles: u64,
    turns: usize,
    next: u64,
}

impl Trace {
    /// Files `<stem>-0.fst` and `<stem>-1.fst`.
    pub(super) fn new(TraceFiles { stem, keep, cycles }: TraceFiles) -> Self {
        let file = |n: usize| PathBuf::from(format!("{}-{n}.fst", stem.display()));
        Self { files: [file(0), file(1)], keep, cycles, turns: 0, next: 0 }
    }

    /// Begins a file if it is time; before every cycle.
    pub(super) fn step(&mut self, bench: &mut Bench) -> Result<(), String> {
        if bench.cycle() < self.next {
            return Ok(());
        }
        bench.trace(&self.files[self.turns % 2])?;
        self.turns += 1;
        self.next = bench.cycle() + self.cycles.max(1);
        Ok(())
    }

    /// What is said of a failure.
    pub(super) fn told(&self) -> String {
        let [before, last] = [self.turns, self.turns + 1].map(|n| &self.files[n % 2]);
        let before =
            if self.turns > 1 { format!(", before them {}", before.display()) } else { String::new() };
        format!("waveform of the last cycles: {}{before}; open it with GTKWave or Surfer", last.display())
    }

    /// Nothing went wrong: the files go, if they are not wanted.
    pub(super) fn finish(&self) {
        for file in self.files.iter().filter(|_| !self.keep) {
            // the second one need not be there
            drop(std::fs::remove_file(file));
        }
    }
}
