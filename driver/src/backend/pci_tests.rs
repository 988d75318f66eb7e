// SPDX-License-Identifier: MIT OR Apache-2.0
//! The driver's end of the registers, on a function that is a table of them.
use super::function::Function;
use super::pci::PciBackend;
use super::spans::Span;
use super::{Backend, BackendError, Pending, Timers, END};
use crate::dma::DmaMemory;
use ferrowarp_abi::codec::Doorbell;
use ferrowarp_abi::consts::doorbell_kind;
use ferrowarp_abi::types::MacAddr;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Registers by place, as docs/registers.md has them.
const MAGIC: u64 = 0x000;
const VERSION: u64 = 0x008;
const STATUS: u64 = 0x00c;
const QUEUES: u64 = 0x010;
const LIMITS: u64 = 0x01c;
const TICKS_LOW: u64 = 0x020;
const RESTART: u64 = 0x03c;
const ADMIN_GO: u64 = 0x0c0;
const ADMIN_STATUS: u64 = 0x0c4;
const COMMAND: u64 = 0x400;
const ANSWER: u64 = 0x500;

#[derive(Debug, Default)]
pub(super) struct State {
    registers: BTreeMap<u64, u32>,
    /// BAR, offset, octets.
    pub(super) writes: Vec<(usize, u64, Vec<u8>)>,
    ranges: BTreeMap<u64, Span>,
    /// Looks at the status until it is ready.
    busy: u32,
    is_gone: bool,
    /// Memory cannot be taken away.
    pub(super) holds: bool,
    /// No command is answered.
    is_silent: bool,
    /// How often it was reset.
    pub(super) resets: u32,
    /// A reset fails with this, and so does each write from then on.
    pub(super) cannot_reset: Option<BackendError>,
    /// No read comes to its end.
    pub(super) blocks: bool,
    /// How often it was given memory.
    pub(super) maps: u32,
    /// Reads that have begun.
    pub(super) reads: u32,
    /// What each read gives.
    pub(super) reads_as: Option<u32>,
}

/// A device whose admin port gives commands back in reverse.
#[derive(Debug)]
pub(super) struct Table(pub(super) Mutex<State>);

impl Table {
    fn new(magic: u32, version: u32) -> Arc<Self> {
        let registers = [
            (MAGIC, magic),
            (VERSION, version),
            (STATUS, 1),
            (QUEUES, 0x0408_0304),
            (LIMITS, 0x0010_05dc),
            (TICKS_LOW, 77),
        ];
        Arc::new(Self(Mutex::new(State { registers: registers.into(), ..Default::default() })))
    }
}

impl Table {
    /// Ranges that the device reaches.
    pub(super) fn ranges(&self) -> usize {
        self.0.lock().unwrap().ranges.len()
    }
}

fn gone() -> BackendError {
    BackendError::Stopped("the table is gone".into())
}

