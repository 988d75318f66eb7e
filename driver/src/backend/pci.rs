// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device as a PCI function: registers in BAR0, doorbells in BAR2, whatever carries the accesses.
use super::clock::TickClock;
use super::function::{dword, field, put, stopped, Function, REGISTERS};
use super::spans::Spans;
use super::watched::Watched;
use super::window::{await_register, Window, LOOK_EVERY};
use super::{left, Backend, BackendError, Capabilities, End, Pending, Timers};
use crate::dma::{Arena, DmaMemory};
use crate::process::Process;
use crate::random;
use ferrowarp_abi::codec::Doorbell;
use ferrowarp_abi::consts::{bar, csr, csr_identity, csr_mask, doorbell_kind, read_limit};
use ferrowarp_abi::types::MacAddr;
use parking_lot::{Mutex, MutexGuard};
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// BAR of the doorbells.
const DOORBELLS: usize = 2;
/// Minor version from which on the device makes an event for a frame of the slow path.
const TELLS_FRAMES: u32 = 2;
/// How long a device may be in reset when its driver comes: PCI Express allows 0.1 s.
const WAKES: Duration = Duration::from_secs(2);
/// Dwords of the secret for the 4-tuple table.
const SECRET: usize = 10;

/// A device behind registers. Commands are given by a thread of its own, since the window holds one
/// at a time.
#[derive(Debug)]
pub struct PciBackend {
    function: Arc<Watched>,
    capabilities: Capabilities,
    window: Window,
    arena: Arc<Arena>,
    maps: Mutex<Spans<Arc<DmaMemory>>>,
    /// Who takes pages from a device that is gone, though others share them.
    cuts: Mutex<()>,
    clock: TickClock,
    tells_frames: bool,
    /// What the end of an object has.
    end: Duration,
    /// A reset has begun: nothing is asked of it any more.
    is_closed: AtomicBool,
    /// It was reset, and reaches no memory.
    is_reset: AtomicBool,
    process: Process,
}

/// Waits until the device has begun.
fn is_ready(function: &dyn Function) -> Result<(), BackendError> {
    let is_over = AtomicBool::new(false);
    await_register(function, csr::STATUS, &is_over, |s| (s & csr_mask::STATUS_READY != 0).then_some(()))
}

impl PciBackend {
    /// Finds out what the device is, gives it a secret, sets its timers.
    pub(super) fn new(function: Arc<dyn Function>, timers: Timers) -> Result<Self, BackendError> {
        // a function without interrupts tells nothing
        let tells_frames = identify(&*function)? >= TELLS_FRAMES && function.vectors() > 0;
        let function = Arc::new(Watched::new(function));
        is_ready(&*function)?;
        function.begin()?;
        let mut secret = [0; 4 * SECRET];
        let random = random::fill(&mut secret);
        random.map_err(|e| BackendError::Open(format!("the system gives no random secret: {e}")))?;
        for (n, octets) in secret.chunks(4).enumerate() {
            function.write(REGISTERS, u64::from(csr::SECRET) + 4 * n as u64, octets)?;
        }
        put(&*function, csr::RESTART, csr_mask::RESTART_GO)?;
        is_ready(&*function)?;
        for (register, value) in [
            (csr::ACK_DELAY, timers.ack_delay.into()),
            (csr::RTO_MIN, timers.rto_units().into()),
            (csr::RETRY_LIMIT, timers.retries.into()),
            (csr::RECOVERY, timers.recovery()),
        ] {
            put(&*function, register, value)?;
        }
        function.look()?;
        let capabilities = capabilities(&*function)?;
        let (arena, maps) = (Arc::default(), Mutex::new(Spans::new(function.reserved())));
        let clock = TickClock::new(read_ticks(&*function)?, Instant::now());
        let (window, process) = (Window::open(function.clone())?, Process::this());
        let (cuts, [is_closed, is_reset]) = Default::default();
        Ok(Self {
            function,
            capabilities,
            window,
            arena,
            maps,
            cuts,
            clock,
            tells_frames,
            end: timers.end,
            is_closed,
            is_reset,
            process,
        })
    }

    /// Whether it is this process's.
    fn is_ours(&self) -> Result<(), BackendError> {
        self.process.is_here().then_some(()).ok_or(BackendError::Forked)
    }

    /// Whether anything may be asked of it.
    #[inline]
    fn may_ask(&self) -> Result<(), BackendError> {
        if !self.process.is_here() {
            return Err(BackendError::Forked);
        }
        self.function.lives()?;
        match self.is_closed.load(Ordering::Relaxed) {
            false => Ok(()),
            true => Err(stopped()),
        }
    }

    /// Place and octets of a doorbell, if it may be rung.
    #[inline]
    fn bell(&self, doorbell: Doorbell) -> Result<(u64, [u8; Doorbell::LEN]), BackendError> {
        self.may_ask()?;
        let octets = doorbell.octets().map_err(|e| BackendError::Doorbell(e.to_string()))?;
        let own = doorbell_kind::EVENT_CONSUMER..=doorbell_kind::RAW_RX_ARM;
        let queues = self.capabilities.queue_pairs.max(self.capabilities.completion_queues);
        let page = if own.contains(&doorbell.kind) { queues } else { doorbell.number };
        Ok((u64::from(page) * u64::from(bar::PAGE_OCTETS), octets))
    }

