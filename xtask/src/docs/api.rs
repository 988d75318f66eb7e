// SPDX-License-Identifier: MIT OR Apache-2.0
//! The documentation of the crates, by rustdoc.
use crate::steps::Step;
use crate::{child, repo};
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

/// A crate of the workspace, as the front page names it.
pub struct Crate {
    /// Folder of its documentation.
    pub folder: String,
    /// First sentence of its front page.
    pub about: String,
}

/// Documents the libraries of the workspace in `target/doc`. A warning is an error.
pub fn document(step: &Step) -> Result<()> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(repo::root()).args(["doc", "--workspace", "--no-deps", "--lib"]);
    cargo.env("RUSTDOCFLAGS", "-D warnings");
    step.capture(&mut cargo).map(drop)
}

/// Documents the libraries of the workspace, and copies the pages to `folder`.
pub fn make(step: &Step, folder: &Path) -> Result<Vec<Crate>> {
    document(step)?;
    let made = repo::target("doc");
    step.capture(Command::new("cp").arg("-r").arg(&made).arg(folder))?;
    let metadata = child::capture(Command::new("cargo").current_dir(repo::root()).args([
        "metadata",
        "--no-deps",
        "--format-version",
        "1",
    ]))?;
    let metadata: serde_json::Value =
        serde_json::from_str(&metadata).context("what `cargo metadata` prints")?;
    let packages = metadata["packages"].as_array().context("`cargo metadata` names no packages")?;
    let documented = |package: &serde_json::Value| {
        let target = package["targets"].as_array()?.iter().find(|target| target["kind"][0] == "lib")?;
        let name = target["name"].as_str()?.replace('-', "_");
        let about = package["description"].as_str().unwrap_or_default().to_string();
        folder.join(&name).join("index.html").is_file().then_some(Crate { folder: name, about })
    };
    Ok(packages.iter().filter_map(documented).collect())
}
