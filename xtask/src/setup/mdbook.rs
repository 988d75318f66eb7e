// SPDX-License-Identifier: MIT OR Apache-2.0
//! mdBook: only for `docs`, so no part of what `ensure` looks for. Debian has no package of it;
//! Cargo compiles it into `target/tools`.
use super::tools::{Query, State, Tool};
use crate::repo;
use crate::steps::Step;
use anyhow::{bail, Result};
use ferrowarp_sim::paths;
use std::process::Command;

/// Release that Cargo compiles.
const RELEASE: &str = "0.5.4";
const MDBOOK: Tool = Tool {
    name: "mdbook",
    query: Query::Shell("mdbook --version | grep ' v0\\.5'"),
    package: "mdbook",
    wheel: None,
};

/// Compiles mdBook unless there is one of release 0.5.
///
/// # Errors
/// Cargo cannot fetch or compile it, or what it compiled does not start.
pub fn ensure_mdbook(step: &Step) -> Result<()> {
    if let State::Missing(_) = MDBOOK.state() {
        step.line("    missing: mdbook; cargo compiles it (some minutes)");
        let mut cargo = Command::new("cargo");
        cargo.args(["install", MDBOOK.package, "--version", RELEASE, "--locked", "--quiet"]);
        cargo.args(["--no-default-features", "--features", "search", "--root"]).arg(paths::tools());
        let build = repo::target("mdbook-build");
        step.capture(cargo.arg("--target-dir").arg(&build))?;
        // the program alone is wanted; what stays is a matter of room
        drop(std::fs::remove_dir_all(&build));
        if let State::Missing(why) = MDBOOK.state() {
            bail!("{why} after `cargo install mdbook --version {RELEASE}`");
        }
    }
    Ok(())
}
