// SPDX-License-Identifier: MIT OR Apache-2.0
//! `formal`: properties of the emitted Verilog, proved by Yosys and an SMT solver.

mod property;
mod prove;
mod text;
mod units;

use crate::repo;
use crate::steps::{Step, Steps};
use anyhow::{bail, Context, Result};
use property::Property;
use prove::{Question, Trace};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::Instant;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask formal                          every proof, and every seeded bug\n  \
    cargo xtask formal --only skid,mr_check\n  \
    cargo xtask formal --bug mpa_rx_stopped     only the seeded bug of this property, with its waves\n  \
    cargo xtask formal --json\n\n\
    A property is a harness under tests/formal; tests/formal/README.md lists the properties. A proof by `induction` holds in all\n\
    cycles, a `bounded` one up to that many cycles from reset. Each property has a bug that must break the property: one change of\n\
    one module of the emitted text. A failed proof, and a bug that is not found, fail the command. Waves stay in target/formal/NAME.")]
pub struct Args {
    /// Properties to prove; default: all of them
    #[arg(long, value_delimiter = ',', value_name = "NAME", conflicts_with = "bug")]
    only: Vec<String>,
    /// Only break this property by its seeded bug, and print the path of the waves
    #[arg(long, value_name = "NAME")]
    bug: Option<String>,
    /// Print the verdicts as JSON
    #[arg(long)]
    json: bool,
}

/// Proofs that run at a time: the machines have two cores.
const AT_A_TIME: usize = 2;

/// What became of a property.
#[derive(Clone, Debug, Serialize)]
struct Verdict {
    name: String,
    proves: String,
    kind: property::Kind,
    depth: u32,
    /// Seconds that the proof took.
    seconds: f64,
    /// Seconds until the bug was found.
    bug_seconds: f64,
    /// Why it does not hold, or its bug is not found; none if all is well.
    fault: Option<String>,
}

pub fn run(args: &Args) -> Result<()> {
    let mut steps = Steps::new(args.json);
    steps.run("setup", crate::setup::ensure);
    if let Some(name) = &args.bug {
        steps.run(name, |step| show_bug(step, name));
        return steps.finish();
    }
    let chosen = chosen(Property::all()?, &args.only)?;
    let verdicts = steps.run("formal", |step| prove_all(step, &chosen)).unwrap_or_default();
    if args.json {
        say!("{}", serde_json::to_string_pretty(&verdicts)?);
    } else {
        table(&verdicts);
    }
    steps.finish()?;
    let bad: Vec<_> = verdicts.iter().filter(|v| v.fault.is_some()).map(|v| v.name.as_str()).collect();
    if !bad.is_empty() {
        bail!("not proved: {}", bad.join(", "));
    }
    Ok(())
}

fn chosen(mut all: Vec<Property>, only: &[String]) -> Result<Vec<Property>> {
    if let Some(stranger) = only.iter().find(|o| all.iter().all(|p| p.name != **o)) {
        let names: Vec<_> = all.iter().map(|p| p.name.as_str()).collect();
        bail!("no property `{stranger}`; there are {}", names.join(", "));
    }
    all.retain(|p| only.is_empty() || only.contains(&p.name));
    Ok(all)
}

/// Emitted texts of these properties, by name.
fn texts(properties: &[Property]) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    for p in properties {
        if !texts.contains_key(&p.text) {
            texts.insert(p.text.clone(), units::text(&p.text)?);
        }
    }
    Ok(texts)
}