impl Function for Table {
    fn read(&self, bar: usize, offset: u64) -> Result<u32, BackendError> {
        self.0.lock().unwrap().reads += 1;
        while self.0.lock().unwrap().blocks {
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut state = self.0.lock().unwrap();
        assert_eq!((bar, offset % 4), (0, 0));
        if state.is_gone {
            return Err(gone());
        }
        if let Some(value) = state.reads_as {
            return Ok(value);
        }
        if offset == STATUS && state.busy > 0 {
            state.busy -= 1;
            return Ok(0);
        }
        Ok(state.registers.get(&offset).copied().unwrap_or(0))
    }

    fn write(&self, bar: usize, offset: u64, octets: &[u8]) -> Result<(), BackendError> {
        let mut state = self.0.lock().unwrap();
        if let Some(why) = state.cannot_reset.clone().filter(|_| state.resets > 0) {
            return Err(why);
        }
        state.writes.push((bar, offset, octets.to_vec()));
        let Ok(word) = octets.try_into().map(u32::from_le_bytes) else { return Ok(()) };
        state.registers.insert(offset, word);
        if (bar, offset) == (0, RESTART) {
            state.busy = 3;
        }
        if (bar, offset) == (0, ADMIN_GO) {
            let command = (0..word).map(|n| {
                let register = state.registers[&(COMMAND + u64::from(n / 4 * 4))];
                register.to_le_bytes()[n as usize % 4]
            });
            let mut answer: Vec<_> = command.collect();
            answer.reverse();
            for (n, octets) in answer.chunks(4).enumerate() {
                let mut register = [0xee; 4];
                register[..octets.len()].copy_from_slice(octets);
                state.registers.insert(ANSWER + 4 * n as u64, u32::from_le_bytes(register));
            }
            let status = if state.is_silent { 0 } else { 2 | word << 16 };
            state.registers.insert(ADMIN_STATUS, status);
        }
        Ok(())
    }

    fn map(&self, span: &Span, _memory: &DmaMemory) -> Result<(), BackendError> {
        assert_eq!((span.iova % 4096, span.address % 4096, span.octets % 4096), (0, 0, 0));
        let mut state = self.0.lock().unwrap();
        state.maps += 1;
        assert_eq!(state.ranges.insert(span.iova, *span), None);
        Ok(())
    }

    fn reset(&self) -> Result<(), BackendError> {
        let mut state = self.0.lock().unwrap();
        state.resets += 1;
        state.cannot_reset.clone().map_or(Ok(()), Err)
    }

    fn unmap(&self, span: &Span, _most: Duration) -> Result<(), BackendError> {
        let state = self.0.lock().unwrap();
        match (state.is_gone, state.holds) {
            (true, _) => return Err(gone()),
            (_, true) => return Err(BackendError::Map { octets: 0, why: "the table holds it".into() }),
            _ => drop(state),
        }
        assert_eq!(self.0.lock().unwrap().ranges.remove(&span.iova), Some(*span));
        Ok(())
    }
}

/// Ticks in the first second: the counter is not looked at again, and the wall's time passes.
const AT_FIRST: std::ops::RangeInclusive<u64> = 77..=1_077;
const FERROWARP: u32 = 0x4677_5270;

pub(super) fn opened() -> (Arc<Table>, PciBackend) {
    opened_with(Timers::DEFAULT)
}

pub(super) fn opened_with(timers: Timers) -> (Arc<Table>, PciBackend) {
    let table = Table::new(FERROWARP, 4 << 16);
    let backend = PciBackend::new(table.clone(), timers).unwrap();
    (table, backend)
}

fn asked(backend: &PciBackend, command: Vec<u8>) -> Pending {
    // SAFETY: the table reaches no memory.
    unsafe { backend.admin(command) }.unwrap()
}

pub(super) fn unmapped(backend: &PciBackend, iova: u64) -> Result<(), BackendError> {
    // SAFETY: as above.
    unsafe { backend.unmap(iova, END) }
}

#[test]
fn another_device_or_version_is_refused_with_its_value() {
    let error = |magic, version| match PciBackend::new(Table::new(magic, version), Timers::DEFAULT) {
        Err(why) => why.to_string(),
        Ok(backend) => panic!("{backend:?}"),
    };
    let told = error(0xffff_ffff, 4 << 16);
    assert!(told.contains("0xffffffff") && told.contains("0x46775270"), "{told}");
    for major in [3, 5] {
        let told = error(FERROWARP, major << 16);
        assert!(told.contains(&format!("of version {major}, this driver knows 4: take")), "{told}");
    }
}

#[test]
fn registers_say_what_the_device_has_and_its_secret_differs_each_time() {
    let (table, backend) = opened();
    let has = backend.capabilities();
    assert_eq!((has.queue_pairs, has.completion_queues, has.regions), (16, 8, 256));
    assert_eq!((has.mtu, has.window), (1500, 1 << 16));
    assert!(AT_FIRST.contains(&backend.ticks()));
    let secret = |table: &Table| {
        let registers = table.0.lock().unwrap().registers.clone();
        (0..10).map(|n| registers[&(0x40 + 4 * n)]).collect::<Vec<_>>()
    };
    assert_ne!(secret(&table), secret(&opened().0));
    assert_eq!(table.0.lock().unwrap().registers[&0x02c], 100, "units of 10 us beyond the round trip");
}

#[test]
fn only_frames_to_us_and_to_groups_are_received() {
    let (table, backend) = opened();
    backend.receive(MacAddr([2, 0, 10, 0, 3, 4])).unwrap();
    let registers = table.0.lock().unwrap().registers.clone();
    assert_eq!([0xa0, 0xb0, 0x90].map(|at| registers[&at]), [0x000a_0002, 0x1_0403, 0b110]);
}

#[test]
fn commands_of_any_length_go_through_the_window() {
    let (_table, backend) = opened();
    for octets in [8, 1, 13, 160] {
        let command: Vec<u8> = (0..octets).collect();
        let answer = asked(&backend, command.clone()).wait(Duration::from_secs(5)).unwrap();
        assert!(answer.iter().rev().eq(&command), "{octets} octets");
    }
}

#[test]
fn a_doorbell_goes_to_its_page_in_one_write() {
    let (table, backend) = opened();
    for (kind, number, page) in [
        (doorbell_kind::SQ, 5, 5),
        (doorbell_kind::CQ_CONSUMER, 7, 7),
        (doorbell_kind::EVENT_CONSUMER, 0, 16),
        (doorbell_kind::RAW_TX_PRODUCER, 0, 16),
        (doorbell_kind::RAW_RX_ARM, 0, 16),
    ] {
        let doorbell = Doorbell { kind, solicited_only: false, number, value: 0x0102_0304 };
        // SAFETY: the table reaches no memory.
        unsafe { backend.doorbell(doorbell) }.unwrap();
        let last = table.0.lock().unwrap().writes.pop().unwrap();
        assert_eq!(last, (2, 4096 * page, vec![kind, 0, 0, number as u8, 1, 2, 3, 4]));
    }
}

#[test]
fn memories_have_addresses_of_their_own_with_nothing_between() {
    let (table, backend) = opened();
    let memory = |octets| Arc::new(DmaMemory::zeroed(backend.arena(), octets).unwrap());
    let iovas: Vec<_> = [1, 4096, 4097].into_iter().map(|n| backend.map(memory(n), true).unwrap()).collect();
    for pair in iovas.windows(2) {
        assert!(pair[1] >= pair[0] + 8192, "{iovas:x?}");
    }
    unmapped(&backend, iovas[1]).unwrap();
    assert!(unmapped(&backend, iovas[1]).unwrap_err().to_string().contains("nothing was mapped"));
    assert!(backend.map(memory(1), true).unwrap() > iovas[2], "an address does not come again soon");
    assert_eq!(table.0.lock().unwrap().ranges.len(), 3);
}

#[test]
fn memory_that_the_device_may_still_reach_stays_until_it_is_closed() {
    for is_gone in [false, true] {
        let (table, backend) = opened();
        let memory = Arc::new(DmaMemory::zeroed(backend.arena(), 1).unwrap());
        let alive = Arc::downgrade(&memory);
        let iova = backend.map(memory, true).unwrap();
        {
            let mut state = table.0.lock().unwrap();
            (state.holds, state.is_gone) = (true, is_gone);
        }
        assert!(unmapped(&backend, iova).is_err());
        assert_eq!(alive.upgrade().is_none(), is_gone, "a device that is gone reaches nothing");
        drop(backend);
        assert!(alive.upgrade().is_none());
    }
}

#[test]
fn memory_of_the_application_may_overlap() {
    let (table, backend) = opened();
    let mut octets = vec![0_u8; 5 * 4096];
    let start = std::ptr::NonNull::new(octets.as_mut_ptr()).unwrap();
    // SAFETY: the vector outlives the backend, and nothing reads or writes it.
    let memory = |at: usize, len| Arc::new(unsafe { DmaMemory::foreign(start.add(at), len) }.unwrap());
    let whole = backend.map(memory(0, 4 * 4096), true).unwrap();
    let part = backend.map(memory(1000, 10), true).unwrap();
    assert_eq!(part - whole, 1000);
    let readable = backend.map(memory(1000, 10), false).unwrap();
    let count = |writable| table.0.lock().unwrap().ranges.values().filter(|s| s.writable == writable).count();
    assert_eq!((count(true), count(false)), (1, 1));
    unmapped(&backend, whole).unwrap();
    assert_eq!(count(true), 1);
    unmapped(&backend, part).unwrap();
    unmapped(&backend, readable).unwrap();
    assert_eq!((count(true), count(false)), (0, 0));
    drop(octets);
}

#[test]
fn a_device_that_goes_ends_what_waits_for_it() {
    let (table, backend) = opened();
    table.0.lock().unwrap().is_gone = true;
    let waited = asked(&backend, vec![1]).wait(Duration::from_secs(5));
    assert!(matches!(waited, Err(BackendError::Stopped(_))), "{waited:?}");
    assert!(AT_FIRST.contains(&backend.ticks()));
}

/// How long the end of a device may take: a second, and what a busy machine adds.
const MOMENT: Duration = Duration::from_millis(1800);

#[test]
fn a_device_that_answers_no_command_is_closed_without_waiting() {
    let (table, backend) = opened();
    table.0.lock().unwrap().is_silent = true;
    let pending = asked(&backend, vec![1, 2, 3, 4]);
    std::thread::sleep(Duration::from_millis(50));
    let (done, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        drop(backend);
        done.send(())
    });
    assert!(ended.recv_timeout(MOMENT).is_ok(), "the end of a device waits for it");
    drop(pending);
}

