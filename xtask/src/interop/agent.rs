// SPDX-License-Identifier: MIT OR Apache-2.0
//! The agent of scripts in a guest: its program, built for the guest.
use super::bus::{executable, stripped};
use crate::steps::Step;
use crate::{child, repo};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::Command;

/// The program in the guest.
pub const AGENT: &str = "siw-agent";
/// Its package.
const PACKAGE: &str = "ferrowarp-agent";

/// Where the agent is when [`build`] has made it.
pub fn path() -> PathBuf {
    repo::target("guest").join(AGENT)
}

/// Builds the agent.
pub fn build(step: &Step) -> Result<()> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(repo::root()).args(["build", "-p", PACKAGE]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    let built = child::capture_with(&mut cargo, |line| step.note(line))?;
    let from =
        executable(&built, AGENT).with_context(|| format!("cargo does not tell where `{AGENT}` is"))?;
    stripped(&from, &path())
}
