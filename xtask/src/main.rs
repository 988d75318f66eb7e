// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one entry for people and CI: `cargo xtask COMMAND`.
//!
//! One file (or folder) a command; `steps` and `child` are what they share.

#[macro_use]
mod out;

mod application;
mod bench;
mod benchfile;
mod binaries;
mod board;
mod campaign;
mod child;
mod conformance;
mod coverage;
mod demo;
mod docs;
mod draw;
mod dropin;
mod emit;
mod floors;
mod formal;
mod gen;
mod html;
mod icarus;
mod interop;
mod lint;
mod miri;
mod models;
mod mutants;
mod programs;
mod reasons;
mod release;
mod repo;
mod setup;
mod simulator;
mod steps;
mod synth;
mod test;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Exit code of a command line or configuration that can never work, as clap uses it.
const EXIT_USAGE: u8 = 2;

#[derive(Parser)]
#[command(
    name = "xtask",
    bin_name = "cargo xtask",
    about,
    disable_help_subcommand = true,
    max_term_width = 110
)]
#[command(after_help = "On a fresh machine `cargo xtask demo` and `cargo xtask test` are enough: \
                        both install missing tools.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install the outside tools that are missing: Verilator, a C++ compiler, Icarus, Yosys,
    /// tshark, lspci, valgrind, ip, Graphviz, zlib, rdma-core
    Setup(setup::Args),
    /// Write the Verilog of a configuration, its file list and a JSON of its ports and parameters
    Emit(emit::Args),
    /// Write codecs, records, constants, docs/abi.md and docs/registers.md from the tables of abi,
    /// and the pictures of the tables of hdl
    Gen(gen::Args),
    /// Draw the tables of the hardware into the READMEs
    Draw(draw::Args),
    /// Build the library that programs of libibverbs and librdmacm load: libferrowarp.so
    Dropin(dropin::Args),
    /// Run whole devices under faults at random, in shards, for some minutes
    Campaign(campaign::Args),
    /// Count the requirements of the RFCs that tests prove
    Conformance(conformance::Args),
    /// Measure which lines and bits of the device's Verilog the tests reach
    Coverage(coverage::Args),
    /// Compare the figures of proofs, coverage and tests with .ci/floors.toml
    Floors(floors::Args),
    /// Prove properties of the emitted Verilog by Yosys and an SMT solver, and find a seeded bug
    /// for each
    Formal(formal::Args),
    /// Judge sources and emitted Verilog by the rules that clippy does not have
    Lint(lint::Args),
    /// Run the benches and compare their figures with the bars
    Bench(bench::Args),
    /// Show every operation between two simulated RNICs, or one and Linux siw; tshark reads the
    /// wire
    Demo(demo::Args),
    /// Make a book of all Markdown, rustdoc of all crates and a front page; fail on a dead link
    Docs(docs::Args),
    /// Make a tarball that runs where unpacked: programs with the built model, Verilog, checksums
    Release(release::Args),
    /// Run every check of CI
    Test(test::Args),
    /// Run Linux guests with siw at the other end of the wire; tshark judges the captures
    Interop(interop::Args),
    /// Change the emitted Verilog in 500 places, one at a time, and list the changes that no test
    /// notices
    Mutants(mutants::Args),
    /// Replay the first cycles of every bench top in Icarus, and compare the outputs with
    /// Verilator's
    Icarus(icarus::Args),
    /// Run the tests of the driver's rings and data path under Miri, with a nightly toolchain
    Miri(miri::Args),
    /// List the boards, judge pins and clocks of one, build its bitstream
    Board(board::Args),
    /// Map cells, stages and tops with Yosys, and compare their cost with budget.toml
    Synth(synth::Args),
}

fn main() -> ExitCode {
    repo::prefer_own_tools();
    let done = match Cli::parse().command {
        Command::Setup(args) => setup::run(&args),
        Command::Emit(args) => emit::run(&args),
        Command::Gen(args) => gen::run(&args),
        Command::Draw(args) => draw::run(&args),
        Command::Dropin(args) => dropin::run(&args),
        Command::Campaign(args) => campaign::run(&args),
        Command::Conformance(args) => conformance::run(&args),
        Command::Coverage(args) => coverage::run(&args),
        Command::Floors(args) => floors::run(&args),
        Command::Formal(args) => formal::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Docs(args) => docs::run(&args),
        Command::Release(args) => release::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Interop(args) => interop::run(&args),
        Command::Mutants(args) => mutants::run(&args),
        Command::Icarus(args) => icarus::run(&args),
        Command::Miri(args) => miri::run(&args),
        Command::Board(args) => board::run(&args),
        Command::Synth(args) => synth::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            complain!("error: {e:#}");
            let usage = e.is::<ferrowarp_hdl::config::ConfigError>();
            ExitCode::from(if usage { EXIT_USAGE } else { 1 })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_subcommand_is_consistent_and_shows_examples() {
        Cli::command().debug_assert();
        for sub in Cli::command().get_subcommands() {
            let help = sub.get_after_help().map(|h| h.to_string()).unwrap_or_default();
            assert!(help.contains("cargo xtask"), "`{}` has no example", sub.get_name());
        }
    }
}
