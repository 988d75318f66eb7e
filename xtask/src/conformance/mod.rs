// SPDX-License-Identifier: MIT OR Apache-2.0
//! `conformance`: how many requirements of the RFCs are proved, by tests that ran and passed.

mod committed;
mod ledger;
mod read;
mod siw;

use crate::floors::{judge, Figures, Floors};
use crate::repo;
use crate::test::results::Results;
use anyhow::{bail, Error, Result};
use ferrowarp_tests::proves::matrix::{matrices, Level};
use ledger::{Ledger, State};
use siw::Siw;
use std::collections::BTreeMap;

/// The levels that the figures `must.*` count.
const MUSTS: [Level; 2] = [Level::Must, Level::MustNot];

/// Where the matrices come from, beside the repository.
const SPEC: &str = "../shared/spec";

/// What is counted, and the levels that it is.
const COUNTED: [(&str, &[Level]); 2] = [("must", &MUSTS), ("should", &[Level::Should])];

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask conformance\n  \
    cargo xtask conformance --open MPA-4\n  \
    cargo xtask conformance --rows MPA-4.4\n  \
    cargo xtask conformance --json\n\n\
    Counts proofs of the last `cargo xtask test`. proved: from the wire or from verbs. inner: about an interface\n\
    inside of the device or a type of the API. model: only by the bench of one stage. waived: refused with a\n\
    reason in tests/conformance/waivers.toml. answered: a SHOULD that is not met, with a reason in answers.toml.\n\
    open: the rest. derived.toml has rows about whole sections. siw: rows whose steps hold on Linux siw in a script\n\
    (`cargo xtask interop --only scripts`, docs/siw-differs.md).\n\n\
    Fails below a floor of .ci/floors.toml. If ../shared/spec exists, also fails if a matrix differs from the one there.")]
pub struct Args {
    /// Print the figures as one JSON object, nothing else: must.total, must.proved, should.model,
    /// ...
    #[arg(long)]
    json: bool,
    /// List the open rows whose id starts with PREFIX
    #[arg(long, value_name = "PREFIX", num_args = 0..=1, default_missing_value = "")]
    open: Option<String>,
    /// List the rows whose id starts with PREFIX: state, and who proves them on which device
    #[arg(long, value_name = "PREFIX", num_args = 0..=1, default_missing_value = "", conflicts_with = "open")]
    rows: Option<String>,
}

pub fn run(args: &Args) -> Result<()> {
    let (ledger, note) = ledger()?;
    if let Some(why) = note {
        complain!("warning: {why:#}; nothing counts as proved");
    }
    if let Some(prefix) = &args.rows {
        return list_rows(&ledger, &Siw::committed()?, prefix, args.json);
    }
    match &args.open {
        _ if args.json => {
            let mut figures = figures(&ledger);
            figures.extend(of_siw(&Siw::committed()?));
            say!("{}", serde_json::to_string_pretty(&figures)?);
        }
        Some(prefix) => {
            list_open(&ledger, prefix);
            return Ok(());
        }
        None => {
            table(&ledger);
            let passed = of_siw(&Siw::committed()?);
            say!(
                "Linux siw passes, as far as scripts ask it: {} of MUST, {} of SHOULD",
                passed["must.siw"],
                passed["should.siw"]
            );
        }
    }
    if ledger.ignored > 0 {
        complain!("warning: {} proofs of tests that failed or did not run are not counted", ledger.ignored);
    }
    if !ledger.faults.is_empty() {
        bail!("{}", ledger.faults.join("\n"));
    }
    if let Some(unseen) = read::drift(&repo::root().join(SPEC))? {
        complain!("{unseen}");
    }
    judge::requirements(&Floors::load()?.conformance, &of_floors(&ledger))
}

/// Joins what the last `cargo xtask test` left. Without its results nothing counts, but the rows
/// are there; the error says why.
fn ledger() -> Result<(Ledger, Option<Error>)> {
    let (results, note) = match Results::load() {
        Ok(results) => (results, None),
        Err(why) => (Results::default(), Some(why)),
    };
    let records = read::records(&repo::target("conformance"))?;
    let committed = read::committed(&repo::root().join("tests/conformance"))?;
    Ok((Ledger::new(&records, &read::passed(&results), &committed), note))
}

/// The figures of the last `cargo xtask test` that have floors: `must.proved`, `must.proved+model`,
/// and the same of `should`.
pub fn floor_figures() -> Result<Figures> {
    match ledger()? {
        (ledger, None) => Ok(of_floors(&ledger)),
        (_, Some(why)) => Err(why),
    }
}

fn of_floors(ledger: &Ledger) -> Figures {
    let figures = figures(ledger);
    let of = |(what, _): (&str, _)| {
        let [proved, inner, model] = [State::Proved, State::Inner, State::Model]
            .map(|state| figures[&format!("{what}.{}", state.name())]);
        let all = proved + inner + model;
        [(format!("{what}.proved"), proved as u64), (format!("{what}.proved+model"), all as u64)]
    };
    COUNTED.into_iter().flat_map(of).collect()
}

