// SPDX-License-Identifier: MIT OR Apache-2.0
//! A case: a body on a fresh bench, and the second run with a waveform when it fails.
use crate::bench::{Bench, Recording};
use crate::model::{model, Library};
use crate::{paths, report};
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use std::any::Any;
use std::ops::Range;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

/// Cycles before the failing one that the waveform holds.
const TRACED: u64 = 20_000;

/// Why a case failed.
struct Failure {
    text: String,
    cycle: u64,
    log: Vec<String>,
}

/// The seeds to run: `few`, or with `FERROWARP_FULL=1` `many`, or with `FERROWARP_SEED=n` only n.
pub fn seeds(few: Range<u64>, many: Range<u64>) -> Vec<u64> {
    let variable = |name: &str| std::env::var(name).ok();
    choose(few, many, variable("FERROWARP_SEED").as_deref(), variable("FERROWARP_FULL").as_deref())
}

/// # Panics
/// If `one` is there and is not a number: silently running other seeds would hide the mistake.
fn choose(few: Range<u64>, many: Range<u64>, one: Option<&str>, full: Option<&str>) -> Vec<u64> {
    match (one, full) {
        (Some(text), _) => match text.trim().parse() {
            Ok(seed) => vec![seed],
            Err(_) => panic!("FERROWARP_SEED={text} is not a number; write for example FERROWARP_SEED=7"),
        },
        (None, Some("1")) => many.collect(),
        (None, _) => few.collect(),
    }
}

/// Runs `body` on a fresh bench of `top` (profile tiny; bench tops do not depend on it).
///
/// # Panics
/// If the body returns an error or panics, a boundary breaks the contract, or nothing moves: the
/// same seed is run again with a waveform of the last 20,000 cycles, and the panic's text has the
/// failure, the files and a line that repeats the case. Also if there is no model.
pub fn run_case(name: &str, top: Top, seed: u64, body: impl Fn(&mut Bench) -> Result<(), String>) {
    match model(top, &Config::profile(Profile::Tiny)) {
        Ok(library) => run_case_on(name, &library, seed, body),
        Err(why) => panic!("no model of `{}` for case {name}: {why}", top.name()),
    }
}

/// As [`run_case`], on a library that is already there: another configuration, or Verilog of one's
/// own.
///
/// # Panics
/// As [`run_case`].
pub fn run_case_on(
    name: &str,
    library: &Arc<Library>,
    seed: u64,
    body: impl Fn(&mut Bench) -> Result<(), String>,
) {
    run(name, library, seed, bench_of(seed), body);
}

/// Runs `body` once on a fresh bench and leaves no files: for a search over many cases. The error
/// is what [`run_case_on`] would report.
pub fn try_case_on(
    library: &Arc<Library>,
    seed: u64,
    body: impl Fn(&mut Bench) -> Result<(), String>,
) -> Result<(), String> {
    run_once(bench_of(seed)(library, None), body)
}

/// As [`run_case_on`]; the text of the panic is the error here, and ends with the line `repeat`.
pub fn report_case_on(
    name: &str,
    library: &Arc<Library>,
    seed: u64,
    repeat: &str,
    body: impl Fn(&mut Bench) -> Result<(), String>,
) -> Result<(), String> {
    reported(name, library, seed, Some(repeat), bench_of(seed), body)
}

/// Makes the bench of a seed.
fn bench_of(seed: u64) -> impl Fn(&Arc<Library>, Option<Recording>) -> Result<Bench, String> {
    move |library, recording| Bench::new(library.instantiate(seed), seed, recording)
}

/// What a case runs on.
pub(crate) trait Subject {
    /// Cycles since power-up.
    fn cycle(&self) -> u64;
    /// Lines of the artefact `frames.txt`; ends the waveform.
    fn take_log(&mut self) -> Vec<String>;
    /// The end of a case: nothing went wrong that the body did not look at.
    fn finish(&mut self) -> Result<(), String>;
}

