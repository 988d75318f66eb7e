// SPDX-License-Identifier: MIT OR Apache-2.0
//! A simulated device behind a script: what the driver asks of it passes here.
use crate::fw::device::Delays;
use ferrowarp::backend::{Backend, BackendError, Capabilities, PciBackend, Pending};
use ferrowarp::dma::{Arena, DmaMemory};
use ferrowarp_abi::codec::Doorbell;
use ferrowarp_abi::consts::admin_opcode;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{channel, Sender};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// Between two looks whether the time may be told.
const PAUSE: Duration = Duration::from_micros(200);
/// How long a device may take to give up memory that a test takes away.
const UNMAPPING: Duration = Duration::from_secs(60);

/// A command that waits, or whose answer does.
#[derive(Debug)]
struct Held {
    octets: Vec<u8>,
    answer: Sender<Vec<u8>>,
    /// Frames until the device gets it, and from then on until the driver gets the answer.
    left: Delays,
    pending: Option<Pending>,
}

#[derive(Debug, Default)]
struct Script {
    /// Of the next `conn_insert`.
    delays: Option<Delays>,
    held: VecDeque<Held>,
    /// Frames since the delayed `conn_insert` was given, if one was.
    counted: Option<u32>,
    /// No command reaches the device.
    frozen: bool,
}

/// The device.
#[derive(Debug)]
pub struct Scripted {
    inner: PciBackend,
    skipped: AtomicU64,
    /// Nobody is told the time.
    is_held: AtomicBool,
    mapped: Mutex<BTreeMap<u64, usize>>,
    script: Mutex<Script>,
}

impl Scripted {
    /// In front of a device.
    pub fn new(inner: PciBackend) -> Arc<Self> {
        let (skipped, is_held, mapped, script) = Default::default();
        Arc::new(Self { inner, skipped, is_held, mapped, script })
    }

    /// Holds the next `conn_insert` back, and with it all commands behind it.
    pub fn delay(&self, delays: Delays) {
        *self.script() = Script { delays: Some(delays), ..Default::default() };
    }

    /// While frozen no command reaches the device: driver and firmware can do nothing about what
    /// happens in it.
    pub fn freeze(&self, frozen: bool) {
        self.script().frozen = frozen;
        self.advance();
    }

    /// A command of the script's own, which passes those that are held.
    ///
    /// # Panics
    /// If the device has stopped.
    pub fn ask(&self, octets: Vec<u8>) -> Pending {
        // SAFETY: scripts read rows.
        unsafe { self.inner.admin(octets) }.expect("a device")
    }

    /// The delayed `conn_insert` was given.
    pub fn has_begun(&self) -> bool {
        self.script().counted.is_some()
    }

    /// A frame goes to the device: it counts for the delays.
    pub fn count(&self) {
        let mut script = self.script();
        if let Some(counted) = &mut script.counted {
            *counted += 1;
        }
        if let Some(Held { left, pending, .. }) = script.held.front_mut() {
            let left = if pending.is_none() { &mut left.visible } else { &mut left.answer };
            *left = left.saturating_sub(1);
        }
        drop(script);
        self.advance();
    }

    /// Does what is due.
    ///
    /// # Panics
    /// If the device has stopped.
    pub fn advance(&self) {
        let mut script = self.script();
        let frozen = script.frozen;
        while let Some(held) = script.held.front_mut() {
            let pending = match &mut held.pending {
                None if held.left.visible > 0 || frozen => return,
                None => {
                    // SAFETY: the driver asked for it, and waits for the answer.
                    let asked = unsafe { self.inner.admin(held.octets.clone()) };
                    held.pending.insert(asked.expect("a device"))
                }
                Some(pending) => pending,
            };
            if held.left.answer > 0 {
                return;
            }
            let Some(answer) = pending.poll().expect("a device") else { return };
            // who asked may be gone
            drop(held.answer.send(answer));
            script.held.pop_front();
        }
    }

    /// Lets `ms` milliseconds pass for the driver and firmware at once; not for the hardware.
    pub fn skip(&self, ms: u64) {
        self.skipped.fetch_add(ms, Ordering::Relaxed);
    }

    /// While held, who asks for the time waits: so the connection manager looks at nothing.
    pub fn hold_time(&self, held: bool) {
        self.is_held.store(held, Ordering::Relaxed);
    }

    /// Takes the memory of so many octets away from the device behind the driver's back.
    ///
    /// # Panics
    /// If there is none, or more than one.
    pub fn lose(&self, octets: usize) {
        let mapped = self.mapped.lock().unwrap();
        let found: Vec<_> = mapped.iter().filter(|(_, len)| **len == octets).map(|(iova, _)| *iova).collect();
        let [iova] = found[..] else { panic!("{} memories of {octets} octets", found.len()) };
        // SAFETY: the memory stays; the device loses sight of it, which is what the test is about.
        unsafe { self.inner.unmap(iova, UNMAPPING) }.expect("it is mapped");
    }

    /// How many memories the device reaches, and their octets together.
    pub fn mapped(&self) -> (usize, usize) {
        let mapped = self.mapped.lock().unwrap();
        (mapped.len(), mapped.values().sum())
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap()
    }
}

// SAFETY: the device behind keeps the promises; what is held is not answered.
unsafe impl Backend for Scripted {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn arena(&self) -> &Arc<Arena> {
        self.inner.arena()
    }

    fn map(&self, memory: Arc<DmaMemory>, writable: bool) -> Result<u64, BackendError> {
        let octets = memory.len();
        let iova = self.inner.map(memory, writable)?;
        self.mapped.lock().unwrap().insert(iova, octets);
        Ok(iova)
    }

    unsafe fn unmap(&self, iova: u64, most: Duration) -> Result<(), BackendError> {
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { self.inner.unmap(iova, most) }?;
        self.mapped.lock().unwrap().remove(&iova);
        Ok(())
    }

    unsafe fn doorbell(&self, doorbell: Doorbell) -> Result<(), BackendError> {
        // SAFETY: as above.
        unsafe { self.inner.doorbell(doorbell) }
    }

    unsafe fn admin(&self, octets: Vec<u8>) -> Result<Pending, BackendError> {
        let mut script = self.script();
        let delayed = octets[0] == admin_opcode::CONN_INSERT && script.delays.is_some();
        if !delayed && script.held.is_empty() && !script.frozen {
            // SAFETY: as above.
            return unsafe { self.inner.admin(octets) };
        }
        let left = if delayed { script.delays.take().unwrap_or_default() } else { Delays::default() };
        if delayed {
            script.counted = Some(0);
        }
        let (answer, answered) = channel();
        script.held.push_back(Held { octets, answer, left, pending: None });
        drop(script);
        self.advance();
        Ok(Pending::new(answered))
    }

    fn reset(&self) -> Result<(), BackendError> {
        self.inner.reset()
    }

    fn ticks(&self) -> u64 {
        while self.is_held.load(Ordering::Relaxed) {
            std::thread::sleep(PAUSE);
        }
        self.inner.ticks() + self.skipped.load(Ordering::Relaxed)
    }
}
