// SPDX-License-Identifier: MIT OR Apache-2.0
//! `coverage`: which lines of the emitted device ran, and which bits changed, in the tests.
//!
//! `suite` runs tests on models that count, `gather` joins what they left, `text` and `tally` say
//! what is the same place, `exclude` what no run can reach, `figures` and `record` tell it.
mod exclude;
mod figures;
mod gather;
mod record;
mod suite;
mod tally;
mod text;

use crate::floors::{judge, Floors};
use crate::repo;
use crate::steps::Steps;
use anyhow::{bail, ensure, Context, Result};
use exclude::Exclude;
use figures::{missing, Row};
use gather::{Device, Gathered};
pub use record::figures as recorded;
use std::collections::BTreeMap;
use std::path::PathBuf;
use suite::Run;
use tally::Tally;

/// Modules that the table shows: those with the most that was not hit.
const SHOWN: usize = 25;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask coverage --tests mpa                  run a family, and show the figures of all runs so far\n  \
    cargo xtask coverage --tests pair,sq,lab::reads   more of them, some by a part of their paths\n  \
    cargo xtask coverage                              show the figures of the runs so far, run nothing\n  \
    cargo xtask coverage --fresh --tests ''           forget earlier runs, run all tests: hours\n  \
    cargo xtask coverage --list-missing device_w64_mpa_rx\n  \
    cargo xtask coverage --record                     write docs/coverage.tsv\n\n\
    The tests run on models that count each block of statements and each change of a bit. A place of a module is\n\
    hit if any instance of the module hit it, in the device or in another top whose module has the same text.\n\
    tests/coverage/exclude.toml lists what no run can reach, with reasons. docs/coverage.md has the rules.\n\n\
    Fails below a floor of [coverage] in .ci/floors.toml, in thousandths, unless tests were chosen by --tests.")]
pub struct Args {
    /// Run the test binaries of `tests` whose names begin so, or `BINARY::PART` of their paths
    #[arg(long, value_delimiter = ',', value_name = "PREFIX")]
    tests: Vec<String>,
    /// Forget what earlier runs hit
    #[arg(long)]
    fresh: bool,
    /// Print the figures as one JSON object, nothing else
    #[arg(long)]
    json: bool,
    /// List the blocks and bits of a module that nothing hit
    #[arg(long, value_name = "MODULE")]
    list_missing: Option<String>,
    /// Write the figures to docs/coverage.tsv
    #[arg(long)]
    record: bool,
}

pub fn run(args: &Args) -> Result<()> {
    if args.fresh {
        repo::emptied("coverage")?;
    }
    let mut steps = Steps::new(args.json || args.list_missing.is_some());
    if !args.tests.is_empty() {
        steps.run("tests", |step| suite::run(&args.tests, step));
    }
    let report = steps.run("report", |step| {
        step.note("joining what was hit");
        Report::new()
    });
    let Some(report) = report else { return steps.finish() };
    if let Some(name) = &args.list_missing {
        report.list_missing(name)?;
        return steps.finish();
    }
    match args.json {
        true => say!("{}", serde_json::to_string_pretty(&report.json())?),
        false => report.table(),
    }
    if args.record {
        report.record()?;
    }
    steps.finish()?;
    match args.tests.is_empty() {
        true => judge::coverage(&Floors::load()?.coverage, &report.sum.floors()),
        false => Ok(()),
    }
}

/// What is told.
struct Report {
    device: Device,
    runs: Vec<(Run, PathBuf)>,
    gathered: Gathered,
    exclude: Exclude,
    /// By module, of what all tops hit.
    rows: BTreeMap<String, Row>,
    sum: Row,
    /// What the device alone hit.
    alone: Row,
}

impl Report {
    fn new() -> Result<Self> {
        let (device, exclude, runs) = (Device::new()?, Exclude::load()?, suite::runs()?);
        let gathered = device.gather(&runs)?;
        let rows = |tally: &Tally| -> BTreeMap<String, Row> {
            let row = |(name, module): (&String, _)| (name.clone(), Row::of(name, module, tally, &exclude));
            device.modules.iter().map(row).collect()
        };
        let sum = |rows: &BTreeMap<String, Row>| {
            rows.values().fold(Row::default(), |mut sum, row| {
                sum.add(row);
                sum
            })
        };
        let (joined, own) = (rows(&gathered.joined), rows(&gathered.device));
        exclude.check()?;
        let (all, alone) = (sum(&joined), sum(&own));
        Ok(Self { device, runs, gathered, exclude, rows: joined, sum: all, alone })
    }

