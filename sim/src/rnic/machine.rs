//! The thread of a device: it steps the model, carries orders in and answers out.
use super::locked;
use super::messages::{Messages, BASE};
use super::timers::Timers;
use super::trace::{Trace, TraceFiles};
use crate::bench::{Bench, RootId};
use crate::eth::{Bridge, BridgeConfig, BridgeStats, EthPort, Tick};
use crate::link::LinkConfig;
use crate::memory::{MapError, Octets};
use crate::model::{Library, ModelError};
use crate::pcie::{ConfigSpace, PciePorts, RcConfig, Status};
use std::any::Any;
use std::collections::BTreeMap;
use std::os::fd::{AsFd, OwnedFd};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Cycles between two looks at orders and answers.
const LOOK_EVERY: u64 = 16;
/// Cycles without a transfer after which the device has nothing to do until something comes from outside.
const STILL: u64 = 512;
/// Least cycles between two rests: orders and frames are looked at meanwhile.
const AWAKE: u64 = 32;
/// Longest rest.
const REST: Duration = Duration::from_millis(250);
/// Rests are no longer than this part of the time in which nothing has moved: so much a timer may be late.
const LATE: u32 = 8;
/// Cycles that a reset may take: reads that are under way have a timeout of their own.
const RESET_TIMEOUT: u64 = 20_000_000;
/// Cycles after which a read of a BAR counts as not answered.
const READ_TIMEOUT: u64 = 1_000_000;

/// Why a device is not there, or does not do what it is asked.
#[derive(Debug, thiserror::Error)]
pub enum RnicError {
    /// The model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// It has ended.
    #[error("the simulated device has stopped: {0}")]
    Stopped(String),
    /// Memory.
    #[error(transparent)]
    Map(#[from] MapError),
}

/// A device that is to run.
pub struct RnicConfig {
    /// The model: the device with its PCI Express edge.
    pub library: Arc<Library>,
    /// Its clock in kHz.
    pub clock_khz: u64,
    /// Its wire.
    pub port: Box<dyn EthPort>,
    /// Its tick. With wall time it rests when there is nothing to do.
    pub tick: Tick,
    /// Ticks of a rest are lost while no connection has a timer: its tick counter is behind, and resting costs less.
    pub forgives: bool,
    /// Where all frames are recorded.
    pub pcap: Option<PathBuf>,
    /// Waveforms of its last cycles.
    pub trace: Option<TraceFiles>,
}

/// What has happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct RnicStats {
    /// Cycles of its clock.
    pub cycles: u64,
    /// Frames sent.
    pub sent: u64,
    /// Frames received.
    pub received: u64,
    /// Frames that no peer took.
    pub lost: u64,
    /// Accesses to memory that was not there.
    pub refused: u64,
    /// Ranges of memory that it may reach.
    pub mapped: u64,
}

/// What the edge sees of configuration space.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    mps: u8,
    mrrs: u8,
    master: bool,
    msix: [bool; 2],
}

impl Seen {
    pub(super) fn of(space: &ConfigSpace) -> Self {
        Self { mps: space.mps(), mrrs: space.mrrs(), master: space.master(), msix: space.msix() }
    }
}

/// What is wanted of the thread.
pub(super) enum Order {
    Read { bar: usize, offset: u64, octets: usize, answer: Sender<Vec<u8>> },
    Write { bar: usize, offset: u64, octets: Vec<u8> },
    Map { iova: u64, octets: Arc<dyn Octets>, writable: bool, done: Sender<Result<(), MapError>> },
    Unmap { iova: u64, done: Sender<Result<(), MapError>> },
    Configure(Seen),
    Reset { done: Sender<()> },
    Finish,
}

/// What the thread begins with.
pub(super) struct Runner {
    config: RnicConfig,
    messages: Arc<Messages>,
    /// Readable when an order has come.
    wake: Arc<OwnedFd>,
    failure: Arc<Mutex<Option<String>>>,
    stats: Arc<Mutex<RnicStats>>,
}

/// A read of a BAR that is under way.
struct Read {
    octets: usize,
    until: u64,
    answer: Sender<Vec<u8>>,
}

/// A device on its bench.
struct Machine {
    bench: Bench,
    bridge: Bridge,
    root: RootId,
    wake: Arc<OwnedFd>,
    reads: BTreeMap<u8, Read>,
    trace: Option<Trace>,
    timers: Timers,
    forgives: bool,
    rested: u64,
    /// Cycle in which something moved last, and when that was noticed.
    moved: (u64, Instant),
    refused: u64,
    mapped: u64,
}

