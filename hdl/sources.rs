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

/// The sources below `workspace`, in their order: Rust files of the folders of [`SOURCES`], and the
/// files that `SOURCES` names. Other files of the folders decide nothing.
pub fn files(workspace: &Path) -> Result<Vec<PathBuf>> {
    let mut files = vec![];
    for source in SOURCES {
        gather(workspace, Path::new(source), &mut files)?;
    }
    files.sort();
    Ok(files)
}

/// A hash of names and octets of all [`files`].
pub fn hash(workspace: &Path) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for file in files(workspace)? {
        file.hash(&mut hasher);
        std::fs::read(workspace.join(&file))?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// Adds `path`, or all Rust files below it.
fn gather(workspace: &Path, path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if !workspace.join(path).is_dir() {
        files.push(path.into());
        return Ok(());
    }
    for entry in std::fs::read_dir(workspace.join(path))? {
        let path = path.join(entry?.file_name());
        if path.extension().is_some_and(|kind| kind == "rs") || workspace.join(&path).is_dir() {
            gather(workspace, &path, files)?;
        }
    }
    Ok(())
}
