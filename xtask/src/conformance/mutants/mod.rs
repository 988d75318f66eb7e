// SPDX-License-Identifier: MIT OR Apache-2.0
//! `conformance --mutate N`: which small changes of the emitted Verilog does no test notice?
//!
//! The changes are compiled into one model of one bench top; the variable `FERROWARP_MUTANT`
//! chooses one of them in the test binaries, which are built once and run directly, only with the
//! tests that use that top.

mod suite;

use crate::repo;
use crate::steps::{Step, Steps};
use anyhow::{bail, Context, Result};
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::mutate::{Plan, Site};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{mpsc, Mutex};
use suite::Suite;

/// Mutants that are tried at the same time: the machines have two cores.
const WORKERS: usize = 2;

/// What is asked for on the command line.
pub struct Request<'a> {
    /// Mutants wanted.
    pub count: usize,
    /// Which places are drawn.
    pub seed: u64,
    /// Name of the bench top.
    pub top: &'a str,
    /// Beginning of the instance names that are changed; empty for all.
    pub stage: &'a str,
    /// Beginning of the names `binary::test` of the tests that are run; empty for all.
    pub tests: &'a str,
    /// Print the survivors as JSON, nothing else.
    pub json: bool,
}

/// Runs all mutants and lists those that no test noticed.
pub fn run(request: &Request<'_>) -> Result<()> {
    let plan = Plan {
        top: request.top.into(),
        seed: request.seed,
        count: request.count,
        only: request.stage.into(),
    };
    let mut steps = Steps::new(request.json);
    let Some(sites) = steps.run("mutants", |step| sites(&plan, step)) else { return steps.finish() };
    let Some(suite) = steps.run("suite", |step| Suite::build(&plan, request.tests, step)) else {
        return steps.finish();
    };
    let Some(survivors) = steps.run("run", |step| try_all(&suite, &sites, step)) else {
        return steps.finish();
    };
    if request.json {
        say!("{}", serde_json::to_string_pretty(&survivors)?);
    } else {
        say!("{} of {} mutants were noticed", sites.len() - survivors.len(), sites.len());
        for s in &survivors {
            say!("survivor {}: {} line {}: `{}` -> `{}`", s.id, s.module, s.line, s.before, s.after);
        }
    }
    steps.finish()
}

/// The mutants of the plan; the text that their lines count in is kept.
fn sites(plan: &Plan, step: &Step) -> Result<Vec<Site>> {
    let top = Top::ALL.iter().copied().find(|t| t.name() == plan.top).with_context(|| {
        let names: Vec<_> = Top::ALL.iter().map(|t| t.name()).collect();
        format!("no top `{}`; the tops are {}", plan.top, names.join(", "))
    })?;
    let emitted = top.emit(&Config::profile(Profile::Tiny))?;
    let path = repo::target("mutants").join(format!("{}.v", plan.top));
    repo::write(&path, &emitted.verilog)?;
    let sites = plan.apply(&emitted).sites;
    if sites.is_empty() {
        bail!(
            "no place to change below instances `{}..` of {}; see {}",
            plan.only,
            plan.top,
            repo::shown(&path)
        );
    }
    step.line(&format!("{} mutants; their lines are those of {}", sites.len(), repo::shown(&path)));
    Ok(sites)
}

/// Tries every mutant on the suite, `WORKERS` at a time; returns the survivors in their order.
fn try_all(suite: &Suite, sites: &[Site], step: &Step) -> Result<Vec<Site>> {
    let next = AtomicUsize::new(0);
    // Whoever noticed the last mutant is asked first for the next one: neighbours fall to the same
    // tests.
    let order = Mutex::new((0..suite.len()).collect::<Vec<_>>());
    let (send, verdicts) = mpsc::channel();
    let mut survivors = vec![];
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            let (send, next, order) = (send.clone(), &next, &order);
            scope.spawn(move || {
                while let Some(site) = sites.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let turn = order.lock().unwrap_or_else(|e| e.into_inner()).clone();
                    let verdict = suite.notices(site.id, &turn);
                    if let Ok(Some((binary, _))) = &verdict {
                        let mut order = order.lock().unwrap_or_else(|e| e.into_inner());
                        order.retain(|b| b != binary);
                        order.insert(0, *binary);
                    }
                    if send.send((site, verdict)).is_err() {
                        return; // an error of another worker ended the run
                    }
                }
            });
        }
        drop(send);
        for (done, (site, verdict)) in (1..).zip(verdicts) {
            let noticed = match verdict {
                Ok(Some((_, by))) => format!("noticed by {by}"),
                Ok(None) => "SURVIVED".into(),
                Err(e) => {
                    next.store(sites.len(), Ordering::Relaxed);
                    return Err(e);
                }
            };
            step.note(&format!("{done} of {}", sites.len()));
            step.line(&format!("[{done}/{}] {} {}: {noticed}", sites.len(), site.id, site.module));
            if noticed == "SURVIVED" {
                survivors.push(site.clone());
            }
        }
        Ok(())
    })?;
    survivors.sort_by_key(|s| s.id);
    Ok(survivors)
}
