// SPDX-License-Identifier: MIT OR Apache-2.0
//! What decides the text of an elaboration: the sources of this crate and of `abi`, and the
//! versions of all other crates.
//!
//! The build script hashes it, and so does who keeps emitted text.
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::Result;
use std::path::{Path, PathBuf};

/// Folders and files, below the workspace.
pub const SOURCES: [&str; 4] = ["hdl/src", "hdl/kernel/src", "abi/src", "Cargo.lock"];

/// A hash of names and octets of all files of [`SOURCES`] below `workspace`.
pub fn hash(workspace: &Path) -> Result<String> {
    let mut files = vec![];
    for source in SOURCES {
        gather(workspace, Path::new(source), &mut files)?;
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.hash(&mut hasher);
        std::fs::read(workspace.join(&file))?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// Adds `path`, or all files below it.
fn gather(workspace: &Path, path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if !workspace.join(path).is_dir() {
        files.push(path.into());
        return Ok(());
    }
    for entry in std::fs::read_dir(workspace.join(path))? {
        gather(workspace, &path.join(entry?.file_name()), files)?;
    }
    Ok(())
}
