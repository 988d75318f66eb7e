// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every function of the library with random arguments. No call ends the process, a failure sets
//! errno, and the device serves behind them. FERROWARP_SEED repeats a run, and FERROWARP_FULL=1
//! makes a hundred times as many calls.
mod child;
mod cm_values;
mod exports;
mod objects;
mod values;

use crate::config::VARIABLE;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Calls, and those of a long run.
const CALLS: [u64; 2] = [1_000, 100_000];
/// The seed that the variable replaces.
const SEED: u64 = 20_260;
/// The file in which a child writes what it calls next.
const TRACE: &str = "FERROWARP_FUZZ_TRACE";
/// Longer than any call may take: a synchronous one waits two minutes.
const MOST: Duration = Duration::from_secs(150);

/// What the table of symbols says of a function.
pub fn answer(name: &str) -> &'static str {
    let lines = include_str!("../../../symbols.tsv").lines();
    let mut fields = lines.map(|line| line.split('\t').collect::<Vec<_>>());
    let line = fields.find(|fields| fields[0] == name).expect("a line of the table");
    line[2]
}

#[test]
fn every_function_survives_random_arguments() {
    let seed = std::env::var("FERROWARP_SEED").map_or(SEED, |seed| seed.parse().expect("a number"));
    let calls = CALLS[usize::from(std::env::var("FERROWARP_FULL").is_ok_and(|full| full == "1"))];
    if let Some(trace) = std::env::var_os(TRACE) {
        return child::run(seed, calls, Path::new(&trace));
    }
    let trace = std::env::temp_dir().join(format!("fw-fuzz-{}", std::process::id()));
    std::fs::write(&trace, "nothing was called").unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "tests::fuzz::every_function_survives_random_arguments", "--nocapture"]);
    // devices of its own: another test of this process may have named its simulator's
    command.env_remove(VARIABLE).env(TRACE, &trace).stdin(Stdio::null()).stdout(Stdio::null());
    let ended = watched(command.spawn().unwrap(), &trace);
    let last = std::fs::read_to_string(&trace).unwrap();
    std::fs::remove_file(&trace).unwrap();
    assert_eq!(ended, Ok(()), "FERROWARP_SEED={seed}; the last call was {last}");
}

/// Waits for the child, as long as it makes calls.
fn watched(mut child: Child, trace: &PathBuf) -> Result<(), String> {
    let (mut last, mut since) = (String::new(), Instant::now());
    loop {
        match child.try_wait().unwrap() {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(format!("the child ended by {status}")),
            None => std::thread::sleep(Duration::from_millis(20)),
        }
        let now = std::fs::read_to_string(trace).unwrap();
        if now != last {
            (last, since) = (now, Instant::now());
        } else if since.elapsed() > MOST {
            child.kill().unwrap();
            child.wait().unwrap();
            return Err(format!("a call does not end within {MOST:?}"));
        }
    }
}
