// SPDX-License-Identifier: MIT OR Apache-2.0
//! The static library by Cargo, and the shared one by `cc` with a version script. rustc gives no
//! versions to the symbols of a `cdylib`.
use super::table::Symbol;
use crate::repo;
use crate::steps::Step;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cargo's profile of the library.
const PROFILE: &str = "library";
/// The library for LD_PRELOAD.
pub const INTERFACES: &str = "libferrowarp-interfaces.so";
/// The one file.
const LIBRARY: &str = "libferrowarp.so";
/// Its other names.
const NAMES: [&str; 4] = ["libibverbs.so.1", "librdmacm.so.1", "libmlx5.so.1", "libefa.so.1"];

/// Builds the crate and gives the path of its static library. The crate is built alone: another
/// crate would turn on the simulation of the driver.
pub fn archive(step: &Step) -> Result<PathBuf> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(repo::root()).args(["build", "-p", "ferrowarp-dropin", "--profile", PROFILE]);
    cargo.env("FERROWARP_SYMBOL_VERSIONS", "1");
    step.capture(cargo.arg("--lib").arg("--target-dir").arg(repo::target("")))?;
    Ok(repo::target(PROFILE).join("libferrowarp_dropin.a"))
}

/// Links `archive` to the library in `output`, and makes the links to it.
pub fn shared(step: &Step, archive: &Path, symbols: &[Symbol<'_>], output: &Path) -> Result<PathBuf> {
    let script = repo::target("dropin-symbols.map");
    repo::write(&script, &version_script(symbols))?;
    std::fs::create_dir_all(output).with_context(|| format!("cannot make {}", output.display()))?;
    let library = output.join(LIBRARY);
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-o"]).arg(&library).arg("-Wl,--whole-archive").arg(archive);
    cc.arg("-Wl,--no-whole-archive").arg(format!("-Wl,--version-script={}", script.display()));
    // a program would take a function of its own for ours without -Bsymbolic-functions
    cc.arg(format!("-Wl,-soname,{LIBRARY},--gc-sections,-z,defs,-Bsymbolic-functions,--strip-debug"));
    step.capture(cc.args(["-lgcc_s", "-lpthread", "-ldl", "-lm", "-lc"]))?;
    interfaces(step, &library)?;
    for name in NAMES {
        link(&output.join(name)).with_context(|| format!("cannot make the link {name}"))?;
    }
    Ok(library)
}

/// Makes the library for LD_PRELOAD beside the library `behind` that it needs.
fn interfaces(step: &Step, behind: &Path) -> Result<()> {
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-fPIC", "-shared", "-o"]).arg(behind.with_file_name(INTERFACES));
    cc.arg(repo::root().join("driver/dropin/interfaces.c")).arg(behind);
    step.capture(cc.args([&format!("-Wl,-soname,{INTERFACES},-z,defs,-rpath,$ORIGIN"), "-ldl"])).map(drop)
}

/// A link to the library, in the place of an earlier one.
fn link(at: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(at) {
        Err(why) if why.kind() != std::io::ErrorKind::NotFound => Err(why),
        _ => std::os::unix::fs::symlink(LIBRARY, at),
    }
}

/// A node of the script for each version. `local: *` has a node of its own: beside the names of a
/// node it would take their default away.
fn version_script(symbols: &[Symbol<'_>]) -> String {
    let mut nodes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for symbol in symbols {
        symbol.versions.iter().for_each(|version| nodes.entry(version).or_default().push(symbol.name));
    }
    let node =
        |(version, names): (&&str, &Vec<&str>)| format!("{version} {{ global: {}; }};\n", names.join("; "));
    nodes.iter().map(node).chain(["FERROWARP { local: *; };\n".into()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_stands_in_the_node_of_each_of_its_versions() {
        let symbol = |name, versions| Symbol { name, versions, answer: "written" };
        let symbols = [symbol("b", vec!["V1"]), symbol("a", vec!["V1", "V2"])];
        let script = version_script(&symbols);
        assert_eq!(script, "V1 { global: b; a; };\nV2 { global: a; };\nFERROWARP { local: *; };\n");
    }
}