#[test]
fn a_device_whose_registers_block_is_closed_and_its_memory_kept() {
    let (table, backend) = opened();
    let memory = Arc::new(DmaMemory::zeroed(backend.arena(), 4096).unwrap());
    backend.map(memory.clone(), true).unwrap();
    table.0.lock().unwrap().blocks = true;
    let pending = asked(&backend, vec![1, 2, 3, 4]);
    // its thread has given the command, and looks at a register
    let begun = Instant::now();
    while !table.0.lock().unwrap().writes.iter().any(|(_, register, _)| *register == ADMIN_GO) {
        assert!(begun.elapsed() < Duration::from_secs(30), "the command is not given");
        std::thread::yield_now();
    }
    let (done, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        drop(backend);
        done.send(())
    });
    assert!(ended.recv_timeout(MOMENT).is_ok(), "the end of a device waits for it");
    assert_eq!(Arc::strong_count(&memory), 2, "the device may reach it");
    drop(pending);
}

#[test]
fn a_device_that_was_reset_is_asked_nothing_more() {
    let (table, backend) = opened();
    let memory = Arc::new(DmaMemory::zeroed(backend.arena(), 4096).unwrap());
    let iova = backend.map(memory.clone(), true).unwrap();
    backend.reset().unwrap();
    let before = table.0.lock().unwrap().writes.len();
    let doorbell = Doorbell { kind: doorbell_kind::SQ, ..Default::default() };
    // SAFETY: the table reaches no memory.
    let refused = unsafe { [backend.doorbell(doorbell), backend.admin(vec![1]).map(drop)] };
    for refused in refused.into_iter().chain([backend.map(memory.clone(), true).map(drop)]) {
        assert!(refused.unwrap_err().is_gone());
    }
    table.0.lock().unwrap().holds = true;
    unmapped(&backend, iova).unwrap();
    drop(backend);
    let state = table.0.lock().unwrap();
    assert_eq!((state.resets, state.writes.len(), Arc::strong_count(&memory)), (1, before, 1));
}

#[test]
fn a_child_of_the_process_leaves_the_device_alone() {
    let (table, backend) = opened();
    let memory = Arc::new(DmaMemory::zeroed(backend.arena(), 4096).unwrap());
    let iova = backend.map(memory.clone(), true).unwrap();
    let before = table.0.lock().unwrap().writes.len();
    let ended = crate::process::tests::child(|| {
        let doorbell = Doorbell { kind: doorbell_kind::SQ, ..Default::default() };
        // SAFETY: the table reaches no memory.
        let told = unsafe {
            [backend.doorbell(doorbell), backend.admin(vec![1]).map(drop), backend.unmap(iova, END)]
        };
        let map = backend.map(memory.clone(), true).map(drop);
        let is_refused =
            told.into_iter().chain([map, backend.reset()]).all(|told| told == Err(BackendError::Forked));
        drop((backend, memory));
        is_refused && table.0.lock().unwrap().writes.len() == before
    });
    assert_eq!(ended, 0, "a child reaches its parent's device");
    // the parent has closed it since
    assert_eq!(table.0.lock().unwrap().writes.len(), before + 1);
}
