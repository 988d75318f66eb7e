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
    /// Where and what.
    #[serde(flatten)]
    pub site: Site,
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

    /// Whether it tells of this mutant of this text.
    pub fn is_of(&self, hash: &str, stage: &str, site: &Site) -> bool {
        let place = |s: &Site| (s.module.clone(), s.line, s.before.clone(), s.from.clone(), s.to.clone());
        self.hash == hash && self.stage == stage && place(&self.site) == place(site)
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

    /// A mutant that was tried.
    pub fn line(stage: &str, nth: usize, by: Option<&str>) -> Line {
        let site = Site {
            id: 1,
            share: 0,
            module: "m".into(),
            line: nth,
            before: "a".into(),
            after: "b".into(),
            from: "q <= a;".into(),
            to: "q <= b;".into(),
            nth,
        };
        let by = by.map(String::from);
        Line { hash: "h".into(), stage: stage.into(), suite: "s".into(), site, by, milliseconds: 5 }
    }

    #[test]
    fn a_mutant_is_known_again_by_text_stage_and_place() {
        let tried = line("cq", 1, Some("t"));
        let text = serde_json::to_string(&tried).unwrap();
        assert_eq!(serde_json::from_str::<Line>(&text).unwrap(), tried);
        let other = Site { id: 9, ..tried.site.clone() };
        assert!(tried.is_of("h", "cq", &other), "the id depends on the other mutants of the model");
        assert!(!tried.is_of("g", "cq", &other) && !tried.is_of("h", "rq", &other));
        assert!(!tried.is_of("h", "cq", &line("cq", 2, None).site));
        assert_eq!(hash("a").len(), 16);
    }
}
