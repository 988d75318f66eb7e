//! The thread of a simulated device: it steps the model and plays its host and its Ethernet.
use super::sim::Shared;
use super::Timers;
use crate::dma::DmaMemory;
use crate::url::Tick;
use ferrowarp_abi::codec::{AdminAnswer, Doorbell};
use ferrowarp_abi::consts::{admin_opcode, admin_status};
use ferrowarp_sim::eth::BridgeConfig;
use ferrowarp_sim::{
    Bench, Bridge, ChanSrcId, EthPort, Frame, Item, Library, LinkConfig, MemoryId, MemoryPorts, MemoryTiming,
    Pattern, SinkId, SourceId,
};
use std::any::Any;
use std::collections::{BTreeSet, VecDeque};
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// Cycles between two looks at what the driver orders and at what the device answered.
const LOOK_EVERY: u64 = 16;
/// Cycles that an answer is kept: the answer of a bus would follow the events before it through the posted FIFO
/// (D6), and these take as long until they are in memory.
const ANSWER_KEPT: u64 = 64;
/// Cycles without a transfer after which the device has nothing to do until something comes from outside.
const STILL: u64 = 512;
/// Least cycles between two rests: a tick, which is seen within [`LOOK_EVERY`], makes the device look at its timers for
/// 32 cycles.
const AWAKE: u64 = 48;
/// Longest rest, should nothing come.
const REST: Duration = Duration::from_millis(200);

/// What the driver wants.
pub(super) enum Order {
    Doorbell(Doorbell),
    Admin { command: Vec<u8>, answer: Sender<Vec<u8>> },
    Map { iova: u64, memory: Arc<DmaMemory>, writable: bool, done: Sender<Result<(), String>> },
    Unmap { iova: u64, done: Sender<Result<(), String>> },
    Stop,
}

/// What the thread is made of.
pub(super) struct Runner {
    pub(super) library: Arc<Library>,
    pub(super) port: Box<dyn EthPort>,
    pub(super) tick: Tick,
    pub(super) rto: u64,
    pub(super) retries: u64,
    pub(super) pcap: Option<PathBuf>,
    pub(super) clock_khz: u64,
    pub(super) shared: Arc<Shared>,
    /// Readable when something is ordered while the thread rests.
    pub(super) wake: UnixStream,
}

/// A device on its bench.
struct Machine {
    bench: Bench,
    bridge: Bridge,
    commands: SourceId,
    answers: SinkId,
    doorbells: ChanSrcId,
    memory: MemoryId,
    /// Who waits for the answers that are to come, in order.
    owed: VecDeque<Sender<Vec<u8>>>,
    /// Answers that came, and the cycle in which they are given.
    kept: VecDeque<(u64, Vec<u8>)>,
    rested: u64,
    /// Queue pairs whose connection is in the hardware: they have timers.
    connections: BTreeSet<u16>,
    shared: Arc<Shared>,
    wake: UnixStream,
}

/// What orders came to.
#[derive(PartialEq)]
enum Obeyed {
    Stop,
    Something,
    Nothing,
}

impl Runner {
    /// Until it is told to stop, or something fails. `ready` is told when it has begun.
    pub(super) fn run(self, inbox: &Receiver<Order>, ready: &Sender<()>) {
        let shared = self.shared.clone();
        // a bench ends a case by unwinding; what it was is only dropped afterwards
        let ended = catch_unwind(AssertUnwindSafe(|| self.work(inbox, ready)));
        let failure = match ended {
            Ok(Ok(())) => None,
            Ok(Err(why)) => Some(why),
            Err(panic) => Some(text_of(&*panic)),
        };
        if let Some(why) = failure {
            tracing::error!(why, "the simulation stops");
            *shared.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
        }
    }

    fn work(self, inbox: &Receiver<Order>, ready: &Sender<()>) -> Result<(), String> {
        let (clock_khz, tick, shared) = (self.clock_khz, self.tick, self.shared.clone());
        let mut machine = Machine::new(self)?;
        ready.send(()).map_err(|_| "nobody waits for the device any more")?;
        loop {
            if machine.bench.cycle().is_multiple_of(LOOK_EVERY) {
                if machine.obey(inbox) == Obeyed::Stop {
                    return machine.finish();
                }
                machine.answer()?;
                shared.clock_ms.store(machine.bench.cycle() / clock_khz, Ordering::Relaxed);
            }
            machine.bridge.step(&mut machine.bench).map_err(|e| e.to_string())?;
            if tick == Tick::Wall && machine.is_idle() && machine.rest(inbox)? == Obeyed::Stop {
                return machine.finish();
            }
        }
    }
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let owned = panic.downcast_ref::<String>().cloned();
    owned.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_else(|| "a panic".into())
}

