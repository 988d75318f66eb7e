// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tests that can notice a mutant of a top, and in which order they are asked.
use super::binary::{self, Run};
use super::stages::Bench;
use crate::steps::Step;
use crate::{binaries, repo};
use anyhow::{bail, Context, Result};
use ferrowarp_sim::mutate::{Plan, MODEL, VARIABLE};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A mutant that takes this many times the processor time of the unchanged hardware is noticed.
const PATIENCE: u32 = 5;
/// Processor time that any run may take.
const LEAST_PATIENCE: Duration = Duration::from_secs(20);
/// The first tests that are asked take this share of the time of all.
const FIRST_SHARE: u32 = 6;

/// What can notice a mutant.
pub struct Suite {
    plan: Plan,
    /// The mutated model.
    model: PathBuf,
    binaries: Vec<(String, PathBuf)>,
    id: String,
    /// The tests, in the order in which they are asked.
    tests: Mutex<Vec<Test>>,
}

/// A test that makes an instance of the mutated top.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Test {
    binary: String,
    name: String,
    /// Processor time on the unchanged hardware.
    milliseconds: u64,
    /// Mutants that it noticed.
    #[serde(skip)]
    noticed: usize,
}

impl Test {
    fn named(&self) -> String {
        format!("{}::{}", self.binary, self.name)
    }
}

/// What was found out about binaries and a model, kept for the next run of both.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// Of the binaries and the model.
    id: String,
    tests: Vec<Test>,
}

impl Suite {
    /// Builds the test binaries, and finds the tests that use `model`, the top with its mutants.
    /// Every one of them must pass on the unchanged hardware.
    pub fn build(bench: &Bench, plan: &Plan, model: &Path, step: &Step) -> Result<Self> {
        let top = bench.top.name();
        let mut words = vec!["-p".to_string(), "ferrowarp-tests".into()];
        words.extend(bench.judges.iter().flat_map(|name| ["--test".into(), name.to_string()]));
        let built = binaries::built(&words, step)?;
        let binaries: Vec<_> = built.into_iter().map(|built| (built.name, built.path)).collect();
        let id = identity(&binaries, model)?;
        let mut suite =
            Self { plan: plan.clone(), model: model.into(), binaries, id, tests: Mutex::default() };
        let path = repo::target("mutants").join(format!("{top}.tests.json"));
        let kept = std::fs::read(&path).ok().and_then(|text| serde_json::from_slice::<Kept>(&text).ok());
        let tests = match kept.filter(|kept| kept.id == suite.id) {
            Some(kept) => kept.tests,
            None => {
                let tests = suite.survey(top, step)?;
                let kept = Kept { id: suite.id.clone(), tests };
                repo::write(&path, &serde_json::to_string_pretty(&kept)?)?;
                kept.tests
            }
        };
        if tests.is_empty() {
            bail!("no test of {} uses {top}", bench.judges.join(", "));
        }
        let seconds = tests.iter().map(|test| test.milliseconds).sum::<u64>() as f64 / 1000.0;
        step.line(&format!("    {top}: {} tests, {seconds:.1} s of processor time", tests.len()));
        suite.tests = Mutex::new(tests);
        suite.order();
        Ok(suite)
    }

    /// Which tests use the top, and their times on the unchanged hardware.
    fn survey(&self, top: &str, step: &Step) -> Result<Vec<Test>> {
        let mut tests = vec![];
        for (name, path) in &self.binaries {
            step.note(&format!("{name}: which tests use {top}"));
            // An instance of a mutated top refuses a choice that is no number, so just its tests
            // fail.
            let users = self.run(path, &[], "none", None)?.failed;
            if users.is_empty() {
                continue;
            }
            step.note(&format!("{name}: {} tests on the unchanged hardware", users.len()));
            let users: Vec<_> = users.iter().map(String::as_str).collect();
            let ended = self.run(path, &users, "0", None)?;
            if let Some(fault) = ended.fault {
                bail!("{name}: {fault} without any mutant; `cargo xtask test` must pass first");
            }
            tests.extend(ended.times.into_iter().map(|(test, time)| Test {
                binary: name.clone(),
                name: test,
                milliseconds: time.as_millis() as u64,
                noticed: 0,
            }));
        }
        Ok(tests)
    }

    /// Of the binaries and the model.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The test that notices the mutant, or what happened instead; `None` if every test passes. The
    /// tests that noticed most mutants are asked first, then the quick ones, then the rest.
    pub fn notices(&self, mutant: u32) -> Result<Option<String>> {
        let tests = self.lock().clone();
        let most = tests.iter().map(|test| test.milliseconds).sum::<u64>() / u64::from(FIRST_SHARE);
        let mut sum = 0;
        let first = tests.iter().take_while(|test| {
            sum += test.milliseconds;
            sum <= most
        });
        let first = first.count().max(1);
        for batch in [&tests[..first], &tests[first..]] {
            for (name, path) in &self.binaries {
                let asked: Vec<_> = batch.iter().filter(|test| test.binary == *name).collect();
                if asked.is_empty() {
                    continue;
                }
                let time = Duration::from_millis(asked.iter().map(|test| test.milliseconds).sum());
                let names: Vec<_> = asked.iter().map(|test| test.name.as_str()).collect();
                let limit = time * PATIENCE + LEAST_PATIENCE;
                let ended = self.run(path, &names, &mutant.to_string(), Some(limit))?;
                if let Some(fault) = ended.fault {
                    let by = format!("{name}::{fault}");
                    self.lock().iter_mut().filter(|t| t.named() == by).for_each(|t| t.noticed += 1);
                    self.order();
                    return Ok(Some(by));
                }
            }
        }
        Ok(None)
    }

    fn order(&self) {
        self.lock().sort_by_key(|test| (std::cmp::Reverse(test.noticed), test.milliseconds));
    }

    /// Tests with their counts, which a panic of a worker leaves as they are.
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Test>> {
        self.tests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs tests of a binary with a choice of mutant. With a limit the first failure ends the run.
    fn run(
        &self,
        path: &Path,
        tests: &[&str],
        mutant: &str,
        limit: Option<Duration>,
    ) -> Result<binary::Ended> {
        let variables = [
            (VARIABLE, self.plan.to_string()),
            (MODEL, self.model.display().to_string()),
            ("FERROWARP_MUTANT", mutant.into()),
            // A proof of mutated hardware proves nothing.
            ("FERROWARP_PROOF_DIR", repo::target("mutants/proofs").display().to_string()),
        ];
        Run { path, tests, variables: &variables, early: limit.is_some(), limit }.run()
    }
}

/// Hash of binaries and model: 16 digits.
fn identity(binaries: &[(String, PathBuf)], model: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    for path in binaries.iter().map(|(_, path)| path.as_path()).chain([model]) {
        hash.update(std::fs::read(path).with_context(|| format!("cannot read {}", repo::shown(path)))?);
    }
    Ok(format!("{:x}", hash.finalize()).chars().take(16).collect())
}
