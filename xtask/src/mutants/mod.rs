// SPDX-License-Identifier: MIT OR Apache-2.0
//! `mutants`: which small changes of the emitted Verilog does no test notice?
//!
//! `stages` says what is changed and who judges, `trial` tries the mutants of a top on the tests of
//! `suite`, each run of which is a `binary`; `log` keeps what was tried, `record` what is
//! committed.

mod binary;
mod log;
mod orders;
mod record;
mod stages;
mod suite;
mod trial;

use crate::floors::{judge, Figures, Floors};
use crate::steps::Steps;
use anyhow::{ensure, Result};
use ferrowarp_tests::campaign::Shard;
use log::Line;
use orders::Orders;
use record::Record;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask mutants                                  500 mutants over all stages: hours\n  \
    cargo xtask mutants --stage mac,cq                   those of two stages\n  \
    cargo xtask mutants --stage mpa_rx --count 50 --seed 7\n  \
    cargo xtask mutants --shard 2/4 --resume --minutes 30\n  \
    cargo xtask mutants --resume --record                tries what is left, then writes tests/mutants\n  \
    cargo xtask mutants --list\n\n\
    A mutant is one changed comparison or constant of the emitted Verilog of a bench top. The tests of the stage's\n\
    family that use the top judge it: those that noticed most and the quick ones first, all of them before a mutant\n\
    survives. Each mutant is a line of target/mutants/TOP.jsonl. docs/mutants.md describes stages and tables.\n\n\
    Fails if the recorded score is below its floor in .ci/floors.toml.")]
pub struct Args {
    /// Which share of the mutants, as 2/4
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,
    /// Stages; default: all of them
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    stage: Vec<String>,
    /// Mutants of each stage, in place of those of the table
    #[arg(long, value_name = "N", conflicts_with = "record")]
    count: Option<usize>,
    /// What the places are drawn from
    #[arg(long, value_name = "SEED", default_value_t = stages::SEED, conflicts_with = "record")]
    seed: u64,
    /// Begin no mutant after so many minutes
    #[arg(long, value_name = "M")]
    minutes: Option<f64>,
    /// Keep what was tried on the same emitted text; survivors are tried again if the tests changed
    #[arg(long)]
    resume: bool,
    /// Mutants at a time
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Write what was tried to tests/mutants
    #[arg(long)]
    record: bool,
    /// Print figures and survivors as one JSON object, nothing else
    #[arg(long)]
    json: bool,
    /// List the stages with tops, tests, and what is recorded
    #[arg(long)]
    list: bool,
}

/// What became of a stage.
struct Of {
    stage: &'static str,
    hash: String,
    drawn: usize,
    lines: Vec<Line>,
}

impl Of {
    fn killed(&self) -> usize {
        self.lines.iter().filter(|line| line.by.is_some()).count()
    }
}

pub fn run(args: &Args) -> Result<()> {
    args.stage.iter().try_for_each(|name| stages::known(name))?;
    let mut record = Record::load()?;
    if args.list {
        list(&record);
        return Ok(());
    }
    let minutes = args.minutes.unwrap_or(0.0);
    ensure!(minutes >= 0.0 && minutes.is_finite(), "--minutes {minutes} is no time");
    let until = args.minutes.map(|minutes| Instant::now() + Duration::from_secs_f64(minutes * 60.0));
    let Args { seed, count, resume, jobs, shard, .. } = *args;
    let orders = Orders { stages: &args.stage, shard, seed, count, resume, jobs, until };
    let mut steps = Steps::new(args.json);
    steps.run("setup", crate::setup::ensure);
    let mut all = vec![];
    for bench in stages::BENCHES {
        if !bench.stages.iter().any(|stage| orders.chosen(stage.name)) {
            continue;
        }
        let tried = steps.run(bench.top.name(), |step| trial::bench(bench, &orders, step));
        let Some(tried) = tried else { continue };
        for (stage, drawn) in bench.stages.iter().zip(&tried.drawn).filter(|(s, _)| orders.chosen(s.name)) {
            let lines = tried.lines.iter().filter(|line| line.stage == stage.name).cloned().collect();
            all.push(Of { stage: stage.name, hash: tried.hash.clone(), drawn: *drawn, lines });
        }
    }
    if args.record {
        steps.run("record", |_| {
            // as it stands now: another shard may have written it meanwhile
            record = Record::load()?;
            for of in all.iter().filter(|of| !of.lines.is_empty()) {
                record.take(of.stage, &of.hash, of.drawn, &of.lines)?;
            }
            record.save()
        });
    }
    if args.json {
        say!("{}", serde_json::to_string_pretty(&json(&all, &record))?);
    } else {
        show(&all, &record);
    }
    steps.finish()?;
    judge::mutants(&Floors::load()?.mutants, &record.figures())
}

