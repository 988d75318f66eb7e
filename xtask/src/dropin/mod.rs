// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask dropin`: the library that programs of libibverbs and librdmacm load.
mod crowd;
mod ends;
mod fabric;
mod link;
mod list;
pub mod pairs;
pub mod place;
mod program;
mod pyverbs;
mod ratio;
mod sideway;
mod table;
mod trial;
mod types;
mod versions;

pub use program::Program;

use crate::repo;
use crate::steps::{Step, Steps};
use anyhow::Context;
use std::path::{Path, PathBuf};

/// Options of the command.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask dropin -o target/dropin\n  \
    LD_LIBRARY_PATH=target/dropin FERROWARP_DEVICES='vfio-user:/tmp/fw0.sock;ip=10.0.0.1/24' ibv_devinfo -v\n  \
    cargo xtask dropin --try     also runs programs of Debian, some of which end badly; needs their packages\n  \
    FERROWARP_FULL=1 cargo xtask dropin --try   all programs, with more sizes\n  \
    cargo xtask dropin --sideway cmtime of the crate sideway; needs cmake and libclang\n  \
    cargo xtask dropin --pyverbs all cases of rdma-core's pyverbs, some minutes\n  \
    cargo xtask dropin --types   after a change of rdma-core's headers; needs bindgen and the headers\n\n\
    The folder gets libferrowarp.so, and links to it: libibverbs.so.1, librdmacm.so.1, libmlx5.so.1, libefa.so.1.")]
pub struct Args {
    /// Folder of the library; made if missing [default: target/dropin]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Run programs of rdma-core on the library and simulated devices
    #[arg(long = "try")]
    tries: bool,
    /// Run all cases of rdma-core's pyverbs, which takes minutes, and write docs/pyverbs.md
    #[arg(long)]
    pyverbs: bool,
    /// Run the example cmtime of the crate sideway, which is fetched and built at the first run
    #[arg(long)]
    sideway: bool,
    /// Write the types of rdma-core's headers into driver/dropin/src/gen, and build nothing
    #[arg(long)]
    types: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let mut steps = Steps::new(false);
    if args.types {
        steps.run("types of rdma-core", types::write);
        return steps.finish();
    }
    let output = args.output.clone().unwrap_or_else(|| repo::target("dropin"));
    let text = read(&repo::root().join("driver/dropin/symbols.tsv"))?;
    let symbols = table::symbols(&text).map_err(anyhow::Error::msg)?;
    let made = steps.run("static library", link::archive);
    let made = made.and_then(|archive| {
        steps.run("shared library", |step| link::shared(step, &archive, &symbols, &output))
    });
    if let Some(library) = &made {
        steps.run("versions of symbols", |_| versions::check(library, &symbols));
        say!("    {}", repo::shown(library));
        if args.tries {
            steps.run("programs", |step| trial::run(step, library));
        }
        if args.sideway {
            steps.run("sideway", |step| sideway::run(step, library));
        }
        if args.pyverbs {
            steps.run("cases of pyverbs", |step| pyverbs::all(step, library));
        }
    }
    steps.finish()
}

/// Builds the library in its usual folder, whose path is the answer.
pub fn build(step: &Step) -> anyhow::Result<PathBuf> {
    let text = read(&repo::root().join("driver/dropin/symbols.tsv"))?;
    let symbols = table::symbols(&text).map_err(anyhow::Error::msg)?;
    let output = repo::target("dropin");
    link::shared(step, &link::archive(step)?, &symbols, &output)?;
    Ok(output)
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", repo::shown(path)))
}
