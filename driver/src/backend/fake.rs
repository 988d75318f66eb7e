// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device for tests: it keeps what it is told and answers every command; a test writes its
//! completions.
use super::{Backend, BackendError, Capabilities, End, Pending};
use crate::dma::{Arena, DmaMemory};
use ferrowarp_abi::codec::{AdminAnswer, AdminCommand, CqRow, Cqe, Doorbell};
use ferrowarp_abi::consts::{admin_opcode, admin_row, admin_status, read_limit};
use ferrowarp_abi::host::counters::QP_COUNTERS;
use parking_lot::{Mutex, MutexGuard};
use rustix::event::{eventfd, EventfdFlags};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{channel, Sender};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A completion queue as the device has it.
#[derive(Debug, Clone, Copy)]
struct Queue {
    row: CqRow,
    producer: u32,
}

/// What it was told, and how it answers.
#[derive(Debug, Default)]
pub struct State {
    memories: BTreeMap<u64, Arc<DmaMemory>>,
    next: u64,
    queues: BTreeMap<u16, Queue>,
    /// Doorbells, in the order in which they were rung.
    pub doorbells: Vec<Doorbell>,
    /// Heads and rows.
    pub commands: Vec<(AdminCommand, Vec<u8>)>,
    /// Statuses of opcodes that are refused.
    pub refused: BTreeMap<u8, u8>,
    /// What `read_row` gives.
    pub row: Vec<u8>,
    /// It answers nothing any more, and says so.
    pub is_gone: bool,
    /// It answers nothing any more.
    pub is_silent: bool,
    /// Opcodes that it does not answer.
    pub mute: BTreeSet<u8>,
    /// Who waits for an answer that does not come, and the answer.
    unanswered: Vec<(Sender<Vec<u8>>, Vec<u8>)>,
    /// When the last command was given that is not answered.
    pub asked: Option<Instant>,
    /// What each read of a register gives; there are none behind the last.
    pub registers: VecDeque<u32>,
    /// How long each taking away of memory might wait.
    pub unmappings: Vec<Duration>,
    /// It takes no doorbell, and who rings waits.
    pub is_deaf: bool,
    /// Memory cannot be taken away.
    pub holds: bool,
    /// How often it was reset; it can be, unless that is refused.
    pub resets: u32,
    /// A reset is refused.
    pub cannot_reset: bool,
    /// Frames of the raw transmit ring that the device is done with.
    pub raw_sent: u32,
    /// Vectors of completion queues.
    pub vectors: BTreeMap<u16, u16>,
}

/// Longer than any test.
const FOR_EVER: Duration = Duration::from_secs(600);

/// Vectors of one with interrupts.
const VECTORS: u16 = 3;

/// Rows for regions of a fake, unless a test wants more.
const REGIONS: u16 = 8;

/// The device.
#[derive(Debug)]
pub struct Fake {
    state: Mutex<State>,
    regions: u16,
    arena: Arc<Arena>,
    /// Count interrupts, one a vector, if it makes any.
    messages: Vec<OwnedFd>,
    /// Its tick counter.
    pub now: AtomicU64,
}

impl Fake {
    /// One with eight rows for regions.
    pub fn new() -> Arc<Self> {
        Self::with_regions(REGIONS)
    }

    /// One with so many rows for regions, index 0 counted.
    pub fn with_regions(regions: u16) -> Arc<Self> {
        Arc::new(Self::of(regions, vec![]))
    }

    /// One that makes an interrupt for whatever happens, when the test says so.
    ///
    /// # Panics
    /// If there is no descriptor.
    pub fn with_interrupts() -> Arc<Self> {
        let messages = (0..VECTORS).map(|_| eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK));
        Arc::new(Self::of(REGIONS, messages.map(Result::unwrap).collect()))
    }

    fn of(regions: u16, messages: Vec<OwnedFd>) -> Self {
        let (state, arena, now) = Default::default();
        Self { state, regions, arena, messages, now }
    }

    /// Makes an interrupt of a vector.
    ///
    /// # Panics
    /// If it has no such vector.
    pub fn interrupt(&self, vector: u16) {
        rustix::io::write(&self.messages[usize::from(vector)], &1_u64.to_ne_bytes()).unwrap();
    }

    /// What it was told, and how it answers.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Octets of commands of this opcode so far.
    pub fn told(&self, opcode: u8) -> Vec<(AdminCommand, Vec<u8>)> {
        let state = self.state();
        state.commands.iter().filter(|(head, _)| head.opcode == opcode).cloned().collect()
    }

    /// What is in memory at an IOVA.
    pub fn octets(&self, iova: u64, octets: usize) -> Vec<u8> {
        let state = self.state();
        let (base, memory) = state.memories.range(..=iova).next_back().unwrap();
        memory.copy((iova - base) as usize, octets).unwrap()
    }

    /// Writes octets as the device does.
    pub fn store(&self, iova: u64, octets: &[u8]) {
        let state = self.state();
        let (base, memory) = state.memories.range(..=iova).next_back().unwrap();
        memory.write((iova - base) as usize, octets).unwrap();
    }

    /// Completion queue `cq` is here.
    pub fn place(&self, cq: u16, row: CqRow) {
        self.state().queues.insert(cq, Queue { row, producer: 0 });
    }

    /// Writes a completion into the next slot of queue `cq`.
    pub fn complete(&self, cq: u16, entry: Cqe) {
        let (iova, entry) = {
            let mut state = self.state();
            let queue = state.queues.get_mut(&cq).unwrap();
            let slot = queue.producer & ((1 << queue.row.log2) - 1);
            let phase = (queue.producer >> queue.row.log2).is_multiple_of(2);
            queue.producer += 1;
            (queue.row.base + u64::from(slot) * Cqe::LEN as u64, Cqe { phase, ..entry })
        };
        self.store(iova, &entry.octets().unwrap());
    }

    /// Answers what was not answered: how many commands.
    pub fn answer(&self) -> usize {
        let late = std::mem::take(&mut self.state().unanswered);
        // who asked may have given up
        late.into_iter().filter(|(send, answer)| send.send(answer.clone()).is_ok()).count()
    }

    /// Whether somebody waits for an answer that does not come.
    pub fn is_asked(&self) -> bool {
        !self.state().unanswered.is_empty()
    }

    /// Memories that are mapped.
    pub fn mapped(&self) -> usize {
        self.state().memories.len()
    }
}

