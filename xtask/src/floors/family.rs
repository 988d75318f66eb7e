// SPDX-License-Identifier: MIT OR Apache-2.0
//! Families of tests: what is counted together, however its files are cut.
use crate::test::results::Results;
use std::collections::BTreeMap;

/// How the names of unit test binaries begin: those of the libraries of this workspace.
const OURS: &str = "ferrowarp";

/// Family of a test binary, as [`Results`] calls it: `lab_idle` and `lab` belong to `lab`.
/// The unit tests of a library, those of a program (`bin NAME`) and the doc tests of a crate
/// (`doc NAME`) are each a family of their own.
pub fn family(binary: &str) -> &str {
    if binary.starts_with(OURS) || binary.contains(' ') {
        return binary;
    }
    binary.split('_').next().unwrap_or(binary)
}

/// How many tests each family has. A test that was skipped counts: `.ci/allowed-skips` answers for
/// skips.
pub fn counted(results: &Results) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for (binary, tests) in &results.binaries {
        *counts.entry(family(binary).to_string()).or_default() += tests.len() as u64;
    }
    counts.retain(|_, count| *count > 0);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_survives_when_a_file_is_split() {
        assert_eq!(["lab", "lab_idle", "lab_idle_seeds"].map(family), ["lab"; 3]);
        assert_eq!(family("vfio_user_leaks"), "vfio");
        let alone = ["ferrowarp", "ferrowarp_hdl", "bin xtask", "bin ferrowarp", "doc ferrowarp_abi"];
        assert_eq!(alone.map(family), alone);
    }

    #[test]
    fn tests_of_all_binaries_of_a_family_add_up() {
        let text =
            r#"{ "lab": { "a": "ok", "b": "ignored" }, "lab_idle": { "a": "ok" }, "doc ferrowarp": {} }"#;
        let results: Results = serde_json::from_str(text).unwrap();
        assert_eq!(counted(&results), BTreeMap::from([("lab".to_string(), 3)]));
    }
}
