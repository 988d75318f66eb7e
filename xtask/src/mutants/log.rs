// SPDX-License-Identifier: MIT OR Apache-2.0
//! `target/mutants/TOP.jsonl`: a line for each mutant that was tried.
use crate::repo;
use anyhow::{Context, Result};
use ferrowarp_sim::mutate::Site;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

/// A mutant that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Of the emitted text of the top.
    pub hash: String,
    /// The stage that the mutant was drawn for.
    pub stage: String,
    /// Module that the mutant stands in.
    pub module: String,
    /// Line of the emitted Verilog, from 1.
    pub line: usize,
    /// How many lines of the module read `before` up to this one.
    pub nth: usize,
    /// The line, without indentation.
    pub before: String,
    /// The changed line.
    pub after: String,
    /// Hash of the tests and the model.
    pub suite: String,
    /// The test that noticed the mutant, or what happened instead.
    pub by: Option<String>,
    /// Time of the wall.
    pub milliseconds: u64,
}

impl Line {
    /// Whether no test of this suite noticed the mutant.
    pub fn survived(&self, suite: &str) -> bool {
        self.by.is_none() && self.suite == suite
    }

    /// What became of a mutant of this text.
    pub fn new(
        hash: &str,
        stage: &str,
        site: &Site,
        suite: &str,
        by: Option<String>,
        milliseconds: u64,
    ) -> Self {
        Self {
            hash: hash.into(),
            stage: stage.into(),
            module: site.module.clone(),
            line: site.line,
            nth: site.nth,
            before: site.from.clone(),
            after: site.to.clone(),
            suite: suite.into(),
            by,
            milliseconds,
        }
    }

    /// Whether it tells of this mutant of this text.
    pub fn is_of(&self, hash: &str, stage: &str, site: &Site) -> bool {
        (self.hash.as_str(), self.stage.as_str()) == (hash, stage)
            && (&self.module, self.nth) == (&site.module, site.nth)
            && (&self.before, &self.after) == (&site.from, &site.to)
    }
}

/// The file of a top.
pub struct Log {
    file: File,
}

fn path(top: &str) -> PathBuf {
    repo::target("mutants").join(format!("{top}.jsonl"))
}

/// Hash of a text: 16 digits.
pub fn hash(text: &str) -> String {
    format!("{:x}", Sha256::digest(text)).chars().take(16).collect()
}

/// The lines of a top's file; none if there is no file.
pub fn read(top: &str) -> Result<Vec<Line>> {
    let path = path(top);
    let text = match std::fs::read_to_string(&path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
        text => text.with_context(|| format!("cannot read {}", repo::shown(&path)))?,
    };
    let line = |(n, line): (usize, &str)| {
        let why = || {
            format!(
                "{}:{}: no line of a mutant; without --resume the file begins anew",
                repo::shown(&path),
                n + 1
            )
        };
        serde_json::from_str(line).with_context(why)
    };
    text.lines().enumerate().map(line).collect()
}

impl Log {
    /// Begins the file of a top anew, or behind its lines.
    pub fn open(top: &str, resume: bool) -> Result<Self> {
        let path = path(top);
        if !resume || !path.exists() {
            repo::write(&path, "")?;
        }
        let file = File::options().append(true).open(&path);
        Ok(Self { file: file.with_context(|| format!("cannot write {}", repo::shown(&path)))? })
    }

    /// Adds a line.
    pub fn add(&mut self, line: &Line) -> Result<()> {
        let text = serde_json::to_string(line)? + "\n";
        self.file.write_all(text.as_bytes()).context("cannot write the file of the mutants")
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    fn site(nth: usize) -> Site {
        Site {
            id: 1,
            share: 0,
            module: "m".into(),
            line: nth,
            before: "a".into(),
            after: "b".into(),
            from: "q <= a;".into(),
            to: "q <= b;".into(),
            nth,
        }
    }

    /// A mutant that was tried.
    pub fn line(stage: &str, nth: usize, by: Option<&str>) -> Line {
        Line::new("h", stage, &site(nth), "s", by.map(String::from), 5)
    }

    #[test]
    fn a_mutant_is_known_again_by_text_stage_and_place() {
        let tried = line("cq", 1, Some("t"));
        let text = serde_json::to_string(&tried).unwrap();
        assert_eq!(serde_json::from_str::<Line>(&text).unwrap(), tried);
        let other = Site { id: 9, ..site(1) };
        assert!(tried.is_of("h", "cq", &other), "the id depends on the other mutants of the model");
        assert!(!tried.is_of("g", "cq", &other) && !tried.is_of("h", "rq", &other));
        assert!(!tried.is_of("h", "cq", &site(2)));
        assert!(line("cq", 1, None).survived("s") && !line("cq", 1, None).survived("t"));
        assert_eq!(hash("a").len(), 16);
    }
}