/// Registers of which all figures of the device are read: three counters, and those of two queue
/// pairs.
pub fn device_figures() -> VecDeque<u32> {
    let pairs = 2 * QP_COUNTERS.len() as u32;
    [3 << 24].into_iter().chain([5, 0, 7]).chain(0..pairs).collect()
}

/// Those of which the figures of a queue pair are read: its counters, and again for its connection.
pub fn pair_figures(is_connected: bool) -> VecDeque<u32> {
    let counters = 10..10 + QP_COUNTERS.len() as u32;
    (0..if is_connected { 2 } else { 1 }).flat_map(|_| counters.clone()).collect()
}

fn gone() -> BackendError {
    BackendError::Stopped("the test ended it".into())
}

// SAFETY: the device is a test, which reaches memory by `octets` and `store` alone.
unsafe impl Backend for Fake {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            queue_pairs: 2,
            completion_queues: 2,
            regions: self.regions,
            work_log2: 5,
            cq_log2: 4,
            ird: read_limit::IRD.into(),
            ord: read_limit::ORD.into(),
            mtu: 1500,
            window: 16_384,
            vectors: self.messages.len() as u16,
        }
    }

    fn arena(&self) -> &Arc<Arena> {
        &self.arena
    }

    fn map(&self, memory: Arc<DmaMemory>, _writable: bool) -> Result<u64, BackendError> {
        let mut state = self.state();
        if state.is_gone {
            return Err(gone());
        }
        state.next += 0x10_0000;
        let iova = state.next;
        state.memories.insert(iova, memory);
        Ok(iova)
    }

    unsafe fn unmap(&self, iova: u64, most: Duration) -> Result<(), BackendError> {
        let mut state = self.state();
        state.unmappings.push(most);
        if state.holds {
            return Err(BackendError::Map { octets: 0, why: "the test holds it".into() });
        }
        let gone = state.memories.remove(&iova);
        gone.map(drop).ok_or(BackendError::Map { octets: 0, why: format!("nothing begins at {iova:#x}") })
    }

    unsafe fn doorbell(&self, doorbell: Doorbell) -> Result<(), BackendError> {
        // SAFETY: as this one.
        unsafe { self.doorbell_within(doorbell, FOR_EVER) }
    }

    unsafe fn doorbell_within(&self, doorbell: Doorbell, most: Duration) -> Result<(), BackendError> {
        let begun = Instant::now();
        while self.state().is_deaf {
            if begun.elapsed() >= most {
                return Err(BackendError::Silent(most));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut state = self.state();
        if state.is_gone {
            return Err(gone());
        }
        state.doorbells.push(doorbell);
        Ok(())
    }

    unsafe fn admin(&self, command: Vec<u8>) -> Result<Pending, BackendError> {
        if self.state().is_gone {
            return Err(gone());
        }
        let head = AdminCommand::parse(&command).unwrap();
        let row = command[AdminCommand::LEN..].to_vec();
        if head.opcode == admin_opcode::CQ_WRITE {
            self.place(head.index, CqRow::parse(&row).unwrap());
        }
        let mut state = self.state();
        let status = state.refused.get(&head.opcode).copied().unwrap_or(admin_status::DONE);
        state.commands.push((head, row));
        let AdminCommand { opcode, index, .. } = head;
        let raw = opcode == admin_opcode::READ_ROW && head.row == admin_row::RAW_TX;
        let value = if raw { state.raw_sent } else { 77 };
        let mut answer = AdminAnswer { status, opcode, index, value }.octets().unwrap().to_vec();
        if opcode == admin_opcode::READ_ROW && !raw {
            answer.extend(&state.row);
        }
        let (send, receive) = channel();
        if state.is_silent || state.mute.contains(&opcode) {
            state.unanswered.push((send, answer));
            state.asked = Some(Instant::now());
            return Ok(Pending::new(receive));
        }
        send.send(answer).unwrap();
        Ok(Pending::new(receive))
    }

    fn reset(&self) -> Result<(), BackendError> {
        let mut state = self.state();
        if state.cannot_reset {
            return Err(BackendError::Silent(super::END));
        }
        state.resets += 1;
        state.is_gone = true;
        Ok(())
    }

    fn register(&self, _offset: u16) -> Result<u32, BackendError> {
        self.state().registers.pop_front().ok_or(BackendError::NoRegisters)
    }

    fn interrupts(&self, vector: u16) -> Option<File> {
        Some(File::from(self.messages.get(usize::from(vector))?.try_clone().unwrap()))
    }

    fn steer(&self, cq: u16, vector: u16) -> Result<(), BackendError> {
        self.state().vectors.insert(cq, vector);
        Ok(())
    }

    fn tells_frames(&self) -> bool {
        !self.messages.is_empty()
    }

    fn end(&self) -> Option<End> {
        (!self.messages.is_empty()).then_some(End::Call)
    }

    fn ticks(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }
}
