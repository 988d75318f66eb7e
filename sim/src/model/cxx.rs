//! The C++ compiler: which one, with which flags.
use super::{compile, Kind, ModelError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is looked for unless `CXX` names a compiler. Clang compiles a model in half of GCC's time, and the model is faster.
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

/// How hard to optimise: the code of every cycle, or code that runs once.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Speed {
    /// Evaluation: worth some compile time, but long compile times are paid by every change of the hardware.
    Fast,
    /// Construction and trace declarations.
    Slow,
}

/// One source to compile.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub(super) source: PathBuf,
    pub(super) object: PathBuf,
    pub(super) speed: Speed,
}

/// The C++ compiler that models are built with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    /// What is started: a program, or a program and its first words.
    pub name: String,
    /// Its version in its own words, for example `Debian Clang 16.0.6 (15~deb12u1)`.
    pub version: String,
    /// Whether it is Clang.
    pub is_clang: bool,
}

/// Looks for the compiler: `CXX`, else the first one of `clang++-16`, `clang++`, `g++` and `c++` that knows C++17.
///
/// # Errors
/// [`ModelError::Compiler`] with the name and version of each that does not do.
pub fn compiler() -> Result<Compiler, ModelError> {
    let named = std::env::var("CXX").ok().filter(|words| !words.trim().is_empty());
    match named {
        Some(words) => first(&[words]),
        None => first(&CANDIDATES.map(String::from)),
    }
}

/// The first of `programs` that knows C++17.
fn first(programs: &[String]) -> Result<Compiler, ModelError> {
    let mut refused = vec![];
    for name in programs {
        match probe(name) {
            Ok((is_clang, version)) => return Ok(Compiler { name: name.clone(), version, is_clang }),
            Err(why) => refused.push(format!("`{name}` {why}")),
        }
    }
    Err(ModelError::Compiler { why: refused.join("; ") })
}

/// A C++ compiler with the flags that the runtime and all models of one kind share.
#[derive(Debug)]
pub(super) struct Cxx {
    compiler: Compiler,
    kind: Kind,
    /// Folder of Verilator's runtime.
    include: PathBuf,
}

impl Cxx {
    /// The compiler that is there; `include` is the folder of Verilator's runtime.
    pub(super) fn find(include: &Path, kind: Kind) -> Result<Self, ModelError> {
        Ok(Self { compiler: compiler()?, kind, include: include.into() })
    }

    /// The command line up to the file names, without the folders of headers.
    fn words(&self, speed: Speed) -> Vec<String> {
        let traced = u8::from(self.kind == Kind::Traced);
        let flags = [
            if speed == Speed::Fast { "-O2" } else { "-O0" },
            "-std=c++17",
            "-fPIC",
            "-w",
            "-fno-strict-aliasing",
            "-fvisibility=hidden",
            "-DVERILATOR=1",
            "-DVM_COVERAGE=0",
            "-DVM_SC=0",
            "-DVM_TRACE_VCD=0",
        ];
        let mut words = vec![self.compiler.name.clone()];
        words.extend(flags.map(String::from));
        // The trace defines must be the same in every file: they change the classes.
        words.extend(["VM_TRACE", "VM_TRACE_FST"].map(|name| format!("-D{name}={traced}")));
        if !self.compiler.is_clang {
            // Several models live in one process, each with its own runtime: nothing may be unified across them.
            words.push("-fno-gnu-unique".into());
        }
        words
    }

    /// The command that compiles at this speed, up to the file names.
    fn command(&self, speed: Speed) -> Command {
        let words = self.words(speed);
        let mut command = started(&words[0]);
        command.args(&words[1..]).arg("-I").arg(&self.include).arg("-I").arg(self.include.join("vltstd"));
        command
    }

    /// Compiler and flags as text, for the content hash: neither a path of this machine's nor a variable of a test's.
    pub(super) fn identity(&self) -> String {
        let words = [Speed::Fast, Speed::Slow].map(|speed| self.words(speed).join(" "));
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

    /// Links objects into the shared library `out`, with zlib for the trace. The runtime of Verilator 5.48 asks libatomic
    /// whether atomics are free of locks.
    pub(super) fn link(&self, objects: &[PathBuf], out: &Path) -> Result<(), ModelError> {
        let mut run = self.command(Speed::Slow);
        run.arg("-shared").arg("-o").arg(out).args(objects).args(["-lpthread", "-latomic"]);
        if self.kind == Kind::Traced {
            run.arg("-lz");
        }
        compile::finished(run, out)
    }
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
    use std::os::unix::fs::PermissionsExt;

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
        // Cargo puts this into the environment of every test, with another value for another package
        assert!(!plain.contains(env!("CARGO_PKG_NAME")), "{plain}");
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| assert_eq!(identity(Kind::Plain), plain));
            }
        });
    }

    /// A compiler before C++17 is passed over where another one is there, and is named with its version where none is.
    #[test]
    fn a_compiler_without_c_17_is_refused_by_name_and_version() {
        let old = std::env::temp_dir().join(format!("fw-g++-4-{}", std::process::id()));
        let says =
            "#!/bin/sh\n[ \"$1\" = --version ] && echo 'g++ (GCC) 4.8.5' && exit\ncat > /dev/null\nexit 1\n";
        std::fs::write(&old, says).unwrap();
        std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o755)).unwrap();
        let name = old.display().to_string();
        let text = first(&["/nowhere/clang++".to_string(), name.clone()]).unwrap_err().to_string();
        for wanted in [&*name, "`g++ (GCC) 4.8.5`", "`/nowhere/clang++` does not start", "clang-16", "CXX"] {
            assert!(text.contains(wanted), "`{wanted}` is not in {text}");
        }
        assert_eq!(first(&[name, "g++".to_string()]).unwrap().name, "g++");
        std::fs::remove_file(&old).unwrap();
    }
}
