// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each row's state is: matrices, proofs, test results and what is committed, joined.
use super::committed::{Answer, Committed, Derived, Inner};
use ferrowarp_tests::proves::matrix::{self, Level, Matrix, Row};
use ferrowarp_tests::proves::{Kind, Record, ROWS_PER_TEST};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// State of a row, best first.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Proved from the wire or verbs by a test that passed.
    Proved,
    /// About an inner interface or a type of the API, and proved there.
    Inner,
    /// Proved only by a stage bench that passed.
    Model,
    /// Refused on purpose, with a reason.
    Waived,
    /// A SHOULD that the device does not meet, with an answer why.
    Answered,
    /// Nothing yet.
    Open,
}

/// Rows of MUST and MUST NOT that may be proved as inner ones.
pub const MOST_INNER: usize = 25;
/// Rows of MUST and MUST NOT that may be waived.
pub const MOST_WAIVED: usize = 60;

impl State {
    /// All states, in the order of the table's columns.
    pub const ALL: [State; 6] =
        [State::Proved, State::Inner, State::Model, State::Waived, State::Answered, State::Open];

    /// Word of the table and of the keys of `--json`.
    pub fn name(self) -> &'static str {
        match self {
            State::Proved => "proved",
            State::Inner => "inner",
            State::Model => "model",
            State::Waived => "waived",
            State::Answered => "answered",
            State::Open => "open",
        }
    }

    fn of(kind: Kind) -> Self {
        match kind {
            Kind::Wire => Self::Proved,
            Kind::Model => Self::Model,
        }
    }
}

/// Name of a test: binary and path in it.
pub type Test = (String, String);

/// The join.
pub struct Ledger {
    states: BTreeMap<&'static str, State>,
    /// Who proves a row, best first: how, device, test.
    by: BTreeMap<&'static str, BTreeSet<(State, String)>>,
    /// What makes the command fail.
    pub faults: Vec<String>,
    /// Proofs of tests that failed or did not run in the last `cargo xtask test`.
    pub ignored: usize,
}

impl Ledger {
    /// Joins; `passed` are the tests that ran and passed.
    pub fn new(records: &[Record], passed: &HashSet<Test>, committed: &Committed) -> Self {
        let Committed { waivers, inner, derived, answers } = committed;
        let (states, by, faults) = Default::default();
        let mut ledger = Self { states, by, faults, ignored: 0 };
        let mut claims: BTreeMap<Test, BTreeSet<&str>> = BTreeMap::new();
        for record in records {
            let test = (record.binary.clone(), record.name.clone());
            let ran = passed.contains(&test);
            ledger.ignored += usize::from(!ran);
            if record.device.is_none() {
                claims.entry(test.clone()).or_default().extend(record.ids.iter().map(String::as_str));
            }
            for id in &record.ids {
                ledger.proof(id, record, &test, ran);
            }
        }
        for ((binary, name), ids) in claims.into_iter().filter(|(_, ids)| ids.len() > ROWS_PER_TEST) {
            let count = ids.len();
            ledger.faults.push(format!(
                "test `{name}` of {binary} claims {count} rows, at most {ROWS_PER_TEST} are allowed"
            ));
        }
        for (id, reason) in waivers.iter().flat_map(|waiver| waiver.ids.iter().map(|id| (id, &waiver.reason)))
        {
            ledger.waive(id, reason);
        }
        inner.iter().for_each(|inner| ledger.inner(inner, passed));
        derived.iter().for_each(|derived| ledger.derive(derived));
        answers.iter().for_each(|answer| ledger.answer(answer));
        for (state, most) in [(State::Inner, MOST_INNER), (State::Waived, MOST_WAIVED)] {
            let musts = matrix::matrices().iter().flat_map(|matrix| &matrix.rows);
            let musts = musts.filter(|row| matches!(row.level, Level::Must | Level::MustNot));
            let count = musts.filter(|row| ledger.state(row) == state).count();
            if count > most {
                ledger
                    .faults
                    .push(format!("{count} rows of MUST are {}, at most {most} may be", state.name()));
            }
        }
        ledger
    }

