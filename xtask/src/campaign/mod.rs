// SPDX-License-Identifier: MIT OR Apache-2.0
//! `campaign`: random runs of whole devices under faults, in shards, for some minutes.

mod amounts;
mod guide;
mod seeds;
mod table;

use crate::repo;
use crate::steps::{Step, Steps};
use anyhow::{anyhow, bail, ensure, Context, Result};
use ferrowarp_tests::campaign::{
    part, parts, repeat, Bug, Engine, Hardware, Line, Log, Orders, Part, Run, Session, Shard, BUGS,
};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask campaign                                 ten minutes of all parts, with a fresh seed\n  \
    cargo xtask campaign --shard 2/4 --seed 7 --minutes 60\n  \
    cargo xtask campaign --shard 2/4 --resume            goes on behind the last run of that shard\n  \
    cargo xtask campaign --part F1,F7 --json\n  \
    cargo xtask campaign --run F1:17:4242                one run again; a failure leaves its waveform\n  \
    cargo xtask campaign --bug stopped                   plants a bug in the hardware, which a part must find\n  \
    cargo xtask campaign --guide --minutes 30            more runs for the corpus of F3-grammar\n  \
    cargo xtask campaign --amounts                       what all recorded sessions have run\n  \
    cargo xtask campaign --list\n\n\
    docs/campaign.md describes parts and invariants. Each run is a line of target/campaign/SHARD.jsonl. The runs of\n\
    tests/data/campaign-seeds.txt come first, in shard 1. A failure is cut down, leaves frames and a waveform in\n\
    target/sim, and tells the line that repeats the run.")]
pub struct Args {
    /// Which share of the runs, as 2/4
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,
    /// Minutes in which runs begin
    #[arg(long, value_name = "M", default_value_t = 10.0)]
    minutes: f64,
    /// Go on behind the last run of the shard, with its seed
    #[arg(long, conflicts_with = "seed")]
    resume: bool,
    /// What all runs are drawn from; without it a fresh number, which is printed
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Parts to run; default: all of them
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    part: Vec<String>,
    /// Runs at a time
    #[arg(long, value_name = "N", default_value_t = 2)]
    jobs: usize,
    /// Print figures and failures as one JSON object, nothing else
    #[arg(long)]
    json: bool,
    /// Only this run: PART:CELL:SEED or PART:CELL:SEED:STEPS
    #[arg(long, value_name = "RUN")]
    run: Option<Run>,
    /// Plant this bug, and end with the first run that finds it; no run within --minutes is an
    /// error
    #[arg(long, value_name = "NAME", conflicts_with_all = ["resume", "shard", "part"])]
    bug: Option<String>,
    /// Write the figures of the session into the table of all sessions
    #[arg(long, conflicts_with_all = ["bug", "run"])]
    record: bool,
    /// Print that table and its sum
    #[arg(long)]
    amounts: bool,
    /// Let coverage of the device choose runs of F3-grammar for the corpus, one run at a time
    #[arg(long, conflicts_with_all = ["bug", "run", "resume", "shard", "part", "record", "json"])]
    guide: bool,
    /// List parts, cells and bugs
    #[arg(long)]
    list: bool,
}

/// Off a terminal there is a line of progress so often.
const TOLD_EVERY: Duration = Duration::from_secs(60);
/// Bits of a fresh seed, so that people can copy it.
const SEED_BITS: u32 = 32;

pub fn run(args: &Args) -> Result<()> {
    if args.list {
        table::list(&parts(), &BUGS);
        return Ok(());
    }
    if args.amounts {
        return amounts::show();
    }
    let hardware = Hardware::new(args.bug.as_deref().map(bug).transpose()?);
    if let Some(run) = &args.run {
        let figures = repeat(&hardware, run).map_err(|why| anyhow!("{why}"))?;
        say!("{run} passed: {}", table::counted(&figures));
        return Ok(());
    }
    ensure!(args.minutes >= 0.0 && args.minutes.is_finite(), "--minutes {} is no time", args.minutes);
    if args.guide {
        let time = Duration::from_secs_f64(args.minutes * 60.0);
        return guide::run(&hardware, args.seed.unwrap_or_else(fresh), time);
    }
    let mut steps = Steps::new(args.json);
    steps.run("setup", crate::setup::ensure);
    match args.bug.as_deref().map(bug).transpose()? {
        Some(bug) => drop(steps.run(bug.name, |step| hunt(step, args, &hardware, &bug))),
        None => {
            let ended = steps.run("campaign", |step| session(step, args, &hardware));
            if let Some((session, lines)) = ended {
                if args.record {
                    amounts::record(&session, &lines)?;
                }
                if args.json {
                    say!("{}", serde_json::to_string_pretty(&table::json(&session, &lines))?);
                } else {
                    table::show(&lines);
                }
                let failed = lines.iter().filter(|line| line.failure.is_some()).count();
                steps.finish()?;
                ensure!(failed == 0, "{failed} of {} runs failed", lines.len());
                return Ok(());
            }
        }
    }
    steps.finish()
}

