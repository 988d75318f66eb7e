// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timing diagrams in the READMEs of `hdl/src`. Tests draw them, since only a model has the ports.
use crate::steps::Steps;
use crate::{child, repo, setup};
use anyhow::{ensure, Context, Result};
use ferrowarp_tests::wave::{marks, place, SHOWN, WRITE};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Fails if a README of a folder of `hdl/src` has no diagram.
pub(super) fn check() -> Result<()> {
    let root = repo::root();
    for readme in readmes(&root)? {
        let page = read(&root, &readme)?;
        let folder = folder(&readme);
        let tops: Vec<_> = SHOWN.iter().filter(|shown| shown.0 == folder).map(|shown| shown.1).collect();
        ensure!(!tops.is_empty(), "{}: `SHOWN` in tests/src/wave.rs has no top", readme.display());
        for top in tops {
            let is_drawn = place(&page, top.name()).is_some_and(|place| page[place].contains("```text\n"));
            ensure!(
                is_drawn,
                "{} has no diagram of {}: add the lines\n{}\nand run `cargo xtask draw --waves`",
                readme.display(),
                top.name(),
                marks(top.name()).join("\n")
            );
        }
    }
    Ok(())
}

/// Runs the tests that draw, which write the diagrams that differ.
pub(super) fn write() -> Result<()> {
    let root = repo::root();
    let readmes = readmes(&root)?;
    let before = readmes.iter().map(|readme| read(&root, readme)).collect::<Result<Vec<_>>>()?;
    let families: BTreeSet<_> = SHOWN.iter().map(|shown| shown.2).collect();
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--quiet", "-p", "ferrowarp-tests"]).env(WRITE, "1");
    for family in families {
        cargo.args(["--test", family]);
    }
    cargo.arg("wave::");
    let mut steps = Steps::new(false);
    steps.run("setup", setup::ensure);
    steps.run("waves", |_| child::capture(&mut cargo).map(drop));
    steps.finish()?;
    let mut changed = 0;
    for (readme, old) in readmes.iter().zip(before) {
        if read(&root, readme)? != old {
            say!("wrote {}", readme.display());
            changed += 1;
        }
    }
    say!("draw: timing diagrams of {changed} of {} READMEs changed", readmes.len());
    Ok(())
}

/// The READMEs of the folders of `hdl/src`, from the root of the repository.
fn readmes(root: &Path) -> Result<Vec<PathBuf>> {
    let source = Path::new("hdl/src");
    let mut readmes = vec![];
    for entry in std::fs::read_dir(root.join(source)).context("reading hdl/src")? {
        let readme = source.join(entry?.file_name()).join("README.md");
        readmes.extend(root.join(&readme).exists().then_some(readme));
    }
    readmes.sort();
    Ok(readmes)
}

/// The folder of a README.
fn folder(readme: &Path) -> &str {
    readme.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default()
}

fn read(root: &Path, readme: &Path) -> Result<String> {
    std::fs::read_to_string(root.join(readme)).with_context(|| format!("reading {}", readme.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_has_a_timing_diagram() {
        check().unwrap();
        let readmes = readmes(&repo::root()).unwrap();
        let folders: BTreeSet<_> = readmes.iter().map(|readme| folder(readme)).collect();
        assert_eq!(folders, SHOWN.iter().map(|shown| shown.0).collect(), "folders of the diagrams");
    }
}