    fn proof(&mut self, id: &str, record: &Record, test: &Test, ran: bool) {
        let Some(row) = matrix::row(id) else {
            self.faults.push(format!("test `{}` of {} proves `{id}`, which is no row", test.1, test.0));
            return;
        };
        if ran {
            let state = State::of(record.kind);
            let best = self.states.entry(row.id).or_insert(state);
            *best = state.min(*best);
            let device = record.device.as_ref().map(|device| format!("{device} ")).unwrap_or_default();
            let who = format!("{device}{}::{}", test.0, test.1);
            self.by.entry(row.id).or_default().insert((state, who));
        }
    }

    fn inner(&mut self, Inner { id, tests, reason }: &Inner, passed: &HashSet<Test>) {
        let Some(row) = matrix::row(id) else {
            self.faults.push(format!("inner.toml: `{id}` is no row"));
            return;
        };
        if reason.trim().is_empty() || tests.is_empty() {
            self.faults.push(format!("inner.toml: `{id}` needs tests and a reason"));
        }
        let ran = |test: &String| {
            // names of doc tests and their binaries have blanks in them
            passed.iter().any(|(binary, name)| {
                test.strip_prefix(binary.as_str()).and_then(|rest| rest.strip_prefix(' ')) == Some(name)
            })
        };
        if !tests.iter().all(ran) {
            self.ignored += 1;
            return;
        }
        match self.states.get(row.id) {
            Some(State::Waived | State::Proved) => {
                self.faults.push(format!("inner.toml: `{id}` is proved from the wire, or waived: remove it"));
            }
            _ => {
                self.states.insert(row.id, State::Inner);
                let by = tests.iter().map(|test| (State::Inner, test.replace(' ', "::")));
                self.by.entry(row.id).or_default().extend(by);
            }
        }
    }

    fn waive(&mut self, id: &str, reason: &str) {
        let Some(row) = matrix::row(id) else {
            self.faults.push(format!("waivers.toml: `{id}` is no row"));
            return;
        };
        if reason.trim().is_empty() {
            self.faults.push(format!("waivers.toml: `{id}` has no reason"));
        }
        match self.states.insert(row.id, State::Waived) {
            None => {}
            Some(State::Waived) => self.faults.push(format!("waivers.toml: `{id}` stands twice")),
            Some(_) => self.faults.push(format!("`{id}` is waived and proved: remove its waiver")),
        }
    }

    /// The state of a derived row: as good as the worst of its rows, but for those that are waived.
    fn derive(&mut self, Derived { id, of }: &Derived) {
        let Some(row) = matrix::row(id) else {
            self.faults.push(format!("derived.toml: `{id}` is no row"));
            return;
        };
        let rows = matrix::matrices().iter().flat_map(|matrix| &matrix.rows);
        let musts = rows.filter(|row| matches!(row.level, Level::Must | Level::MustNot));
        let mine = musts.filter(|row| row.id != id && of.iter().any(|of| row.id.starts_with(of.as_str())));
        let states: Vec<_> =
            mine.map(|row| self.state(row)).filter(|state| *state != State::Waived).collect();
        if states.is_empty() {
            self.faults.push(format!("derived.toml: `{id}` is derived of no row"));
            return;
        }
        // an inner row is as good as one from the wire
        let worst = states.into_iter().max().filter(|worst| *worst > State::Inner);
        match (worst.unwrap_or(State::Proved), self.states.get(row.id)) {
            (State::Open, _) => {}
            (_, Some(_)) => self.faults.push(format!("`{id}` is derived, and proved or waived besides")),
            (state, None) => {
                self.states.insert(row.id, state);
                self.by.entry(row.id).or_default().insert((state, format!("all of {}", of.join(", "))));
            }
        }
    }

