// SPDX-License-Identifier: MIT OR Apache-2.0
//! The mutants of one top, tried on their tests.
use super::log::{self, Line, Log};
use super::orders::Orders;
use super::stages::Bench;
use super::suite::Suite;
use crate::repo;
use crate::steps::Step;
use anyhow::{anyhow, Result};
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_sim::model_of;
use ferrowarp_sim::mutate::Site;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

/// What became of the mutants of a top.
pub struct Tried {
    /// Of the emitted text.
    pub hash: String,
    /// Mutants of each stage that the model has, in the order of the bench.
    pub drawn: Vec<usize>,
    /// All that were tried, in this run or before.
    pub lines: Vec<Line>,
}

/// Tries the mutants of the chosen stages that are in the shard.
pub fn bench(bench: &Bench, orders: &Orders<'_>, step: &Step) -> Result<Tried> {
    let top = bench.top.name();
    let emitted = bench.top.emit(&Config::profile(Profile::Tiny))?;
    let hash = log::hash(&emitted.verilog);
    repo::write(&repo::target("mutants").join(format!("{top}.v")), &emitted.verilog)?;
    let plan = bench.plan(orders.seed, orders.count, &|stage| orders.chosen(stage));
    let mutated = plan.apply(&emitted);
    let of = |site: &Site| bench.stages[site.share].name;
    let drawn =
        (0..bench.stages.len()).map(|share| mutated.sites.iter().filter(|s| s.share == share).count());
    let drawn = drawn.collect();
    let mut known = if orders.resume { log::read(top)? } else { vec![] };
    known.retain(|line| mutated.sites.iter().any(|site| line.is_of(&hash, of(site), site)));
    let mine = |site: &&Site| orders.chosen(of(site)) && orders.has(site.id);
    let killed = |site: &&Site| known.iter().any(|l| l.by.is_some() && l.is_of(&hash, of(site), site));
    let open: Vec<_> = mutated.sites.iter().filter(mine).filter(|site| !killed(site)).collect();
    let mut log = Log::open(top, orders.resume)?;
    if open.is_empty() || orders.is_over() {
        return Ok(Tried { hash, drawn, lines: known });
    }
    step.line(&format!("    {top}: {} of {} mutants to try", open.len(), mutated.sites.len()));
    step.note("the model with all mutants");
    let model = model_of(&mutated.emitted).map_err(|why| anyhow!("{why}"))?.file().to_path_buf();
    let suite = Suite::build(bench, &plan, &model, step)?;
    // A survivor is tried again if the tests are others than those that it survived.
    let survived =
        |site: &&&Site| !known.iter().any(|l| l.survived(suite.id()) && l.is_of(&hash, of(site), site));
    let open: Vec<_> = open.iter().filter(survived).copied().collect();
    let mut done = 0;
    all(&suite, &open, orders, |site, by, milliseconds| {
        done += 1;
        let told = by.as_ref().map_or("SURVIVED".into(), |by| format!("noticed by {by}"));
        step.note(&format!("{done} of {}", open.len()));
        step.line(&format!("    [{done}/{}] {} {}: {told}", open.len(), of(site), site.module));
        let line = Line::new(&hash, of(site), site, suite.id(), by, milliseconds);
        log.add(&line)?;
        known.retain(|old| !old.is_of(&hash, of(site), site));
        known.push(line);
        Ok(())
    })?;
    Ok(Tried { hash, drawn, lines: known })
}

/// Tries mutants, some at a time, until all were tried or the time is over.
fn all(
    suite: &Suite,
    sites: &[&Site],
    orders: &Orders<'_>,
    mut told: impl FnMut(&Site, Option<String>, u64) -> Result<()>,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let (send, verdicts) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..orders.jobs {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || loop {
                let Some(site) = sites.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                if orders.is_over() {
                    return;
                }
                let since = Instant::now();
                let verdict = suite.notices(site.id);
                if send.send((*site, verdict, since.elapsed().as_millis() as u64)).is_err() {
                    return; // an error of another worker ended the run
                }
            });
        }
        drop(send);
        for (site, verdict, milliseconds) in verdicts {
            if let Err(why) = verdict.and_then(|by| told(site, by, milliseconds)) {
                next.store(sites.len(), Ordering::Relaxed);
                return Err(why);
            }
        }
        Ok(())
    })
}
