//! Two devices on one clock and one wire: a cycle of the first, then the same cycle of the second.
//!
//! The clock can be held. Software then costs no simulated time, and all that it orders reaches the devices in the same
//! cycle: what is measured between two holds is the same in every run.
use super::idle::{Idle, Wish, PATIENCE, WORTH};
use super::machine::{text_of, wire, Machine, LOOK_EVERY};
use super::messages::Messages;
use super::order::{Order, RnicError, RnicStats};
use super::recording::{Recorder, Recording};
use super::{locked, waker, Rnic};
use crate::bench::Bench;
use crate::eth::{Bridge, BridgeConfig, Tick};
use crate::link::{Link, Side};
use crate::model::Library;
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::num::NonZeroU64;
use std::os::fd::OwnedFd;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::{channel, sync_channel, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Where the second model's seed differs, so that they do not start with equal registers.
pub(super) const SEEDS: [u64; 2] = [1, 1 << 62];
/// Orders that a device keeps while the clock is held; who orders more before it goes on waits for ever.
const MOST_ORDERS: usize = 65_536;
/// No cycle at which the clock is to stand.
const FREE: u64 = u64::MAX;

/// Where the clock is, and how far it may go.
#[derive(Debug, Clone, Copy)]
struct Time {
    cycle: u64,
    until: u64,
    stands: bool,
    ended: bool,
}

/// What the thread of the devices and who holds the clock share.
#[derive(Debug)]
struct Shared {
    time: Mutex<Time>,
    changed: Condvar,
    /// Readable when an order has come, or the clock may go on.
    wake: Arc<OwnedFd>,
    failure: Arc<Mutex<Option<String>>>,
}

impl Shared {
    /// The devices stand before this cycle; whether they are to stay there.
    fn reached(&self, cycle: u64) -> bool {
        let mut time = locked(&self.time);
        (time.cycle, time.stands) = (cycle, cycle >= time.until);
        self.changed.notify_all();
        time.stands
    }

    fn go_on(&self, until: u64) {
        let mut time = locked(&self.time);
        (time.until, time.stands) = (until, false);
        drop(time);
        // one that is full wakes as well
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// Lets the clock run up to a cycle; the cycle before which the devices stand then.
    fn run_until(&self, until: u64) -> Result<u64, RnicError> {
        self.go_on(until);
        let time = locked(&self.time);
        let runs = |time: &mut Time| !time.stands && !time.ended;
        let time = self.changed.wait_while(time, runs).unwrap_or_else(PoisonError::into_inner);
        if time.ended {
            let why = locked(&self.failure).clone().unwrap_or_else(|| "both devices were closed".into());
            return Err(RnicError::Stopped(why));
        }
        Ok(time.cycle)
    }

    fn end(&self) {
        locked(&self.time).ended = true;
        self.changed.notify_all();
    }
}

/// Two devices on one clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairConfig {
    /// Cycles of a tick.
    pub tick: NonZeroU64,
    /// What comes to the first device is written down: [`Clock::recorded`].
    pub records: bool,
}

impl PairConfig {
    /// A tick of so many cycles.
    pub fn of(tick: NonZeroU64) -> Self {
        Self { tick, records: false }
    }
}

/// The clock of two devices. It runs unless it is held.
pub struct Clock {
    shared: Arc<Shared>,
    link: Link,
    recorder: Option<Recorder>,
}

/// The clock stands, but for [`Held::run`]. A device answers nothing meanwhile: only what needs no answer may be asked of it,
/// such as posting and polling.
#[derive(Debug)]
pub struct Held<'a>(&'a Shared);

impl Clock {
    /// The wire between the devices: [`Side::A`] is the first one's end.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// The cycle that the devices have come to, in steps of sixteen or more.
    pub fn cycle(&self) -> u64 {
        locked(&self.shared.time).cycle
    }

    /// What has come to the first device since its start; none if it was not to be written down.
    pub fn recorded(&self) -> Option<Recording> {
        let mut recording = locked(&self.recorder.as_ref()?.0);
        recording.add_frames(self.link.take_captured(), Side::A);
        Some(recording.clone())
    }