/// `must.<state>` and `must.total` over all matrices, `should.*` likewise, and the same with the
/// matrix's name before it.
fn figures(ledger: &Ledger) -> BTreeMap<String, usize> {
    let mut figures = BTreeMap::new();
    for (matrix, (what, levels)) in matrices().iter().flat_map(|m| COUNTED.map(|counted| (m, counted))) {
        let counts = ledger.count(matrix, levels);
        let named = State::ALL.iter().map(|s| s.name()).zip(counts);
        for (name, count) in named.chain([("total", counts.iter().sum())]) {
            figures.insert(format!("{}.{what}.{name}", matrix.name), count);
            *figures.entry(format!("{what}.{name}")).or_default() += count;
        }
    }
    figures
}

/// Rows that Linux siw passes, `must.siw` and `should.siw`.
fn of_siw(siw: &Siw) -> BTreeMap<String, usize> {
    let rows = || matrices().iter().flat_map(|matrix| &matrix.rows);
    let passed = |levels: &[Level]| {
        rows().filter(|row| levels.contains(&row.level) && siw.passes(row.id).next().is_some()).count()
    };
    COUNTED.map(|(what, levels)| (format!("{what}.siw"), passed(levels))).into()
}

fn table(ledger: &Ledger) {
    say!(
        "{:<15} {:<9} {:>6} {:>7} {:>6} {:>6} {:>7} {:>9} {:>6}",
        "matrix",
        "level",
        "rows",
        "proved",
        "inner",
        "model",
        "waived",
        "answered",
        "open"
    );
    let mut musts = [0; 6];
    for matrix in matrices() {
        for level in Level::ALL {
            let counts = ledger.count(matrix, &[level]);
            line(matrix.name, level.name(), &counts);
            if MUSTS.contains(&level) {
                musts.iter_mut().zip(counts).for_each(|(sum, c)| *sum += c);
            }
        }
    }
    line("all", "must", &musts);
}

fn line(matrix: &str, level: &str, counts: &[usize; 6]) {
    let total: usize = counts.iter().sum();
    let [proved, inner, model, waived, answered, open] = counts;
    say!("{matrix:<15} {level:<9} {total:>6} {proved:>7} {inner:>6} {model:>6} {waived:>7} {answered:>9} {open:>6}");
}

/// The rows with their states, the tests behind them and whether siw passes; the best test alone,
/// if not as JSON.
fn list_rows(ledger: &Ledger, siw: &Siw, prefix: &str, json: bool) -> Result<()> {
    let rows = matrices().iter().flat_map(|m| &m.rows).filter(|row| row.id.starts_with(prefix));
    let mut listed = vec![];
    for row in rows {
        let (state, by): (_, Vec<_>) = (ledger.state(row).name(), ledger.by(row).collect());
        if json {
            let by: Vec<_> = by.iter().map(|(how, who)| format!("{}: {who}", how.name())).collect();
            let (level, siw): (_, Vec<_>) = (row.level.name(), siw.passes(row.id).collect());
            listed.push(
                serde_json::json!({ "id": row.id, "level": level, "state": state, "by": by, "siw": siw }),
            );
        } else {
            let (best, more) = (by.first().map_or("", |(_, who)| who.as_str()), by.len().saturating_sub(1));
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            let too = if siw.passes(row.id).next().is_some() { "siw" } else { "" };
            say!("{:<15} {:<8} {:<8} {too:<4} {best}{more}", row.id, row.level.name(), state);
        }
    }
    if json {
        say!("{}", serde_json::to_string_pretty(&listed)?);
    }
    Ok(())
}

fn list_open(ledger: &Ledger, prefix: &str) {
    let rows = matrices().iter().flat_map(|m| &m.rows);
    for row in rows.filter(|r| r.id.starts_with(prefix) && ledger.state(r) == State::Open) {
        say!("{:<14} {:<8} {:<12} {}", row.id, row.level.name(), row.owner, row.requirement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_count_must_and_must_not_over_all_matrices() {
        let ledger = Ledger::new(&[], &Default::default(), &Default::default());
        let figures = figures(&ledger);
        assert_eq!(figures["must.total"], 431);
        assert_eq!(figures["must.open"], 431);
        assert_eq!(figures["mpa-rfc5044.must.total"], 107);
        assert_eq!((figures["must.proved"], figures["must.model"], figures["must.waived"]), (0, 0, 0));
        assert_eq!((figures["should.total"], figures["mpa-rfc5044.should.open"]), (82, 39));
        assert_eq!(figures["should.answered"], 0);
        let names: Vec<_> = of_floors(&ledger).into_keys().collect();
        assert_eq!(names, ["must.proved", "must.proved+model", "should.proved", "should.proved+model"]);
    }
}
