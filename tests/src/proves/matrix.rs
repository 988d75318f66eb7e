// SPDX-License-Identifier: MIT OR Apache-2.0
//! The requirement matrices: one row for each requirement of RFC 5040, 5041, 5044 and 6581.
use serde::Serialize;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Strength of a requirement, in the words of RFC 2119; `Fact` is a consequence or a definition.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// MUST, SHALL, REQUIRED.
    Must,
    /// MUST NOT, SHALL NOT.
    #[serde(rename = "MUST NOT")]
    MustNot,
    /// SHOULD, SHOULD NOT, RECOMMENDED.
    Should,
    /// MAY, OPTIONAL.
    May,
    /// Definition or consequence.
    Fact,
}

impl Level {
    /// All levels, strongest first.
    pub const ALL: [Level; 5] = [Level::Must, Level::MustNot, Level::Should, Level::May, Level::Fact];

    /// The word that the matrices use.
    pub fn name(self) -> &'static str {
        match self {
            Level::Must => "MUST",
            Level::MustNot => "MUST NOT",
            Level::Should => "SHOULD",
            Level::May => "MAY",
            Level::Fact => "FACT",
        }
    }
}

/// One requirement.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// For example `MPA-4.4-01`.
    pub id: &'static str,
    /// Section of the RFC.
    pub section: &'static str,
    /// Strength.
    pub level: Level,
    /// Who has to meet it: rx, tx, tcp, mr, cm, verbs, doc, security, by commas.
    pub owner: &'static str,
    /// What is required.
    pub requirement: &'static str,
    /// How it can be observed.
    pub observable_test: &'static str,
}

/// The rows of one RFC in their order.
#[derive(Debug)]
pub struct Matrix {
    /// File under `tests/conformance`, without its extension.
    pub name: &'static str,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// Name and text of each file under `tests/conformance`.
pub const FILES: [(&str, &str); 4] = [
    ("mpa-rfc5044", include_str!("../../conformance/mpa-rfc5044.tsv")),
    ("mpa2-rfc6581", include_str!("../../conformance/mpa2-rfc6581.tsv")),
    ("ddp-rfc5041", include_str!("../../conformance/ddp-rfc5041.tsv")),
    ("rdmap-rfc5040", include_str!("../../conformance/rdmap-rfc5040.tsv")),
];

/// The matrices, read once.
///
/// # Panics
/// If a committed file is malformed; the tests of this module read them all.
pub fn matrices() -> &'static [Matrix] {
    static ALL: OnceLock<Vec<Matrix>> = OnceLock::new();
    ALL.get_or_init(|| {
        let read = |&(name, text)| match rows(text) {
            Ok(rows) => Matrix { name, rows },
            Err(why) => panic!("tests/conformance/{name}.tsv: {why}"),
        };
        FILES.iter().map(read).collect()
    })
}

/// The row with this id.
pub fn row(id: &str) -> Option<&'static Row> {
    static INDEX: OnceLock<HashMap<&'static str, &'static Row>> = OnceLock::new();
    let index = INDEX.get_or_init(|| matrices().iter().flat_map(|m| &m.rows).map(|r| (r.id, r)).collect());
    index.get(id).copied()
}

/// Reads a file: a head line, then six columns separated by tabs.
fn rows(text: &'static str) -> Result<Vec<Row>, String> {
    let parsed = text.lines().enumerate().skip(1).map(|(i, line)| {
        let columns: Vec<&'static str> = line.split('\t').collect();
        let [id, section, level, owner, requirement, observable_test] = columns[..] else {
            return Err(format!("line {} has {} columns, expected 6", i + 1, columns.len()));
        };
        let level = Level::ALL.into_iter().find(|l| l.name() == level);
        let level = level.ok_or_else(|| format!("line {}: `{}` is no level", i + 1, columns[2]))?;
        Ok(Row { id, section, level, owner, requirement, observable_test })
    });
    parsed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matrices_are_whole_and_ids_are_unique() {
        let count: usize = matrices().iter().map(|m| m.rows.len()).sum();
        let lines: usize = FILES.iter().map(|(_, text)| text.lines().count() - 1).sum();
        assert_eq!((count, matrices().len()), (lines, 4));
        for r in matrices().iter().flat_map(|m| &m.rows) {
            assert!(std::ptr::eq(row(r.id).unwrap(), r), "{} stands twice", r.id);
        }
        assert_eq!(row("MPA-4.4-14").unwrap().level, Level::Must);
        assert!(row("MPA-99").is_none());
    }

    #[test]
    fn a_malformed_line_is_named() {
        assert!(rows("head\na\tb").unwrap_err().contains("line 2 has 2 columns"));
        assert!(rows("head\na\tb\tPERHAPS\td\te\tf").unwrap_err().contains("`PERHAPS` is no level"));
    }
}
