// SPDX-License-Identifier: MIT OR Apache-2.0
//! Test binaries, built by Cargo and run without Cargo.
use crate::steps::Step;
use crate::{child, repo};
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// A test binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binary {
    /// Name of its target.
    pub name: String,
    /// The program.
    pub path: PathBuf,
}

/// Builds test binaries by `cargo test --no-run` with these words, sorted by name.
pub fn built(words: &[String], step: &Step) -> Result<Vec<Binary>> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(repo::root()).args(["test", "--no-run", "--message-format=json"]).args(words);
    step.note(&child::shown(&cargo));
    let output = child::capture(&mut cargo)?;
    let mut binaries: Vec<Binary> = output.lines().filter_map(executable).collect();
    binaries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(binaries)
}

/// The test binary that a line of Cargo's JSON reports, if it reports one.
fn executable(json: &str) -> Option<Binary> {
    let message: serde_json::Value = serde_json::from_str(json).ok()?;
    let test = message["profile"]["test"].as_bool()?;
    let path = PathBuf::from(message["executable"].as_str()?);
    let name = message["target"]["name"].as_str()?.to_string();
    test.then_some(Binary { name, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_binaries_are_read_from_cargos_messages() {
        let line = r#"{"reason":"compiler-artifact","target":{"name":"stream_fifo"},"profile":{"test":true},"executable":"/t/stream_fifo-1"}"#;
        assert_eq!(executable(line).unwrap().name, "stream_fifo");
        assert!(executable(&line.replace("true", "false")).is_none());
        assert!(executable("warning: x").is_none());
    }
}
