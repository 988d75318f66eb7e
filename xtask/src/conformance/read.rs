// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading what the join needs: results of tests, proofs, what is committed beside the tests.
use super::committed::{Answer, Committed, Derived, Inner, Waiver};
use super::ledger::Test;
use crate::test::results::{Outcome, Results};
use anyhow::{bail, Context, Result};
use ferrowarp_tests::proves::matrix::FILES;
use ferrowarp_tests::proves::Record;
use serde::Deserialize;
use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::Path;

/// A file of `tests/conformance`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Listed {
    waiver: Vec<Waiver>,
    inner: Vec<Inner>,
    derived: Vec<Derived>,
    answer: Vec<Answer>,
}

/// The tests of a run that passed.
pub fn passed(results: &Results) -> HashSet<Test> {
    let tests = results.binaries.iter().flat_map(|(b, tests)| tests.iter().map(move |(t, o)| (b, t, o)));
    tests.filter(|(.., o)| **o == Outcome::Ok).map(|(b, t, _)| (b.clone(), t.clone())).collect()
}

/// The proofs that tests left in `folder`.
pub fn records(folder: &Path) -> Result<Vec<Record>> {
    let files = match std::fs::read_dir(folder) {
        Ok(files) => files,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(vec![]),
        Err(e) => return Err(e).with_context(|| format!("cannot read {}", folder.display())),
    };
    let mut records = vec![];
    for file in files {
        let path = file?.path();
        let shown = path.display();
        let text = std::fs::read(&path).with_context(|| format!("cannot read {shown}"))?;
        records
            .push(serde_json::from_slice(&text).with_context(|| format!("{shown} is no proof; remove it"))?);
    }
    Ok(records)
}

/// What `waivers.toml`, `inner.toml`, `derived.toml` and `answers.toml` of a folder say.
pub fn committed(folder: &Path) -> Result<Committed> {
    let [waivers, inner, derived, answers] =
        ["waivers", "inner", "derived", "answers"].map(|name| listed(&folder.join(format!("{name}.toml"))));
    Ok(Committed {
        waivers: waivers?.waiver,
        inner: inner?.inner,
        derived: derived?.derived,
        answers: answers?.answer,
    })
}

fn listed(path: &Path) -> Result<Listed> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("in {}", path.display()))
}

/// Fails if a matrix is not the one in `spec`. Where one is missing there nothing can be compared;
/// returns the words for that.
pub fn drift(spec: &Path) -> Result<Option<String>> {
    let (mut unseen, mut drifted) = (vec![], vec![]);
    for (name, text) in FILES {
        match std::fs::read_to_string(spec.join(format!("{name}.tsv"))) {
            Ok(shared) if shared == text => {}
            Ok(_) => drifted.push(format!(
                "tests/conformance/{name}.tsv is not the one in {}: copy that, its proofs may need a look",
                spec.display()
            )),
            Err(_) => unseen.push(name),
        }
    }
    if !drifted.is_empty() {
        bail!("{}", drifted.join("\n"));
    }
    let told =
        || format!("no {} in {}: not compared with the committed copies", unseen.join(", "), spec.display());
    Ok((!unseen.is_empty()).then(told))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo;

    fn folder(name: &str) -> std::path::PathBuf {
        repo::target("xtask-tests").join(format!("{name}-{}", std::process::id()))
    }

    #[test]
    fn failed_and_ignored_tests_did_not_pass() {
        let text = r#"{ "mpa": { "a": "ok", "b": "failed", "c": "ignored" } }"#;
        let results: Results = serde_json::from_str(text).unwrap();
        assert_eq!(passed(&results), HashSet::from([("mpa".into(), "a".into())]));
    }

    #[test]
    fn a_file_that_is_no_proof_is_named() {
        let proofs = folder("proofs");
        assert_eq!(records(&proofs).unwrap(), []);
        repo::write(
            &proofs.join("x.json"),
            r#"{"binary":"a_b","name":"t","ids":["MPA-1.1-01"],"kind":"model"}"#,
        )
        .unwrap();
        assert_eq!(records(&proofs).unwrap()[0].binary, "a_b");
        repo::write(&proofs.join("y.json"), "{}").unwrap();
        assert!(records(&proofs).unwrap_err().to_string().contains("y.json is no proof"));
        std::fs::remove_dir_all(proofs).unwrap();
    }

    #[test]
    fn the_committed_files_parse_and_an_unknown_field_is_refused() {
        committed(&repo::root().join("tests/conformance")).unwrap();
        let path = folder("waivers").join("w.toml");
        repo::write(&path, "[[waiver]]\nid = \"MPA-1.1-01\"\nwhy = \"x\"\n").unwrap();
        assert!(listed(&path).is_err());
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }

    /// A requirement that was added or sharpened there would be proved by nobody.
    #[test]
    fn a_matrix_that_drifted_is_a_failure_and_one_that_is_not_there_is_told() {
        let spec = folder("spec");
        assert!(drift(&spec).unwrap().unwrap().contains("no mpa-rfc5044, mpa2-rfc6581, "));
        for (name, text) in FILES {
            repo::write(&spec.join(format!("{name}.tsv")), text).unwrap();
        }
        assert_eq!(drift(&spec).unwrap(), None);
        repo::write(&spec.join("mpa-rfc5044.tsv"), "other").unwrap();
        let told = drift(&spec).unwrap_err().to_string();
        assert!(told.starts_with("tests/conformance/mpa-rfc5044.tsv is not the one in "), "{told}");
        std::fs::remove_dir_all(spec).unwrap();
    }
}
