// SPDX-License-Identifier: MIT OR Apache-2.0
//! What running steps print: each step has a page, and the pages come out one after the other.
//!
//! The page of one running step is *live*: its lines are printed at once. The others' lines are
//! held until the live step ends.
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Number of a page, in the order in which the steps began.
pub(super) type PageId = usize;

/// A line of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// To standard output.
    Line(String),
    /// To standard error.
    Complaint(String),
}

/// The pages of all steps of a command.
pub(super) struct Board {
    quiet: bool,
    /// The spinners; none off a terminal.
    spinners: Option<MultiProgress>,
    pages: Mutex<Pages>,
}

/// The pages that are not yet printed.
#[derive(Default)]
struct Pages {
    next: PageId,
    live: Option<PageId>,
    held: BTreeMap<PageId, Held>,
}

#[derive(Default)]
struct Held {
    said: Vec<Said>,
    ended: bool,
}

impl Board {
    /// Without pages. A quiet board prints complaints only.
    pub(super) fn new(quiet: bool) -> Self {
        let spinners = (!quiet && std::io::stderr().is_terminal()).then(MultiProgress::new);
        Self { quiet, spinners, pages: Mutex::default() }
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Opens a page.
    pub(super) fn begin(&self) -> PageId {
        self.pages().begin()
    }

    /// Prints a line, or holds it until its page is live.
    pub(super) fn say(&self, page: PageId, said: Said) {
        let mut pages = self.pages();
        let now = pages.say(page, said);
        self.print(&now);
    }

    /// Closes a page, and prints what waited for its end.
    pub(super) fn end(&self, page: PageId) {
        let mut pages = self.pages();
        let now = pages.end(page);
        self.print(&now);
    }

    /// A spinner for a step; none off a terminal.
    pub(super) fn spinner(&self, name: &str) -> Option<ProgressBar> {
        let bar = self.spinners.as_ref()?.add(ProgressBar::new_spinner());
        // The template is a constant that indicatif accepts; if it ever were not, its own style
        // serves as well.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} [{elapsed}] {wide_msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(name.to_string());
        bar.enable_steady_tick(Duration::from_millis(120));
        Some(bar)
    }

    fn print(&self, lines: &[Said]) {
        let print = || {
            for said in lines {
                match said {
                    Said::Line(text) if !self.quiet => say!("{text}"),
                    Said::Line(_) => {}
                    Said::Complaint(text) => complain!("{text}"),
                }
            }
        };
        match &self.spinners {
            Some(spinners) if !lines.is_empty() => spinners.suspend(print),
            _ => print(),
        }
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        // a thread that panicked while it printed left whole lines
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pages {
    fn begin(&mut self) -> PageId {
        let page = self.next;
        self.next += 1;
        match self.live {
            None => self.live = Some(page),
            Some(_) => drop(self.held.insert(page, Held::default())),
        }
        page
    }

    /// The lines that are to be printed now.
    fn say(&mut self, page: PageId, said: Said) -> Vec<Said> {
        match self.held.get_mut(&page) {
            Some(held) => {
                held.said.push(said);
                vec![]
            }
            None => vec![said],
        }
    }

    /// As [`Pages::say`]: the pages that ended come first, then the oldest that is still written
    /// becomes the live one.
    fn end(&mut self, page: PageId) -> Vec<Said> {
        if let Some(held) = self.held.get_mut(&page) {
            held.ended = true;
            return vec![];
        }
        let (ended, running): (BTreeMap<_, _>, BTreeMap<_, _>) =
            std::mem::take(&mut self.held).into_iter().partition(|(_, held)| held.ended);
        let mut now: Vec<_> = ended.into_values().flat_map(|held| held.said).collect();
        self.held = running;
        let oldest = self.held.pop_first();
        self.live = oldest.as_ref().map(|(page, _)| *page);
        now.extend(oldest.into_iter().flat_map(|(_, held)| held.said));
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Said {
        Said::Line(text.into())
    }

    /// Lines of two steps in turn would make both unreadable.
    #[test]
    fn pages_of_steps_side_by_side_come_out_whole() {
        let mut pages = Pages::default();
        let (first, second, third) = (pages.begin(), pages.begin(), pages.begin());
        assert_eq!(pages.say(first, line("1a")), [line("1a")]);
        assert_eq!(pages.say(second, line("2a")), []);
        assert_eq!(pages.say(third, line("3a")), []);
        assert_eq!(pages.say(first, line("1b")), [line("1b")]);
        assert_eq!(pages.say(third, Said::Complaint("3b".into())), []);
        assert_eq!(pages.end(third), []);
        let now = pages.end(first);
        assert_eq!(now, [line("3a"), Said::Complaint("3b".into()), line("2a")], "the one that ended first");
        assert_eq!(pages.say(second, line("2b")), [line("2b")], "the second is the live one now");
        assert_eq!(pages.end(second), []);
        let fourth = pages.begin();
        assert_eq!(pages.say(fourth, line("4a")), [line("4a")]);
    }
}
