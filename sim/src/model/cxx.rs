// SPDX-License-Identifier: MIT OR Apache-2.0
//! The C++ compiler: which one, and with which flags; through the `cc` crate, outside of a build
//! script.
use super::compile::{self, Speed, Unit};
use super::processor::bits;
use super::{Kind, ModelError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is looked for unless `CXX` names a compiler. Clang compiles a model in half of GCC's time,
/// and the model is faster.
const CANDIDATES: [&str; 4] = ["clang++-16", "clang++", "g++", "c++"];

/// Prints a line that only a compiler of C++17 prints: its standard, its family, its version.
const PROBE: &str = r#"#ifdef __clang__
#define FAMILY clang
#else
#define FAMILY gnu
#endif
#if __cplusplus >= 201703L
#if __has_include(<optional>)
ferrowarp FAMILY __VERSION__
#endif
#endif
"#;

/// The C++ compiler that models are built with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    /// What is started: a program, or a program and its first words.
    pub name: String,
    /// Its version in its own words, for example `Debian Clang 16.0.6 (15~deb12u1)`.
    pub version: String,
    /// Whether it is Clang.
    pub is_clang: bool,
    /// Whether `CXX` names it.
    pub is_named: bool,
}

/// Looks for the compiler: `CXX`, else the first one of `clang++-16`, `clang++`, `g++` and `c++`
/// that knows C++17.
///
/// # Errors
/// [`ModelError::Compiler`] with the name and version of each that does not do.
pub fn compiler() -> Result<Compiler, ModelError> {
    let named = std::env::var("CXX").ok().filter(|words| !words.trim().is_empty());
    match named {
        Some(words) => Ok(Compiler { is_named: true, ..first(&[words])? }),
        None => first(&CANDIDATES.map(String::from)),
    }
}

/// The first of `programs` that knows C++17.
fn first(programs: &[String]) -> Result<Compiler, ModelError> {
    let mut refused = vec![];
    for name in programs {
        match probe(name) {
            Ok((is_clang, version)) => {
                return Ok(Compiler { name: name.clone(), version, is_clang, is_named: false })
            }
            Err(why) => refused.push(format!("`{name}` {why}")),
        }
    }
    Err(ModelError::Compiler { why: refused.join("; ") })
}

/// A C++ compiler with the flags that the runtime and all models of one kind share.
pub(super) struct Cxx {
    compiler: Compiler,
    fast: cc::Tool,
    slow: cc::Tool,
    kind: Kind,
    /// Folder of Verilator's runtime.
    include: PathBuf,
}

impl Cxx {
    /// The compiler that is there; `include` is the folder of Verilator's runtime.
    pub(super) fn find(include: &Path, kind: Kind) -> Result<Self, ModelError> {
        let compiler = compiler()?;
        let build = settings(&compiler, kind);
        let tool = |level| {
            let tool = build.clone().opt_level(level).try_get_compiler();
            tool.map_err(|e| ModelError::Compiler { why: format!("`{}`: {e}", compiler.name) })
        };
        // a model that counts runs once for each set of figures, and is compiled as often
        let (fast, slow) = (tool(if kind == Kind::Covered { 1 } else { 2 })?, tool(0)?);
        Ok(Self { compiler, fast, slow, kind, include: include.into() })
    }

    /// The compiler's command line up to the file names, without the folders of headers.
    fn bare(&self, speed: Speed) -> Command {
        let tool = if speed == Speed::Fast { &self.fast } else { &self.slow };
        let mut command = tool.to_command();
        if !self.compiler.is_clang {
            // Several models live in one process, each with its own runtime: nothing may be unified
            // across them.
            command.arg("-fno-gnu-unique");
        }
        command
    }

    /// The command that compiles at this speed, up to the file names.
    fn command(&self, speed: Speed) -> Command {
        let mut command = self.bare(speed);
        command.arg("-I").arg(&self.include).arg("-I").arg(self.include.join("vltstd"));
        command
    }

    /// Compiler and flags as text, for the content hash, without a path of this machine's. Not
    /// `Command`'s debug form: `cc` fills a command's environment, which names the package under
    /// test and the seed, and must not decide what is built.
    pub(super) fn identity(&self) -> String {
        let words = [Speed::Fast, Speed::Slow].map(|speed| {
            let command = self.bare(speed);
            let words = std::iter::once(command.get_program()).chain(command.get_args());
            words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
        });
        format!("{}\n{}", self.compiler.version, words.join("\n"))
    }

    /// Compiles all units, some at a time; the error is that of the first unit that fails.
    pub(super) fn compile(&self, units: Vec<Unit>, extra_include: &Path) -> Result<(), ModelError> {
        compile::all(units, |unit| {
            let mut run = self.command(unit.speed);
            run.arg("-I").arg(extra_include).arg("-c").arg(&unit.source).arg("-o").arg(&unit.object);
            compile::finished(run, &unit.source)
        })
    }

