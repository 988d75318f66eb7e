// SPDX-License-Identifier: MIT OR Apache-2.0
//! The example `cmtime` of the crate sideway, on two simulated devices. Cargo fetches and builds
//! the example, which loads libibverbs and librdmacm as any program does.
use super::pairs::{asked, PATIENCE};
use super::place::{Place, ADDRESSES};
use crate::steps::Step;
use crate::{repo, simulator};
use anyhow::{ensure, Context, Result};
use std::path::Path;
use std::process::Command;

/// The release whose example is run.
const SIDEWAY: &str = "sideway@0.4.3";
/// Connections that are made and ended.
const CONNECTIONS: usize = 10;

/// Builds the example, unless an earlier run did, and runs both roles.
pub fn run(step: &Step, library: &Path) -> Result<()> {
    simulator::prepare(step)?;
    let home = repo::target("sideway");
    let cmtime = home.join("bin/cmtime");
    if !cmtime.exists() {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["install", SIDEWAY, "--locked", "--debug", "--example", "cmtime", "--root"]).arg(&home);
        // the lints of this workspace are not the example's
        cargo.arg("--target-dir").arg(repo::target("sideway-build")).current_dir("/").env_remove("RUSTFLAGS");
        step.capture(&mut cargo)
            .context("the example needs Debian's cmake and libclang-dev beside the crates.io registry")?;
    }
    let sockets = tempfile::tempdir().context("cannot make a folder for sockets")?;
    let library = library.parent().unwrap_or(Path::new("."));
    let place = Place::new(library, sockets.path(), &ADDRESSES)?;
    let server = format!("{} -c {CONNECTIONS}", cmtime.display());
    let serves = place.start(0, &server)?;
    let said = asked(|| place.start(1, &format!("{server} -s PEER")))?;
    serves.done(PATIENCE)?;
    ensure!(said.contains("Disconnect"), "cmtime tells nothing of its connections:\n{said}");
    place.finish()?;
    step.line(&format!("    cmtime of {SIDEWAY}: {CONNECTIONS} connections"));
    Ok(())
}
