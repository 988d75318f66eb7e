// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests that cannot do on this machine what they are for: they say so, and return.
//!
//! The test runner has no outcome for that and reports `ok`. So a test leaves a record in the
//! folder that the variable [`FOLDER`] names. `cargo xtask test` reads the records, counts such a
//! test as skipped, and fails unless `.ci/allowed-skips` has it.
use crate::this_test;
use serde::{Deserialize, Serialize};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// Environment variable: the folder of the records. Without it a skipped test only says so.
pub const FOLDER: &str = "FERROWARP_SKIP_DIR";

/// A test that was skipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Test binary, without Cargo's hash.
    pub binary: String,
    /// Path of the test in its binary.
    pub name: String,
    /// What is missing.
    pub reason: String,
}

/// Says that the running test is skipped, and why; the caller returns then.
///
/// # Panics
/// Outside a test, on a thread that a test started, or if the record cannot be written.
pub fn skip(reason: &str) {
    let name = this_test::name().expect("a test is skipped on its own thread, not on one that it started");
    let skipped = Skipped { binary: this_test::binary(), name, reason: reason.into() };
    eprintln!("SKIPPED {}::{} {reason}", skipped.binary, skipped.name);
    if let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) {
        if let Err(e) = write(&folder, &skipped) {
            panic!("the record of a skipped test cannot be written to {}: {e}", folder.display());
        }
    }
}

/// One file for each test, so that tests of any process can write side by side.
fn write(folder: &Path, skipped: &Skipped) -> Result<()> {
    let file = format!("{}.{}.json", skipped.binary, skipped.name.replace("::", "."));
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(file), serde_json::to_vec(skipped)?)
}

/// The records in `folder`, in the order of their tests; none if the folder is not there.
///
/// # Errors
/// If the folder or a file in it cannot be read, or a file is no record: the file is named.
pub fn records(folder: &Path) -> Result<Vec<Skipped>> {
    let files = match std::fs::read_dir(folder) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(vec![]),
        files => files?,
    };
    let mut all = vec![];
    for file in files {
        let path = file?.path();
        let named = |e: Error| Error::new(e.kind(), format!("{}: {e}", path.display()));
        let octets = std::fs::read(&path).map_err(named)?;
        all.push(serde_json::from_slice::<Skipped>(&octets).map_err(|e| named(e.into()))?);
    }
    all.sort_by(|a, b| (&a.binary, &a.name).cmp(&(&b.binary, &b.name)));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written_and_a_damaged_one_is_named() {
        let folder = crate::paths::target().join(format!("skip-tests/{}", std::process::id()));
        assert_eq!(records(&folder).unwrap(), []);
        let one = |name: &str| Skipped { binary: "eth".into(), name: name.into(), reason: "no TAP".into() };
        for name in ["b::two", "a"] {
            write(&folder, &one(name)).unwrap();
        }
        assert_eq!(records(&folder).unwrap(), [one("a"), one("b::two")]);
        std::fs::write(folder.join("x.json"), "{}").unwrap();
        assert!(records(&folder).unwrap_err().to_string().contains("x.json"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