impl Runner {
    pub(super) fn new(
        config: RnicConfig,
        messages: Arc<Messages>,
        wake: Arc<OwnedFd>,
        failure: Arc<Mutex<Option<String>>>,
        stats: Arc<Mutex<RnicStats>>,
    ) -> Self {
        Self { config, messages, wake, failure, stats }
    }

    /// Until it is told to finish, or something fails. `ready` is told when it has begun.
    pub(super) fn run(self, inbox: &Receiver<Order>, ready: &Sender<()>) {
        let failure = self.failure.clone();
        // a bench ends by unwinding; what it was is only dropped afterwards
        let ended = catch_unwind(AssertUnwindSafe(|| self.work(inbox, ready)));
        let why = match ended {
            Ok(Ok(())) => return,
            Ok(Err(why)) => why,
            Err(panic) => text_of(&*panic),
        };
        tracing::error!(why, "the simulation stops");
        *locked(&failure) = Some(why);
    }

    fn work(self, inbox: &Receiver<Order>, ready: &Sender<()>) -> Result<(), String> {
        let (stats, rests) = (self.stats.clone(), matches!(self.config.tick, Tick::Wall(_)));
        let mut machine = Machine::new(self)?;
        ready.send(()).map_err(|_| "nobody waits for the device any more")?;
        while !machine.bench.cycle().is_multiple_of(LOOK_EVERY) || machine.look(inbox, &stats)? {
            machine.step()?;
            if rests {
                machine.rest()?;
            }
        }
        machine.finish(&stats)
    }
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let owned = panic.downcast_ref::<String>().cloned();
    owned.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_else(|| "a panic".into())
}

impl Machine {
    fn new(runner: Runner) -> Result<Self, String> {
        let RnicConfig { library, clock_khz, port, tick, forgives, pcap, trace } = runner.config;
        let clock_ps = 1_000_000_000 / clock_khz.max(1);
        let mut bench = Bench::live(&library, 1)?;
        let [tx, rx, cfg, np_room] = ["pcie_tx", "pcie_rx", "pcie_cfg", "pcie_np_room"].map(str::to_string);
        let ports = PciePorts { tx, rx, cfg, np_room };
        let config = RcConfig { master: false, ..RcConfig::steady(clock_ps) };
        let root = bench.root_complex(&ports, config);
        let mapped = bench.root(root).host.map_outside(BASE, runner.messages, true);
        mapped.map_err(|e| e.to_string())?;
        let link = LinkConfig { rate_bps: 10_000_000_000, clock_ps, delay_ns: 0 };
        let config = BridgeConfig { tick, ..BridgeConfig::device(link) };
        let mut bridge = Bridge::attach(&mut bench, port, config);
        if let Some(path) = &pcap {
            bridge.capture(path).map_err(|e| e.to_string())?;
        }
        let trace = trace.map(Trace::new);
        let ((reads, timers, rested, refused, mapped), moved) = (Default::default(), (0, Instant::now()));
        let wake = runner.wake;
        Ok(Self { bench, bridge, root, wake, reads, trace, timers, forgives, rested, moved, refused, mapped })
    }

    /// One cycle. What went wrong names the waveforms, if there are any.
    fn step(&mut self) -> Result<(), String> {
        let traced = self.trace.as_mut().map_or(Ok(()), |trace| trace.step(&mut self.bench));
        let stepped = traced.and_then(|()| self.bridge.step(&mut self.bench).map_err(|e| e.to_string()));
        stepped.map_err(|why| match &self.trace {
            Some(trace) => format!("{why}\n{}", trace.told()),
            None => why,
        })
    }

    /// Looks at orders and answers; false if it is to finish.
    fn look(&mut self, inbox: &Receiver<Order>, stats: &Mutex<RnicStats>) -> Result<bool, String> {
        let goes_on = self.obey(inbox)?;
        self.answer();
        *locked(stats) = self.stats();
        Ok(goes_on)
    }

    /// Ends captures.
    fn finish(self, stats: &Mutex<RnicStats>) -> Result<(), String> {
        *locked(stats) = self.stats();
        if let Some(trace) = &self.trace {
            trace.finish();
        }
        self.bridge.finish().map(drop).map_err(|e| e.to_string())
    }

