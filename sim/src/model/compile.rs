// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running a compiler: several files at once, and what it says when it fails.
use super::ModelError;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Compilers that run at once.
const JOBS: usize = 2;

/// How hard to optimise: the code of every cycle, or code that runs once.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Speed {
    /// Evaluation: worth some compile time, but long compile times are paid by every change of the
    /// hardware.
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

/// Calls `one` for each unit, [`JOBS`] at a time; the error is that of the first unit that fails.
pub(super) fn all(
    units: Vec<Unit>,
    one: impl Fn(&Unit) -> Result<(), ModelError> + Sync,
) -> Result<(), ModelError> {
    // largest first, so that the last job is a short one
    let mut queue = units;
    queue.sort_by_key(|u| std::fs::metadata(&u.source).map_or(0, |m| m.len()));
    let queue = Mutex::new(queue);
    let next = || queue.lock().unwrap_or_else(|e| e.into_inner()).pop();
    let work = || -> Result<(), ModelError> {
        while let Some(unit) = next() {
            one(&unit)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let jobs: Vec<_> = (0..JOBS).map(|_| scope.spawn(work)).collect();
        let ends = jobs.into_iter().map(|job| {
            job.join().unwrap_or_else(|_| Err(ModelError::Compiler { why: "a compile job panicked".into() }))
        });
        ends.collect::<Vec<_>>().into_iter().collect()
    })
}

/// Runs a compiler to its end; its error text becomes a [`ModelError`].
pub(super) fn finished(mut run: Command, about: &Path) -> Result<(), ModelError> {
    let ran =
        run.output().map_err(|e| ModelError::Compiler { why: format!("{run:?} does not start: {e}") })?;
    if ran.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
    Err(ModelError::Compile { file: about.into(), stderr })
}
