// SPDX-License-Identifier: MIT OR Apache-2.0
//! Named steps with progress and timing, and a table of them at the end.
//!
//! A terminal shows a spinner for each running step, with the step's latest note. Elsewhere (CI, a
//! file) each step is a line when it starts and one when it ends. [`graph`] runs steps side by
//! side.
mod board;
pub mod disk;
pub mod graph;
mod step;

use anyhow::{bail, Result};
use board::Board;
use std::sync::Arc;
use std::time::{Duration, Instant};
pub use step::Step;

/// The steps of one command.
pub struct Steps {
    done: Vec<Row>,
    board: Arc<Board>,
    since: Instant,
}

struct Row {
    name: String,
    time: Duration,
    end: End,
}

/// How a step ended.
enum End {
    Ok,
    /// It says nothing, and is done again: see [`Step::put_off`].
    PutOff,
    /// Why, in a line.
    Failed(String),
}

impl End {
    fn verdict(&self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::PutOff => "again",
            Self::Failed(_) => "FAILED",
        }
    }
}

impl Steps {
    /// No steps yet. `quiet` prints nothing but errors (for `--json`, whose output is the figures
    /// alone).
    pub fn new(quiet: bool) -> Self {
        Self { done: Vec::new(), board: Arc::new(Board::new(quiet)), since: Instant::now() }
    }

    /// Runs one step, times it, and keeps going after a failure, which is printed here and counted
    /// for [`Steps::finish`].
    pub fn run<T>(&mut self, name: &str, body: impl FnOnce(&Step) -> Result<T>) -> Option<T> {
        let (row, result) = timed(&self.board, name, body);
        self.done.push(row);
        result
    }

    /// Prints the table; fails if any step did, and says again why: it may be far above. `total` is
    /// the sum of the steps' times, `wall` the time since the first: steps that run side by side
    /// make it shorter.
    pub fn finish(self) -> Result<()> {
        if !self.board.is_quiet() {
            let total = self.done.iter().map(|r| r.time).sum::<Duration>();
            let width = self.done.iter().map(|r| r.name.len()).max().unwrap_or(0).max("total".len());
            say!("\n{:<width$} {:>8}  result", "step", "seconds");
            for row in &self.done {
                say!("{:<width$} {:>8.1}  {}", row.name, row.time.as_secs_f64(), row.end.verdict());
            }
            for (name, time) in [("total", total), ("wall", self.since.elapsed())] {
                say!("{name:<width$} {:>8.1}", time.as_secs_f64());
            }
        }
        let failed = |row: &Row| match &row.end {
            End::Failed(why) => Some(format!("{} ({why})", row.name)),
            End::Ok | End::PutOff => None,
        };
        let failed: Vec<_> = self.done.iter().filter_map(failed).collect();
        if !failed.is_empty() {
            bail!("failed: {}", failed.join(", "));
        }
        Ok(())
    }
}

/// Runs one step on a page of `board`: its row of the table, and what it returned.
fn timed<T>(board: &Arc<Board>, name: &str, body: impl FnOnce(&Step) -> Result<T>) -> (Row, Option<T>) {
    let step = Step::begin(board, name);
    let start = Instant::now();
    let result = body(&step);
    let time = start.elapsed();
    let (end, shown) = match &result {
        Err(e) => (End::Failed(in_a_line(&format!("{e:#}"))), "FAIL"),
        Ok(_) if step.is_put_off() => (End::PutOff, "--  "),
        Ok(_) => (End::Ok, "ok  "),
    };
    step.line(&format!("{shown} {name} ({:.1} s)", time.as_secs_f64()));
    if let Err(e) = &result {
        step.complain(&format!("error in step `{name}`{}: {e:#}", disk::suspicion(disk::room())));
    }
    (Row { name: name.into(), time, end }, result.ok())
}

/// The first line of an error, and no more of it than a reader takes in at a glance.
fn in_a_line(error: &str) -> String {
    const MOST: usize = 300;
    let first = error.lines().next().unwrap_or_default();
    let cut: String = first.chars().take(MOST).collect();
    let more = if cut.len() < first.len() { "..." } else { "" };
    format!("{cut}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_is_named_and_the_next_ones_still_run() {
        let mut steps = Steps::new(true);
        assert_eq!(steps.run("first", |_| Ok(1)), Some(1));
        assert_eq!(steps.run::<()>("second", |_| bail!("broken\nby this")), None);
        assert_eq!(steps.run("third", |_| Ok(3)), Some(3));
        steps.run("fourth", |step| {
            step.put_off();
            Ok(())
        });
        assert_eq!(
            steps.done.iter().map(|row| row.end.verdict()).collect::<Vec<_>>(),
            ["ok", "FAILED", "ok", "again"]
        );
        assert_eq!(steps.finish().unwrap_err().to_string(), "failed: second (broken)");
        assert!(Steps::new(true).finish().is_ok());
    }
}