    fn answer(&mut self, Answer { ids, reason }: &Answer) {
        if reason.trim().is_empty() || ids.is_empty() {
            self.faults.push(format!("answers.toml: `{}` needs rows and a reason", ids.join(" ")));
        }
        for id in ids {
            let fault = match matrix::row(id).map(|row| (row, self.state(row))) {
                None => format!("answers.toml: `{id}` is no row"),
                Some((row, _)) if row.level != Level::Should => {
                    format!("answers.toml: `{id}` is a {}, and only a SHOULD is answered", row.level.name())
                }
                Some((row, State::Open | State::Model)) => {
                    self.states.insert(row.id, State::Answered);
                    continue;
                }
                Some((_, State::Answered)) => format!("answers.toml: `{id}` stands twice"),
                Some((_, state)) => format!("`{id}` is answered and {}: remove its answer", state.name()),
            };
            self.faults.push(fault);
        }
    }

    /// State of a row.
    pub fn state(&self, row: &Row) -> State {
        self.states.get(row.id).copied().unwrap_or(State::Open)
    }

    /// Who proves a row, best first: how, and the test with its device.
    pub fn by(&self, row: &Row) -> impl Iterator<Item = &(State, String)> {
        self.by.get(row.id).into_iter().flatten()
    }

    /// Rows of a matrix at one of the levels, counted by state in the order of [`State::ALL`].
    pub fn count(&self, matrix: &Matrix, levels: &[Level]) -> [usize; 6] {
        let mut counts = [0; 6];
        for row in matrix.rows.iter().filter(|r| levels.contains(&r.level)) {
            counts[self.state(row) as usize] += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::super::committed::Waiver;
    use super::*;

    fn record(name: &str, ids: &[&str], kind: Kind) -> Record {
        let ids = ids.iter().map(|i| i.to_string()).collect();
        Record { binary: "mpa".into(), name: name.into(), ids, kind, device: None }
    }

    fn passed(names: &[&str]) -> HashSet<Test> {
        names.iter().map(|n| ("mpa".to_string(), n.to_string())).collect()
    }

    fn waiver(id: &str, reason: &str) -> Waiver {
        Waiver { ids: vec![id.into()], reason: reason.into() }
    }

    fn waived(waivers: &[Waiver]) -> Committed {
        Committed { waivers: waivers.to_vec(), ..Committed::default() }
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
        let ledger = Ledger::new(
            &records,
            &passed(&["a", "b", "c"]),
            &waived(&[waiver("MPA-4.4-03", "option 2 is built")]),
        );
        assert_eq!(state(&ledger, "MPA-4.4-14"), State::Proved);
        assert_eq!(state(&ledger, "MPA-4.4-15"), State::Model);
        assert_eq!(state(&ledger, "MPA-4.4-16"), State::Open);
        assert_eq!(state(&ledger, "MPA-4.4-03"), State::Waived);
        assert_eq!((ledger.ignored, ledger.faults.len()), (1, 0));
        let mpa = matrix::matrices().iter().find(|m| m.name == "mpa-rfc5044").unwrap();
        let counts = ledger.count(mpa, &[Level::Must, Level::MustNot]);
        assert_eq!((counts[0], counts[2], counts[3]), (1, 1, 0));
        assert_eq!(counts.iter().sum::<usize>(), 107);
    }

    #[test]
    fn too_many_rows_unknown_rows_and_wrong_waivers_are_faults() {
        let four = [
            record("a", &["MPA-4.4-14", "MPA-4.4-15"], Kind::Wire),
            record("a", &["MPA-4.4-16", "MPA-4.4-17"], Kind::Wire),
        ];
        let faults = |records: &[Record], waivers: &[Waiver]| {
            Ledger::new(records, &passed(&["a"]), &waived(waivers)).faults
        };
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
    #[test]
    fn a_script_names_many_rows_and_its_device() {
        let ids = ["MPA-4.4-14", "MPA-4.4-15", "MPA-4.4-16", "MPA-4.4-17"];
        let script = Record { device: Some("sim".into()), ..record("a", &ids, Kind::Wire) };
        let ledger = Ledger::new(&[script], &passed(&["a"]), &Committed::default());
        assert_eq!(ledger.faults, Vec::<String>::new());
        let by: Vec<_> = ledger.by(matrix::row("MPA-4.4-17").unwrap()).collect();
        assert_eq!(by, [&(State::Proved, "sim mpa::a".to_string())]);
    }

    #[test]
    fn a_derived_row_is_as_good_as_the_worst_of_its_rows() {
        let all: Vec<_> = (2..=7).map(|n| format!("DDP-5.3-0{n}")).collect();
        let of_section = |of: &str| {
            let derived = vec![Derived { id: "DDP-5.3-01".into(), of: vec![of.into()] }];
            Committed { derived, ..Committed::default() }
        };
        let musts: Vec<&str> = all.iter().map(String::as_str).collect();
        let of = |kind: Kind, ids: &[&str]| {
            let records: Vec<_> = ids.iter().map(|id| record("a", &[id], kind)).collect();
            state(&Ledger::new(&records, &passed(&["a"]), &of_section("DDP-5.3-")), "DDP-5.3-01")
        };
        assert_eq!(of(Kind::Model, &musts), State::Model);
        assert_eq!(of(Kind::Wire, &musts[..1]), State::Open);
        assert!(Ledger::new(&[], &passed(&[]), &of_section("DDP-99-")).faults[0].contains("of no row"));
    }

    #[test]
    fn an_inner_row_needs_all_of_its_tests() {
        let inner = |tests: &Vec<String>, id: &str| {
            let (id, tests, reason) = (id.into(), tests.clone(), "a type".into());
            Committed { inner: vec![Inner { id, tests, reason }], ..Committed::default() }
        };
        let committed = inner(&vec!["mpa a".into(), "mpa b".into()], "MPA-4.4-14");
        let of = |names: &[&str]| state(&Ledger::new(&[], &passed(names), &committed), "MPA-4.4-14");
        assert_eq!((of(&["a", "b"]), of(&["a"])), (State::Inner, State::Open));
        let unknown = Ledger::new(&[], &passed(&[]), &inner(&vec!["mpa a".into()], "MPA-99")).faults;
        assert!(unknown[0].contains("is no row"));
        let proved = [record("a", &["MPA-4.4-14"], Kind::Wire)];
        let both = Ledger::new(&proved, &passed(&["a", "b"]), &committed).faults;
        assert!(both[0].contains("proved from the wire"), "{both:?}");
    }

    #[test]
    fn only_a_should_that_the_device_does_not_show_is_answered() {
        let ledger = |ids: &[&str], reason: &str, records: &[Record]| {
            let answer = Answer { ids: ids.iter().map(|id| id.to_string()).collect(), reason: reason.into() };
            let committed = Committed { answers: vec![answer], ..Committed::default() };
            Ledger::new(records, &passed(&["a"]), &committed)
        };
        let good = ledger(&["MPA-3-11", "MPA-3-12"], "in order alone", &[]);
        assert_eq!((state(&good, "MPA-3-12"), good.faults.len()), (State::Answered, 0));
        let fault =
            |ids: &[&str], reason: &str, records: &[Record]| ledger(ids, reason, records).faults.concat();
        assert!(fault(&["MPA-3-11"], " ", &[]).contains("a reason"));
        assert!(fault(&[], "x", &[]).contains("needs rows"));
        assert!(fault(&["MPA-99"], "x", &[]).contains("`MPA-99` is no row"));
        assert!(fault(&["MPA-3-11", "MPA-3-11"], "x", &[]).contains("stands twice"));
        assert!(fault(&["MPA-4.4-14"], "x", &[]).contains("is a MUST, and only a SHOULD"));
        let proof = |kind| [record("a", &["MPA-3-11"], kind)];
        let proved = ledger(&["MPA-3-11"], "x", &proof(Kind::Wire));
        assert!(proved.faults[0].contains("answered and proved"));
        assert_eq!(state(&proved, "MPA-3-11"), State::Proved);
        // a stage has it, the device does not
        let of_stage = ledger(&["MPA-3-11"], "x", &proof(Kind::Model));
        assert_eq!((state(&of_stage, "MPA-3-11"), of_stage.faults.len()), (State::Answered, 0));
    }
}
