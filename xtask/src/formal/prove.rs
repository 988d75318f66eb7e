// SPDX-License-Identifier: MIT OR Apache-2.0
//! One proof: Yosys makes a transition system of harness and text, yosys-smtbmc asks the solver.
use super::property::{Kind, Property};
use super::text::Modules;
use crate::{child, repo};
use anyhow::{bail, Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Seconds that one question to the solver may take.
const PATIENCE: &str = "150";

/// Reads harness and text and makes the transition system. Inputs that the harness leaves open are
/// free in every cycle. A wire with the attribute `hierconn` is the wire of the same path below an
/// instance: one that is left over names no wire.
const SCRIPT: &str = "read_verilog -sv -formal {harness}; read_verilog {words} dut.v; hierarchy -check -top {top}; proc; flatten; \
    select -assert-none w:* a:hierconn %i; opt_clean; setundef -undriven -anyseq; opt_expr -keepdc; opt_clean; opt_merge; \
    wreduce; opt_expr -keepdc; opt_clean; memory_collect; {clocks}; dffunmap; write_smt2 -wires model.smt2";

/// Warnings of Yosys that stand for a mistake in a harness.
const MISTAKES: &str = "Widening|implicitly declared|Resizing cell port";

/// What is asked about a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// It holds.
    Holds,
    /// Its seeded bug breaks it.
    BugIsFound,
}

impl Question {
    fn folder(self) -> &'static str {
        match self {
            Question::Holds => "proof",
            Question::BugIsFound => "bug",
        }
    }
}

/// A way in which a property breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Which assertion, and whether from reset or in the step of an induction.
    pub why: String,
    /// The waves.
    pub file: PathBuf,
}

/// Asks. `None`: nothing breaks the property.
///
/// # Errors
/// A harness or bug that does not fit the text; a tool that fails or finds no answer in time.
pub fn ask(property: &Property, text: &str, question: Question, solver: &str) -> Result<Option<Trace>> {
    let bug = (question == Question::BugIsFound).then_some(&property.bug);
    let verilog = Modules::of(text).below(&property.modules, &property.instead, bug)?;
    let folder = repo::target("formal").join(&property.name).join(question.folder());
    repo::write(&folder.join("dut.v"), &verilog)?;
    let script =
        SCRIPT.replace("{harness}", &property.file.to_string_lossy()).replace("{top}", &property.name);
    // with one clock each step is an edge of that clock
    let clocks = if property.has_two_clocks { "clk2fflogic" } else { "async2sync" };
    let script = script
        .replace("{clocks}", clocks)
        .replace("{words}", if property.has_words { "-mem2reg" } else { "" });
    let mut yosys = Command::new("yosys");
    child::capture(yosys.args(["-q", "-e", MISTAKES, "-p", &script]).current_dir(&folder))?;
    let trace = match question {
        Question::Holds => check(&folder, solver, property.depth + 1, false)?,
        Question::BugIsFound => check(&folder, solver, property.bug_depth, false)?,
    };
    if trace.is_some() || property.kind == Kind::Bounded || question == Question::BugIsFound {
        return Ok(trace);
    }
    check(&folder, solver, property.depth, true)
}

/// One run of yosys-smtbmc: the first `cycles` cycles, or the step of an induction.
fn check(folder: &Path, solver: &str, cycles: u32, step: bool) -> Result<Option<Trace>> {
    let waves = if step { "step.vcd" } else { "reset.vcd" };
    let mut command = Command::new("timeout");
    command.args([
        PATIENCE,
        "yosys-smtbmc",
        "-s",
        solver,
        "-t",
        &cycles.to_string(),
        "--noprogress",
        "--dump-vcd",
        waves,
    ]);
    if step {
        command.arg("-i");
    }
    let mut lines = vec![];
    let status =
        child::stream(command.arg("model.smt2").current_dir(folder), |line| lines.push(line.to_string()))?;
    let said = lines.join("\n");
    match lines.last().and_then(|line| line.rsplit_once("Status: ")) {
        Some((_, "PASSED")) if status.success() => Ok(None),
        Some((_, "FAILED")) => {
            let after = if step { "the step of the induction" } else { "a trace from reset" };
            let why = format!("{} in {after}", failed(&said).context("no assertion failed, says smtbmc")?);
            Ok(Some(Trace { why, file: folder.join(waves) }))
        }
        _ if status.code() == Some(124) => bail!("no answer in {PATIENCE} s"),
        _ => bail!("yosys-smtbmc gives no verdict ({status}):\n{said}"),
    }
}

/// The assertion that smtbmc says failed.
fn failed(said: &str) -> Option<String> {
    let line = said.lines().find(|line| line.contains("Assert failed in "))?;
    let (_, place) = line.split_once("Assert failed in ")?;
    let (_, place) = place.split_once(": ")?;
    Some(format!("assertion {}", place.split(" (").next().unwrap_or(place)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_assertion_that_failed_is_named() {
        let said = "##   0:00:00  BMC failed!\n##   0:00:00  Assert failed in skid: /x/skid.sv:16.27-16.62 ($assert$/x/skid.sv:16$21)\n";
        assert_eq!(failed(said).as_deref(), Some("assertion /x/skid.sv:16.27-16.62"));
        assert_eq!(failed("##   0:00:00  Status: PASSED"), None);
    }
}
