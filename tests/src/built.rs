// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs of the workspace for tests that run them.
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Packages that are named whenever a program is built. Cargo gives a dependency the features that
/// the packages named need together: these need what the whole workspace does, and so nothing is
/// compiled a second time with other features.
pub const SELECTION: [&str; 6] = ["-p", "ferrowarp-sim", "-p", "ferrowarp-tool", "-p", "xtask"];

/// Path of a program of the workspace, built if it is not there.
///
/// # Panics
/// If it cannot be built.
pub fn built(program: &str) -> PathBuf {
    static BUILT: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());
    let mut all = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    all.entry(program.into()).or_insert_with(|| build(program)).clone()
}

fn build(program: &str) -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet"]).args(SELECTION).args(["--bin", program, "--message-format", "json"]);
    let output = cargo.stderr(Stdio::inherit()).output().expect("cargo runs");
    assert!(output.status.success(), "{program} cannot be built");
    let lines = output.stdout.split(|octet| *octet == b'\n').filter(|line| !line.is_empty());
    let told = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let mut made = told.filter(|line| line["target"]["name"] == program && line["executable"].is_string());
    let path = made.next().and_then(|line| line["executable"].as_str().map(PathBuf::from));
    path.expect("cargo tells where it is")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Crates and features that Cargo gives a selection of packages, a line each.
    fn features(selection: &[&str], kinds: &str) -> Vec<String> {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["tree", "--locked", "--prefix", "none", "--no-dedupe", "--format", "{p} {f}"]);
        let output = cargo.args(selection).args(["--edges", kinds]).output().expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_string).collect()
    }

    /// Else all that depends on a crate with other features is compiled twice, the generator and
    /// the simulator among them: minutes of a clean machine.
    #[test]
    fn a_selection_of_packages_has_the_features_of_the_whole_workspace() {
        let all = features(&["--workspace"], "normal,build,dev");
        for selection in [&["-p", "xtask"][..], &SELECTION] {
            let others = features(selection, "normal,build").into_iter().filter(|line| !all.contains(line));
            let others: Vec<_> = others.collect();
            assert!(others.is_empty(), "name what turns on the features in tests/Cargo.toml: {others:#?}");
        }
    }
}