    fn maps(&self) -> MutexGuard<'_, Spans<Arc<DmaMemory>>> {
        self.maps.lock()
    }
}

fn read_ticks(function: &dyn Function) -> Result<u64, BackendError> {
    loop {
        let [high, low, again] =
            [csr::TICKS_HIGH, csr::TICKS_LOW, csr::TICKS_HIGH].map(|r| dword(function, r));
        let (high, low) = (high?, low?);
        if again? == high {
            return Ok(u64::from(high) << 32 | u64::from(low));
        }
    }
}

/// The same behind `last`, by one read if the low dword has not begun anew since, which takes 49
/// days.
fn later_ticks(function: &dyn Function, last: u64) -> Result<u64, BackendError> {
    let low = u64::from(dword(function, csr::TICKS_LOW)?);
    let ticks = last & !u64::from(u32::MAX) | low;
    if ticks < last {
        return read_ticks(function);
    }
    Ok(ticks)
}

/// Refuses what is no Ferrowarp, or one whose registers this driver does not know; its minor
/// version. Each register of a device in reset is 0.
fn identify(function: &dyn Function) -> Result<u32, BackendError> {
    let until = Instant::now() + WAKES;
    let mut magic = dword(function, csr::MAGIC)?;
    while magic == 0 && Instant::now() < until {
        std::thread::sleep(LOOK_EVERY);
        magic = dword(function, csr::MAGIC)?;
    }
    let version = dword(function, csr::VERSION)?;
    let major = field(version, csr_mask::VERSION_MAJOR);
    if magic != csr_identity::MAGIC {
        let want = csr_identity::MAGIC;
        return Err(BackendError::Open(format!(
            "its first register is {magic:#010x}, a Ferrowarp's is {want:#010x}"
        )));
    }
    if major != u32::from(csr_identity::MAJOR) {
        let want = csr_identity::MAJOR;
        let why = format!(
            "its registers are of version {major}, this driver knows {want}: take the driver of its release"
        );
        return Err(BackendError::Open(why));
    }
    Ok(field(version, csr_mask::VERSION_MINOR))
}

/// What the registers tell, and what every Ferrowarp of this version has.
fn capabilities(function: &dyn Function) -> Result<Capabilities, BackendError> {
    let (queues, limits) = (dword(function, csr::QUEUES)?, dword(function, csr::LIMITS)?);
    let count = |mask| 1_u16.checked_shl(field(queues, mask)).unwrap_or(u16::MAX);
    Ok(Capabilities {
        queue_pairs: count(csr_mask::QUEUES_QPS_LOG2),
        completion_queues: count(csr_mask::QUEUES_CQS_LOG2),
        regions: count(csr_mask::QUEUES_MRS_LOG2),
        mtu: field(limits, csr_mask::LIMITS_MTU) as u16,
        window: 1_u32.checked_shl(field(limits, csr_mask::LIMITS_WINDOW_LOG2)).unwrap_or(u32::MAX),
        work_log2: 15,
        cq_log2: 16,
        ird: read_limit::IRD.into(),
        ord: read_limit::ORD.into(),
        vectors: function.vectors(),
    })
}

// SAFETY: what is visible to a function is what `map` and `unmap` of `Function` say, which the
// kernel's IOMMU, a vfio-user server or the simulator's root complex enforces; an answer is read
// from the window when the device says that it is there, one command at a time.
unsafe impl Backend for PciBackend {
    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn ends_within(&self) -> Duration {
        self.end
    }

    fn arena(&self) -> &Arc<Arena> {
        &self.arena
    }

    fn map(&self, memory: Arc<DmaMemory>, writable: bool) -> Result<u64, BackendError> {
        let octets = memory.len();
        let why = |_| BackendError::Map { octets, why: "the device's addresses are used up".into() };
        self.may_ask()?;
        let placed = {
            let mut maps = self.maps();
            let placed = maps.place(memory.address(), octets as u64, writable, memory.clone());
            let placed = placed.map_err(why)?;
            placed.fresh.iter().for_each(|span| maps.hide(span));
            placed
        };
        let Some(span) = placed.fresh else { return Ok(placed.iova) };
        // nobody who takes memory away waits for this answer
        let mapped = self.function.map(&span, &memory);
        let mut maps = self.maps();
        maps.show(&span);
        let Err(why) = mapped else { return Ok(placed.iova) };
        drop(maps.release(placed.iova));
        if matches!(why, BackendError::Lost(_)) {
            // the server may have it
            maps.keep(memory, &span);
        }
        Err(why)
    }

