// SPDX-License-Identifier: MIT OR Apache-2.0
//! One run of a test binary: which tests fail, and the processor time of each.
use crate::repo;
use crate::test::results::{line, Line, Outcome};
use anyhow::{bail, Context, Result};
use rustix::process::{prlimit, Pid, Resource, Rlimit};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::time::{Duration, Instant};

/// A binary that uses no processor time is called hanging after this many times its limit.
const WALL: u32 = 8;
/// It is never called hanging before this.
const LEAST_WALL: Duration = Duration::from_secs(120);
/// Clock ticks of `/proc/PID/stat` a second: `USER_HZ` of Linux.
const TICKS: u64 = 100;

/// How a run ended.
#[derive(Debug, Default)]
pub struct Ended {
    /// The first test that failed, or what happened instead; `None` if all passed.
    pub fault: Option<String>,
    /// Tests that failed.
    pub failed: Vec<String>,
    /// Processor time of each test that ended.
    pub times: Vec<(String, Duration)>,
}

/// What to run.
pub struct Run<'a> {
    /// The file.
    pub path: &'a Path,
    /// Tests by their whole names; all if there are none.
    pub tests: &'a [&'a str],
    /// Variables.
    pub variables: &'a [(&'static str, String)],
    /// The first failure ends the run.
    pub early: bool,
    /// Processor time that the run may take.
    pub limit: Option<Duration>,
}

impl Run<'_> {
    /// Runs it, one test after the other.
    pub fn run(&self) -> Result<Ended> {
        let shown = self.path.display();
        let mut command = Command::new(self.path);
        command.args(self.tests).arg("--exact").arg("--test-threads=1").current_dir(repo::root());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("cannot start {shown}"))?;
        if let Some(limit) = self.limit {
            let most = Some(limit.as_secs().max(1));
            let set = prlimit(
                Some(Pid::from_child(&child)),
                Resource::Cpu,
                Rlimit { current: most, maximum: most },
            );
            // A child that has ended already needs no limit.
            if let Err(why) = set.map(|_| ()).or_else(|e| match e {
                rustix::io::Errno::SRCH => Ok(()),
                e => Err(e),
            }) {
                let _ = child.kill(); // the error below says what went wrong
                bail!("cannot limit the processor time of {shown}: {why}");
            }
        }
        let stdout = child.stdout.take().context("the child has no output")?;
        let (send, lines) = channel();
        let reader = std::thread::spawn(move || {
            BufReader::new(stdout).lines().map_while(|l| l.ok()).for_each(|l| drop(send.send(l)));
        });
        let deadline = self.limit.map(|limit| Instant::now() + (limit * WALL).max(LEAST_WALL));
        let mut ended = Ended::default();
        let mut used = Duration::ZERO;
        let cut = loop {
            let wait = deadline.map_or(Duration::MAX, |d| d.saturating_duration_since(Instant::now()));
            match lines.recv_timeout(wait.min(Duration::from_secs(3600))) {
                Ok(text) => {
                    let Line::Test(name, outcome) = line(&text) else { continue };
                    let now = processor_time(&child);
                    ended.times.push((name.into(), now.saturating_sub(used)));
                    used = used.max(now);
                    if outcome == Outcome::Failed {
                        ended.failed.push(name.into());
                        ended.fault.get_or_insert_with(|| name.to_string());
                        if self.early {
                            break true;
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) if deadline.is_some_and(|d| Instant::now() >= d) => {
                    ended.fault = Some("no end".into());
                    break true;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break false,
            }
        };
        if cut {
            child.kill().with_context(|| format!("cannot end {shown}"))?;
        }
        let status = child.wait().with_context(|| format!("cannot wait for {shown}"))?;
        drop(lines);
        // The reader ends with the child's output and never panics.
        let _ = reader.join();
        if ended.fault.is_none() && !status.success() {
            ended.fault = Some(format!("the binary ended with {status}"));
        }
        Ok(ended)
    }
}

/// Processor time that the child has taken; none once it was waited for.
fn processor_time(child: &Child) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    // `pid (name) state ...`: utime and stime are the words 14 and 15
    let behind = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = behind.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<u64>().ok());
    Duration::from_millis(ticks.sum::<u64>() * 1000 / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// A shell script that answers like a test binary.
    fn script(name: &str, script: &str) -> PathBuf {
        let path = repo::target("xtask-tests").join(format!("suite-{name}-{}.sh", std::process::id()));
        repo::program(&path, &format!("#!/bin/sh\n{script}\n"));
        path
    }

    fn ended(name: &str, text: &str, early: bool, limit: Option<Duration>) -> Ended {
        let path = script(name, text);
        let variables = [("FERROWARP_MUTANT", "7".to_string())];
        let ended = Run { path: &path, tests: &[], variables: &variables, early, limit }.run().unwrap();
        std::fs::remove_file(path).unwrap();
        ended
    }

    #[test]
    fn a_failing_test_ends_an_early_run_and_is_named() {
        let start = Instant::now();
        let fails = "echo 'test a ... ok'; echo 'test b ... FAILED'; exec sleep 60";
        let ended = ended("fails", fails, true, None);
        assert_eq!(ended.fault.as_deref(), Some("b"));
        assert_eq!(ended.times.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["a", "b"]);
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_run_to_the_end_gives_every_failure_and_a_passing_one_none() {
        let fails = "echo 'test a ... FAILED'; echo \"test m::$FERROWARP_MUTANT ... FAILED\"; exit 101";
        assert_eq!(ended("all", fails, false, None).failed, ["a", "m::7"]);
        assert!(ended("passes", "echo 'test a ... ok'", true, None).fault.is_none());
    }

    #[test]
    fn a_crash_and_an_endless_run_are_noticed() {
        assert!(ended("crash", "exit 7", true, None).fault.unwrap().contains("exit status: 7"));
        let endless = ended("endless", "while :; do :; done", true, Some(Duration::from_secs(1)));
        assert!(endless.fault.unwrap().contains("signal"));
    }
}
