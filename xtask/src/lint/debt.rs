// SPDX-License-Identifier: MIT OR Apache-2.0
//! Debts: counts of what a rule refuses, for rules that the whole tree does not keep yet.
//!
//! `.ci/lint-debt.toml` has the recorded count of each debt; a debt without a line has 0. A count
//! may not grow. If a count falls, the new count has to be recorded. With 0 recorded, each place is
//! a finding of its own, as of any other rule.
use super::finding::Finding;
use super::rules;

/// The file of the recorded counts.
pub const FILE: &str = ".ci/lint-debt.toml";

/// What is counted under one key.
pub struct Debt {
    /// Key in [`FILE`].
    pub key: String,
    /// All places that a rule refuses.
    pub places: Vec<Finding>,
}

impl Debt {
    /// A debt of these places.
    pub fn of(key: &str, places: Vec<Finding>) -> Self {
        Self { key: key.into(), places }
    }
}

/// Holds `debts` against the text of [`FILE`].
pub fn check(text: &str, debts: Vec<Debt>) -> Vec<Finding> {
    let table: toml::Table = match text.parse() {
        Ok(table) => table,
        Err(e) => return vec![Finding::on(FILE, 1, 1, rules::LINT_DEBT, format!("no TOML: {e}"))],
    };
    let mut findings = vec![];
    for (key, value) in &table {
        let known = debts.iter().any(|d| d.key == *key);
        if !known || value.as_integer().is_none_or(|n| n < 0) {
            let why =
                if known { format!("`{key}` is no number: {value}") } else { format!("no debt `{key}`") };
            findings.push(Finding::on(FILE, line_of(text, key), 1, rules::LINT_DEBT, why));
        }
    }
    for debt in debts {
        let recorded = table.get(&debt.key).and_then(|v| v.as_integer()).unwrap_or(0);
        findings.extend(judge(recorded.max(0) as usize, debt, text));
    }
    findings
}

fn judge(recorded: usize, debt: Debt, text: &str) -> Vec<Finding> {
    let Debt { key, places } = debt;
    let count = places.len();
    if count == recorded {
        return vec![];
    }
    if recorded == 0 {
        return places;
    }
    let what = if count > recorded {
        format!("`{key}` is {count}, recorded are {recorded}: it may not grow (`--debts` lists the places)")
    } else {
        format!("`{key}` fell to {count}, recorded are {recorded}: write {key} = {count}")
    };
    vec![Finding::on(FILE, line_of(text, &key), 1, rules::LINT_DEBT, what)]
}

/// Line of a key, from 1; 1 for a key that has none.
fn line_of(text: &str, key: &str) -> usize {
    let name = |line: &str| line.split('=').next().unwrap_or_default().trim().trim_matches('"').to_string();
    text.lines().position(|line| name(line) == key).map_or(1, |i| i + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn debt(key: &str, count: usize) -> Debt {
        let place = |i| Finding::on("x.rs", i + 1, 1, rules::FILE_LENGTH, "long".into());
        Debt::of(key, (0..count).map(place).collect())
    }

    fn shown(text: &str, debts: Vec<Debt>) -> Vec<(String, usize, String)> {
        check(text, debts).into_iter().map(|f| (f.file, f.line, f.what)).collect()
    }

    #[test]
    fn a_count_neither_grows_nor_falls_unrecorded() {
        let text = "# why\n\"a.b\" = 2\nc = 0\n";
        assert_eq!(shown(text, vec![debt("a.b", 2), debt("c", 0), debt("d", 0)]), []);
        let grown = shown(text, vec![debt("a.b", 3), debt("c", 0)]);
        assert_eq!((grown[0].0.as_str(), grown[0].1), (FILE, 2));
        assert!(grown[0].2.contains("is 3, recorded are 2"), "{grown:?}");
        let fallen = shown(text, vec![debt("a.b", 1), debt("c", 0)]);
        assert!(fallen[0].2.contains("write a.b = 1"), "{fallen:?}");
    }

    #[test]
    fn without_a_recorded_count_each_place_is_a_finding() {
        let found = shown("c = 0\n", vec![debt("c", 1), debt("d", 2)]);
        let places: Vec<_> = found.iter().map(|(file, line, _)| (file.as_str(), *line)).collect();
        assert_eq!(places, [("x.rs", 1), ("x.rs", 1), ("x.rs", 2)]);
    }

    #[test]
    fn a_line_that_counts_nothing_is_refused() {
        assert!(shown("e = 1\n", vec![debt("c", 0)])[0].2.contains("no debt `e`"));
        assert!(shown("\nc = \"1\"\n", vec![debt("c", 0)])[0].2.contains("no number"));
        assert!(shown("c = \n", vec![debt("c", 0)])[0].2.contains("no TOML"));
    }
}
