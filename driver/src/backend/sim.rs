// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices `sim:`: the Verilated hardware in this process, behind the registers that a card has.
use super::function::Function;
use super::own::OwnMemory;
use super::pci::PciBackend;
use super::spans::Span;
use super::vectors::Vectors;
use super::{BackendError, End, Timers};
use crate::dma::DmaMemory;
use crate::threads::Masked;
use crate::url::{SimUrl, Tick as UrlTick};
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::eth::{EthError, Tick};
use ferrowarp_sim::rnic::{wire, Clock, PairConfig, Rnic, RnicConfig, RnicError, RnicFunction, PATIENCE};
use ferrowarp_sim::vfio_user::{FileRange, PciFunction, Refusal, CONFIG_REGION};
use ferrowarp_sim::{model, EthAddress};
use parking_lot::{Mutex, MutexGuard};
use std::fmt;
use std::fs::File;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Command register of configuration space, and what it is to be: memory and bus master.
const COMMAND: u64 = 4;
const MEMORY_AND_MASTER: u16 = 6;
/// Least wall time for an answer: on a busy machine a second may have no more than some hundred
/// cycles.
const BUSY: Duration = Duration::from_secs(20);

/// A function in this process.
struct InProcess {
    rnic: Arc<Rnic>,
    function: Mutex<RnicFunction>,
    own: OwnMemory,
    vectors: Vectors,
    time: Time,
}

/// What a millisecond of a device is.
enum Time {
    /// One of wall time, from this moment on.
    Wall(Instant),
    /// So many cycles of its clock.
    Cycles(u64),
}

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sim:, {:?}", self.rnic.stats())
    }
}

/// The hardware: 16 queue pairs, 10 Gb/s, an MTU of 1,500 octets and a window of 16 KiB, as its
/// tests have it.
pub(super) fn hardware() -> Config {
    Config { qps: 16, cqs: 32, window_log2: 14, ..Config::profile(Profile::TenG) }
}

/// Builds the model if it is not there yet (minutes), opens the Ethernet port, starts the device.
pub(super) fn open(url: &SimUrl) -> Result<PciBackend, BackendError> {
    let failed = |why: String| BackendError::Open(why);
    let address: EthAddress = url.eth.parse().map_err(|e: EthError| failed(e.to_string()))?;
    let config = hardware();
    let library = model(Top::RnicW64, &config).map_err(|e| failed(e.to_string()))?;
    let port = address.open().map_err(|e| failed(e.to_string()))?;
    let (clock_khz, pcap) = (config.clock_khz, url.pcap.clone());
    let (tick, time) = match (url.tick, NonZeroU64::new(clock_khz)) {
        (UrlTick::Clock, Some(cycles)) => (Tick::Cycles(cycles), Time::Cycles(clock_khz)),
        _ => (Tick::default(), Time::Wall(Instant::now())),
    };
    let device = RnicConfig {
        library,
        wire: wire(&config),
        port,
        flaps: None,
        tick,
        patience: PATIENCE,
        forgives: true,
        pcap,
        trace: None,
    };
    let masked = Masked::all().map_err(|e| failed(e.to_string()))?;
    let rnic = Rnic::start(device).map_err(|e| failed(e.to_string()))?;
    drop(masked);
    behind(&config, rnic, time, url.net.timers())
}

/// Two devices on one clock.
pub(super) fn pair(config: &Config, pair: PairConfig) -> Result<([PciBackend; 2], Clock), BackendError> {
    let failed = |why: String| BackendError::Open(why);
    let top = |n: usize| if pair.boards[n].is_some() { Top::CarriedW64 } else { Top::RnicW64 };
    let library = |n| model(top(n), config).map_err(|e| failed(e.to_string()));
    let (first, second) = (library(0)?, library(1)?);
    let masked = Masked::all().map_err(|e| failed(e.to_string()))?;
    let started = Rnic::pair([&first, &second], wire(config), pair);
    let ([a, b], clock) = started.map_err(|e| failed(e.to_string()))?;
    drop(masked);
    let open = |rnic| behind(config, rnic, Time::Cycles(pair.tick.get()), Timers::DEFAULT);
    Ok(([open(a)?, open(b)?], clock))
}

