// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device that goes at any access: every call says so in time, none panics, and no drop waits.
use super::function::Function;
use super::pci::PciBackend;
use super::spans::Span;
use super::{BackendError, Timers};
use crate::cm::ConnectOptions;
use crate::device::Device;
use crate::dma::DmaMemory;
use crate::error::Error;
use crate::url::NetUrl;
use crate::verbs::{Access, QpOptions};
use ferrowarp_abi::types::MacAddr;
use ferrowarp_firmware::config::Address;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Registers by place, as docs/registers.md has them.
const RESTING: [(u64, u32); 5] =
    [(0x000, 0x4677_5270), (0x008, 4 << 16), (0x00c, 1), (0x010, 0x0408_0404), (0x01c, 0x0010_05dc)];
const TICKS_LOW: u64 = 0x020;
const PCIE_LINK: u64 = 0x09c;
const ADMIN_GO: u64 = 0x0c0;
const ADMIN_STATUS: u64 = 0x0c4;
const COMMAND: u64 = 0x400;
const ANSWER: u64 = 0x500;
/// How long a call or a drop may take: a second, and what a busy machine adds. Without the rule
/// they wait for 30 s or longer.
const MOMENT: Duration = Duration::from_secs(10);
/// Accesses of a device that is opened, used and closed, about.
const ACCESSES: u64 = 700;
const SEEDS: u64 = 200;

#[derive(Debug)]
struct State {
    registers: BTreeMap<u64, u32>,
    /// Accesses until it goes.
    left: u64,
}

/// A function whose admin port does every command, until it goes.
#[derive(Debug)]
struct Leaving(Mutex<State>);

impl Leaving {
    fn after(left: u64) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State { registers: RESTING.into(), left })))
    }

    fn access(&self) -> Option<MutexGuard<'_, State>> {
        let mut state = self.0.lock().unwrap();
        state.left = state.left.checked_sub(1)?;
        Some(state)
    }

    fn leaves(&self) {
        self.0.lock().unwrap().left = 0;
    }
}

impl Function for Leaving {
    fn read(&self, _bar: usize, offset: u64) -> Result<u32, BackendError> {
        let Some(mut state) = self.access() else { return Ok(u32::MAX) };
        if offset == TICKS_LOW {
            *state.registers.entry(TICKS_LOW).or_default() += 1;
        }
        Ok(state.registers.get(&offset).copied().unwrap_or(0))
    }

    fn write(&self, _bar: usize, offset: u64, octets: &[u8]) -> Result<(), BackendError> {
        let (Some(mut state), Ok(word)) = (self.access(), octets.try_into()) else { return Ok(()) };
        state.registers.insert(offset, u32::from_le_bytes(word));
        if offset == ADMIN_GO {
            // done, opcode, index; of what is asked for, nothing moves
            let [opcode, _, high, low] = state.registers[&COMMAND].to_le_bytes();
            state.registers.insert(ANSWER, u32::from_le_bytes([0, opcode, high, low]));
            state.registers.insert(ANSWER + 4, 0);
            state.registers.insert(ADMIN_STATUS, 2 | 8 << 16);
        }
        Ok(())
    }

    fn map(&self, _span: &Span, _memory: &DmaMemory) -> Result<(), BackendError> {
        Ok(())
    }

    fn unmap(&self, _span: &Span, _most: Duration) -> Result<(), BackendError> {
        Ok(())
    }

    fn reset(&self) -> Result<(), BackendError> {
        Ok(())
    }
}

fn net() -> NetUrl {
    NetUrl::new(MacAddr([2, 0, 0, 0, 0, 2]), vec![Address { ip: "10.0.0.2".parse().unwrap(), prefix: 24 }])
}

/// Does something that ends in time.
fn soon<R>(what: &str, body: impl FnOnce() -> R) -> R {
    let begun = Instant::now();
    let result = body();
    assert!(begun.elapsed() < MOMENT, "{what} took {:?}", begun.elapsed());
    result
}

/// Whether the error says that the device is gone. Before that was known a wait may have run out.
fn is_gone(why: &Error) -> bool {
    matches!(why, Error::Backend(BackendError::Gone { .. }))
}

/// Uses the device as long as it is there; the first error.
fn used(device: &Device) -> Result<(), Error> {
    loop {
        let pd = soon("a domain", || device.protection_domain())?;
        let cq = soon("a completion queue", || device.completion_queue(8))?;
        let options = QpOptions { sends: 2, receives: 2 };
        let qp = soon("a queue pair", || device.queue_pair(&pd, [&cq, &cq], options))?;
        let region = soon("a region", || pd.allocate(64, Access::ALL))?;
        soon("a receive", || qp.post_recv(1, &[region.segment(0, 64)?]))?;
        soon("a poll", || cq.poll())?;
        let listener = soon("a listener", || device.listen(7, 1))?;
        let remote = "10.0.0.9:1".parse().unwrap();
        let begun = soon("a connection", || device.start_connect(&qp, remote, ConnectOptions::default()))?;
        soon("the link", || device.link())?;
        soon("an audit", || device.audit())?;
        soon("drops", || drop((begun, listener, region, qp, cq, pd)));
    }
}

