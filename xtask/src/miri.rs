//! `miri`: rings, their memory and the data path of the driver under the interpreter that finds what is undefined.
use crate::steps::Steps;
use crate::{child, repo};
use anyhow::{Context, Result};
use std::process::Command;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask miri\n  \
    cargo xtask miri --toolchain nightly-2026-11-01\n\n\
    Needs a nightly toolchain with the component miri: rustup toolchain install nightly --component miri rust-src.\n\
    CI does not run it, since its machine cannot get one: run it by hand after a change of driver/src/dma or driver/src/rings.")]
pub struct Args {
    /// Toolchain that has the component
    #[arg(long, default_value = "nightly")]
    toolchain: String,
}

/// Tests that it interprets: memory of slots and the words in it, rings against any octets, posting and polling.
const TESTS: [&str; 3] = ["dma::", "rings::", "verbs::data_path::"];
/// What it is to judge: without the simulated device, which is C++.
const PACKAGE: [&str; 4] = ["-p", "ferrowarp", "--no-default-features", "--lib"];
/// It may read the clock and files; proptest has fewer cases, as each takes seconds.
const VARIABLES: [(&str, &str); 2] = [("MIRIFLAGS", "-Zmiri-disable-isolation"), ("PROPTEST_CASES", "4")];

pub fn run(args: &Args) -> Result<()> {
    let toolchain = format!("+{}", args.toolchain);
    let mut steps = Steps::new(false);
    let found = steps.run("toolchain", |_| {
        child::capture(Command::new("cargo").args([&toolchain, "miri", "--version"])).with_context(|| {
            format!(
                "no miri: rustup toolchain install {} --component miri --component rust-src",
                args.toolchain
            )
        })
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
