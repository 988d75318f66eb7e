// SPDX-License-Identifier: MIT OR Apache-2.0
//! A board's Verilog behind a model of its PHY, in Icarus.
use super::built::Built;
use crate::{child, repo};
use anyhow::{bail, Context, Result};
use std::process::Command;

/// Models of the ECP5's cells and of the PHY, from the repository's root.
const MODELS: [&str; 2] = ["sim/models/rgmii_phy.v", "sim/models/ecp5_io.v"];

/// The end of the model's line when all is well.
const GOOD: &str = "came back";

/// Passes frames through the pins; returns what the model says at its end.
///
/// # Errors
/// The first octet that differs, or a light that is wrong, in the model's words.
pub fn run(built: &Built) -> Result<String> {
    let oscillator = &built.board.oscillator;
    let khz = built.board.clocks.get(oscillator);
    let khz = khz.with_context(|| format!("`oscillator` is `{oscillator}`, which [clocks] does not name"))?;
    let program = built.folder.join("loopback.vvp");
    let mut compile = Command::new("iverilog");
    compile.args(["-g2012", "-s", "rgmii_phy", &format!("-DCLOCK_PORT={oscillator}")]);
    compile.arg(format!("-DCLOCK_NS={:.6}", 1e6 / *khz as f64)).arg("-o").arg(&program);
    child::capture(compile.args(MODELS.map(|file| repo::root().join(file))).args(&built.loopback))?;
    let said = child::capture(Command::new("vvp").arg("-n").arg(&program))?;
    match said.lines().find(|line| line.ends_with(GOOD)) {
        Some(line) => Ok(line.to_string()),
        None => bail!("the loopback design does not give back what comes:\n{said}"),
    }
}