/// A device that runs, as a function whose memory space is enabled.
fn behind(config: &Config, rnic: Rnic, time: Time, timers: Timers) -> Result<PciBackend, BackendError> {
    let failed = |why: String| BackendError::Open(why);
    let rnic = Arc::new(rnic);
    let mut function = RnicFunction::of(config, rnic.clone());
    let set_up = function.write(CONFIG_REGION, COMMAND, &MEMORY_AND_MASTER.to_le_bytes());
    set_up.map_err(|why| failed(why.to_string()))?;
    let (own, vectors, function) = (OwnMemory::default(), Vectors::default(), Mutex::new(function));
    let device = InProcess { rnic, function, own, vectors, time };
    PciBackend::new(Arc::new(device), timers)
}

/// What the function says of memory.
fn told(why: Refusal, octets: usize) -> BackendError {
    match why {
        Refusal::Gone(why) => BackendError::Stopped(why),
        why => BackendError::Map { octets, why: why.to_string() },
    }
}

fn stopped(why: RnicError) -> BackendError {
    BackendError::Stopped(why.to_string())
}

impl InProcess {
    /// Directs a vector to an eventfd, if it is not yet.
    fn direct(&self, vector: u16) -> Result<File, BackendError> {
        let failed = |why: String| BackendError::Open(why);
        self.vectors.get(vector, |fd| {
            let told = fd.try_clone().map_err(|e| failed(format!("no eventfd: {e}")))?;
            self.function().set_vector(vector, Some(told)).map_err(|why| failed(why.to_string()))
        })
    }

    fn function(&self) -> MutexGuard<'_, RnicFunction> {
        self.function.lock()
    }
}

impl Function for InProcess {
    fn read(&self, bar: usize, offset: u64) -> Result<u32, BackendError> {
        let mut octets = [0; 4];
        self.read_run(bar, offset, &mut octets)?;
        Ok(u32::from_le_bytes(octets))
    }

    /// All requests are on their way at once.
    fn read_run(&self, bar: usize, offset: u64, into: &mut [u8]) -> Result<(), BackendError> {
        self.rnic.bar_read_run(bar, offset, into).map_err(stopped)
    }

    fn write(&self, bar: usize, offset: u64, octets: &[u8]) -> Result<(), BackendError> {
        self.rnic.bar_write(bar, offset, octets).map_err(stopped)
    }

    fn map(&self, span: &Span, memory: &DmaMemory) -> Result<(), BackendError> {
        let (file, offset) = self.own.place(span, memory)?;
        let pages = FileRange::new(file.clone(), offset, span.octets, span.writable);
        let mapped = pages.and_then(|pages| self.function().map(span.iova, Arc::new(pages), span.writable));
        mapped.map_err(|why| told(why, memory.len()))
    }

    fn unmap(&self, span: &Span, _most: Duration) -> Result<(), BackendError> {
        let unmapped = self.function().unmap(span.iova, span.octets);
        unmapped.map_err(|why| told(why, span.octets as usize))
    }

    fn reset(&self) -> Result<(), BackendError> {
        let mut function = self.function();
        let reset = function.reset().and_then(|()| function.unmap_all());
        reset.map_err(|why| told(why, 0))
    }

    fn vectors(&self) -> u16 {
        self.function().vectors()
    }

    fn begin(&self) -> Result<(), BackendError> {
        self.direct(0).map(drop)
    }

    fn interrupts(&self, vector: u16) -> Option<File> {
        // who finds none goes without the vector
        self.direct(vector).ok()
    }

    fn end(&self) -> Option<End> {
        Some(End::Call)
    }

    fn ticks(&self) -> Option<u64> {
        Some(match self.time {
            Time::Wall(start) => start.elapsed().as_millis() as u64,
            Time::Cycles(each) => self.rnic.stats().cycles / each.max(1),
        })
    }

    fn waits(&self, most: Duration) -> Duration {
        most.max(BUSY)
    }
}
