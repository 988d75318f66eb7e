// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line: a module a command. Each gives its result as text and as JSON
//! ([`Said`](crate::said::Said)); what is printed, and how it ends, is decided here.
use crate::command::{completions, counters, decode, dump, info, list, perf, ping, tour};
use crate::devices::URLS;
use crate::said::say;
use clap::{CommandFactory, Parser, Subcommand};
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;

/// Lists, inspects and measures Ferrowarp RNICs
#[derive(Parser)]
#[command(name = "ferrowarp", version, after_help = URLS)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Shows the Ferrowarp RNICs of this machine, and the commands that bind them to user space
    List(list::Args),
    /// Shows identity, sizes and state of a device
    Info(info::Args),
    /// Pings rping, or another `ferrowarp ping`, by rping's protocol
    Ping(ping::Args),
    /// Measures Writes, Reads and Sends
    Perf(perf::Args),
    /// Shows every operation once, between two devices, and compares every octet
    Tour(tour::Args),
    /// Shows a device's counters
    Counters(counters::Args),
    /// Shows a device's registers and rows, field by field
    Dump(dump::Args),
    /// Decodes FPDUs, in hexadecimal or from a capture
    Decode(decode::Args),
    /// Writes the script with which a shell completes commands and options
    Completions(completions::Args),
}

/// Runs the command line. A reader of the output that goes away is no error.
pub fn main() -> ExitCode {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env();
    let filter = filter.unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let (is_json, result) = match &Cli::parse().command {
        Command::List(args) => (args.json, list::run(args)),
        Command::Info(args) => (args.json, info::run(args)),
        Command::Ping(args) => (args.json, ping::run(args)),
        Command::Perf(args) => (args.json, perf::run(args)),
        Command::Tour(args) => (args.json, tour::run(args)),
        Command::Counters(args) => (args.json, counters::run(args)),
        Command::Dump(args) => (args.json, dump::run(args)),
        Command::Decode(args) => (args.json, decode::run(args)),
        Command::Completions(args) => (args.json, completions::run(args, Cli::command())),
    };
    match (&result, is_json) {
        (Ok(said), true) => say(&said.json.to_string()),
        (Ok(said), false) => say(said.text.trim_end()),
        (Err(why), true) => say(&json!({ "ok": false, "error": why.to_string() }).to_string()),
        (Err(why), false) => drop(writeln!(std::io::stderr(), "error: {why}")),
    }
    ExitCode::from(u8::from(result.is_err()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_shows_examples() {
        Cli::command().debug_assert();
        for sub in Cli::command().get_subcommands() {
            let help = sub.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("ferrowarp {}", sub.get_name())), "`{}`: {help}", sub.get_name());
        }
    }
}