    /// Stops the clock; returns when the devices stand. It goes on when what is returned is dropped.
    pub fn hold(&mut self) -> Result<Held<'_>, RnicError> {
        let held = Held(&self.shared);
        held.0.run_until(0)?;
        Ok(held)
    }
}

impl Held<'_> {
    /// The cycle before which the devices stand.
    pub fn cycle(&self) -> u64 {
        locked(&self.0.time).cycle
    }

    /// Lets the clock run for so many cycles, or up to 15 more: it stands at every sixteenth. Returns where it stands; the error
    /// is that the devices have ended.
    pub fn run(&mut self, cycles: u64) -> Result<u64, RnicError> {
        self.0.run_until(self.cycle() + cycles)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.go_on(FREE);
    }
}

/// What the thread has of a device's handle.
struct Part {
    inbox: Receiver<Order>,
    messages: Arc<Messages>,
    stats: Arc<Mutex<RnicStats>>,
    gone: Sender<()>,
}

impl Part {
    /// The device at one end of the link.
    fn machine(&self, make: &Make, side: Side, wake: &Arc<OwnedFd>) -> Result<Machine, String> {
        let mut bench = Bench::live(&make.library, SEEDS[side as usize])?;
        let config = make.link.config();
        let bridge = BridgeConfig { tick: Tick::Cycles(make.tick), ..BridgeConfig::device(config) };
        let bridge = Bridge::join(&mut bench, &make.link, side, bridge);
        let mut machine = Machine::on(bench, bridge, config.clock_ps, (self.messages.clone(), wake.clone()))?;
        machine.recorder = make.recorder.clone().filter(|_| side == Side::A);
        Ok(machine)
    }

    /// Looks at orders and answers; none if it was to finish.
    fn look(&self, mut machine: Machine) -> Result<Option<Machine>, String> {
        if machine.look(&self.inbox, &self.stats)? {
            return Ok(Some(machine));
        }
        machine.finish(&self.stats)?;
        // who closed it may have given up waiting
        let _ = self.gone.send(());
        Ok(None)
    }
}

/// What both devices are made of.
struct Make {
    library: Arc<Library>,
    tick: NonZeroU64,
    link: Link,
    recorder: Option<Recorder>,
}

impl Make {
    /// Steps both until both were to finish; `ready` is told when they have begun.
    fn run(&self, shared: &Shared, parts: &[Part; 2], ready: &Sender<()>) -> Result<(), String> {
        let [a, b] = Side::BOTH.map(|side| parts[side as usize].machine(self, side, &shared.wake).map(Some));
        let mut machines = [a?, b?];
        ready.send(()).map_err(|_| "nobody waits for the devices any more")?;
        let mut idle = Idle::new(PATIENCE, 1_000_000_000 / self.link.config().clock_ps.max(1));
        let mut cycle = machines.iter().flatten().map(|machine| machine.bench.cycle()).max().unwrap_or(0);
        loop {
            // who lets the clock go on has ordered all that is to be done before
            let stands = shared.reached(cycle);
            for (machine, part) in machines.iter_mut().zip(parts) {
                *machine = machine.take().map_or(Ok(None), |machine| part.look(machine))?;
            }
            if let Some(recorder) = &self.recorder {
                recorder.reached(cycle);
            }
            if machines.iter().all(Option::is_none) {
                return Ok(());
            }
            if stands {
                rest(&shared.wake, None)?;
                continue;
            }
            let held = locked(&shared.time).until;
            match passed_over(&mut machines, cycle, held, (&mut idle, &shared.wake))? {
                Some(passed) => cycle = passed,
                None => {
                    for _ in 0..LOOK_EVERY {
                        machines.iter_mut().flatten().try_for_each(Machine::step)?;
                    }
                    cycle += LOOK_EVERY;
                }
            }
        }
    }
}

