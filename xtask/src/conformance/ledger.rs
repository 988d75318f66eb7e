// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each row's state is: matrices, proofs, test results and waivers joined.
use ferrowarp_tests::proves::matrix::{self, Level, Matrix, Row};
use ferrowarp_tests::proves::{Kind, Record, ROWS_PER_TEST};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// State of a row, best first.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Proved from the wire or verbs by a test that passed.
    Proved,
    /// Proved only by a stage bench that passed.
    Model,
    /// Refused on purpose, with a reason.
    Waived,
    /// Nothing yet.
    Open,
}

impl State {
    /// All states, in the order of the table's columns.
    pub const ALL: [State; 4] = [State::Proved, State::Model, State::Waived, State::Open];

    /// Word of the table and of the keys of `--json`.
    pub fn name(self) -> &'static str {
        match self {
            State::Proved => "proved",
            State::Model => "model",
            State::Waived => "waived",
            State::Open => "open",
        }
    }
}

/// One entry of `tests/conformance/waivers.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiver {
    /// Rows refused.
    pub ids: Vec<String>,
    /// Why.
    pub reason: String,
}

/// Name of a test: binary and path in it.
pub type Test = (String, String);

/// The join.
pub struct Ledger {
    states: BTreeMap<&'static str, State>,
    /// What makes the command fail.
    pub faults: Vec<String>,
    /// Proofs of tests that failed or did not run in the last `cargo xtask test`.
    pub ignored: usize,
}

impl Ledger {
    /// Joins; `passed` are the tests that ran and passed.
    pub fn new(records: &[Record], passed: &HashSet<Test>, waivers: &[Waiver]) -> Self {
        let mut states: BTreeMap<&'static str, State> = BTreeMap::new();
        let mut faults = vec![];
        let mut ignored = 0;
        let mut claims: BTreeMap<Test, BTreeSet<&str>> = BTreeMap::new();
        for record in records {
            let test = (record.binary.clone(), record.name.clone());
            let ran = passed.contains(&test);
            ignored += usize::from(!ran);
            for id in &record.ids {
                claims.entry(test.clone()).or_default().insert(id);
                let Some(row) = matrix::row(id) else {
                    faults.push(format!("test `{}` of {} proves `{id}`, which is no row", test.1, test.0));
                    continue;
                };
                if ran {
                    let state = if record.kind == Kind::Wire { State::Proved } else { State::Model };
                    let best = states.entry(row.id).or_insert(state);
                    *best = state.min(*best);
                }
            }
        }
        for ((binary, name), ids) in claims {
            if ids.len() > ROWS_PER_TEST {
                let count = ids.len();
                faults.push(format!(
                    "test `{name}` of {binary} claims {count} rows, at most {ROWS_PER_TEST} are allowed"
                ));
            }
        }
        for (id, reason) in waivers.iter().flat_map(|waiver| waiver.ids.iter().map(|id| (id, &waiver.reason)))
        {
            let Some(row) = matrix::row(id) else {
                faults.push(format!("waivers.toml: `{id}` is no row"));
                continue;
            };
            if reason.trim().is_empty() {
                faults.push(format!("waivers.toml: `{id}` has no reason"));
            }
            match states.insert(row.id, State::Waived) {
                None => {}
                Some(State::Waived) => faults.push(format!("waivers.toml: `{id}` stands twice")),
                Some(_) => faults.push(format!("`{id}` is waived and proved: remove its waiver")),
            }
        }
        Self { states, faults, ignored }
    }

    /// State of a row.
    pub fn state(&self, row: &Row) -> State {
        self.states.get(row.id).copied().unwrap_or(State::Open)
    }

    /// Rows of a matrix at one of the levels, counted by state in the order of [`State::ALL`].
    pub fn count(&self, matrix: &Matrix, levels: &[Level]) -> [usize; 4] {
        let mut counts = [0; 4];
        for row in matrix.rows.iter().filter(|r| levels.contains(&r.level)) {
            counts[self.state(row) as usize] += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, ids: &[&str], kind: Kind) -> Record {
        let ids = ids.iter().map(|i| i.to_string()).collect();
        Record { binary: "mpa".into(), name: name.into(), ids, kind }
    }

    fn passed(names: &[&str]) -> HashSet<Test> {
        names.iter().map(|n| ("mpa".to_string(), n.to_string())).collect()
    }

    fn waiver(id: &str, reason: &str) -> Waiver {
        Waiver { ids: vec![id.into()], reason: reason.into() }
    }

    fn state(ledger: &Ledger, id: &str) -> State {
        ledger.state(matrix::row(id).unwrap())
    }

    #[test]
    fn only_tests_that_passed_count_and_the_wire_is_better_than_a_bench() {
        let records = [
            record("a", &["MPA-4.4-14"], Kind::Model),
            record("b", &["MPA-4.4-14"], Kind::Wire),
            record("c", &["MPA-4.4-15"], Kind::Model),
            record("failed", &["MPA-4.4-16"], Kind::Wire),
        ];
        let ledger =
            Ledger::new(&records, &passed(&["a", "b", "c"]), &[waiver("MPA-4.4-03", "option 2 is built")]);
        assert_eq!(state(&ledger, "MPA-4.4-14"), State::Proved);
        assert_eq!(state(&ledger, "MPA-4.4-15"), State::Model);
        assert_eq!(state(&ledger, "MPA-4.4-16"), State::Open);
        assert_eq!(state(&ledger, "MPA-4.4-03"), State::Waived);
        assert_eq!((ledger.ignored, ledger.faults.len()), (1, 0));
        let mpa = matrix::matrices().iter().find(|m| m.name == "mpa-rfc5044").unwrap();
        let counts = ledger.count(mpa, &[Level::Must, Level::MustNot]);
        assert_eq!((counts[0], counts[1], counts[2]), (1, 1, 0));
        assert_eq!(counts.iter().sum::<usize>(), 107);
    }

    #[test]
    fn too_many_rows_unknown_rows_and_wrong_waivers_are_faults() {
        let four = [
            record("a", &["MPA-4.4-14", "MPA-4.4-15"], Kind::Wire),
            record("a", &["MPA-4.4-16", "MPA-4.4-17"], Kind::Wire),
        ];
        let faults =
            |records: &[Record], waivers: &[Waiver]| Ledger::new(records, &passed(&["a"]), waivers).faults;
        assert!(faults(&four, &[])[0].contains("claims 4 rows"));
        assert!(faults(&[record("a", &["MPA-99"], Kind::Wire)], &[])[0].contains("`MPA-99`, which is no row"));
        assert!(faults(&[], &[waiver("MPA-99", "x")])[0].contains("`MPA-99` is no row"));
        assert!(faults(&[], &[waiver("MPA-4.4-14", " ")])[0].contains("has no reason"));
        assert!(
            faults(&[], &[waiver("MPA-4.4-14", "x"), waiver("MPA-4.4-14", "x")])[0].contains("stands twice")
        );
        let both = faults(&[record("a", &["MPA-4.4-14"], Kind::Model)], &[waiver("MPA-4.4-14", "x")]);
        assert!(both[0].contains("waived and proved"));
    }
}
