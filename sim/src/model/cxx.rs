//! The C++ compiler, through the `cc` crate, outside of a build script.
use super::ModelError;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Compilers that run at once.
const JOBS: usize = 2;

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

/// A C++ compiler with the flags that the runtime and all models share.
pub(super) struct Cxx {
    fast: cc::Tool,
    slow: cc::Tool,
}

impl Cxx {
    /// Looks for the compiler (`CXX`, else the system's); `include` is the folder of Verilator's runtime.
    pub(super) fn find(include: &Path) -> Result<Self, ModelError> {
        let tool = |speed| {
            settings(include, speed)
                .try_get_compiler()
                .map_err(|e| ModelError::Compiler { why: e.to_string() })
        };
        Ok(Self { fast: tool(Speed::Fast)?, slow: tool(Speed::Slow)? })
    }

    /// The compiler's command line up to the file names.
    fn command(&self, speed: Speed) -> Command {
        let tool = if speed == Speed::Fast { &self.fast } else { &self.slow };
        let mut command = tool.to_command();
        if tool.is_like_gnu() {
            // Several models live in one process, each with its own runtime: nothing may be unified across them.
            command.arg("-fno-gnu-unique");
        }
        command
    }

    /// Compiler and flags as text, for the content hash. Not `Command`'s debug form: `cc` fills a command's
    /// environment, which names the package under test and the seed, and must not decide what is built.
    pub(super) fn identity(&self) -> String {
        let words = [Speed::Fast, Speed::Slow].map(|speed| {
            let command = self.command(speed);
            let words = std::iter::once(command.get_program()).chain(command.get_args());
            words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
        });
        words.join("\n")
    }

    /// Compiles all units, `JOBS` at a time; the error is that of the first unit that fails.
    pub(super) fn compile(&self, units: Vec<Unit>, extra_include: &Path) -> Result<(), ModelError> {
        // largest first, so that the last job is a short one
        let mut queue = units;
        queue.sort_by_key(|u| std::fs::metadata(&u.source).map_or(0, |m| m.len()));
        let queue = Mutex::new(queue);
        let next = || queue.lock().unwrap_or_else(|e| e.into_inner()).pop();
        let work = || -> Result<(), ModelError> {
            while let Some(unit) = next() {
                let mut run = self.command(unit.speed);
                run.arg("-I").arg(extra_include).arg("-c").arg(&unit.source).arg("-o").arg(&unit.object);
                finished(run, &unit.source)?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let jobs: Vec<_> = (0..JOBS).map(|_| scope.spawn(work)).collect();
            let ends = jobs.into_iter().map(|job| {
                job.join()
                    .unwrap_or_else(|_| Err(ModelError::Compiler { why: "a compile job panicked".into() }))
            });
            ends.collect::<Vec<_>>().into_iter().collect()
        })
    }

    /// Links objects into the shared library `out`, with zlib for the trace.
    pub(super) fn link(&self, objects: &[PathBuf], out: &Path) -> Result<(), ModelError> {
        let mut run = self.command(Speed::Slow);
        run.arg("-shared").arg("-o").arg(out).args(objects).args(["-lz", "-lpthread"]);
        finished(run, out)
    }
}

/// Flags of one speed.
fn settings(include: &Path, speed: Speed) -> cc::Build {
    let triple = match std::env::consts::OS {
        "macos" => format!("{}-apple-darwin", std::env::consts::ARCH),
        _ => format!("{}-unknown-linux-gnu", std::env::consts::ARCH),
    };
    let mut build = cc::Build::new();
    build.cargo_metadata(false).cpp(true).std("c++17").target(&triple).host(&triple);
    build.opt_level(if speed == Speed::Fast { 1 } else { 0 }).debug(false).pic(true).warnings(false);
    build.include(include).include(include.join("vltstd"));
    // The trace defines must be the same in every file: they change the classes.
    for (define, value) in [
        ("VM_COVERAGE", "0"),
        ("VM_SC", "0"),
        ("VM_TRACE", "1"),
        ("VM_TRACE_FST", "1"),
        ("VM_TRACE_VCD", "0"),
    ] {
        build.define(define, value);
    }
    build.define("VERILATOR", "1").flag("-fno-strict-aliasing").flag("-fvisibility=hidden");
    build
}

/// Runs a compiler to its end; its error text becomes a [`ModelError`].
fn finished(mut run: Command, about: &Path) -> Result<(), ModelError> {
    let ran =
        run.output().map_err(|e| ModelError::Compiler { why: format!("{run:?} does not start: {e}") })?;
    if ran.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
    Err(ModelError::Compile { file: about.into(), stderr })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identity_is_the_flags_and_nothing_of_the_environment() {
        let include = Path::new("/include");
        let identity = Cxx::find(include).unwrap().identity();
        for flag in ["-O1", "-O0", "-I /include/vltstd", "-DVM_TRACE_FST=1", "-fPIC"] {
            assert!(identity.contains(flag), "{flag} is not in {identity}");
        }
        // Cargo puts this into the environment of every test, with another value for another package
        assert!(!identity.contains(env!("CARGO_PKG_NAME")), "{identity}");
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| assert_eq!(Cxx::find(include).unwrap().identity(), identity));
            }
        });
    }
}
