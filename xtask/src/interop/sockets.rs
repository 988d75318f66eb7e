// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the sockets of guests lie.
use anyhow::{Context, Result};
use std::path::PathBuf;

/// A folder for sockets, whose paths are short; it is removed in the end.
pub(super) struct Sockets(pub(super) PathBuf);

impl Sockets {
    pub(super) fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("ferrowarp-{}", std::process::id()));
        std::fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        // what stays behind in the folder for temporary files harms nobody
        drop(std::fs::remove_dir_all(&self.0));
    }
}