    /// Does what was ordered; false if that is to finish.
    fn obey(&mut self, inbox: &Receiver<Order>) -> Result<bool, String> {
        loop {
            let cycle = self.bench.cycle();
            let root = self.bench.root(self.root);
            // who ordered may have given up waiting for an answer
            match inbox.try_recv() {
                Ok(Order::Read { bar, offset, octets, answer }) => {
                    let tag = root.bar_read(place(bar), offset, octets as u64);
                    self.reads.insert(tag, Read { octets, until: cycle + READ_TIMEOUT, answer });
                }
                Ok(Order::Write { bar, offset, octets }) => {
                    if bar == 0 {
                        self.timers.hear(offset, &octets);
                    }
                    root.bar_write(place(bar), offset, &octets);
                }
                Ok(Order::Map { iova, octets, writable, done }) => {
                    let mapped = root.host.map_outside(iova, octets, writable);
                    self.mapped += u64::from(mapped.is_ok());
                    drop(done.send(mapped));
                }
                Ok(Order::Unmap { iova, done }) => {
                    let unmapped = root.host.unmap(iova).map(drop);
                    self.mapped = self.mapped.saturating_sub(unmapped.is_ok().into());
                    drop(done.send(unmapped));
                }
                Ok(Order::Configure(seen)) => {
                    let Seen { mps, mrrs, master, msix: [msix, masked] } = seen;
                    root.config = RcConfig { mps, mrrs, master, msix, masked, ..root.config.clone() };
                }
                Ok(Order::Reset { done }) => {
                    self.reset()?;
                    let _ = done.send(());
                }
                Ok(Order::Finish) | Err(TryRecvError::Disconnected) => return Ok(false),
                Err(TryRecvError::Empty) => return Ok(true),
            }
        }
    }

    /// The input by which the PCI Express block asks for a Function Level Reset is high until the device says that it is
    /// done.
    fn reset(&mut self) -> Result<(), String> {
        self.timers.reset();
        self.bench.set("pcie_flr", 1);
        let end = self.bench.cycle() + RESET_TIMEOUT;
        while self.bench.get("pcie_flr_done") == 0 {
            if self.bench.cycle() > end {
                return Err(format!("the device is not reset after {RESET_TIMEOUT} cycles"));
            }
            self.step()?;
        }
        self.bench.set("pcie_flr", 0);
        Ok(())
    }

    /// Gives answers on, and tells of accesses that were refused: the memory went away, or the device is wrong.
    fn answer(&mut self) {
        let cycle = self.bench.cycle();
        let root = self.bench.root(self.root);
        for came in root.take_answers() {
            let Some(read) = self.reads.remove(&came.tag) else { continue };
            let good = came.status == Status::Successful && came.data.len() == read.octets;
            drop(read.answer.send(if good { came.data } else { vec![0xff; read.octets] }));
        }
        for refused in root.host.take_refused() {
            self.refused += 1;
            tracing::warn!(%refused, "an access of the device is refused");
        }
        let late: Vec<_> = self.reads.iter().filter(|(_, r)| r.until <= cycle).map(|(&tag, _)| tag).collect();
        for read in late.into_iter().filter_map(|tag| self.reads.remove(&tag)) {
            tracing::warn!("a read of a BAR is not answered");
            drop(read.answer.send(vec![0xff; read.octets]));
        }
    }

    /// Sleeps if nothing is to be done.
    fn rest(&mut self) -> Result<(), String> {
        let (cycle, still) = (self.bench.cycle(), self.bench.still_for());
        let has_work =
            still < STILL || cycle - self.rested < AWAKE || !self.reads.is_empty() || !self.bridge.is_idle();
        if has_work {
            return Ok(());
        }
        if self.moved.0 != cycle - still {
            self.moved = (cycle - still, Instant::now());
        }
        let wake = Some(self.wake.as_fd());
        let most = self.bridge.until_tick().max(self.moved.1.elapsed() / LATE).min(REST);
        let rested = match self.forgives && self.timers.is_empty() {
            true => self.bridge.sleep(REST, wake),
            false => self.bridge.rest(most, wake),
        };
        rested.map_err(|e| e.to_string())?;
        // how often it was written does not matter, nor that it was not
        let _ = rustix::io::read(&self.wake, &mut [0; 8]);
        self.rested = cycle;
        Ok(())
    }

    fn stats(&self) -> RnicStats {
        let BridgeStats { sent, received, unplugged, dropped, bad } = self.bridge.stats();
        let lost = unplugged + dropped + bad;
        let (refused, mapped) = (self.refused, self.mapped);
        RnicStats { cycles: self.bench.cycle(), sent, received, lost, refused, mapped }
    }
}

/// The root complex numbers BAR 0, 2 and 4 from 0 on.
fn place(bar: usize) -> u8 {
    (bar / 2) as u8
}
