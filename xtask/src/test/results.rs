// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outcomes of tests, read from the lines of `cargo test` and kept in `target/test-results.json`.
use crate::repo;
use anyhow::{Context, Result};
use ferrowarp_sim::skip::Skipped;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How a test ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It ran and passed.
    Ok,
    /// It ran and failed.
    Failed,
    /// It did not run.
    Ignored,
}

/// Outcome by test (its path in the binary) by test binary (without Cargo's hash; doc tests:
/// `doc CRATE`).
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Results {
    /// See the type.
    pub binaries: BTreeMap<String, BTreeMap<String, Outcome>>,
}

impl Results {
    /// Where they are kept.
    pub fn path() -> PathBuf {
        repo::target("test-results.json")
    }

    /// Those of the last run.
    pub fn load() -> Result<Self> {
        let path = Self::path();
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("no {}; run `cargo xtask test`", repo::shown(&path)))?;
        serde_json::from_str(&text).with_context(|| format!("{} is damaged", repo::shown(&path)))
    }

    /// Keeps them for `conformance`.
    pub fn save(&self) -> Result<()> {
        repo::write(&Self::path(), &(serde_json::to_string_pretty(self)? + "\n"))
    }

    /// How many ended so.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.binaries.values().flat_map(BTreeMap::values).filter(|o| **o == outcome).count()
    }

    /// Counts a test that says of itself that it was skipped as one that did not run: it tried
    /// nothing, and proves nothing.
    pub fn skip(&mut self, skipped: &Skipped) {
        let tests = self.binaries.entry(skipped.binary.clone()).or_default();
        tests.insert(skipped.name.clone(), Outcome::Ignored);
    }

    /// `binary::test` of all that ended so.
    pub fn named(&self, outcome: Outcome) -> Vec<String> {
        let of = |(binary, tests): (&String, &BTreeMap<String, Outcome>)| {
            let tests = tests.iter().filter(|(_, o)| **o == outcome);
            tests.map(|(test, _)| format!("{binary}::{test}")).collect::<Vec<_>>()
        };
        self.binaries.iter().flat_map(of).collect()
    }
}

/// What a line of `cargo test` says.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A binary starts.
    Binary(String),
    /// A test ended.
    Test(&'a str, Outcome),
    /// A binary ended, and counted this many tests passed, failed and ignored.
    Summary([usize; 3]),
    /// Anything else.
    Other,
}

/// Reads one line; `Running` and `Doc-tests` come from Cargo, the rest from the test binaries.
pub fn line(text: &str) -> Line<'_> {
    let trimmed = text.trim_start();
    if let Some((source, path)) =
        trimmed.strip_prefix("Running ").and_then(|r| r.strip_suffix(')')?.rsplit_once(" ("))
    {
        // A package's library and its program may share a name.
        let program = source == "unittests src/main.rs" || source.starts_with("unittests src/bin/");
        let kind = if program { "bin " } else { "" };
        return Line::Binary(format!("{kind}{}", binary_name(path)));
    }
    if let Some(name) = trimmed.strip_prefix("Doc-tests ") {
        return Line::Binary(format!("doc {name}"));
    }
    if let Some(counts) = text.strip_prefix("test result: ") {
        let count = |word: &str| {
            counts.split(['.', ';']).find_map(|c| c.trim().strip_suffix(word)?.trim().parse().ok())
        };
        return Line::Summary(["passed", "failed", "ignored"].map(|w| count(w).unwrap_or(0)));
    }
    let Some((name, end)) = text.strip_prefix("test ").and_then(|t| t.rsplit_once(" ... ")) else {
        return Line::Other;
    };
    let outcome = match end {
        "ok" => Outcome::Ok,
        "FAILED" => Outcome::Failed,
        _ if end == "ignored" || end.starts_with("ignored, ") => Outcome::Ignored,
        _ => return Line::Other,
    };
    // libtest-mimic fills names up to one length
    let name = name.trim_end();
    Line::Test(name.strip_suffix(" - should panic").unwrap_or(name), outcome)
}

/// `target/debug/deps/stream_fifo-0123456789abcdef` is `stream_fifo`.
fn binary_name(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.rsplit_once('-').map_or(file, |(name, _)| name).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_cargo_test_are_read() {
        let binary = |name: &str| Line::Binary(name.into());
        assert_eq!(
            line("     Running unittests src/lib.rs (target/debug/deps/ferrowarp_hdl-0f1e)"),
            binary("ferrowarp_hdl")
        );
        assert_eq!(
            line("     Running tests/stream_fifo.rs (/t/debug/deps/stream_fifo-00)"),
            binary("stream_fifo")
        );
        assert_eq!(
            line("     Running unittests src/bin/ferrowarp.rs (target/debug/deps/ferrowarp-0f1e)"),
            binary("bin ferrowarp")
        );
        assert_eq!(line("   Doc-tests ferrowarp_abi"), binary("doc ferrowarp_abi"));
        assert_eq!(line("test a::b ... ok"), Line::Test("a::b", Outcome::Ok));
        assert_eq!(line("test a::b    ... ok"), Line::Test("a::b", Outcome::Ok));
        assert_eq!(line("test a::b - should panic ... FAILED"), Line::Test("a::b", Outcome::Failed));
        assert_eq!(line("test a ... ignored, needs KVM ... or so"), Line::Other);
        assert_eq!(line("test a ... ignored, needs KVM"), Line::Test("a", Outcome::Ignored));
        assert_eq!(line("test a ... ignored"), Line::Test("a", Outcome::Ignored));
        assert_eq!(
            line("test hdl/src/x.rs - x (line 3) ... ok"),
            Line::Test("hdl/src/x.rs - x (line 3)", Outcome::Ok)
        );
        assert_eq!(
            line("test result: ok. 1 passed; 0 failed; 2 ignored; 0 measured; finished in 0.5s"),
            Line::Summary([1, 0, 2])
        );
        for other in ["running 3 tests", "test a has been running for over 60 seconds", "test x ...", ""] {
            assert_eq!(line(other), Line::Other);
        }
    }

    /// The test runner says `ok` of a test that returns early.
    #[test]
    fn a_test_that_says_so_was_skipped() {
        let mut results: Results = serde_json::from_str(r#"{ "eth": { "tap": "ok", "x": "ok" } }"#).unwrap();
        results.skip(&Skipped { binary: "eth".into(), name: "tap".into(), reason: "no TAP".into() });
        assert_eq!(
            (results.count(Outcome::Ok), results.named(Outcome::Ignored)),
            (1, vec!["eth::tap".into()])
        );
    }

    #[test]
    fn results_are_counted_and_named() {
        let text = r#"{ "a": { "x": "ok", "y::z": "ignored" }, "b": { "x": "failed", "w": "ok" } }"#;
        let results: Results = serde_json::from_str(text).unwrap();
        assert_eq!(results.count(Outcome::Ok), 2);
        assert_eq!(results.named(Outcome::Ignored), ["a::y::z"]);
        assert_eq!(results.named(Outcome::Failed), ["b::x"]);
    }
}
