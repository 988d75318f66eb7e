// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running tests on models that count. Each selection of tests has a folder of its own below
//! `target/coverage`, which its next run replaces.
use crate::binaries::{self, Binary};
use crate::steps::Step;
use crate::test::results::{line, Line, Outcome};
use crate::{child, repo};
use anyhow::{bail, Context, Result};
use ferrowarp_sim::coverage::VARIABLE;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// What a folder says about its run.
const RUN: &str = "run.json";

/// Crate whose tests are run.
const PACKAGE: &str = "ferrowarp-tests";

/// A run of a test binary, or of some of its tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Binary, or `binary::part of the tests' paths`.
    pub tests: String,
    /// Tests that passed.
    pub passed: usize,
    /// Names of tests that failed.
    pub failed: Vec<String>,
    /// Wall time.
    pub seconds: u64,
}

/// Folder of all runs.
pub fn folder() -> PathBuf {
    repo::target("coverage")
}

/// Runs the binaries whose names begin like one of the `selections`, each of which may go on with
/// `::` and a part of the tests' paths.
pub fn run(selections: &[String], step: &Step) -> Result<()> {
    let mut words = vec!["-p".to_string(), PACKAGE.into()];
    for selection in selections {
        let (binary, _) = parts(selection);
        // without `::` it is the beginning of a name
        let glob = if selection.contains("::") { binary.into() } else { format!("{binary}*") };
        words.extend(["--test".into(), glob]);
    }
    let binaries = binaries::built(&words, step)?;
    let mut failed = vec![];
    for binary in &binaries {
        let mut filters: Vec<_> = selections
            .iter()
            .map(|s| parts(s))
            .filter(|(name, part)| chosen(&binary.name, name, *part))
            .collect();
        filters.sort();
        // who asks for the whole binary asks for its parts as well
        if let Some(whole) = filters.iter().position(|(_, part)| part.is_none()) {
            filters = vec![filters[whole]];
        }
        for (_, part) in filters {
            let run = one(binary, part, step)?;
            failed.extend(run.failed.iter().map(|test| format!("{}::{test}", binary.name)));
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => {
            bail!("{} tests failed, whose hits count none the less: {}", failed.len(), failed.join(", "))
        }
    }
}

/// Name and part of a selection.
fn parts(selection: &str) -> (&str, Option<&str>) {
    match selection.split_once("::") {
        Some((name, part)) => (name, Some(part)),
        None => (selection, None),
    }
}

fn chosen(binary: &str, name: &str, part: Option<&str>) -> bool {
    match part {
        Some(_) => binary == name,
        None => binary.starts_with(name),
    }
}

/// Runs a binary, or those of its tests whose paths have this part.
fn one(binary: &Binary, part: Option<&str>, step: &Step) -> Result<Run> {
    let tests = part.map_or(binary.name.clone(), |part| format!("{}::{part}", binary.name));
    let own = repo::emptied(&format!("coverage/{}", tests.replace("::", ".").replace('/', ".")))?;
    let mut run = Run { tests: tests.clone(), passed: 0, failed: vec![], seconds: 0 };
    let mut command = Command::new(&binary.path);
    command.args(part).current_dir(repo::root().join("tests"));
    command.env(VARIABLE, &own).env("CARGO_MANIFEST_DIR", repo::root().join("tests"));
    let since = Instant::now();
    let status = child::stream(&mut command, |text| {
        if let Line::Test(name, outcome) = line(text) {
            step.note(&format!("{tests} {name}"));
            match outcome {
                Outcome::Ok => run.passed += 1,
                Outcome::Failed => run.failed.push(name.into()),
                Outcome::Ignored => {}
            }
        }
    })?;
    if !status.success() && run.failed.is_empty() {
        bail!("`{}` ended with {status} and names no test that failed", child::shown(&command));
    }
    run.seconds = since.elapsed().as_secs();
    step.line(&format!(
        "    {tests:<24} {:>4} ok, {} failed ({} s)",
        run.passed,
        run.failed.len(),
        run.seconds
    ));
    repo::write(&own.join(RUN), &serde_json::to_string_pretty(&run)?)?;
    Ok(run)
}

/// Runs whose folders are there, with the folder of each. A run that was cut off has none.
pub fn runs() -> Result<Vec<(Run, PathBuf)>> {
    let Ok(entries) = std::fs::read_dir(folder()) else { return Ok(vec![]) };
    let mut runs = vec![];
    for own in entries.flatten().map(|entry| entry.path()) {
        if let Some(run) = read(&own)? {
            runs.push((run, own));
        }
    }
    runs.sort_by(|(a, _), (b, _)| a.tests.cmp(&b.tests));
    Ok(runs)
}

fn read(own: &Path) -> Result<Option<Run>> {
    let path = own.join(RUN);
    let Ok(text) = std::fs::read_to_string(&path) else { return Ok(None) };
    let run = serde_json::from_str(&text);
    run.map(Some).with_context(|| format!("{} is not understood; remove it", repo::shown(&path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_is_the_beginning_of_a_binary_or_a_part_of_one() {
        assert_eq!(parts("pair::loss::far"), ("pair", Some("loss::far")));
        assert!(chosen("lab_idle", "lab", None) && !chosen("lab_idle", "lab", Some("x")));
        assert!(chosen("lab", "lab", Some("x")) && !chosen("mpa", "mr", None));
    }
}
