//! Devices `sim:`: the Verilated hardware in this process.
use super::sim_thread::{Order, Runner};
use super::{Backend, BackendError, Capabilities, Pending};
use crate::dma::{DmaMemory, PAGE};
use crate::url::{SimUrl, Tick};
use ferrowarp_abi::codec::Doorbell;
use ferrowarp_abi::consts::read_limit;
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::eth::EthError;
use ferrowarp_sim::{model, EthAddress};
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// First IOVA that is given, so that small numbers are refused.
const FIRST_IOVA: u64 = 0x10_0000;
/// How long the thread may take for a change of the memory map.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the thread and its users share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Milliseconds of the device's clock.
    pub(super) clock_ms: AtomicU64,
    /// The thread rests: an order has to wake it.
    pub(super) rests: AtomicBool,
    /// Why the thread ended.
    pub(super) failure: Mutex<Option<String>>,
}

/// A simulated device: the model, its memory and its Ethernet run in a thread of their own.
#[derive(Debug)]
pub struct SimBackend {
    orders: Mutex<Sender<Order>>,
    /// Wakes the thread.
    bell: UnixStream,
    thread: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
    next_iova: Mutex<u64>,
    tick: Tick,
    start: Instant,
    config: Config,
}

/// The hardware: 16 queue pairs, 10 Gb/s, an MTU of 1,500 octets and a window of 16 KiB, as its tests have it.
fn hardware() -> Config {
    Config { qps: 16, mtu: 1500, window_log2: 14, ..Config::profile(Profile::TenG) }
}

impl SimBackend {
    /// Builds the model if it is not there yet (minutes), opens the Ethernet port, starts the thread.
    pub fn open(url: &SimUrl) -> Result<Self, BackendError> {
        let failed = |why: String| BackendError::Open(why);
        let address: EthAddress = url.eth.parse().map_err(|e: EthError| failed(e.to_string()))?;
        let config = hardware();
        let library = model(Top::DeviceW64, &config).map_err(|e| failed(e.to_string()))?;
        let port = address.open().map_err(|e| failed(e.to_string()))?;
        let shared = Arc::new(Shared::default());
        let (orders, inbox) = channel();
        let (ready, begun) = channel();
        let (bell, wake) = UnixStream::pair().map_err(|e| failed(format!("no pair of sockets: {e}")))?;
        for end in [&bell, &wake] {
            end.set_nonblocking(true).map_err(|e| failed(e.to_string()))?;
        }
        let runner = Runner {
            library,
            port,
            tick: url.tick,
            rto: url.rto.into(),
            retries: url.retries.into(),
            pcap: url.pcap.clone(),
            clock_khz: config.clock_khz,
            shared: shared.clone(),
            wake,
        };
        let body = move || runner.run(&inbox, &ready);
        let thread = std::thread::Builder::new().name("ferrowarp-sim".into()).spawn(body);
        let thread = Some(thread.map_err(|e| failed(format!("no thread for the simulation: {e}")))?);
        let (orders, next_iova) = (Mutex::new(orders), Mutex::new(FIRST_IOVA));
        let (tick, start) = (url.tick, Instant::now());
        let backend = Self { orders, bell, thread, shared, next_iova, tick, start, config };
        begun.recv().map_err(|_| backend.stopped())?;
        Ok(backend)
    }

    fn stopped(&self) -> BackendError {
        let failure = self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner);
        BackendError::Stopped(failure.clone().unwrap_or_else(|| "the simulation ended".into()))
    }

    fn order(&self, order: Order) -> Result<(), BackendError> {
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        orders.send(order).map_err(|_| self.stopped())?;
        if self.shared.rests.swap(false, Ordering::SeqCst) {
            // a pair of sockets that is full wakes as well
            drop((&self.bell).write(&[0]));
        }
        Ok(())
    }

    fn awaited(&self, answered: &Receiver<Result<(), String>>, octets: usize) -> Result<(), BackendError> {
        let answer = answered.recv_timeout(PATIENCE).map_err(|_| self.stopped())?;
        answer.map_err(|why| BackendError::Map { octets, why })
    }
}

impl Backend for SimBackend {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            queue_pairs: self.config.qps as u16,
            completion_queues: 16,
            regions: 256,
            work_log2: 15,
            cq_log2: 16,
            ird: read_limit::IRD.into(),
            ord: read_limit::ORD.into(),
            mtu: self.config.mtu as u16,
            window: 1 << self.config.window_log2,
        }
    }

    /// IOVAs are never given twice, and at least a page between two memories belongs to nobody.
    fn map(&self, memory: Arc<DmaMemory>, writable: bool) -> Result<u64, BackendError> {
        let (octets, page) = (memory.len(), PAGE as u64);
        let mut next = self.next_iova.lock().unwrap_or_else(PoisonError::into_inner);
        let iova = *next;
        let end = (octets as u64).checked_next_multiple_of(page).and_then(|n| iova.checked_add(n + page));
        *next = end
            .ok_or_else(|| BackendError::Map { octets, why: "the device's addresses are used up".into() })?;
        drop(next);
        let (done, answered) = channel();
        self.order(Order::Map { iova, memory, writable, done })?;
        self.awaited(&answered, octets).map(|()| iova)
    }

    fn unmap(&self, iova: u64) -> Result<(), BackendError> {
        let (done, answered) = channel();
        self.order(Order::Unmap { iova, done })?;
        self.awaited(&answered, 0)
    }

    fn doorbell(&self, doorbell: Doorbell) -> Result<(), BackendError> {
        self.order(Order::Doorbell(doorbell))
    }

    fn admin(&self, command: Vec<u8>) -> Result<Pending, BackendError> {
        let (answer, answered) = channel();
        self.order(Order::Admin { command, answer })?;
        Ok(Pending::new(answered))
    }

    fn ticks(&self) -> u64 {
        match self.tick {
            Tick::Wall => self.start.elapsed().as_millis() as u64,
            Tick::Clock => self.shared.clock_ms.load(Ordering::Relaxed),
        }
    }
}

impl Drop for SimBackend {
    fn drop(&mut self) {
        // a thread that has failed hears nothing, and has ended
        drop(self.order(Order::Stop));
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the simulation panicked");
        }
    }
}
