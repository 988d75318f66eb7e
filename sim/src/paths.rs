// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the workspace keeps what it builds.
use std::path::{Path, PathBuf};

/// Root of the workspace: the nearest folder above this crate that holds `Cargo.lock`.
pub fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().find(|d| d.join("Cargo.lock").is_file()).unwrap_or(here).to_path_buf()
}

/// The target folder: `CARGO_TARGET_DIR` (a relative one counts from the workspace), else `target`
/// in the workspace.
pub fn target() -> PathBuf {
    workspace().join(std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from))
}

/// `target/tools`, a virtual environment of Python: the wheels that `cargo xtask setup` installs
/// where apt cannot. It is in the workspace also where `CARGO_TARGET_DIR` is set.
pub fn tools() -> PathBuf {
    workspace().join("target/tools")
}

/// `target/models`: models, the Verilator runtime and their locks.
pub fn models() -> PathBuf {
    target().join("models")
}

/// `target/judge`: verdicts of Icarus, and the testbenches of those that differ.
pub fn judge() -> PathBuf {
    target().join("judge")
}

/// `target/sim`: what failing cases leave behind.
pub fn artefacts() -> PathBuf {
    target().join("sim")
}

/// `target/bench.json`: the figures of the benches.
pub fn bench_json() -> PathBuf {
    target().join("bench.json")
}