    unsafe fn unmap(&self, iova: u64, most: Duration) -> Result<(), BackendError> {
        let why = || BackendError::Map { octets: 0, why: format!("nothing was mapped at {iova:#x}") };
        self.is_ours()?;
        // nothing was told to a device that is gone: it may come back, and write memory that others
        // share. One span after the other: who finds it away returns when it is
        let until = Instant::now() + most;
        let cut = match self.may_ask() {
            Ok(()) => None,
            Err(_) => match self.cuts.try_lock_until(until) {
                None if !self.is_reset.load(Ordering::SeqCst) => return Err(BackendError::Silent(most)),
                cut => cut,
            },
        };
        let (memory, span) = {
            let mut maps = self.maps();
            let released = if cut.is_some() { maps.cut(iova) } else { maps.release(iova) };
            let (memory, last) = released.ok_or_else(why)?;
            let Some(span) = last else { return Ok(()) };
            maps.hold(&span);
            (memory, span)
        };
        let most = if cut.is_some() { left(until) } else { most };
        let unmapped = self.function.unmap(&span, most);
        let mut maps = self.maps();
        maps.let_go(&span);
        match unmapped {
            // a function that was reset reaches nothing
            _ if self.is_reset.load(Ordering::SeqCst) => Ok(()),
            Err(why) if !why.is_gone() => {
                maps.keep(memory, &span);
                maps.keeps_on(&span);
                Err(why)
            }
            told => told,
        }
    }

    unsafe fn doorbell(&self, doorbell: Doorbell) -> Result<(), BackendError> {
        let (at, octets) = self.bell(doorbell)?;
        self.function.write(DOORBELLS, at, &octets)
    }

    unsafe fn doorbell_within(&self, doorbell: Doorbell, most: Duration) -> Result<(), BackendError> {
        let (at, octets) = self.bell(doorbell)?;
        self.function.write_within(DOORBELLS, at, &octets, most)
    }

    unsafe fn admin(&self, command: Vec<u8>) -> Result<Pending, BackendError> {
        self.may_ask()?;
        self.window.give(command)
    }

    fn reset(&self) -> Result<(), BackendError> {
        self.is_ours()?;
        self.is_closed.store(true, Ordering::SeqCst);
        self.window.close();
        self.function.reset()?;
        self.is_reset.store(true, Ordering::SeqCst);
        Ok(())
    }

    fn lives(&self) -> Result<(), BackendError> {
        self.may_ask()
    }

    fn look(&self) -> Result<(), BackendError> {
        self.may_ask()?;
        match self.function.ticks() {
            // what knows its time without the device knows of the device's end, too
            Some(_) => Ok(()),
            None => self.function.look(),
        }
    }

    fn register(&self, offset: u16) -> Result<u32, BackendError> {
        self.is_ours()?;
        dword(&*self.function, offset)
    }

    fn interrupts(&self, vector: u16) -> Option<File> {
        self.function.interrupts(vector)
    }

    fn steer(&self, cq: u16, vector: u16) -> Result<(), BackendError> {
        self.may_ask()?;
        // the caller's number is one of a queue that the device has
        put(&*self.function, csr::CQ_VECTOR + 4 * cq, vector.into())
    }

    fn tells_frames(&self) -> bool {
        self.tells_frames
    }

    fn end(&self) -> Option<End> {
        self.function.end()
    }

    fn receive(&self, MacAddr([a, b, c, d, e, f]): MacAddr) -> Result<(), BackendError> {
        self.is_ours()?;
        let function = &*self.function;
        put(function, csr::RX_MAC_LOW, u32::from_le_bytes([a, b, c, d]))?;
        put(function, csr::RX_MAC_HIGH, u32::from_le_bytes([e, f, 0, 0]) | csr_mask::RX_MAC_HIGH_IS_VALID)?;
        put(function, csr::RX_FILTER, csr_mask::RX_FILTER_BROADCAST | csr_mask::RX_FILTER_MULTICAST)
    }

    fn waits(&self, most: Duration) -> Duration {
        self.function.waits(most)
    }

    fn ticks(&self) -> u64 {
        let known = self.function.ticks();
        // if the device is gone, the next call that can fail tells why
        known.unwrap_or_else(|| {
            self.clock.ticks(Instant::now(), |last| later_ticks(&*self.function, last).ok())
        })
    }
}

impl Drop for PciBackend {
    fn drop(&mut self) {
        if !self.process.is_here() {
            // the parent's thread, device and memory: a child leaves all of them alone
            self.window.forget();
            std::mem::forget(self.function.clone());
            return;
        }
        let is_reset = self.is_reset.load(Ordering::SeqCst);
        // the device does nothing behind the back of a process that has gone on
        match self.window.end(!is_reset, self.end) {
            Some(Ok(())) => return,
            Some(Err(why)) if why.is_gone() => {
                tracing::debug!(%why, "the device is not emptied");
                return;
            }
            Some(Err(why)) => {
                tracing::error!(%why, "the device is not emptied, and memory of the driver's own is kept")
            }
            None => {}
        }
        // what it may reach stays where it is; behind an access that does not end the function
        // stays open with its thread
        let maps = self.maps.get_mut();
        std::mem::forget(std::mem::replace(maps, Spans::new(vec![])));
    }
}
