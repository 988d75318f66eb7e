// SPDX-License-Identifier: MIT OR Apache-2.0
//! The test binaries, and the tests in them that a mutant can reach.
use crate::steps::Step;
use crate::test::results::{line, Line, Outcome};
use crate::{child, repo};
use anyhow::{bail, Context, Result};
use ferrowarp_sim::mutate::{Plan, VARIABLE};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::time::{Duration, Instant};

/// A mutant that hangs a binary is noticed after this many times what the unchanged hardware takes.
const PATIENCE: u32 = 10;
/// No binary is called hanging before this.
const LEAST_PATIENCE: Duration = Duration::from_secs(120);

/// What can notice a mutant.
pub struct Suite {
    plan: Plan,
    binaries: Vec<Binary>,
}

struct Binary {
    name: String,
    path: PathBuf,
    /// Tests that make an instance of the mutated top.
    tests: Vec<String>,
    /// What they take on the unchanged hardware.
    time: Duration,
}

/// How a run of a binary ended.
struct Ended {
    /// The first test that failed, or what happened instead; `None` if all passed.
    fault: Option<String>,
    /// Tests that failed.
    failed: Vec<String>,
}

impl Suite {
    /// Builds the test binaries, the model with all mutants, and finds the tests that use it. Every
    /// one of them must pass on the unchanged hardware.
    pub fn build(plan: &Plan, names: &str, step: &Step) -> Result<Self> {
        let mut suite = Self { plan: plan.clone(), binaries: vec![] };
        for mut binary in binaries(names, step)? {
            step.note(&format!("{}: which tests use {}", binary.name, plan.top));
            // An instance of a mutated top refuses a choice that is no number, so just its tests
            // fail.
            binary.tests = suite.run(&binary, "none", false, None)?.failed;
            binary.tests.retain(|test| format!("{}::{test}", binary.name).starts_with(names));
            if binary.tests.is_empty() {
                continue;
            }
            step.note(&format!("{}: {} tests on the unchanged hardware", binary.name, binary.tests.len()));
            let start = Instant::now();
            if let Some(fault) = suite.run(&binary, "0", true, None)?.fault {
                bail!("{}: {fault} without any mutant; `cargo xtask test` must pass first", binary.name);
            }
            binary.time = start.elapsed();
            step.line(&format!(
                "    {:<24} {:>3} tests ({:.1} s)",
                binary.name,
                binary.tests.len(),
                binary.time.as_secs_f64()
            ));
            suite.binaries.push(binary);
        }
        if suite.binaries.is_empty() {
            bail!("no test `{names}..` uses {}", plan.top);
        }
        suite.binaries.sort_by_key(|b| b.time);
        Ok(suite)
    }

    /// Number of binaries.
    pub fn len(&self) -> usize {
        self.binaries.len()
    }

    /// Index of the first binary, in the order given, that notices the mutant, and how.
    pub fn notices(&self, mutant: u32, order: &[usize]) -> Result<Option<(usize, String)>> {
        for &index in order {
            let binary = &self.binaries[index];
            let limit = (binary.time * PATIENCE).max(LEAST_PATIENCE);
            if let Some(fault) = self.run(binary, &mutant.to_string(), true, Some(limit))?.fault {
                return Ok(Some((index, format!("{}::{fault}", binary.name))));
            }
        }
        Ok(None)
    }

