// SPDX-License-Identifier: MIT OR Apache-2.0
//! Headless Chromium: only for the tests of pages, so no part of what `ensure` looks for.
use super::install;
use super::tools::{Query, State, Tool};
use crate::steps::Step;
use anyhow::{bail, Context, Result};

const CHROMIUM: Tool = Tool {
    name: "chromium-headless-shell",
    query: Query::Shell("chromium-headless-shell --version"),
    package: "chromium-headless-shell",
    wheel: None,
};
/// Letters: Chromium comes without any.
const FONT: Tool = Tool {
    name: "DejaVu fonts",
    query: Query::Shell("ls /usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"),
    package: "fonts-dejavu-core",
    wheel: None,
};

/// Whether there is a headless Chromium; the error says what to do.
pub fn browser() -> Result<()> {
    match CHROMIUM.state() {
        State::Missing(why) => {
            bail!("no headless Chromium ({why}): `cargo xtask test --only setup` installs one")
        }
        State::Good(_) | State::Lesser(_) => Ok(()),
    }
}

/// Installs Debian's headless Chromium, and letters for it, unless they are there.
///
/// # Errors
/// They are missing, and cannot be installed.
pub fn ensure_browser(step: &Step) -> Result<()> {
    let missing: Vec<_> =
        [&CHROMIUM, &FONT].into_iter().filter(|t| matches!(t.state(), State::Missing(_))).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.iter().map(|tool| tool.package).collect::<Vec<_>>().join(" ");
    step.line(&format!("    missing: {names}"));
    if !install::can_apt() {
        bail!("the tests of pages need these packages of Debian: install {names} as root");
    }
    install::packages(step, &missing).context("packages for the tests of pages")?;
    browser()
}
