// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions of the driver's data path by callgrind, which are the same on every machine: a Send
//! of one segment with its doorbell, and a completion of a poll that finds sixteen, with the
//! doorbell of that, on a device that is memory and a doorbell page
//! (`driver/src/verbs/data_path.rs`).
use super::key::{Bar, Bench, Key, Record};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Requests that the test posts and polls.
const MEASURED: f64 = 1024.0;
/// Function that callgrind counts, the test that calls it, its key, and what a request may take
/// there.
const FUNCTIONS: [(&str, &str, &str, f64); 2] = [
    ("measured_post_send", "the_data_path_allocates_nothing", "driver.post_send.instructions", 115.0),
    ("measured_poll_cq", "batches_on_the_data_path_allocate_nothing", "driver.poll_cq.instructions", 135.0),
];

/// The bench.
pub fn bench() -> Bench {
    let key = |(_, _, name, most): (_, _, &str, _)| Key { name: name.into(), bar: Bar::AtMost(most) };
    Bench { name: "driver", keys: FUNCTIONS.map(key).into(), run }
}

fn run(record: &mut Record) -> Result<(), String> {
    let program = tests_of("ferrowarp")?;
    for (function, test, key, _) in FUNCTIONS {
        let test = format!("verbs::data_path::{test}");
        record.put(key, counted(&program, function, &test)? / MEASURED);
    }
    Ok(())
}

/// The own tests of a crate of the driver, optimised as a program would be.
pub(super) fn tests_of(package: &str) -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.current_dir(root).args(["test", "-p", package, "--no-default-features", "--lib", "--no-run"]);
    build.args(["--profile", "callgrind", "--message-format", "json"]);
    let out = build.output().map_err(|e| format!("cargo: {e}"))?;
    if !out.status.success() {
        return Err(format!("{package} does not build: {}", String::from_utf8_lossy(&out.stderr)));
    }
    let lines = String::from_utf8_lossy(&out.stdout).into_owned();
    let messages = lines.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut programs = messages.filter_map(|m| Some(PathBuf::from(m.get("executable")?.as_str()?)));
    programs.next().ok_or_else(|| "cargo names no program".into())
}

/// Instructions inside of a function, of what it calls, too.
pub(super) fn counted(program: &Path, function: &str, test: &str) -> Result<f64, String> {
    let mut command = Command::new(program);
    command.args(["--exact", test, "--test-threads", "1"]);
    let (total, said) = callgrind(&command, function)?;
    match said.contains("1 passed") {
        true => Ok(total),
        false => Err(format!("the test fails under valgrind: {said}")),
    }
}

/// Runs a program under callgrind: instructions inside of a function and of what it calls, and what
/// the program says.
pub(super) fn callgrind(program: &Command, function: &str) -> Result<(f64, String), String> {
    let file = ferrowarp_sim::paths::target().join(format!("callgrind.{function}"));
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--collect-atstart=no"]);
    valgrind.arg(format!("--toggle-collect=*{function}*"));
    valgrind.arg(format!("--callgrind-out-file={}", file.display()));
    valgrind.arg(program.get_program()).args(program.get_args());
    let out = valgrind.output().map_err(|e| format!("valgrind: {e}; `cargo xtask setup` installs it"))?;
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    if !out.status.success() {
        return Err(format!("it fails under valgrind: {said}{}", String::from_utf8_lossy(&out.stderr)));
    }
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    let total = total.and_then(|total| total.trim().parse::<f64>().ok()).filter(|&total| total > 0.0);
    let total = total.ok_or_else(|| format!("callgrind counted nothing in {function}: was it inlined?"));
    Ok((total?, said))
}