    /// Runs a binary with a choice of mutant: its tests, or all of them while they are not known.
    /// With `early` the first failure ends the run.
    fn run(&self, binary: &Binary, mutant: &str, early: bool, limit: Option<Duration>) -> Result<Ended> {
        let mut command = Command::new(&binary.path);
        command.args(&binary.tests).arg("--exact").current_dir(repo::root());
        command.env(VARIABLE, self.plan.to_string()).env("FERROWARP_MUTANT", mutant);
        // A proof of mutated hardware proves nothing; mutants run side by side, so each takes one
        // core.
        command.env("FERROWARP_PROOF_DIR", repo::target("mutants/proofs")).env("RUST_TEST_THREADS", "1");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("cannot start {}", binary.path.display()))?;
        let stdout = child.stdout.take().context("the child has no output")?;
        let (send, lines) = channel();
        let reader = std::thread::spawn(move || {
            BufReader::new(stdout).lines().map_while(|l| l.ok()).for_each(|l| drop(send.send(l)));
        });
        let deadline = limit.map(|l| Instant::now() + l);
        let mut failed = vec![];
        let mut cut = false;
        let mut fault = None;
        loop {
            let wait = deadline.map_or(Duration::MAX, |d| d.saturating_duration_since(Instant::now()));
            match lines.recv_timeout(wait.min(Duration::from_secs(3600))) {
                Ok(text) => {
                    if let Line::Test(name, Outcome::Failed) = line(&text) {
                        failed.push(name.to_string());
                        fault.get_or_insert_with(|| name.to_string());
                        if early {
                            cut = true;
                            break;
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) if deadline.is_some_and(|d| Instant::now() >= d) => {
                    fault = Some("no end".into());
                    cut = true;
                    break;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        if cut {
            child.kill().with_context(|| format!("cannot end {}", binary.name))?;
        }
        let status = child.wait().with_context(|| format!("cannot wait for {}", binary.name))?;
        drop(lines);
        // The reader ends with the child's output and never panics.
        let _ = reader.join();
        if fault.is_none() && !status.success() {
            fault = Some(format!("the binary ended with {status}"));
        }
        Ok(Ended { fault, failed })
    }
}

/// Whether a binary has tests whose names `binary::test` start with `names`.
fn may_have(binary: &str, names: &str) -> bool {
    binary.starts_with(names) || names.starts_with(&format!("{binary}::"))
}

/// Builds the test binaries of `tests` and `sim` that may have tests whose names start with
/// `names`.
fn binaries(names: &str, step: &Step) -> Result<Vec<Binary>> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(repo::root()).args(["test", "--no-run", "--message-format=json"]);
    cargo.args(["-p", "ferrowarp-tests", "-p", "ferrowarp-sim"]);
    step.note(&child::shown(&cargo));
    let output = child::capture(&mut cargo)?;
    let mut binaries: Vec<Binary> = output.lines().filter_map(executable).collect();
    binaries.retain(|b| may_have(&b.name, names));
    binaries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(binaries)
}

/// The test binary that a line of Cargo's JSON reports, if it reports one.
fn executable(json: &str) -> Option<Binary> {
    let message: serde_json::Value = serde_json::from_str(json).ok()?;
    let test = message["profile"]["test"].as_bool()?;
    let path = PathBuf::from(message["executable"].as_str()?);
    let name = message["target"]["name"].as_str()?.to_string();
    test.then_some(Binary { name, path, tests: vec![], time: Duration::ZERO })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite() -> Suite {
        let plan = Plan { top: "t".into(), seed: 1, count: 1, only: String::new() };
        Suite { plan, binaries: vec![] }
    }

    /// A shell script that answers like a test binary. Another process makes it executable by
    /// copying: a file that this one had open for writing may be inherited by a test that forks,
    /// and is then too busy to be run.
    fn binary(name: &str, script: &str) -> Binary {
        let path = repo::target("xtask-tests").join(format!("suite-{name}-{}.sh", std::process::id()));
        let text = path.with_extension("txt");
        repo::write(&text, &format!("#!/bin/sh\n{script}\n")).unwrap();
        let copied = Command::new("install").args(["-m", "755"]).arg(&text).arg(&path).status().unwrap();
        assert!(copied.success());
        std::fs::remove_file(text).unwrap();
        Binary { name: name.into(), path, tests: vec![], time: Duration::ZERO }
    }

    #[test]
    fn a_failing_test_ends_an_early_run_and_is_named() {
        let b = binary("fails", "echo 'test a ... ok'; echo 'test b ... FAILED'; exec sleep 60");
        let start = Instant::now();
        let ended = suite().run(&b, "1", true, None).unwrap();
        assert_eq!(ended.fault.as_deref(), Some("b"));
        assert!(start.elapsed() < Duration::from_secs(30));
        std::fs::remove_file(b.path).unwrap();
    }

    #[test]
    fn a_run_to_the_end_gives_every_failure_and_a_passing_one_none() {
        let fails = binary(
            "all",
            "echo 'test a ... FAILED'; echo \"test m::$FERROWARP_MUTANT ... FAILED\"; exit 101",
        );
        assert_eq!(suite().run(&fails, "none", false, None).unwrap().failed, ["a", "m::none"]);
        let passes = binary("passes", "echo 'test a ... ok'");
        assert!(suite().run(&passes, "1", true, None).unwrap().fault.is_none());
        for b in [fails, passes] {
            std::fs::remove_file(b.path).unwrap();
        }
    }

    #[test]
    fn a_crash_and_a_hang_are_noticed() {
        let crash = binary("crash", "exit 7");
        assert!(suite().run(&crash, "1", true, None).unwrap().fault.unwrap().contains("exit status: 7"));
        let hang = binary("hang", "exec sleep 60");
        let limit = Some(Duration::from_millis(200));
        assert_eq!(suite().run(&hang, "1", true, limit).unwrap().fault.as_deref(), Some("no end"));
        for b in [crash, hang] {
            std::fs::remove_file(b.path).unwrap();
        }
    }

    #[test]
    fn a_binary_is_chosen_by_its_name_or_by_names_of_its_tests() {
        assert!(may_have("mpa", "") && may_have("mpa", "mp") && may_have("mpa", "mpa::rx"));
        assert!(!may_have("mpa", "mr") && !may_have("mpa", "mpa_other::rx") && !may_have("mp", "mpa::rx"));
    }

    #[test]
    fn test_binaries_are_read_from_cargos_messages() {
        let line = r#"{"reason":"compiler-artifact","target":{"name":"stream_fifo"},"profile":{"test":true},"executable":"/t/stream_fifo-1"}"#;
        assert_eq!(executable(line).unwrap().name, "stream_fifo");
        assert!(executable(&line.replace("true", "false")).is_none());
        assert!(executable("warning: x").is_none());
    }
}
