// SPDX-License-Identifier: MIT OR Apache-2.0
//! `miri`: rings, their memory and the data path of the driver under the interpreter that finds
//! what is undefined.
use crate::steps::Steps;
use crate::{child, repo};
use anyhow::{Context, Result};
use std::process::Command;

/// The nightly toolchain whose miri is known to take this code.
const TOOLCHAIN: &str = "nightly-2026-10-30";

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask miri\n  \
    cargo xtask miri --toolchain nightly-2026-11-01\n\n\
    rustup installs a missing toolchain, about 100 MB. CI does not run Miri: run the command by hand after a change of\n\
    driver/src/dma or driver/src/rings.")]
pub struct Args {
    /// Toolchain with the component miri; installed if missing
    #[arg(long, default_value = TOOLCHAIN)]
    toolchain: String,
}

/// Tests that it interprets: memory of slots and the words in it, rings against any octets, posting
/// and polling.
const TESTS: [&str; 3] = ["dma::", "rings::", "verbs::data_path::"];
/// What it is to judge: without the simulated device, which is C++.
const PACKAGE: [&str; 4] = ["-p", "ferrowarp", "--no-default-features", "--lib"];
/// It may read the clock and files; proptest has fewer cases, as each takes seconds.
const VARIABLES: [(&str, &str); 2] = [("MIRIFLAGS", "-Zmiri-disable-isolation"), ("PROPTEST_CASES", "4")];

pub fn run(args: &Args) -> Result<()> {
    let toolchain = format!("+{}", args.toolchain);
    let mut steps = Steps::new(false);
    let found = steps.run("toolchain", |step| {
        let version = || child::capture(Command::new("cargo").args([&toolchain, "miri", "--version"]));
        if version().is_ok() {
            return Ok(());
        }
        step.line(&format!("    missing: {} with miri; installing it", args.toolchain));
        let mut rustup = Command::new("rustup");
        rustup.args(["toolchain", "install", &args.toolchain, "--profile", "minimal", "--no-self-update"]);
        rustup.args(["--component", "miri", "--component", "rust-src"]);
        step.capture(&mut rustup).context("miri needs rustup and its network")?;
        version().map(drop)
    });
    if found.is_some() {
        steps.run("rings, memory, data path", |step| {
            let mut miri = Command::new("cargo");
            miri.current_dir(repo::root()).args([&toolchain, "miri", "test"]).args(PACKAGE);
            miri.arg("--").args(TESTS).envs(VARIABLES);
            step.capture(&mut miri).map(drop)
        });
    }
    steps.finish()
}