/// The recorded figures that have floors.
pub fn floor_figures() -> Result<Figures> {
    Ok(Record::load()?.figures())
}

fn json(all: &[Of], record: &Record) -> serde_json::Value {
    let stage = |of: &Of| {
        let survivors: Vec<_> = of.lines.iter().filter(|line| line.by.is_none()).collect();
        let (tried, killed) = (of.lines.len(), of.killed());
        let figures = serde_json::json!({
            "hash": of.hash, "drawn": of.drawn, "tried": tried, "killed": killed, "survivors": survivors
        });
        (of.stage.to_string(), figures)
    };
    let stages: serde_json::Map<_, _> = all.iter().map(stage).collect();
    serde_json::json!({ "stages": stages, "recorded": record.figures(), "explained": record.explained() })
}

fn show(all: &[Of], record: &Record) {
    for line in all.iter().flat_map(|of| &of.lines).filter(|line| line.by.is_none()) {
        let key = record::survivor(line);
        let reason = record.survivors.get(&key).map_or(record::OPEN, |reason| reason);
        say!(
            "survivor of {}: {} line {}, `{}` -> `{}`: {reason}",
            line.stage,
            key.1,
            line.line,
            key.3,
            key.4
        );
    }
    say!("\n{:<10} {:>6} {:>6} {:>7} {:>9}", "stage", "drawn", "tried", "killed", "survived");
    let row = |name: &str, drawn: usize, tried: usize, killed: usize| {
        say!("{name:<10} {drawn:>6} {tried:>6} {killed:>7} {:>9}", tried - killed);
    };
    all.iter().for_each(|of| row(of.stage, of.drawn, of.lines.len(), of.killed()));
    let sum = |of: fn(&Of) -> usize| all.iter().map(of).sum::<usize>();
    row("all", sum(|of| of.drawn), sum(|of| of.lines.len()), sum(Of::killed));
    recorded(record);
}

/// What stands in the committed tables.
fn recorded(record: &Record) {
    let figures = record.figures();
    say!(
        "recorded: {} of {} mutants tried, {} of 1000 killed; {} survivors, {} of them explained",
        figures["tried"],
        stages::TOTAL,
        figures["killed_of_1000"],
        record.survivors.len(),
        record.explained()
    );
}

fn list(record: &Record) {
    say!(
        "{:<10} {:<13} {:<18} {:>5} {:>7} {:>6} {:>7}",
        "stage",
        "top",
        "tests",
        "lines",
        "mutants",
        "tried",
        "killed"
    );
    for (bench, stage) in stages::BENCHES.iter().flat_map(|b| b.stages.iter().map(move |s| (b, s))) {
        let row = record.rows.get(stage.name).cloned().unwrap_or_default();
        say!(
            "{:<10} {:<13} {:<18} {:>5} {:>7} {:>6} {:>7}",
            stage.name,
            bench.top.name(),
            bench.judges.join(","),
            stage.lines,
            stage.count,
            row.tried,
            row.killed
        );
    }
    recorded(record);
}