/// Where both devices stand behind cycles in which nothing could move in either, up to `held`, where a held clock is to stand;
/// none if the next ones are to be evaluated. A clock that nobody holds waits for software first, by `idle` and `wake`.
fn passed_over(
    machines: &mut [Option<Machine>; 2],
    cycle: u64,
    held: u64,
    (idle, wake): (&mut Idle, &OwnedFd),
) -> Result<Option<u64>, String> {
    let wakes = machines.iter_mut().flatten().map(Machine::wakes).min().unwrap_or(FREE);
    let mut limit = wakes.min(held);
    if limit == FREE {
        // only software or a timer goes on
        if still_until(machines, cycle + WORTH) == cycle {
            return Ok(None);
        }
        let touched =
            machines.iter_mut().flatten().fold(false, |any, m| any | std::mem::take(&mut m.seen.touched));
        match idle.wish(cycle, Instant::now(), touched) {
            Wish::Run(until) => limit = until,
            Wish::Wait(most) => {
                rest(wake, Some(most))?;
                return Ok(Some(cycle));
            }
        }
    }
    let until = still_until(machines, limit);
    machines.iter_mut().flatten().for_each(|machine| machine.skip_to(until));
    Ok((until > cycle).then_some(until))
}

/// First cycle, up to `limit`, that has to be evaluated in one of the devices.
fn still_until(machines: &mut [Option<Machine>; 2], limit: u64) -> u64 {
    machines.iter_mut().flatten().fold(limit, |limit, machine| machine.still_until(limit))
}

/// Sleeps until there is something to do, at most so long.
fn rest(wake: &OwnedFd, most: Option<Duration>) -> Result<(), String> {
    let most = most.and_then(|most| Timespec::try_from(most).ok());
    match poll(&mut [PollFd::new(wake, PollFlags::IN)], most.as_ref()) {
        // how often it was written does not matter, nor that it was not
        Ok(_) | Err(Errno::INTR) => drop(rustix::io::read(wake, &mut [0; 8])),
        Err(why) => return Err(format!("nothing can be awaited: {why}")),
    }
    Ok(())
}

impl Rnic {
    /// Starts two devices of one model on one clock of so many kHz and a link of 10 Gb/s without delay. Returns when both have
    /// been through reset.
    pub fn pair(
        library: &Arc<Library>,
        clock_khz: u64,
        PairConfig { tick, records }: PairConfig,
    ) -> Result<([Self; 2], Clock), RnicError> {
        let (wake, failure, link) = (waker()?, Arc::default(), Link::new(wire(clock_khz)));
        let time = Mutex::new(Time { cycle: 0, until: FREE, stands: false, ended: false });
        let shared = Arc::new(Shared { time, changed: Condvar::new(), wake, failure });
        let recorder = records.then(|| Recorder::of(tick.get()));
        if records {
            link.capture();
        }
        let make = Make { library: library.clone(), tick, link: link.clone(), recorder: recorder.clone() };
        let [(a, of_a), (b, of_b)] = [end(&shared), end(&shared)];
        let (parts, theirs) = ([of_a, of_b], shared.clone());
        let (ready, begun) = channel();
        let body = move || {
            // a bench ends by unwinding; what it was is only dropped afterwards
            let why = match catch_unwind(AssertUnwindSafe(|| make.run(&theirs, &parts, &ready))) {
                Ok(Ok(())) => None,
                Ok(Err(why)) => Some(why),
                Err(panic) => Some(text_of(&*panic)),
            };
            if let Some(why) = why {
                tracing::error!(why, "the simulation stops");
                *locked(&theirs.failure) = Some(why);
            }
            drop(ready);
            theirs.end();
        };
        let thread = std::thread::Builder::new().name("ferrowarp-sim".into()).spawn(body);
        thread.map_err(|e| RnicError::Stopped(format!("no thread for the simulation: {e}")))?;
        begun.recv().map_err(|_| a.stopped())?;
        Ok(([a, b], Clock { shared, link, recorder }))
    }
}

/// A handle, and what the thread has of it.
fn end(shared: &Shared) -> (Rnic, Part) {
    let ((orders, inbox), (gone, told)) = (sync_channel(MOST_ORDERS), channel());
    let (messages, stats) = <(Arc<Messages>, Arc<Mutex<RnicStats>>)>::default();
    let part = Part { inbox, messages: messages.clone(), stats: stats.clone(), gone };
    let (wake, failure) = (shared.wake.clone(), shared.failure.clone());
    let gone = Mutex::new(Some(told));
    (Rnic { orders, wake, thread: Mutex::default(), gone, failure, stats, messages }, part)
}
