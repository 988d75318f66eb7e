// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a guest needs, made once by the scripts of `tests/interop` and kept in `target/interop`.
//!
//! A stage is a script. Its stamp is a hash of the script, of the files it copies, and of the stage
//! before it: a stage whose stamp stands is not run again, one that was interrupted is run again
//! from its beginning.
use crate::repo;
use crate::steps::Step;
use anyhow::{bail, Context, Result};
use sha2::{Digest, Sha256};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// What a guest is booted from.
#[derive(Debug, Clone)]
pub struct Image {
    /// A Debian system that holds QEMU.
    pub root: PathBuf,
    /// The guest's kernel.
    pub kernel: PathBuf,
    /// Its first file system.
    pub initramfs: PathBuf,
}

/// A stage of the preparation.
struct Stage {
    name: &'static str,
    /// What it takes, cold, on a machine of two cores with a near mirror.
    takes: &'static str,
    /// Files that it copies, beside its script.
    files: &'static [&'static str],
    /// Folders that it is given, below `target/interop` or, those with a slash, below the
    /// repository.
    folders: &'static [&'static str],
}

const STAGES: [Stage; 4] = [
    Stage { name: "base", takes: "a minute", files: &[], folders: &["root"] },
    Stage { name: "packages", takes: "two minutes", files: &[], folders: &["root"] },
    Stage { name: "siw", takes: "a minute", files: &[], folders: &["root", "siw"] },
    Stage {
        name: "image",
        takes: "seconds",
        files: &["guest/init"],
        folders: &["root", "siw", "tests/interop/guest", "image"],
    },
];

/// The folder of everything that `interop` keeps.
pub fn home() -> PathBuf {
    repo::target("interop")
}

/// Holds `target/interop` for this process, waiting for another one that has it.
pub fn lock(step: &Step) -> Result<File> {
    let path = home().join("lock");
    std::fs::create_dir_all(home()).with_context(|| format!("cannot make {}", repo::shown(&home())))?;
    let file = File::create(&path).with_context(|| format!("cannot write {}", repo::shown(&path)))?;
    match file.try_lock() {
        Ok(()) => return Ok(file),
        Err(TryLockError::WouldBlock) => {
            step.line("    another `cargo xtask interop` is running in this folder: waiting for it");
        }
        Err(TryLockError::Error(e)) => {
            return Err(e).with_context(|| format!("cannot lock {}", repo::shown(&path)));
        }
    }
    file.lock().with_context(|| format!("cannot lock {}", repo::shown(&path)))?;
    Ok(file)
}

/// Runs the stages that have not been run; the caller holds the lock.
pub fn prepare(step: &Step) -> Result<Image> {
    let scripts = repo::root().join("tests/interop");
    let mut before = String::new();
    for stage in &STAGES {
        let wanted = stamp(stage, &scripts, &before)?;
        let path = home().join(format!("{}.stamp", stage.name));
        if std::fs::read_to_string(&path).ok().as_ref() != Some(&wanted) {
            run(stage, &scripts, step)?;
            repo::write(&path, &wanted)?;
        }
        before = wanted;
    }
    let image = home().join("image");
    Ok(Image { root: home().join("root"), kernel: image.join("vmlinux"), initramfs: image.join("initramfs") })
}

/// What a stage's output depends on, as a hash.
fn stamp(stage: &Stage, scripts: &Path, before: &str) -> Result<String> {
    let mut hash = Sha256::new();
    hash.update(before);
    let script = format!("{}.sh", stage.name);
    for file in std::iter::once(&*script).chain(stage.files.iter().copied()) {
        let path = scripts.join(file);
        let text = std::fs::read(&path).with_context(|| format!("cannot read {}", repo::shown(&path)))?;
        hash.update(&text);
    }
    Ok(hash.finalize().iter().map(|octet| format!("{octet:02x}")).collect())
}

/// Runs a stage; its log is kept beside its output.
fn run(stage: &Stage, scripts: &Path, step: &Step) -> Result<()> {
    if !is_root() {
        bail!(
            "`{}` must be prepared as root, as it makes a Debian system in a folder (debootstrap, chroot): run \
             `cargo xtask interop --prepare` once as root; the cases themselves need no privilege",
            stage.name
        );
    }
    step.line(&format!("    {}: about {} on a machine with two cores", stage.name, stage.takes));
    let start = Instant::now();
    let mut command = Command::new("nice");
    command.arg(scripts.join(format!("{}.sh", stage.name)));
    for folder in stage.folders {
        let base = if folder.contains('/') { repo::root() } else { home() };
        command.arg(base.join(folder));
    }
    let output = step.capture(&mut command).with_context(|| {
        format!(
            "stage `{}` failed; run again to go on from there, or delete {} to begin anew",
            stage.name,
            repo::shown(&home())
        )
    })?;
    repo::write(&home().join(format!("{}.log", stage.name)), &output)?;
    step.line(&format!("    {}: done in {:.0} s", stage.name, start.elapsed().as_secs_f64()));
    Ok(())
}

fn is_root() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|s| s.contains("\nUid:\t0\t0\t"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_changes_with_the_script_a_copied_file_and_the_stage_before() {
        let folder = std::env::temp_dir().join(format!("ferrowarp-stamp-{}", std::process::id()));
        let write = |file: &str, text: &str| repo::write(&folder.join(file), text).unwrap();
        let stage = Stage { name: "x", takes: "", files: &["copied"], folders: &[] };
        let stamp = |before: &str| stamp(&stage, &folder, before).unwrap();
        write("x.sh", "one");
        write("copied", "one");
        let first = stamp("");
        assert_eq!(first, stamp(""));
        assert_ne!(first, stamp("another"));
        write("copied", "two");
        let second = stamp("");
        write("x.sh", "two");
        let third = stamp("");
        assert!(first != second && second != third && first != third);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn every_stage_has_a_script_that_can_be_run() {
        use std::os::unix::fs::PermissionsExt;
        for stage in &STAGES {
            let path = repo::root().join("tests/interop").join(format!("{}.sh", stage.name));
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert!(mode & 0o100 != 0, "{} is not executable", path.display());
        }
    }
}
