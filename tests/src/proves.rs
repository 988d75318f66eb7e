// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests say which requirements they prove: `let _proof = proves("MPA-4.4-14");` at the start of
//! the test.
//!
//! A proof is written to `$FERROWARP_PROOF_DIR` (default `target/conformance`) when the test ends
//! without a panic. `cargo xtask conformance` joins the proofs with the results of the last
//! `cargo xtask test`, so only tests that ran and passed count.

pub mod matrix;

use ferrowarp_sim::this_test;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Rows that one test may prove: a test that claims more proves none of them well.
pub const ROWS_PER_TEST: usize = 3;

/// How a row was proved.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// From the wire or from verbs.
    Wire,
    /// By the bench of one stage only.
    Model,
}

/// What a test leaves behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Test binary, without Cargo's hash.
    pub binary: String,
    /// Name of the test in its binary.
    pub name: String,
    /// Rows proved.
    pub ids: Vec<String>,
    /// How.
    pub kind: Kind,
    /// The device that a script ran on. A script names rows at each step, so it may prove more of
    /// them than a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// Held by a test that proves rows; dropping it without a panic writes the record.
#[derive(Debug)]
#[must_use = "the proof is written when this is dropped: keep it to the end of the test, `let _proof = proves(..);`"]
pub struct Proof {
    record: Record,
    folder: PathBuf,
}

/// This test proves row `id` from the wire or from verbs.
///
/// # Panics
/// If no matrix has the row, if the test claims more than [`ROWS_PER_TEST`] rows, or outside a
/// test.
pub fn proves(id: &str) -> Proof {
    claim(&[id], Kind::Wire)
}

/// As [`proves`], for up to three rows.
///
/// # Panics
/// As [`proves`].
pub fn proves_rows(ids: &[&str]) -> Proof {
    claim(ids, Kind::Wire)
}

/// This bench of one stage proves row `id`.
///
/// # Panics
/// As [`proves`].
pub fn proves_model(id: &str) -> Proof {
    claim(&[id], Kind::Model)
}

/// As [`proves_model`], for up to three rows.
///
/// # Panics
/// As [`proves`].
pub fn proves_model_rows(ids: &[&str]) -> Proof {
    claim(ids, Kind::Model)
}

thread_local! {
    /// Rows claimed by this test: the test harness gives each test a thread of its own.
    static CLAIMED: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
}

fn claim(ids: &[&str], kind: Kind) -> Proof {
    claim_in(ids, kind, proofs())
}

/// Where proofs are written.
fn proofs() -> PathBuf {
    std::env::var_os("FERROWARP_PROOF_DIR")
        .map_or_else(|| ferrowarp_sim::paths::target().join("conformance"), PathBuf::from)
}

/// What a script has proved: its steps have each named the rows that they check.
pub fn write_proof(record: &Record) -> std::io::Result<()> {
    if record.ids.is_empty() {
        return Ok(());
    }
    write(&proofs(), record)
}

fn claim_in(ids: &[&str], kind: Kind, folder: PathBuf) -> Proof {
    for id in ids {
        assert!(matrix::row(id).is_some(), "`{id}` is no row of the matrices in tests/conformance");
    }
    let count = CLAIMED.with_borrow_mut(|claimed| {
        claimed.extend(ids.iter().map(|id| id.to_string()));
        claimed.len()
    });
    assert!(
        count <= ROWS_PER_TEST,
        "this test claims {count} rows, at most {ROWS_PER_TEST} are allowed: split it, one behaviour a test"
    );
    let name =
        this_test::name().expect("rows are proved on the thread of a test, not on one that it started");
    let ids = ids.iter().map(|id| id.to_string()).collect();
    let record = Record { binary: this_test::binary(), name, ids, kind, device: None };
    Proof { record, folder }
}

impl Drop for Proof {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            if let Err(e) = write(&self.folder, &self.record) {
                panic!("the proof cannot be written to {}: {e}", self.folder.display());
            }
        }
    }
}

/// One file for each claim of each test, so that tests of any process can write side by side.
fn write(folder: &Path, record: &Record) -> std::io::Result<()> {
    let Record { binary, name, ids, .. } = record;
    // a script proves more rows than the name of a file holds
    let ids = if ids.len() > ROWS_PER_TEST { "all".into() } else { ids.join("+") };
    let file = format!("{binary}.{}.{ids}.json", name.replace("::", "."));
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(file), serde_json::to_vec(record)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder =
            ferrowarp_sim::paths::target().join(format!("proof-tests/{name}-{}", std::process::id()));
        // Left over from a process of the same number; if it is not there, nothing is to be
        // removed.
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    fn records(folder: &Path) -> Vec<Record> {
        let Ok(files) = std::fs::read_dir(folder) else { return vec![] };
        files.map(|f| serde_json::from_slice(&std::fs::read(f.unwrap().path()).unwrap()).unwrap()).collect()
    }

    #[test]
    fn a_proof_is_written_at_the_end_with_the_name_of_its_test() {
        let folder = folder("written");
        let proof = claim_in(&["MPA-4.4-14"], Kind::Model, folder.clone());
        assert_eq!(records(&folder), []);
        drop(proof);
        let expected = Record {
            binary: "ferrowarp_tests".into(),
            name: "proves::tests::a_proof_is_written_at_the_end_with_the_name_of_its_test".into(),
            ids: vec!["MPA-4.4-14".into()],
            kind: Kind::Model,
            device: None,
        };
        assert_eq!(records(&folder), [expected]);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_test_that_panics_proves_nothing() {
        let folder = folder("panics");
        let inner = folder.clone();
        let ended = std::thread::Builder::new().name("some::test".into()).spawn(move || {
            let _proof = claim_in(&["MPA-4.4-14"], Kind::Wire, inner);
            panic!("as a failing test does");
        });
        assert!(ended.unwrap().join().is_err());
        assert_eq!(records(&folder), []);
    }

    #[test]
    #[should_panic(expected = "`MPA-99` is no row")]
    fn an_unknown_row_is_refused() {
        let _proof = proves("MPA-99");
    }

    #[test]
    #[should_panic(expected = "claims 4 rows")]
    fn a_fourth_row_is_refused_however_the_claims_are_split() {
        let folder = folder("four");
        let first = claim_in(&["MPA-4.4-01", "MPA-4.4-14"], Kind::Wire, folder.clone());
        std::mem::forget(first); // not to be written: only the count matters here
        std::mem::forget(claim_in(&["MPA-4.4-14", "MPA-4.4-15"], Kind::Wire, folder.clone()));
        std::mem::forget(claim_in(&["MPA-4.4-16"], Kind::Wire, folder));
    }
}
