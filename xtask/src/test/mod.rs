//! `test`: everything that must hold before work lands, step by step.

pub mod results;
mod run;
mod skips;

use crate::steps::{Step, Steps};
use crate::{icarus, models, repo, setup};
use anyhow::{bail, Context, Result};
use results::{Outcome, Results};
use std::process::Command;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask test\n  \
    cargo xtask test --full                  more seeds and longer runs\n  \
    cargo xtask test --only fmt,clippy,lint\n\n\
    Outcomes go to target/test-results.json; a skipped test fails unless .ci/allowed-skips names it with a\n\
    reason. `FERROWARP_SEED=n cargo test -p ferrowarp-tests NAME` repeats one seed.")]
pub struct Args {
    /// More seeds: minutes become an hour
    #[arg(long)]
    full: bool,
    /// Steps to run; default: all of them
    #[arg(long, value_delimiter = ',', value_name = "STEP")]
    only: Vec<String>,
}

/// A step: its name and what it does.
type Part = (&'static str, fn(&Step, &Args) -> Result<()>);

/// Cheap ones first: what a person got wrong is said before the compiler and the simulator start.
const PARTS: [Part; 11] = [
    ("setup", |step, _| setup::ensure(step)),
    ("fmt", |step, _| step.capture(cargo().args(["fmt", "--all", "--", "--check"])).map(drop)),
    ("gen", |step, _| step.capture(&mut own(&["gen", "--check"])?).map(drop)),
    ("lint", |step, _| step.capture(&mut own(&["lint"])?).map(drop)),
    ("clippy", |step, _| clippy(step)),
    ("models", |step, _| models::build(step)),
    ("icarus", |step, _| icarus::judge_all(step)),
    ("tests", |step, args| tests(step, args.full)),
    ("synth", |step, _| synth(step)),
    ("conformance", |step, _| conformance(step)),
    ("interop", |step, _| interop(step)),
];

pub fn run(args: &Args) -> Result<()> {
    let names = PARTS.map(|(name, _)| name);
    if let Some(stranger) = args.only.iter().find(|o| !names.contains(&o.as_str())) {
        bail!("no step `{stranger}`; there are {}", names.join(", "));
    }
    let chosen = |name: &str| args.only.is_empty() || args.only.iter().any(|o| o == name);
    let mut steps = Steps::new(false);
    for (name, body) in PARTS.into_iter().filter(|(name, _)| chosen(name)) {
        steps.run(name, |step| body(step, args));
    }
    let result = steps.finish();
    if chosen("tests") {
        // The closing line that the workplace's CI reads.
        let results = Results::load()?;
        say!("{} passed, {} failed", results.count(Outcome::Ok), results.count(Outcome::Failed));
    }
    result
}

/// The Cargo that runs us, else the one on PATH.
fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(repo::root());
    cargo
}

/// Another command of this program.
fn own(args: &[&str]) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe().context("cannot find this program")?);
    command.args(args).current_dir(repo::root());
    Ok(command)
}

/// The table of the requirements that the tests just run prove; its end is worth a look each time.
fn conformance(step: &Step) -> Result<()> {
    let table = step.capture(&mut own(&["conformance"])?)?;
    table.lines().for_each(|l| step.line(&format!("    {l}")));
    Ok(())
}

/// Maps the parts of the device that changed since they were recorded, against their budgets.
fn synth(step: &Step) -> Result<()> {
    let said = step.capture(&mut own(&["synth", "--changed"])?)?;
    let table = said.lines().skip_while(|line| !line.starts_with("changed"));
    table.take_while(|line| !line.is_empty()).for_each(|l| step.line(&format!("    {l}")));
    Ok(())
}

/// What Linux says to the device; the table of its cases.
fn interop(step: &Step) -> Result<()> {
    let said = step.capture(&mut own(&["interop"])?)?;
    let table = said.lines().skip_while(|line| !line.starts_with("case"));
    table.take_while(|line| !line.is_empty()).for_each(|l| step.line(&format!("    {l}")));
    Ok(())
}

fn clippy(step: &Step) -> Result<()> {
    let args = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    step.capture(cargo().args(args)).map(drop)
}

fn tests(step: &Step, full: bool) -> Result<()> {
    let proofs = repo::target("conformance");
    match std::fs::remove_dir_all(&proofs) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            return Err(e).with_context(|| format!("cannot empty {}", repo::shown(&proofs)));
        }
        _ => {}
    }
    let mut command = cargo();
    command.args(["test", "--workspace", "--no-fail-fast"]).env("FERROWARP_PROOF_DIR", &proofs);
    command.env("RUSTDOC", repo::root().join(".ci/rustdoc"));
    if full {
        command.env("FERROWARP_FULL", "1");
    }
    let (results, ended) = run::run(step, &mut command)?;
    results.save()?;
    ended?;
    skips::Skips::load()?.check(&results.named(Outcome::Ignored))
}
