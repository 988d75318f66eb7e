// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running a compiler: several files at once, and what it says when it fails.
use super::cxx::Unit;
use super::ModelError;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

/// Compilers that run at once.
const JOBS: usize = 2;

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