impl Machine {
    fn new(runner: Runner) -> Result<Self, String> {
        let clock_ps = 1_000_000_000 / runner.clock_khz;
        let mut bench = Bench::live(&runner.library, 1)?;
        let commands = bench.source("cmd", Pattern::None);
        let answers = bench.sink("ans", Pattern::None);
        let doorbells = bench.channel_source("db", Pattern::None);
        let memory = bench.memory(&MemoryPorts::both("rd", "wr"), MemoryTiming::steady(clock_ps));
        for (port, value) in [
            ("ack_delay", Timers::SIMULATED.ack_delay.into()),
            ("rto_min", runner.rto),
            ("retry_limit", runner.retries),
        ] {
            if bench.has(port) {
                bench.set(port, value);
            }
        }
        let mut config = BridgeConfig::device(LinkConfig { rate_bps: 10_000_000_000, clock_ps, delay_ns: 0 });
        if runner.tick == Tick::Clock {
            config.tick = None;
        }
        let mut bridge = Bridge::attach(&mut bench, runner.port, config);
        if let Some(path) = &runner.pcap {
            bridge.capture(path).map_err(|e| e.to_string())?;
        }
        let (owed, kept, connections) = Default::default();
        let Runner { shared, wake, .. } = runner;
        let machine = Self {
            bench,
            bridge,
            commands,
            answers,
            doorbells,
            memory,
            owed,
            kept,
            rested: 0,
            connections,
            shared,
            wake,
        };
        Ok(machine)
    }

    /// Does what was ordered.
    fn obey(&mut self, inbox: &Receiver<Order>) -> Obeyed {
        let mut obeyed = Obeyed::Nothing;
        loop {
            // who ordered may have given up waiting for an answer
            match inbox.try_recv() {
                Ok(Order::Doorbell(doorbell)) => self.ring(doorbell),
                Ok(Order::Admin { command, answer }) => {
                    self.bench.send(self.commands, Frame::good(command));
                    self.bench.expect(self.answers, 1);
                    self.owed.push_back(answer);
                }
                Ok(Order::Map { iova, memory, writable, done }) => {
                    let mapped = self.bench.host(self.memory).map_outside(iova, memory, writable);
                    drop(done.send(mapped.map_err(|e| e.to_string())));
                }
                Ok(Order::Unmap { iova, done }) => {
                    let unmapped = self.bench.host(self.memory).unmap(iova);
                    drop(done.send(unmapped.map(drop).map_err(|e| e.to_string())));
                }
                Ok(Order::Stop) | Err(TryRecvError::Disconnected) => return Obeyed::Stop,
                Err(TryRecvError::Empty) => return obeyed,
            }
            obeyed = Obeyed::Something;
        }
    }

    /// Members of a record stand lowest first.
    fn ring(&mut self, doorbell: Doorbell) {
        let Doorbell { kind, solicited_only, number, value } = doorbell;
        let low = u64::from(kind) | u64::from(solicited_only) << 8 | u64::from(number) << 9;
        self.bench.put(self.doorbells, Item::new().with("item", low | u64::from(value) << 25));
    }

    /// Gives answers on, and tells of accesses that were refused: the memory went away, or the device is wrong.
    fn answer(&mut self) -> Result<(), String> {
        let cycle = self.bench.cycle();
        for frame in self.bench.received(self.answers) {
            self.kept.push_back((cycle + ANSWER_KEPT, frame.data));
        }
        while let Some((_, octets)) = self.kept.pop_front_if(|(due, _)| *due <= cycle) {
            let answer = self.owed.pop_front().ok_or("an answer came that no command asked for")?;
            self.note(&octets);
            drop(answer.send(octets));
        }
        for refused in self.bench.host(self.memory).take_refused() {
            tracing::warn!(%refused, "an access of the device is refused");
        }
        Ok(())
    }

    /// Notes which connections there are.
    fn note(&mut self, answer: &[u8]) {
        match AdminAnswer::parse(answer) {
            Ok(AdminAnswer {
                status: admin_status::DONE, opcode: admin_opcode::CONN_INSERT, index, ..
            }) => {
                self.connections.insert(index);
            }
            Ok(AdminAnswer {
                status: admin_status::DONE, opcode: admin_opcode::CONN_REMOVE, index, ..
            }) => {
                self.connections.remove(&index);
            }
            _ => {}
        }
    }

    /// Nothing is to be done by device, driver or wire.
    fn is_idle(&self) -> bool {
        self.bench.still_for() >= STILL
            && self.bench.cycle() - self.rested >= AWAKE
            && self.owed.is_empty()
            && self.bench.put_all(self.doorbells)
            && self.bridge.is_idle()
    }

    /// Sleeps until something is.
    fn rest(&mut self, inbox: &Receiver<Order>) -> Result<Obeyed, String> {
        // who orders something from now on wakes the thread; what was ordered before is looked at
        self.shared.rests.store(true, Ordering::SeqCst);
        let obeyed = self.obey(inbox);
        if obeyed == Obeyed::Nothing {
            let wake = Some(self.wake.as_fd());
            let slept = match self.connections.is_empty() {
                true => self.bridge.sleep(REST, wake),
                false => self.bridge.rest(REST, wake),
            };
            slept.map_err(|e| e.to_string())?;
            self.rested = self.bench.cycle();
        }
        self.shared.rests.store(false, Ordering::SeqCst);
        // none or some: both are all
        drop(self.wake.read(&mut [0; 16]));
        Ok(obeyed)
    }

    /// Ends the capture.
    fn finish(self) -> Result<(), String> {
        self.bridge.finish().map(drop).map_err(|e| e.to_string())
    }
}
