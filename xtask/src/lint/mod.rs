// SPDX-License-Identifier: MIT OR Apache-2.0
//! `lint`: what clippy cannot know about this workspace.
//!
//! Source rules are pure functions from a file's text to findings; they judge kernels, names,
//! sizes, prose, handwritten Verilog and marks of unfinished work. Rules of the whole workspace
//! judge links, file circles and subjects of commits. Emitted rules judge the Verilog of every
//! bench top and of every block of the catalogue, with Verilator and Yosys as two more readers.
//! `rules` lists them all.

mod circles;
mod comments;
mod commits;
mod custom;
mod debt;
mod decisions;
mod emitted;
mod files;
mod finding;
mod kernel;
mod links;
mod names;
mod ports;
mod prose;
mod readers;
mod rules;
mod sentences;
mod sources;
mod spdx;
mod tokens;
mod tops;
mod tree;
mod width;

pub use readers::verilator_on;
pub use width::COLUMNS;

use crate::steps::Steps;
use anyhow::{bail, Context, Result};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask lint\n  \
    cargo xtask lint --sources\n  \
    cargo xtask lint hdl/src/stream\n  \
    cargo xtask lint --debts\n  \
    cargo xtask lint --fix\n  \
    cargo xtask lint --explain mixed-operators\n\n\
    Prints `file:line:col: rule: finding; what to write instead`. If there is a finding, the exit code is 1.\n\
    Without paths, the emitted Verilog of every bench top is also judged, by these rules, Verilator and Yosys.")]
pub struct Args {
    /// Files and folders to judge, sources only [default: the whole workspace]
    paths: Vec<PathBuf>,
    /// List the places that the counts of .ci/lint-debt.toml count, and judge nothing
    #[arg(long, conflicts_with_all = ["paths", "sources", "json"])]
    debts: bool,
    /// Write missing licence lines, and judge nothing
    #[arg(long, conflicts_with_all = ["sources", "debts", "json"])]
    fix: bool,
    /// Judge sources only, not the emitted Verilog
    #[arg(long)]
    sources: bool,
    /// Print the findings as a JSON list, nothing else
    #[arg(long)]
    json: bool,
    /// Explain a rule: its reason, and what to write; `all` lists every rule
    #[arg(long, value_name = "RULE", exclusive = true)]
    explain: Option<String>,
}

pub fn run(args: &Args) -> Result<()> {
    if let Some(name) = &args.explain {
        return explain(name);
    }
    let mut steps = Steps::new(args.json);
    if args.debts {
        steps.run("debts", sources::debts);
        return steps.finish();
    }
    if args.fix {
        steps.run("fix", |step| sources::fix(&args.paths, step));
        return steps.finish();
    }
    let mut findings = vec![];
    findings.extend(steps.run("sources", |step| sources::judge(&args.paths, step)).unwrap_or_default());
    if args.paths.is_empty() && !args.sources {
        findings.extend(steps.run("emitted", emitted::judge).unwrap_or_default());
        findings.extend(steps.run("verilator", readers::verilator).unwrap_or_default());
        findings.extend(steps.run("yosys", readers::yosys).unwrap_or_default());
    }
    findings.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    findings.dedup_by(|a, b| (&a.file, a.line, a.column, a.rule) == (&b.file, b.line, b.column, b.rule));
    if args.json {
        say!("{}", serde_json::to_string_pretty(&findings)?);
    } else {
        findings.iter().for_each(|f| say!("{f}"));
    }
    steps.finish()?;
    match findings.len() {
        0 => Ok(()),
        n => bail!("{n} findings; `cargo xtask lint --explain RULE` gives the reason of a rule"),
    }
}

fn explain(name: &str) -> Result<()> {
    if name == "all" {
        for rule in rules::ALL {
            say!("{:<20} {}", rule.name, rule.instead);
        }
        return Ok(());
    }
    let rule = rules::by_name(name)
        .with_context(|| format!("no rule `{name}`; `cargo xtask lint --explain all` lists them"))?;
    say!("{}\n\n{}\n\nInstead: {}.", rule.name, rule.why, rule.instead);
    Ok(())
}
