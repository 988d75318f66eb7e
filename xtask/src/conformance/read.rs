//! Reading what the join needs: results, proofs, waivers.
use super::ledger::{Test, Waiver};
use anyhow::{Context, Result};
use ferrowarp_tests::proves::matrix::FILES;
use ferrowarp_tests::proves::Record;
use serde::Deserialize;
use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::Path;

/// One test of `target/test-results.json`.
#[derive(Deserialize)]
struct Outcome {
    binary: String,
    name: String,
    result: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Waivers {
    #[serde(default)]
    waiver: Vec<Waiver>,
}

/// The tests that ran and passed in the last `cargo xtask test`, and a note if there was none.
pub fn passed(path: &Path) -> Result<(HashSet<Test>, Option<String>)> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == ErrorKind::NotFound => {
            let note = "no results of tests: run `cargo xtask test` first; every row counts as unproved";
            return Ok((HashSet::new(), Some(note.into())));
        }
        Err(e) => return Err(e).with_context(|| format!("cannot read {}", path.display())),
    };
    let outcomes: Vec<Outcome> = serde_json::from_str(&text)
        .with_context(|| format!("{} is no list of results; run `cargo xtask test` again", path.display()))?;
    let passed = outcomes.into_iter().filter(|o| o.result == "passed" || o.result == "ok");
    Ok((passed.map(|o| (o.binary.replace('-', "_"), o.name)).collect(), None))
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
        let mut record: Record =
            serde_json::from_slice(&text).with_context(|| format!("{shown} is no proof; remove it"))?;
        record.binary = record.binary.replace('-', "_");
        records.push(record);
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
    fn results_are_read_and_their_absence_is_said() {
        let path = folder("results").join("results.json");
        assert!(passed(&path).unwrap().1.unwrap().contains("cargo xtask test"));
        let text = r#"[{"binary":"mpa-rx","name":"a","result":"passed"},{"binary":"mpa-rx","name":"b","result":"failed"}]"#;
        repo::write(&path, text).unwrap();
        assert_eq!(passed(&path).unwrap().0, HashSet::from([("mpa_rx".into(), "a".into())]));
        repo::write(&path, "{}").unwrap();
        assert!(passed(&path).is_err());
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }

    #[test]
    fn a_file_that_is_no_proof_is_named() {
        let proofs = folder("proofs");
        assert_eq!(records(&proofs).unwrap(), []);
        repo::write(
            &proofs.join("x.json"),
            r#"{"binary":"a-b","name":"t","ids":["MPA-1.1-01"],"kind":"model"}"#,
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
