// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cases of one boot: guests side by side, one case after the other, each judged by its capture.
use super::cause::Repeat;
use super::guest::{Guest, Kind, Siw};
use super::judge::judge;
use super::prepare::{self, Image};
use super::run::{Case, Run};
use super::scripts;
use super::sockets::Sockets;
use super::stalls;
use super::wire::Wire;
use crate::benchfile::{self, Figures};
use crate::repo;
use crate::steps::{Step, Steps};
use anyhow::{bail, Context, Result};
use serde::Serialize;
use std::io::BufRead;
use std::path::Path;
use std::time::{Duration, Instant};

/// How a case went.
#[derive(Debug, Serialize)]
pub(super) struct Outcome {
    pub(super) case: &'static str,
    pub(super) siw: &'static str,
    pub(super) passed: bool,
    /// Why it did not.
    pub(super) error: Option<String>,
    pub(super) seconds: f64,
    /// The longest time that the machine held a processor back meanwhile.
    pub(super) stalled_ms: f64,
    /// What it did more than once.
    pub(super) repeats: Vec<Repeat>,
    /// How many runs before this one counted for nothing, as the machine stood still.
    pub(super) put_off: usize,
    pub(super) figures: Figures,
    pub(super) capture: String,
}

impl Outcome {
    /// It failed, and the machine may be why.
    fn says_nothing(&self) -> bool {
        !self.passed && self.stalled_ms > stalls::MOST.as_secs_f64() * 1000.0
    }
}

/// Whether a case that failed while the machine stood still is done again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attempt {
    First,
    Last,
}

/// Where cases of one boot run.
pub(super) struct Lab<'a> {
    pub(super) image: &'a Image,
    pub(super) boot: (Siw, Wire),
    pub(super) watch: &'a stalls::Watch,
}

impl Lab<'_> {
    /// Runs the cases; those that failed while the machine stood still once more, in guests of
    /// their own.
    pub(super) fn run(&self, steps: &mut Steps, cases: &[&'static Case], keep: bool) -> Result<Vec<Outcome>> {
        let outcomes = self.group(steps, cases, keep, Attempt::First)?;
        let (again, mut outcomes): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Outcome::says_nothing);
        let cases = cases.iter().filter(|case| again.iter().any(|outcome| outcome.case == case.name));
        let cases: Vec<_> = cases.copied().collect();
        if !cases.is_empty() {
            let last = self.group(steps, &cases, keep, Attempt::Last)?;
            outcomes.extend(last.into_iter().map(|outcome| Outcome { put_off: 1, ..outcome }));
        }
        Ok(outcomes)
    }

    /// Boots as many guests as any of the cases needs, and runs them all.
    fn group(
        &self,
        steps: &mut Steps,
        cases: &[&'static Case],
        keep: bool,
        attempt: Attempt,
    ) -> Result<Vec<Outcome>> {
        let (sockets, (siw, wire)) = (Sockets::new()?, self.boot);
        let count = cases.iter().map(|c| c.guests).max().unwrap_or(1);
        let name = format!("boot {count} with siw {}, {wire:?}", siw.name());
        let Some(guests) = steps.run(&name, |_| {
            let has_agent = cases.iter().any(|case| scripts::is_one(case.name));
            boot(self.image, self.boot, (count, has_agent), &sockets.0)
        }) else {
            return Ok(vec![]);
        };
        let mut outcomes = vec![];
        for case in cases {
            steps.run(case.name, |step| {
                let outcome = self.one(case, &guests, step);
                for (key, value) in &outcome.figures {
                    step.line(&format!("    {key} = {value:.3}"));
                }
                for Repeat { what, .. } in &outcome.repeats {
                    step.line(&format!("    repeated: {what}"));
                }
                let (failed, stalled) = (outcome.error.clone(), outcome.stalled_ms);
                let is_the_machine = outcome.says_nothing();
                let says_nothing = outcome.says_nothing() && attempt == Attempt::First;
                outcomes.push(outcome);
                match failed {
                    Some(why) if says_nothing => {
                        step.line(&format!(
                            "    the machine stood still for {stalled:.0} ms, so this is done again: {why}"
                        ));
                        step.put_off();
                        Ok(())
                    }
                    Some(why) if is_the_machine => {
                        bail!("the machine stood still for {stalled:.0} ms in the second run, too: it has too much to do for this case ({why})")
                    }
                    Some(why) => bail!("{why}"),
                    None => Ok(()),
                }
            });
        }
        if keep {
            converse(&guests)?;
        }
        Ok(outcomes)
    }

    /// Runs a case, then has tshark judge its capture.
    fn one(&self, case: &Case, guests: &[Guest], step: &Step) -> Outcome {
        self.watch.take();
        guests.iter().for_each(|guest| drop(guest.take_repeats()));
        let start = Instant::now();
        let capture = prepare::home().join("captures").join(format!("{}.pcapng", case.name));
        let done = (|| {
            let folder = capture.parent().unwrap_or(Path::new("."));
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make {}", repo::shown(folder)))?;
            // one of an earlier run would be taken for this one's
            drop(std::fs::remove_file(&capture));
            let figures = (case.body)(&Run { guests, capture: &capture, step })?;
            if let Some(check) = case.check {
                let summary = judge(case.name, &capture)?;
                check(&summary).with_context(|| format!("tshark, of {}", repo::shown(&capture)))?;
            }
            benchfile::merge(&figures)?;
            Ok::<_, anyhow::Error>(figures)
        })();
        let (figures, error) = match done {
            Ok(figures) => (figures, None),
            Err(e) => (Figures::new(), Some(format!("{e:#}"))),
        };
        Outcome {
            case: case.name,
            siw: case.siw.name(),
            passed: error.is_none(),
            error,
            seconds: start.elapsed().as_secs_f64(),
            stalled_ms: self.watch.take().as_secs_f64() * 1000.0,
            repeats: guests.iter().flat_map(Guest::take_repeats).collect(),
            put_off: 0,
            figures,
            capture: repo::shown(&capture),
        }
    }
}

/// Boots guests side by side.
fn boot(
    image: &Image,
    (siw, wire): (Siw, Wire),
    (count, has_agent): (u8, bool),
    folder: &Path,
) -> Result<Vec<Guest>> {
    std::thread::scope(|scope| {
        let boots: Vec<_> = (1..=count)
            .map(|number| {
                scope.spawn(move || Guest::boot(image, Kind { siw, wire, number, has_agent }, folder))
            })
            .collect();
        let guests = boots.into_iter().map(|b| b.join().map_err(|_| anyhow::anyhow!("booting panicked"))?);
        guests.collect()
    })
}

/// Runs what is typed in the first guest, until the input ends.
fn converse(guests: &[Guest]) -> Result<()> {
    let Some(guest) = guests.first() else { return Ok(()) };
    say!("The guest {} is kept: a command a line, an empty line ends it.", guest.ipv4());
    say!("Its Ethernet: {}", guest.net());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            break;
        }
        let output = guest.run(&line, Duration::from_secs(600))?;
        say!("{}{}", output.stdout, output.stderr);
        say!("[{}]", output.code);
    }
    Ok(())
}
