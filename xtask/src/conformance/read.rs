//! Reading what the join needs: results of tests, proofs, waivers.
use super::ledger::{Test, Waiver};
use crate::test::results::{Outcome, Results};
use anyhow::{Context, Result};
use ferrowarp_tests::proves::matrix::FILES;
use ferrowarp_tests::proves::Record;
use serde::Deserialize;
use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Waivers {
    #[serde(default)]
    waiver: Vec<Waiver>,
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

/// The committed waivers.
pub fn waivers(path: &Path) -> Result<Vec<Waiver>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let all: Waivers = toml::from_str(&text).with_context(|| format!("in {}", path.display()))?;
    Ok(all.waiver)
}

/// Matrices that differ from the ones beside the repository; silent where those are not there.
pub fn drift(spec: &Path) -> Vec<String> {
    let differs = |(name, text): &(&str, &str)| {
        let shared = std::fs::read_to_string(spec.join(format!("{name}.tsv"))).ok()?;
        (shared != *text)
            .then(|| format!("tests/conformance/{name}.tsv differs from the one in {}", spec.display()))
    };
    FILES.iter().filter_map(differs).collect()
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
    fn the_committed_waivers_parse_and_an_unknown_field_is_refused() {
        waivers(&repo::root().join("tests/conformance/waivers.toml")).unwrap();
        let path = folder("waivers").join("w.toml");
        repo::write(&path, "[[waiver]]\nid = \"MPA-1.1-01\"\nwhy = \"x\"\n").unwrap();
        assert!(waivers(&path).is_err());
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }

    #[test]
    fn drift_is_said_where_the_shared_matrices_are() {
        let spec = folder("spec");
        assert_eq!(drift(&spec), [""; 0]);
        repo::write(&spec.join("mpa-rfc5044.tsv"), "other").unwrap();
        repo::write(&spec.join("ddp-rfc5041.tsv"), FILES[2].1).unwrap();
        assert_eq!(drift(&spec).len(), 1);
        std::fs::remove_dir_all(spec).unwrap();
    }
}
