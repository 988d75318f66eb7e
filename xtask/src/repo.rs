// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where things are.
use std::path::{Path, PathBuf};

/// The repository's root: the folder of the workspace.
pub fn root() -> PathBuf {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let xtask = xtask.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    xtask.parent().map(Path::to_path_buf).unwrap_or(xtask)
}

/// A path under `target/`, where everything that a command writes goes unless told otherwise.
pub fn target(sub: &str) -> PathBuf {
    root().join("target").join(sub)
}

/// A folder below `target` without what an earlier run left there. The folder is not made.
pub fn emptied(name: &str) -> anyhow::Result<PathBuf> {
    use anyhow::Context;
    let folder = target(name);
    match std::fs::remove_dir_all(&folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(e).with_context(|| format!("cannot empty {}", shown(&folder)))
        }
        _ => Ok(folder),
    }
}

/// A path as people read it: relative to the root where it lies below it.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Writes `text` to `path`, making its folder.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    use anyhow::Context;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Puts `target/tools/bin`, where [`crate::setup`] installs wheels, before the rest of `PATH`, for
/// this process and its children.
pub fn prefer_own_tools() {
    let own = ferrowarp_sim::paths::tools().join("bin");
    let old = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(own).chain(std::env::split_paths(&old));
    // An entry of the old PATH that cannot be joined (it holds a colon) came from no PATH; then
    // nothing is done.
    if let Ok(path) = std::env::join_paths(all) {
        std::env::set_var("PATH", path);
    }
}

/// Writes a shell script that tests run. Another process makes the file by copying: a file that
/// this process had open for writing may be inherited by a test that forks, and is then too busy
/// to be run.
///
/// # Panics
/// If the file cannot be made.
#[cfg(test)]
pub fn program(path: &Path, text: &str) {
    let beside = path.with_extension("txt");
    write(&beside, text).expect("a folder that can be written");
    let copied = std::process::Command::new("install").args(["-m", "755"]).arg(&beside).arg(path).status();
    assert!(copied.is_ok_and(|status| status.success()), "{} cannot be made", path.display());
    std::fs::remove_file(beside).expect("a file that was written");
}