/// Proves these, two at a time.
fn prove_all(step: &Step, properties: &[Property]) -> Result<Vec<Verdict>> {
    let solver = crate::setup::ensure_solver(step)?;
    let texts = texts(properties)?;
    let (next, verdicts) = (AtomicUsize::new(0), Mutex::new(vec![]));
    let work = || {
        while let Some(p) = properties.get(next.fetch_add(1, Ordering::Relaxed)) {
            step.note(&p.name);
            let verdict = judge(p, &texts[&p.text], solver);
            if let Some(fault) = &verdict.fault {
                step.line(&format!("    {fault}"));
            }
            verdicts.lock().unwrap_or_else(|e| e.into_inner()).push(verdict);
        }
    };
    std::thread::scope(|s| (0..AT_A_TIME).for_each(|_| drop(s.spawn(work))));
    let mut verdicts = verdicts.into_inner().unwrap_or_else(|e| e.into_inner());
    verdicts.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(verdicts)
}

/// Asks both questions of one property.
fn judge(p: &Property, text: &str, solver: &str) -> Verdict {
    let timed = |question| {
        let start = Instant::now();
        (prove::ask(p, text, question, solver), start.elapsed().as_secs_f64())
    };
    let (holds, seconds) = timed(Question::Holds);
    let (bug, bug_seconds) = timed(Question::BugIsFound);
    let fault = match (holds, bug) {
        (Err(why), _) | (_, Err(why)) => Some(format!("{}: {why:#}", p.name)),
        (Ok(Some(trace)), _) => Some(broken(p, &trace)),
        (_, Ok(None)) => Some(format!(
            "{}: the seeded bug is not found in {} cycles: the property says less than it should",
            p.name, p.bug_depth
        )),
        (Ok(None), Ok(Some(_))) => None,
    };
    Verdict {
        name: p.name.clone(),
        proves: p.proves.clone(),
        kind: p.kind,
        depth: p.depth,
        seconds,
        bug_seconds,
        fault,
    }
}

fn broken(p: &Property, trace: &Trace) -> String {
    format!(
        "{}: {}\n    waves: {}\n    again: cargo xtask formal --only {}",
        p.name,
        trace.why,
        repo::shown(&trace.file),
        p.name
    )
}

/// Breaks a property by its bug and says how.
fn show_bug(step: &Step, name: &str) -> Result<()> {
    let p = chosen(Property::all()?, &[name.into()])?.remove(0);
    let solver = crate::setup::ensure_solver(step)?;
    let trace = prove::ask(&p, &units::text(&p.text)?, Question::BugIsFound, solver)?;
    let trace = trace.with_context(|| format!("the bug is not found in {} cycles", p.bug_depth))?;
    step.line(&format!("    in {}: {} -> {}", p.bug.module, p.bug.from, p.bug.to));
    step.line(&format!("    breaks {}", trace.why));
    step.line(&format!("    waves: {}", repo::shown(&trace.file)));
    Ok(())
}

fn table(verdicts: &[Verdict]) {
    say!("\n{:<22} {:<9} {:>5} {:>8} {:>8}  result", "property", "kind", "depth", "seconds", "bug");
    for v in verdicts {
        let result = if v.fault.is_some() { "FAILED" } else { "proved, bug found" };
        let (name, kind) = (&v.name, v.kind.name());
        say!("{name:<22} {kind:<9} {:>5} {:>8.1} {:>8.1}  {result}", v.depth, v.seconds, v.bug_seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_that_is_not_there_is_refused() {
        let all = Property::all().unwrap();
        let refused = chosen(all.clone(), &["nix".into()]).unwrap_err().to_string();
        assert!(refused.contains("no property `nix`") && refused.contains("skid"), "{refused}");
        assert_eq!(chosen(all.clone(), &["skid".into()]).unwrap().len(), 1);
        assert_eq!(chosen(all.clone(), &[]).unwrap().len(), all.len());
    }

    /// Where the change of a property's bug would not fit the text, the device has moved on.
    #[test]
    fn every_bug_fits_its_text() {
        let all = Property::all().unwrap();
        let texts = texts(&all).unwrap();
        for p in &all {
            let modules = text::Modules::of(&texts[&p.text]);
            modules.below(&p.modules, &p.instead, Some(&p.bug)).with_context(|| p.name.clone()).unwrap();
        }
    }
}