    /// Runs with their numbers of tests.
    fn tests(&self) -> String {
        let one = |(run, _): &(Run, _)| format!("{} {}", run.tests, run.passed);
        self.runs.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn table(&self) {
        let line = |name: &str, row: &Row| {
            let [lines, blocks, toggles] = [row.lines, row.blocks, row.toggles];
            say!(
                "{name:<40} {:>7} {:>8} {:>7} {:>8} {:>8} {:>8}",
                lines.all,
                lines.percent(),
                blocks.all,
                blocks.percent(),
                toggles.all,
                toggles.percent()
            );
        };
        say!(
            "{:<40} {:>7} {:>8} {:>7} {:>8} {:>8} {:>8}",
            "module",
            "lines",
            "hit",
            "blocks",
            "hit",
            "toggles",
            "hit"
        );
        let mut worst: Vec<_> = self.rows.iter().collect();
        let left = |row: &Row| row.toggles.all - row.toggles.hit + 100 * (row.blocks.all - row.blocks.hit);
        worst.sort_by_key(|(_, row)| std::cmp::Reverse(left(row)));
        worst.into_iter().take(SHOWN).for_each(|(name, row)| line(name, row));
        line("all modules", &self.sum);
        line("all modules, hit by device_w64 alone", &self.alone);
        let Gathered { files: (own, other), stale, .. } = self.gathered;
        say!("\ntext of the device: {}; excluded: {} changes of bits", self.device.hash, self.sum.excluded);
        say!("tests: {}", self.tests());
        say!("files of hits: {own} of the device, {other} of other texts");
        if stale > 0 {
            complain!("warning: {stale} files of hits belong to models that are gone; run their tests again");
        }
    }

    fn json(&self) -> serde_json::Value {
        let of = |row: &Row| {
            let shares = [("line", row.lines), ("block", row.blocks), ("toggle", row.toggles)];
            let mut all: serde_json::Map<_, _> = shares
                .map(|(name, s)| (name.to_string(), serde_json::json!({ "all": s.all, "hit": s.hit })))
                .into_iter()
                .collect();
            all.insert("excluded".into(), row.excluded.into());
            serde_json::Value::from(all)
        };
        let modules: serde_json::Map<_, _> = self.rows.iter().map(|(n, row)| (n.clone(), of(row))).collect();
        let runs: Vec<_> = self.runs.iter().map(|(run, _)| run).collect();
        serde_json::json!({
            "text": self.device.hash, "all": of(&self.sum), "device_alone": of(&self.alone),
            "modules": modules, "runs": runs,
        })
    }

    fn list_missing(&self, name: &str) -> Result<()> {
        let alike = || {
            let names = self.rows.keys().filter(|other| other.contains(name)).cloned();
            names.take(9).collect::<Vec<_>>().join(", ")
        };
        let module = self.device.modules.get(name).with_context(|| {
            format!("the device has no module `{name}`; modules that have it in their names: {}", alike())
        })?;
        missing(name, module, &self.gathered.joined, &self.exclude).iter().for_each(|line| say!("{line}"));
        Ok(())
    }

    fn record(&self) -> Result<()> {
        let failed: Vec<_> = self.runs.iter().filter(|(run, _)| !run.failed.is_empty()).collect();
        if let Some((run, _)) = failed.first() {
            bail!("tests of `{}` failed ({}); run it again, then record", run.tests, run.failed.join(", "));
        }
        ensure!(!self.runs.is_empty(), "there are no runs; begin with `cargo xtask coverage --tests mpa`");
        let rows = self.rows.iter().map(|(name, row)| (name.as_str(), *row)).collect();
        let text = record::text(&self.device.hash, &self.tests(), &rows, &self.sum);
        repo::write(&repo::root().join(record::PATH), &text)
    }
}
