// SPDX-License-Identifier: MIT OR Apache-2.0
//! What campaigns have run so far: a committed table, a row for each session of a shard.
use crate::repo;
use anyhow::{bail, ensure, Context, Result};
use ferrowarp_tests::campaign::{Figures, Line, Session};

/// The table, from the root.
pub const TABLE: &str = "tests/data/campaign-amounts.tsv";
/// Columns in front of the figures: a session is known by the first three.
const FIRST: [&str; 5] = ["device", "seed", "shard", "runs", "failed"];

/// A row: words of [`FIRST`], then the figures.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    session: [String; 3],
    counts: Vec<u64>,
}

impl Row {
    fn of(session: &Session, lines: &[Line]) -> Self {
        let mut sum = Figures::default();
        lines.iter().for_each(|line| sum += line.figures);
        let failed = lines.iter().filter(|line| line.failure.is_some()).count();
        let mut counts = vec![lines.len() as u64, failed as u64];
        counts.extend(sum.named().map(|(_, n)| n));
        Self { session: [session.device.clone(), session.seed.to_string(), session.shard.clone()], counts }
    }

    fn read(line: &str) -> Result<Self> {
        let words: Vec<_> = line.split('\t').collect();
        let wanted = FIRST.len() + Figures::default().named().len();
        ensure!(words.len() == wanted, "{} columns, not {wanted}", words.len());
        let counts =
            words[3..].iter().map(|word| word.parse().with_context(|| format!("`{word}` is no number")));
        Ok(Self { session: [0, 1, 2].map(|n| words[n].into()), counts: counts.collect::<Result<_>>()? })
    }

    fn text(&self) -> String {
        let counts: Vec<_> = self.counts.iter().map(u64::to_string).collect();
        format!("{}\t{}\n", self.session.join("\t"), counts.join("\t"))
    }
}

/// Names of the columns.
fn head() -> Vec<String> {
    let figures = Figures::default().named().map(|(name, _)| name.replace(' ', "_"));
    FIRST.iter().map(|name| name.to_string()).chain(figures).collect()
}

fn parse(text: &str) -> Result<Vec<Row>> {
    let mut lines = text.lines();
    if lines.next() != Some(&head().join("\t")) {
        bail!("{TABLE}:1: the columns are not {}", head().join(", "));
    }
    (2..).zip(lines).map(|(n, line)| Row::read(line).with_context(|| format!("{TABLE}:{n}"))).collect()
}

fn load() -> Result<Vec<Row>> {
    let text =
        std::fs::read_to_string(repo::root().join(TABLE)).with_context(|| format!("cannot read {TABLE}"))?;
    parse(&text)
}

/// Adds a session; one that goes on takes the place of its row.
pub fn record(session: &Session, lines: &[Line]) -> Result<()> {
    let (mut rows, row) = (load()?, Row::of(session, lines));
    match rows.iter_mut().find(|other| other.session == row.session) {
        Some(other) => *other = row,
        None => rows.push(row),
    }
    let text: String = rows.iter().map(Row::text).collect();
    repo::write(&repo::root().join(TABLE), &format!("{}\n{text}", head().join("\t")))
}

/// Prints the rows and their sum.
pub fn show() -> Result<()> {
    let rows = load()?;
    let mut sum = vec![0; head().len() - 3];
    for row in &rows {
        sum.iter_mut().zip(&row.counts).for_each(|(sum, n)| *sum += n);
    }
    let width = |name: &str| name.len().max(12) + 1;
    let line = |words: &[String]| {
        let cells = head().into_iter().zip(words).map(|(name, word)| format!("{word:>w$}", w = width(&name)));
        say!("{}", cells.collect::<String>());
    };
    line(&head());
    let all = Row { session: ["all", "", ""].map(String::from), counts: sum };
    for Row { session, counts } in rows.iter().chain([&all]) {
        let words: Vec<_> = session.iter().cloned().chain(counts.iter().map(u64::to_string)).collect();
        line(&words);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_in_the_tree_is_read() {
        load().unwrap();
    }

    #[test]
    fn a_session_is_read_as_it_was_written() {
        let figures = Figures { cycles: 5, resets: 2, ..Default::default() };
        let line = Line { run: "F1:0:1".into(), nth: Some(0), seconds: 1.0, figures, failure: None };
        let session = Session { seed: 3, shard: "1/2".into(), device: "d".into() };
        let row = Row::of(&session, &[line.clone(), line]);
        let text = format!("{}\n{}", head().join("\t"), row.text());
        assert_eq!(parse(&text).unwrap(), std::slice::from_ref(&row));
        assert_eq!((row.counts[0], row.counts[2], row.counts[7]), (2, 10, 4));
        let told = format!("{:#}", parse(&text.replace("\t10\t", "\tx\t")).unwrap_err());
        assert!(told.contains("amounts.tsv:2") && told.contains("`x`"), "{told}");
        assert!(parse("device").unwrap_err().to_string().contains("the columns are not"));
    }
}
