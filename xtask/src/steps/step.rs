// SPDX-License-Identifier: MIT OR Apache-2.0
//! A step that is running: where its notes and lines go.
use super::board::{Board, PageId, Said};
use anyhow::Result;
use indicatif::ProgressBar;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a capturing step stays silent off a terminal before it says that it is still running.
const STILL_RUNNING_EVERY: Duration = Duration::from_secs(60);

/// The step that is running. Dropping it ends its page.
pub struct Step {
    board: Arc<Board>,
    page: PageId,
    bar: Option<ProgressBar>,
    put_off: AtomicBool,
}

impl Step {
    /// Opens a page of `board` for a step of this name.
    pub(super) fn begin(board: &Arc<Board>, name: &str) -> Self {
        let (page, bar) = (board.begin(), board.spinner(name));
        let step = Self { board: board.clone(), page, bar, put_off: AtomicBool::new(false) };
        if step.bar.is_none() {
            step.line(&format!("--- {name}"));
        }
        step
    }

    /// Says what the step is doing now; shown on a terminal only.
    pub fn note(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.chars().take(80).collect::<String>());
        }
    }

    /// Prints a line that stays. The lines of a step stand together, also where steps run side by
    /// side.
    pub fn line(&self, text: &str) {
        self.board.say(self.page, Said::Line(text.into()));
    }

    /// As [`Step::line`], to standard error, also where the command is to be quiet.
    pub(super) fn complain(&self, text: &str) {
        self.board.say(self.page, Said::Complaint(text.into()));
    }

    /// Says that this run of the step counts for nothing, neither as good nor as failed: the caller
    /// does it again.
    pub fn put_off(&self) {
        self.put_off.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_put_off(&self) -> bool {
        self.put_off.load(Ordering::Relaxed)
    }

    /// Runs a program: its lines are notes, and are shown whole only if it fails. Returns its
    /// output.
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

impl Drop for Step {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.board.end(self.page);
    }
}