impl Subject for Bench {
    fn cycle(&self) -> u64 {
        Bench::cycle(self)
    }

    fn take_log(&mut self) -> Vec<String> {
        Bench::take_log(self)
    }

    fn finish(&mut self) -> Result<(), String> {
        Bench::finish(self)
    }
}

/// Runs a case on what `make` gives, and once more on the traced model with a waveform if it fails.
/// A mutated model has no second run: its failure is what is asked for.
pub(crate) fn run<S: Subject>(
    name: &str,
    library: &Arc<Library>,
    seed: u64,
    make: impl Fn(&Arc<Library>, Option<Recording>) -> Result<S, String>,
    body: impl Fn(&mut S) -> Result<(), String>,
) {
    if let Err(text) = reported(name, library, seed, None, make, body) {
        panic!("{text}");
    }
}

/// The same; the error is the report, which ends with the line `repeat`, or with the line of the
/// test that runs.
pub(crate) fn reported<S: Subject>(
    name: &str,
    library: &Arc<Library>,
    seed: u64,
    repeat: Option<&str>,
    make: impl Fn(&Arc<Library>, Option<Recording>) -> Result<S, String>,
    body: impl Fn(&mut S) -> Result<(), String>,
) -> Result<(), String> {
    let Err(first) = attempt(make(library, None), &body) else { return Ok(()) };
    let files = report::Files::new(&paths::artefacts(), name, seed);
    let from = first.cycle.saturating_sub(TRACED);
    let again = || {
        if library.is_mutated() {
            return Err("a mutant leaves none".into());
        }
        let traced = library.traced().map_err(|e| format!("the traced model is not there: {e}"))?;
        let unwritten = |e| format!("the second run could not write its files: {e}");
        files.prepare().map_err(unwritten)?;
        let recording = Recording { fst: files.fst.clone(), from };
        match attempt(make(&traced, Some(recording)), &body) {
            Err(second) => {
                files.write_frames(&second.log).map(|()| second.text == first.text).map_err(unwritten)
            }
            Ok(()) => Ok(false),
        }
    };
    let repeat = repeat.map_or_else(|| report::repeat_line(seed), String::from);
    let failed = report::Failed { name, seed, top: library.top(), why: &first.text, cycle: first.cycle };
    Err(report::text(&failed, &files, again(), &repeat))
}

/// One run of a case and no more; the error tells the cycle and what went wrong there.
pub(crate) fn run_once<S: Subject>(
    made: Result<S, String>,
    body: impl Fn(&mut S) -> Result<(), String>,
) -> Result<(), String> {
    attempt(made, &body).map_err(|Failure { text, cycle, .. }| format!("cycle {cycle}: {text}"))
}

/// One run of the body.
fn attempt<S: Subject>(
    made: Result<S, String>,
    body: &impl Fn(&mut S) -> Result<(), String>,
) -> Result<(), Failure> {
    let mut subject = made.map_err(|text| Failure { text, cycle: 0, log: vec![] })?;
    // it is only read afterwards, for its cycle and its log, whatever state the panic left it in
    let ended = catch_unwind(AssertUnwindSafe(|| body(&mut subject).and_then(|()| subject.finish())));
    let text = match ended {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(text)) => text,
        Err(panic) => panic_text(&*panic),
    };
    Err(Failure { text, cycle: subject.cycle(), log: subject.take_log() })
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let owned = panic.downcast_ref::<String>().cloned();
    owned.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_else(|| "a panic".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_is_chosen_before_many() {
        assert_eq!(choose(0..2, 0..5, None, None), [0, 1]);
        assert_eq!(choose(0..2, 0..5, None, Some("1")), [0, 1, 2, 3, 4]);
        assert_eq!(choose(0..2, 0..5, Some("77"), Some("1")), [77]);
    }

    #[test]
    #[should_panic(expected = "FERROWARP_SEED=x is not a number")]
    fn a_seed_that_is_no_number_is_refused() {
        choose(0..2, 0..5, Some("x"), None);
    }
}
