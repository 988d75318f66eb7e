// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that tests write and run.
use std::path::Path;
use std::process::Command;

/// Writes a shell script that can be run. Another process makes the file by copying: a file that
/// this process had open for writing may be inherited by a test that forks, and is then too busy
/// to be run.
///
/// # Panics
/// If the file cannot be made.
pub fn script(path: &Path, text: &str) {
    let beside = path.with_extension("txt");
    std::fs::write(&beside, text).expect("a folder that can be written");
    let copied = Command::new("install").args(["-m", "755"]).arg(&beside).arg(path).status();
    assert!(copied.is_ok_and(|status| status.success()), "{} cannot be made", path.display());
    std::fs::remove_file(beside).expect("a file that was written");
}
