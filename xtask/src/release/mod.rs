// SPDX-License-Identifier: MIT OR Apache-2.0
//! `release`: a tarball that runs where it is unpacked, and its trial in an empty root.
mod contents;
mod trial;

use crate::repo;
use crate::steps::Steps;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask release                  target/release-tarball/ferrowarp-VERSION-MACHINE.tar.gz\n  \
    cargo xtask release -o /tmp/out --try   also unpacks the tarball in an empty root, and runs one RDMA Write there\n\n\
    The tarball has Verilog, file list and JSON of each profile, ferrowarp-sim and ferrowarp with the built model of the device,\n\
    licences, a README, and SHA256SUMS. The programs are those of Cargo's profile `dev`, without symbols: the programs that the tests\n\
    run. In this profile the simulation is compiled with -O3, and its dependencies with -O2; the model is C++ at -O2 in any profile.\n\
    A build in profile `release` would compile all crates once more.\n\n\
    --try needs `unshare`, and root or user namespaces.")]
pub struct Args {
    /// Folder of the tarball; made if missing [default: target/release-tarball]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Unpack the tarball in a root folder with only the shared libraries that `ldd` names, and run
    /// the tour of two simulated devices there
    #[arg(long = "try")]
    tries: bool,
}

pub fn run(args: &Args) -> anyhow::Result<()> {
    let output = args.output.clone().unwrap_or_else(|| repo::target("release-tarball"));
    let mut steps = Steps::new(false);
    let built = steps.run("programs, model of the device", crate::simulator::prepare);
    let made = built.and_then(|()| steps.run("tarball", |step| contents::make(step, &output)));
    if let Some(tarball) = &made {
        say!("    {} ({:.1} MiB)", repo::shown(&tarball.path), tarball.octets as f64 / f64::from(1 << 20));
    }
    if let Some(tarball) = made.filter(|_| args.tries) {
        let done = steps.run("one RDMA Write in an empty root", |step| trial::run(step, &tarball));
        if let Some(told) = done {
            say!("    {told}");
        }
    }
    steps.finish()
}
