// SPDX-License-Identifier: MIT OR Apache-2.0
//! The engine: draws runs until the time is over, keeps a line of each, and cuts down those that
//! fail.
use super::all::part;
use super::figures::Figures;
use super::hardware::{Hardware, Trial};
use super::invariant::Invariant;
use super::line::{Failure, Line, Log, LogError};
use super::part::Part;
use super::plan::{Plan, Shard};
use super::run::Run;
use crate::shrink::least;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Failures of a session that are cut down and leave files; the others leave their line alone.
const LEFT: usize = 3;
/// Runs, and wall time, in which a failure is cut down.
const TRIES: usize = 200;
const CUTTING: Duration = Duration::from_secs(90);

/// What a session does.
pub struct Orders {
    /// The parts that are drawn.
    pub parts: Vec<&'static dyn Part>,
    /// Which of the runs are this shard's.
    pub shard: Shard,
    /// What all runs are drawn from.
    pub seed: u64,
    /// Runs that come first, whatever is drawn.
    pub first: Vec<Run>,
    /// No run begins after this time.
    pub time: Duration,
    /// Runs at a time.
    pub jobs: usize,
    /// The first failure ends the session, and nothing of it is kept: the hardware has a bug.
    pub hunts: bool,
}

/// A session.
pub struct Engine<'a> {
    orders: &'a Orders,
    hardware: &'a Hardware,
    plan: Mutex<Plan>,
    log: Mutex<Option<Log>>,
    begun: Instant,
    found: AtomicBool,
    left: AtomicUsize,
}

/// A lock whose data stays good when a holder panicked: it is changed in one step.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Engine<'a> {
    /// A session behind the runs that are in the log already, if there is one.
    pub fn new(orders: &'a Orders, hardware: &'a Hardware, log: Option<Log>, before: &[Line]) -> Self {
        let plan = Plan::new(&orders.parts, orders.seed, orders.shard, &orders.first, before);
        Self {
            orders,
            hardware,
            plan: Mutex::new(plan),
            log: Mutex::new(log),
            begun: Instant::now(),
            found: AtomicBool::new(false),
            left: AtomicUsize::new(0),
        }
    }

    /// Runs until the time is over. `told` gets each line.
    ///
    /// # Errors
    /// If a line cannot be kept; what was under way ends first.
    pub fn run(&self, told: &(dyn Fn(&Line) + Sync)) -> Result<(), LogError> {
        let failed = Mutex::new(Ok(()));
        std::thread::scope(|scope| {
            for _ in 0..self.orders.jobs.max(1) {
                scope.spawn(|| {
                    if let Err(why) = self.work(told) {
                        *locked(&failed) = Err(why);
                        self.found.store(true, Ordering::Relaxed);
                    }
                });
            }
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs one after the other.
    fn work(&self, told: &(dyn Fn(&Line) + Sync)) -> Result<(), LogError> {
        while self.begun.elapsed() < self.orders.time && !self.found.load(Ordering::Relaxed) {
            let drawn = locked(&self.plan).next();
            let start = Instant::now();
            let (figures, failure) = self.perform(&drawn.run);
            let seconds = start.elapsed().as_secs_f64();
            locked(&self.plan).ended(&drawn, seconds);
            let line = Line { run: drawn.run.to_string(), nth: drawn.nth, seconds, figures, failure };
            if self.orders.hunts && line.failure.is_some() {
                self.found.store(true, Ordering::Relaxed);
            }
            if let Some(log) = locked(&self.log).as_mut() {
                log.run(&line)?;
            }
            told(&line);
        }
        Ok(())
    }

    fn perform(&self, run: &Run) -> (Figures, Option<Failure>) {
        match tried(self.hardware, run) {
            Ok(figures) => (figures, None),
            Err(why) => (Figures::default(), Some(self.failed(run, why))),
        }
    }

    /// A failure, cut down and with its files if it is one of the first.
    fn failed(&self, run: &Run, why: String) -> Failure {
        let invariant = Invariant::of(&why);
        let whole = Failure { invariant, run: run.to_string(), why };
        if self.orders.hunts || self.left.fetch_add(1, Ordering::Relaxed) >= LEFT {
            return whole;
        }
        let cut = cut_down(self.hardware, run, invariant);
        match repeat(self.hardware, &cut) {
            Err(why) => Failure { run: cut.to_string(), why, ..whole },
            // the models of a process are the same, so that this is a fault of the part
            Ok(_) => Failure { why: format!("{}\nit does not fail again", whole.why), ..whole },
        }
    }
}

/// One run that leaves nothing.
///
/// # Errors
/// What the run says, or why there is no such run.
pub(super) fn tried(hardware: &Hardware, run: &Run) -> Result<Figures, String> {
    judged(run, |part| part.run(&Trial::new(hardware, run)))
}

/// One run whose failure leaves frames and a waveform; the error ends with the line that repeats
/// it.
///
/// # Errors
/// What the run says, or why there is no such run.
pub fn repeat(hardware: &Hardware, run: &Run) -> Result<Figures, String> {
    let line = format!("cargo xtask campaign --run {run}");
    judged(run, |part| part.run(&Trial::leaving(hardware, run, &line)))
}

/// What a part says of a run that is one of its own.
fn judged(run: &Run, body: impl FnOnce(&dyn Part) -> Result<Figures, String>) -> Result<Figures, String> {
    let part = part(&run.part).ok_or_else(|| format!("no part `{}`", run.part))?;
    if run.cell >= part.cells() {
        return Err(format!("{} has cells 0 to {}, not {}", run.part, part.cells() - 1, run.cell));
    }
    body(part)
}

/// The run with the steps that it needs to fail as it does.
fn cut_down(hardware: &Hardware, run: &Run, invariant: Invariant) -> Run {
    let all = run.places(part(&run.part).map_or(0, |part| part.steps(run)));
    let begun = Instant::now();
    let kept = least(all.len(), TRIES, |kept| {
        let part: Vec<_> = kept.iter().map(|&n| all[n]).collect();
        let fails = || tried(hardware, &run.with(&part)).err();
        begun.elapsed() < CUTTING && fails().is_some_and(|why| Invariant::of(&why) == invariant)
    });
    match kept.len() == all.len() {
        true => run.clone(),
        false => run.with(&kept.iter().map(|&n| all[n]).collect::<Vec<_>>()),
    }
}
