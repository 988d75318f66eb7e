// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the steps of `test` do.
use super::results::Outcome;
use super::run;
use super::skips::Skips;
use crate::demo::browser;
use crate::floors::{self, Floors};
use crate::steps::Step;
use crate::{bench, repo, setup};
use anyhow::{Context, Result};
use ferrowarp_sim::skip::{self, Skipped};
use std::process::Command;

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

/// The same, for a step beside which tests watch the clock: they come first.
fn own_behind(args: &[&str]) -> Result<Command> {
    let mut command = Command::new("nice");
    command.arg(std::env::current_exe().context("cannot find this program")?);
    command.args(args).current_dir(repo::root());
    Ok(command)
}

/// Runs another command of this program, and keeps the table that begins with a line like `head`
/// and ends with an empty one.
fn with_table(step: &Step, args: &[&str], head: &str) -> Result<()> {
    table_of(step, &mut own(args)?, head)
}

fn table_of(step: &Step, command: &mut Command, head: &str) -> Result<()> {
    let said = step.capture(command)?;
    let table = said.lines().skip_while(|line| !line.starts_with(head));
    table.take_while(|line| !line.is_empty()).for_each(|line| step.line(&format!("    {line}")));
    Ok(())
}

/// The tools that any command needs, and the browser of the tests.
pub fn setup(step: &Step) -> Result<()> {
    setup::ensure(step)?;
    setup::ensure_browser(step)
}

pub fn fmt(step: &Step) -> Result<()> {
    step.capture(cargo().args(["fmt", "--all", "--", "--check"])).map(drop)
}

pub fn gen(step: &Step) -> Result<()> {
    step.capture(&mut own(&["gen", "--check"])?).map(drop)
}

/// The commits that changed the floors. The figures themselves are held against them by `tests` and
/// `conformance`.
pub fn floors(step: &Step) -> Result<()> {
    step.line(&format!("    {}", floors::looked(&floors::history::check()?)));
    Ok(())
}

pub fn lint(step: &Step) -> Result<()> {
    step.capture(&mut own(&["lint"])?).map(drop)
}

pub fn clippy(step: &Step) -> Result<()> {
    let args = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    step.capture(cargo().args(args)).map(drop)
}

/// What `tests` runs, compiled ahead: beside it other steps use the core that a linker leaves.
pub fn build(step: &Step) -> Result<()> {
    step.capture(cargo().args(["test", "--workspace", "--no-run"])).map(drop)
}

/// The table of the requirements that the tests just run prove; its end is worth a look each time.
pub fn conformance(step: &Step) -> Result<()> {
    with_table(step, &["conformance"], "matrix")
}

/// The guest's image for `interop`, which comes over the network: the cores are free meanwhile.
pub fn image(step: &Step) -> Result<()> {
    step.capture(&mut own(&["interop", "--prepare"])?).map(drop)
}

/// Fails if a part of the device is not the one that was recorded.
pub fn synth(step: &Step) -> Result<()> {
    with_table(step, &["synth", "--changed"], "changed")
}

/// The properties of the emitted text, each with the bug that breaks it.
pub fn formal(step: &Step) -> Result<()> {
    with_table(step, &["formal"], "property")
}

/// The benches that are fast enough for each run, with their bars.
pub fn bench(step: &Step) -> Result<()> {
    table_of(step, &mut own_behind(&["bench", "--only", &bench::IN_CI.join(",")])?, "key")
}

/// How fast this machine simulates, and the bar of a rest in wall time.
pub fn speed(step: &Step) -> Result<()> {
    with_table(step, &["bench", "--only", &bench::ALONE.join(",")], "key")
}

/// Parts of a campaign in each run: those whose agents have stood the longest runs.
const CAMPAIGN: &str = "F1,F2,F3-floods,F3-grammar,F4,F4-bar,F5-resets,F7";

/// Runs of a campaign with a fresh seed, which stands in the output; minutes of wall time.
pub fn campaign(step: &Step, full: bool) -> Result<()> {
    let minutes = if full { "30" } else { "1.2" };
    let said = step.capture(&mut own(&["campaign", "--part", CAMPAIGN, "--minutes", minutes])?)?;
    let shown = |line: &&str| line.trim_start().starts_with("seed ");
    said.lines().filter(shown).for_each(|line| step.line(line));
    let table = said.lines().skip_while(|line| !line.starts_with("figure"));
    table.take_while(|line| !line.is_empty()).for_each(|line| step.line(&format!("    {line}")));
    Ok(())
}

/// What a visitor sees first, on the terminal and as a page.
pub fn demo(step: &Step) -> Result<()> {
    let folder = repo::target("demo");
    let page = folder.join("demo.html");
    let file = page.display().to_string();
    with_table(step, &["demo", "--html", &file], "operation")?;
    setup::browser()?;
    let look = browser::look(&page, &folder)?;
    let pictures = look.pictures.map(|picture| repo::shown(&picture)).join(", ");
    step.line(&format!("    the page has {} rows: {pictures}", look.document.matches("<tr").count()));
    Ok(())
}

/// What others take away, unpacked where nothing else is.
pub fn release(step: &Step) -> Result<()> {
    step.capture(&mut own(&["release", "--try"])?).map(drop)
}

/// The library that stands in for libibverbs, and the versions of its symbols.
pub fn library(step: &Step) -> Result<()> {
    step.capture(&mut own_behind(&["dropin"])?).map(drop)
}

/// Programs of rdma-core on the library that stands in for libibverbs.
pub fn dropin(step: &Step, full: bool) -> Result<()> {
    let mut command = own(&["dropin", "--try"])?;
    if full {
        command.env("FERROWARP_FULL", "1");
    }
    step.capture(&mut command).map(drop)
}

/// What Linux says to the device; the table of its cases.
pub fn interop(step: &Step, full: bool) -> Result<()> {
    let mut command = own(&["interop"])?;
    if full {
        command.env("FERROWARP_FULL", "1");
    }
    table_of(step, &mut command, "case")
}

/// Linux and the daemon of the carrier at the pins of a board.
pub fn pins(step: &Step) -> Result<()> {
    with_table(step, &["demo", "--board", "ecpix5"], "operation")
}

pub fn tests(step: &Step, full: bool) -> Result<()> {
    let (proofs, skips) = (repo::emptied("conformance")?, repo::emptied("skips")?);
    let mut command = cargo();
    command.args(["test", "--workspace", "--no-fail-fast"]);
    command.env("FERROWARP_PROOF_DIR", &proofs).env(skip::FOLDER, &skips);
    command.env("RUSTDOC", repo::root().join(".ci/rustdoc"));
    if full {
        command.env("FERROWARP_FULL", "1");
    }
    let (mut results, ended) = run::run(step, &mut command)?;
    for skipped in skip::records(&skips)? {
        let Skipped { binary, name, reason } = &skipped;
        step.line(&format!("    skipped: {binary}::{name}  {reason}"));
        results.skip(&skipped);
    }
    results.save()?;
    ended?;
    Skips::load()?.check(&results.named(Outcome::Ignored))?;
    floors::judge::tests(&Floors::load()?.tests, &floors::counted(&results))
}
