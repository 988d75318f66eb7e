//! Named steps with progress and timing, and a table of them at the end.
//!
//! On a terminal the running step is a spinner with its latest note; elsewhere (CI, a file) each step is a
//! line when it starts and one when it ends.
use anyhow::{bail, Result};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a capturing step stays silent off a terminal before it says that it is still running.
const STILL_RUNNING_EVERY: Duration = Duration::from_secs(60);

/// The steps of one command.
pub struct Steps {
    done: Vec<Row>,
    quiet: bool,
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

/// The step that is running: where notes and lines go.
pub struct Step {
    bar: Option<ProgressBar>,
    quiet: bool,
    put_off: AtomicBool,
}

impl Steps {
    /// No steps yet. `quiet` prints nothing but errors (for `--json`, whose output is the figures alone).
    pub fn new(quiet: bool) -> Self {
        Self { done: Vec::new(), quiet }
    }

    /// Runs one step, times it, and keeps going after a failure, which is printed here and counted for
    /// [`Steps::finish`].
    pub fn run<T>(&mut self, name: &str, body: impl FnOnce(&Step) -> Result<T>) -> Option<T> {
        let bar = (!self.quiet && std::io::stderr().is_terminal()).then(|| spinner(name));
        if bar.is_none() && !self.quiet {
            say!("--- {name}");
        }
        let start = Instant::now();
        let step = Step { bar, quiet: self.quiet, put_off: AtomicBool::new(false) };
        let result = body(&step);
        let time = start.elapsed();
        if let Some(bar) = step.bar {
            bar.finish_and_clear();
        }
        let (end, shown) = match &result {
            Err(e) => (End::Failed(in_a_line(&format!("{e:#}"))), "FAIL"),
            Ok(_) if step.put_off.load(Ordering::Relaxed) => (End::PutOff, "--  "),
            Ok(_) => (End::Ok, "ok  "),
        };
        if !self.quiet {
            say!("{shown} {name} ({:.1} s)", time.as_secs_f64());
        }
        self.done.push(Row { name: name.into(), time, end });
        result.map_err(|e| complain!("error in step `{name}`: {e:#}")).ok()
    }

    /// Prints the table; fails if any step did, and says again why: it may be far above.
    pub fn finish(self) -> Result<()> {
        let total = self.done.iter().map(|r| r.time).sum::<Duration>();
        if !self.quiet {
            let width = self.done.iter().map(|r| r.name.len()).max().unwrap_or(0).max("total".len());
            say!("\n{:<width$} {:>8}  result", "step", "seconds");
            for row in &self.done {
                say!("{:<width$} {:>8.1}  {}", row.name, row.time.as_secs_f64(), row.end.verdict());
            }
            say!("{:<width$} {:>8.1}", "total", total.as_secs_f64());
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

impl Step {
    /// Says what the step is doing now; shown on a terminal only.
    pub fn note(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.chars().take(80).collect::<String>());
        }
    }

    /// Prints a line that stays.
    pub fn line(&self, text: &str) {
        match &self.bar {
            _ if self.quiet => {}
            Some(bar) => bar.suspend(|| say!("{text}")),
            None => say!("{text}"),
        }
    }

    /// Says that this run of the step counts for nothing, neither as good nor as failed: the caller does it again.
    pub fn put_off(&self) {
        self.put_off.store(true, Ordering::Relaxed);
    }

    /// Runs a program: its lines are notes, and are shown whole only if it fails. Returns its output.
    pub fn capture(&self, command: &mut Command) -> Result<String> {
        let name = crate::child::shown(command);
        self.note(&name);
        let mut said = Instant::now();
        crate::child::capture_with(command, |line| {
            self.note(line);
            if self.bar.is_none() && said.elapsed() >= STILL_RUNNING_EVERY {
                said = Instant::now();
                self.line(&format!("    {name}: {line}"));
            }
        })
    }
}

/// The first line of an error, and no more of it than a reader takes in at a glance.
fn in_a_line(error: &str) -> String {
    const MOST: usize = 300;
    let first = error.lines().next().unwrap_or_default();
    let cut: String = first.chars().take(MOST).collect();
    let more = if cut.len() < first.len() { "..." } else { "" };
    format!("{cut}{more}")
}

fn spinner(name: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    // The template is a constant that indicatif accepts; if it ever were not, its own style serves as well.
    if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} [{elapsed}] {wide_msg}") {
        bar.set_style(style);
    }
    bar.set_prefix(name.to_string());
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
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
