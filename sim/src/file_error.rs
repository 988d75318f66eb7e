// SPDX-License-Identifier: MIT OR Apache-2.0
//! File operations that fail.
use std::path::{Path, PathBuf};

/// A file operation failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} {path}: {source}", path = .path.display())]
pub struct FileError {
    /// What was tried.
    pub what: &'static str,
    /// On which file or folder.
    pub path: PathBuf,
    /// The system's answer.
    pub source: std::io::Error,
}

/// What the system's answer to an operation on `path` is to a caller.
pub(crate) fn io<'a>(what: &'static str, path: &'a Path) -> impl FnOnce(std::io::Error) -> FileError + 'a {
    move |source| FileError { what, path: path.into(), source }
}