    /// Links objects into the shared library `out`, with zlib for the trace. The runtime of
    /// Verilator 5.48 asks libatomic whether atomics are free of locks.
    pub(super) fn link(&self, objects: &[PathBuf], out: &Path) -> Result<(), ModelError> {
        let mut run = self.command(Speed::Slow);
        run.arg("-shared").arg("-o").arg(out).args(objects).args(["-lpthread", "-latomic"]);
        if self.kind == Kind::Traced {
            run.arg("-lz");
        }
        compile::finished(run, out)
    }
}

/// Flags of a kind of models.
fn settings(compiler: &Compiler, kind: Kind) -> cc::Build {
    let triple = match std::env::consts::OS {
        "macos" => format!("{}-apple-darwin", std::env::consts::ARCH),
        _ => format!("{}-unknown-linux-gnu", std::env::consts::ARCH),
    };
    let mut build = cc::Build::new();
    build.cargo_metadata(false).cpp(true).std("c++17").target(&triple).host(&triple);
    if !compiler.is_named {
        // what `CXX` names, `cc` takes apart: it may be `ccache g++`
        build.compiler(&compiler.name);
    }
    build.debug(false).pic(true).warnings(false);
    // The trace defines must be the same in every file: they change the classes.
    let traced = if kind == Kind::Traced { "1" } else { "0" };
    for (define, value) in [
        ("VM_COVERAGE", "0"),
        ("VM_SC", "0"),
        ("VM_TRACE", traced),
        ("VM_TRACE_FST", traced),
        ("VM_TRACE_VCD", "0"),
        ("VERILATOR", "1"),
    ] {
        build.define(define, value);
    }
    build.flag("-fno-strict-aliasing").flag("-fvisibility=hidden");
    for flag in bits() {
        build.flag(flag);
    }
    build
}

/// The command of a program, which may have words of its own: `CXX` may be `ccache g++`.
fn started(name: &str) -> Command {
    let mut words = name.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words);
    command
}

/// Whether the compiler is Clang, and its version. The error says why the compiler cannot be used.
fn probe(program: &str) -> Result<(bool, String), String> {
    let mut command = started(program);
    command.args(["-std=c++17", "-E", "-P", "-x", "c++", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|e| format!("does not start: {e}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // a compiler that refuses the flags need not read
        drop(stdin.write_all(PROBE.as_bytes()));
    }
    let out = child.wait_with_output().map_err(|e| format!("does not end: {e}"))?;
    let text = String::from_utf8_lossy(&out.stdout);
    let said = text.lines().find_map(|line| line.strip_prefix("ferrowarp "));
    let family = said.and_then(|said| said.split_once(' '));
    match family {
        Some((family, version)) => Ok((family == "clang", version.trim_matches('"').into())),
        None => Err(format!(
            "is too old or incomplete, as it has no C++17: its version is {}",
            own_version(program)
        )),
    }
}

/// What a compiler says first when it is asked for its version.
fn own_version(program: &str) -> String {
    let said = started(program).arg("--version").output().map(|out| out.stdout).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    said.lines().next().map_or_else(|| "not told".into(), |line| format!("`{}`", line.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identity_is_the_flags_and_nothing_of_the_environment() {
        let include = Path::new("/include");
        let identity = |kind| Cxx::find(include, kind).unwrap().identity();
        let plain = identity(Kind::Plain);
        for flag in ["-O2", "-O0", "-DVM_TRACE=0", "-DVM_TRACE_FST=0", "-fPIC"] {
            assert!(plain.contains(flag), "{flag} is not in {plain}");
        }
        assert!(identity(Kind::Traced).contains("-DVM_TRACE_FST=1"));
        // a second clone of the repository has the headers elsewhere, and the same models
        assert!(!plain.contains("/include"), "{plain}");
        // Cargo puts this into the environment of every test, with another value for another
        // package
        assert!(!plain.contains(env!("CARGO_PKG_NAME")), "{plain}");
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| assert_eq!(identity(Kind::Plain), plain));
            }
        });
    }

    /// A compiler before C++17 is passed over where another one is there, and is named with its
    /// version where none is.
    #[test]
    fn a_compiler_without_c_17_is_refused_by_name_and_version() {
        let old = std::env::temp_dir().join(format!("fw-g++-4-{}", std::process::id()));
        let says =
            "#!/bin/sh\n[ \"$1\" = --version ] && echo 'g++ (GCC) 4.8.5' && exit\ncat > /dev/null\nexit 1\n";
        crate::program::script(&old, says);
        let name = old.display().to_string();
        let text = first(&["/nowhere/clang++".to_string(), name.clone()]).unwrap_err().to_string();
        for wanted in [&*name, "`g++ (GCC) 4.8.5`", "`/nowhere/clang++` does not start", "clang-16", "CXX"] {
            assert!(text.contains(wanted), "`{wanted}` is not in {text}");
        }
        assert_eq!(first(&[name, "g++".to_string()]).unwrap().name, "g++");
        std::fs::remove_file(&old).unwrap();
    }
}