#[test]
fn every_call_says_that_the_device_is_gone() {
    for seed in 0..SEEDS {
        let after = seed * ACCESSES / SEEDS;
        let leaving = Leaving::after(after);
        let opened = soon("opening", || PciBackend::new(leaving, Timers::DEFAULT));
        let backend = match opened {
            Ok(backend) => Arc::new(backend),
            // what answers nothing from the first access on is no Ferrowarp
            Err(BackendError::Gone { .. }) => continue,
            Err(BackendError::Open(why)) if why.contains("0xffffffff") => continue,
            Err(why) => panic!("seed {seed}, gone after {after} accesses: {why}"),
        };
        let device = match soon("the connection manager", || Device::new(backend, &net())) {
            Ok(device) => device,
            Err(why) if is_gone(&why) => continue,
            Err(why) => panic!("seed {seed}, gone after {after} accesses: {why}"),
        };
        let why = used(&device).unwrap_err();
        assert!(is_gone(&why), "seed {seed}, gone after {after} accesses: {why}");
        let told = why.to_string();
        assert!(told.contains("gone") && told.contains("0xffffffff"), "{told}");
        soon("a device", || drop(device));
    }
}

#[test]
fn who_waits_when_the_device_goes_hears_of_it() {
    let leaving = Leaving::after(u64::MAX);
    let backend = Arc::new(PciBackend::new(leaving.clone(), Timers::DEFAULT).unwrap());
    let device = Device::new(backend, &net()).unwrap();
    let pd = device.protection_domain().unwrap();
    let cq = device.completion_queue(8).unwrap();
    let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions { sends: 2, receives: 2 }).unwrap();
    let options = ConnectOptions { patience: Duration::from_secs(30), ..Default::default() };
    let listener = device.listen(7, 1).unwrap();
    let begun = Instant::now();
    let told: Vec<(&str, Error)> = std::thread::scope(|scope| {
        let waits = [
            ("a poll", scope.spawn(|| cq.wait(Duration::from_secs(30)).unwrap_err())),
            ("a listener", scope.spawn(|| listener.next(Duration::from_secs(30)).map(drop).unwrap_err())),
            (
                "a connection",
                scope.spawn(|| {
                    device.connect(&qp, "10.0.0.9:1".parse().unwrap(), options).map(drop).unwrap_err()
                }),
            ),
        ];
        std::thread::sleep(Duration::from_millis(50));
        leaving.leaves();
        waits.map(|(what, thread)| (what, thread.join().unwrap())).into()
    });
    assert!(begun.elapsed() < MOMENT, "after {:?}: {told:?}", begun.elapsed());
    assert!(told.iter().all(|(_, why)| is_gone(why)), "{told:?}");
    let posted = qp.post_recv(1, &[]).unwrap_err();
    assert!(is_gone(&posted), "{posted}");
    soon("drops", || drop((listener, qp, cq, pd, device)));
}

#[test]
fn a_device_that_lost_its_link_and_is_back_says_so() {
    let leaving = Leaving::after(u64::MAX);
    leaving.0.lock().unwrap().registers.insert(PCIE_LINK, 3);
    let backend = Arc::new(PciBackend::new(leaving.clone(), Timers::DEFAULT).unwrap());
    let device = Device::new(backend, &net()).unwrap();
    let pd = device.protection_domain().unwrap();
    let cq = device.completion_queue(8).unwrap();
    leaving.0.lock().unwrap().registers.insert(PCIE_LINK, 4);
    let why = soon("a region", || pd.allocate(64, Access::ALL)).map(drop).unwrap_err();
    assert!(matches!(why, Error::Backend(BackendError::LinkReset { before: 3, now: 4 })), "{why}");
    let polled = cq.poll().unwrap_err();
    assert_eq!(polled.to_string(), why.to_string());
    soon("drops", || drop((cq, pd, device)));
}

/// While something is measured the connection manager reads no register of its own accord, and not
/// for longer than that.
#[test]
fn a_device_is_left_alone_for_a_moment_and_its_end_is_told_all_the_same() {
    let leaving = Leaving::after(u64::MAX);
    let backend = Arc::new(PciBackend::new(leaving.clone(), Timers::DEFAULT).unwrap());
    let device = Device::new(backend, &net()).unwrap();
    let cq = device.completion_queue(8).unwrap();
    let left = || leaving.0.lock().unwrap().left;
    // a look may have begun when the moment begins
    let quiet = (0..20).any(|_| {
        device.hush();
        std::thread::sleep(Duration::from_millis(20));
        let before = left();
        std::thread::sleep(Duration::from_millis(830));
        // a busy machine sleeps for longer than the moment lasts
        left() == before
    });
    assert!(quiet, "a register is read each time");
    let (begun, before) = (Instant::now(), left());
    while left() == before {
        assert!(begun.elapsed() < MOMENT, "nobody looks at the device any more");
        std::thread::sleep(Duration::from_millis(1));
    }
    device.hush();
    leaving.leaves();
    let why = soon("a poll", || cq.wait(Duration::from_secs(30)).unwrap_err());
    assert!(is_gone(&why), "{why}");
}
