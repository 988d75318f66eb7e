//! Programs of the workspace for tests that run them.
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Path of a program of a package, built if it is not there.
///
/// # Panics
/// If it cannot be built.
pub fn built(package: &str, program: &str) -> PathBuf {
    static BUILT: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());
    let mut all = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    all.entry(program.into()).or_insert_with(|| build(package, program)).clone()
}

fn build(package: &str, program: &str) -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", package, "--bin", program, "--message-format", "json"]);
    let output = cargo.stderr(Stdio::inherit()).output().expect("cargo runs");
    assert!(output.status.success(), "{program} cannot be built");
    let lines = output.stdout.split(|octet| *octet == b'\n').filter(|line| !line.is_empty());
    let told = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let mut made = told.filter(|line| line["target"]["name"] == program && line["executable"].is_string());
    let path = made.next().and_then(|line| line["executable"].as_str().map(PathBuf::from));
    path.expect("cargo tells where it is")
}
