// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running `cargo test`: what passes is a line a binary, what fails is shown whole.
use super::results::{line, Line, Outcome, Results};
use crate::child;
use crate::steps::Step;
use anyhow::{bail, Result};
use std::process::Command;
use std::time::Instant;

/// Lines kept of what came last, for a failure outside any test (a compiler's error, a crash).
const TAIL_LINES: usize = 100;

/// Who speaks before, between and after the test binaries.
const CARGO: &str = "cargo";

/// The run so far.
struct Watch<'a> {
    step: &'a Step,
    results: Results,
    binary: String,
    since: Instant,
    /// Lines since the last binary began or ended, but for those of tests that passed.
    held: Vec<String>,
    /// Two binaries of one name, whose tests could not be told apart.
    twins: Vec<String>,
    /// Binaries whose summary counts other tests passed, failed, ignored than their lines do.
    unclear: Vec<String>,
}

/// Runs it; the outcomes come with the verdict, since those of a failed run are wanted, too.
pub fn run(step: &Step, command: &mut Command) -> Result<(Results, Result<()>)> {
    let mut watch = Watch {
        step,
        results: Results::default(),
        binary: CARGO.into(),
        since: Instant::now(),
        held: Vec::new(),
        twins: Vec::new(),
        unclear: Vec::new(),
    };
    let status = child::stream(command, |text| watch.take(text))?;
    watch.show_held_if(!status.success());
    let failed = watch.results.named(Outcome::Failed);
    let verdict = (|| {
        if !failed.is_empty() {
            bail!("{} tests failed: {}", failed.len(), failed.join(", "));
        }
        if !status.success() {
            bail!("`{}` failed ({status}), see above", child::shown(command));
        }
        if !watch.twins.is_empty() {
            bail!("two test binaries are called the same: {}; rename one", watch.twins.join(", "));
        }
        if !watch.unclear.is_empty() {
            bail!(
                "outcomes were not understood (does a test print past libtest?): {}",
                watch.unclear.join("; ")
            );
        }
        Ok(())
    })();
    Ok((watch.results, verdict))
}

impl Watch<'_> {
    fn take(&mut self, text: &str) {
        match line(text) {
            Line::Binary(name) => {
                self.step.note(&name);
                // The binary before ended without a summary: it crashed, and these are its last
                // words.
                self.show_held_if(self.binary != CARGO);
                if self.results.binaries.insert(name.clone(), Default::default()).is_some() {
                    self.twins.push(name.clone());
                }
                self.binary = name;
                self.since = Instant::now();
            }
            Line::Test(name, outcome) => {
                self.step.note(&format!("{} {name}", self.binary));
                let tests = self.results.binaries.entry(self.binary.clone()).or_default();
                tests.insert(name.to_string(), outcome);
                if outcome != Outcome::Ok {
                    self.held.push(text.to_string());
                }
            }
            Line::Summary(counts) => self.summary(text, counts),
            Line::Other => {
                self.held.push(text.to_string());
                if self.binary == CARGO {
                    self.step.note(text);
                }
            }
        }
    }

    fn summary(&mut self, text: &str, said: [usize; 3]) {
        let empty = Default::default();
        let tests = self.results.binaries.get(&self.binary).unwrap_or(&empty);
        let count = |outcome| tests.values().filter(|o| **o == outcome).count();
        let read = [Outcome::Ok, Outcome::Failed, Outcome::Ignored].map(count);
        let [ok, failed, ignored] = read;
        if read != said {
            // Something else wrote into the line of a test, and its outcome would be lost.
            self.unclear.push(format!("{} says {said:?}, its lines {read:?}", self.binary));
        }
        if ok + failed + ignored > 0 {
            let time = self.since.elapsed().as_secs_f64();
            let others = if ignored > 0 { format!(", {ignored} ignored") } else { String::new() };
            let line = format!("    {:<24} {ok:>4} ok, {failed} failed{others} ({time:.1} s)", self.binary);
            self.step.line(&line);
        }
        self.show_held_if(!text.starts_with("test result: ok."));
        self.binary = CARGO.into();
    }

    /// Shows or forgets what was held.
    fn show_held_if(&mut self, wanted: bool) {
        let skip = self.held.len().saturating_sub(TAIL_LINES);
        if wanted {
            self.held.iter().skip(skip).for_each(|l| self.step.line(l));
        }
        self.held.clear();
    }
}