/// A session of a shard: what it began with, and all lines of its file.
fn session(step: &Step, args: &Args, hardware: &Hardware) -> Result<(Session, Vec<Line>)> {
    let path = file(args.shard);
    let shard = args.shard.to_string();
    let (mut log, seed, before) = match args.resume {
        true => {
            let (log, session, lines) = Log::resume(&path)?;
            (log, session.seed, lines)
        }
        false => (Log::begin(&path)?, args.seed.unwrap_or_else(fresh), vec![]),
    };
    step.note("models: a few minutes if they are not there yet");
    let session = Session { seed, shard, device: device(hardware)? };
    log.session(&session)?;
    step.line(&format!(
        "    seed {seed}, shard {}, device {}, {} runs so far: {}",
        session.shard,
        session.device,
        before.len(),
        repo::shown(&path)
    ));
    let first = if args.shard.nth == 1 { seeds::load()? } else { vec![] };
    let orders = Orders {
        parts: chosen(&args.part)?,
        shard: args.shard,
        seed,
        first,
        time: Duration::from_secs_f64(args.minutes * 60.0),
        jobs: args.jobs,
        hunts: false,
    };
    let lines = Mutex::new((before.clone(), Instant::now()));
    Engine::new(&orders, hardware, Some(log), &before).run(&|line| {
        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.0.push(line.clone());
        let told = table::progress(&lines.0);
        step.note(&told);
        if let Some(failure) = &line.failure {
            step.line(&format!("    FAILED {} ({:?}): {}", failure.run, failure.invariant, failure.why));
        }
        if lines.1.elapsed() >= TOLD_EVERY {
            lines.1 = Instant::now();
            step.line(&format!("    {told}"));
        }
    })?;
    Ok((session, lines.into_inner().unwrap_or_else(PoisonError::into_inner).0))
}

/// Runs the part of a bug until it finds the bug.
fn hunt(step: &Step, args: &Args, hardware: &Hardware, bug: &Bug) -> Result<()> {
    step.note("the model with the bug: a few minutes if it is not there yet");
    let begun = Instant::now();
    let parts = chosen(&[bug.part.to_string()])?;
    for (top, config) in parts.iter().flat_map(|part| part.models()) {
        hardware.model(top, &config).map_err(|why| anyhow!(why))?;
    }
    let built = begun.elapsed();
    let seed = args.seed.unwrap_or_else(fresh);
    let orders = Orders {
        parts,
        shard: Shard { nth: 1, of: 1 },
        seed,
        first: vec![],
        time: Duration::from_secs_f64(args.minutes * 60.0),
        jobs: args.jobs,
        hunts: true,
    };
    let (begun, found) = (Instant::now(), Mutex::new((0, 0, None)));
    Engine::new(&orders, hardware, None, &[]).run(&|line| {
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        found.0 += 1;
        found.1 += line.figures.cycles;
        step.note(&format!("{} runs", found.0));
        if let Some(failure) = &line.failure {
            found.2.get_or_insert_with(|| (begun.elapsed(), failure.clone()));
        }
    })?;
    let (runs, cycles, found) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let Some((after, failure)) = found else {
        bail!("{} runs of {} did not find the bug: {}", runs, bug.part, bug.about);
    };
    let first = failure.why.lines().next().unwrap_or_default();
    step.line(&format!(
        "    {} found by {}, in {runs} runs, {cycles} cycles without a failure before (seed {seed}); \
         models {:.0} s, runs {:.0} s: {:?}: {first}",
        bug.name,
        failure.run,
        built.as_secs_f64(),
        after.as_secs_f64(),
        failure.invariant
    ));
    Ok(())
}

/// The file of a shard.
fn file(shard: Shard) -> PathBuf {
    repo::target("campaign").join(format!("{}-of-{}.jsonl", shard.nth, shard.of))
}

/// A seed that nobody had.
fn fresh() -> u64 {
    rand::random::<u64>() >> (u64::BITS - SEED_BITS)
}

/// The hash of the device that most parts run on.
fn device(hardware: &Hardware) -> Result<String> {
    let library = hardware.device().map_err(|why| anyhow!(why))?;
    let stem = library.file().file_stem().context("a model has a name")?.to_string_lossy().into_owned();
    Ok(stem.rsplit_once('-').map_or(stem.clone(), |(_, hash)| hash.to_string()))
}

fn chosen(names: &[String]) -> Result<Vec<&'static dyn Part>> {
    if names.is_empty() {
        return Ok(parts());
    }
    let known = || parts().iter().map(|part| part.name()).collect::<Vec<_>>().join(", ");
    names
        .iter()
        .map(|name| part(name).with_context(|| format!("no part `{name}`; there are {}", known())))
        .collect()
}

fn bug(name: &str) -> Result<Bug> {
    let known = || BUGS.map(|bug| bug.name).join(", ");
    BUGS.into_iter()
        .find(|bug| bug.name == name)
        .with_context(|| format!("no bug `{name}`; there are {}", known()))
}
