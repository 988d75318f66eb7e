// SPDX-License-Identifier: MIT OR Apache-2.0
//! A recorded device once more, in this thread: what came to it comes again in the same cycles.
use super::machine::{Machine, LOOK_EVERY};
use super::messages::Messages;
use super::order::{Order, RnicError};
use super::part::SEEDS;
use super::recording::{Asked, Passed, Recording};
use super::threads::{locked, waker};
use crate::bench::Bench;
use crate::eth::{Bridge, BridgeConfig, Tick};
use crate::link::{Link, LinkConfig, Side};
use crate::memory::{Octets, Unreached};
use crate::model::Library;
use std::collections::VecDeque;
use std::num::NonZeroU64;
use std::sync::mpsc::{channel, sync_channel, Receiver, SyncSender};
use std::sync::{Arc, Mutex};

/// Orders that one look may have.
const MOST_ORDERS: usize = 65_536;

/// A device whose software and peer are a recording.
pub struct Replay {
    machine: Machine,
    link: Link,
    orders: SyncSender<Order>,
    inbox: Receiver<Order>,
    recording: Recording,
    loads: Arc<Mutex<VecDeque<Option<Vec<u8>>>>>,
    clock_ps: u64,
    skips: bool,
    /// Orders and frames that have come.
    obeyed: usize,
    arrived: usize,
    passed: u64,
    /// Where it is to stand.
    until: u64,
}

/// How a replay went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// Frames of the device.
    pub sent: Vec<Passed>,
    /// Cycles, and those of them that were passed over.
    pub cycles: u64,
    /// See `cycles`.
    pub passed: u64,
}

/// The same octets as the first time, whatever is mapped.
#[derive(Debug)]
struct Again {
    octets: u64,
    loads: Arc<Mutex<VecDeque<Option<Vec<u8>>>>>,
}

impl Octets for Again {
    fn len(&self) -> u64 {
        self.octets
    }

    fn load(&self, _at: u64, into: &mut [u8]) -> Result<(), Unreached> {
        match locked(&self.loads).pop_front() {
            Some(Some(octets)) if octets.len() == into.len() => {
                into.copy_from_slice(&octets);
                Ok(())
            }
            _ => Err(Unreached::NoAnswer),
        }
    }

    fn store(&self, _at: u64, _octets: &[u8]) -> Result<(), Unreached> {
        Ok(())
    }
}

impl Replay {
    /// The device that was recorded at the first end of a pair of `library` on `wire`. `skips`:
    /// cycles in which nothing can move are passed over.
    pub fn new(
        library: &Arc<Library>,
        wire: LinkConfig,
        recording: Recording,
        skips: bool,
    ) -> Result<Self, String> {
        let told = |e: RnicError| e.to_string();
        let link = Link::new(wire);
        link.capture();
        let mut bench = Bench::live(library, SEEDS[0])?;
        let tick = NonZeroU64::new(recording.tick).ok_or("a recording without a tick")?;
        let bridge = BridgeConfig { tick: Tick::Cycles(tick), ..BridgeConfig::device(wire) };
        let bridge = Bridge::join(&mut bench, &link, Side::A, bridge);
        let wake = waker().map_err(told)?;
        let machine = Machine::on(bench, bridge, (Arc::<Messages>::default(), wake))?;
        let (orders, inbox) = sync_channel(MOST_ORDERS);
        let loads = Arc::new(Mutex::new(recording.loads.iter().cloned().collect()));
        let (obeyed, arrived, passed, until) = Default::default();
        Ok(Self {
            machine,
            link,
            orders,
            inbox,
            recording,
            loads,
            clock_ps: wire.clock_ps,
            skips,
            obeyed,
            arrived,
            passed,
            until,
        })
    }

    /// Runs to this cycle, or up to 3 more.
    pub fn run(&mut self, until: u64) -> Result<(), String> {
        let stats = Mutex::default();
        self.until = until;
        while self.machine.bench.cycle() < until {
            self.comes()?;
            self.machine.look(&self.inbox, &stats)?;
            if self.skips && self.passes_over() {
                continue;
            }
            (0..LOOK_EVERY).try_for_each(|_| self.machine.step())?;
        }
        Ok(())
    }

    /// What it did.
    pub fn finish(self) -> Result<Replayed, String> {
        let cycles = self.machine.bench.cycle();
        self.machine.finish(&Mutex::default())?;
        let mut told = Recording::default();
        told.add_frames(self.link.take_captured(), Side::A);
        Ok(Replayed { sent: told.sent, cycles, passed: self.passed })
    }

    /// Orders of this cycle, and frames that begin to arrive before the next look.
    fn comes(&mut self) -> Result<(), String> {
        let cycle = self.machine.bench.cycle();
        while let Some((_, asked)) = self.recording.orders.get(self.obeyed).filter(|(at, _)| *at <= cycle) {
            let order = self.order(asked.clone());
            self.orders.try_send(order).map_err(|_| format!("{MOST_ORDERS} orders before cycle {cycle}"))?;
            self.obeyed += 1;
        }
        let until = (cycle + LOOK_EVERY) * self.clock_ps;
        while let Some(frame) = self.recording.came.get(self.arrived).filter(|f| f.began_ps < until) {
            self.link.inject(Side::A, frame.began_ps, frame.data.clone());
            self.arrived += 1;
        }
        Ok(())
    }

    /// The order again; nobody waits for its answer.
    fn order(&self, asked: Asked) -> Order {
        match asked {
            Asked::Read { bar, offset, octets } => Order::Read { bar, offset, octets, answer: channel().0 },
            Asked::Write { bar, offset, octets } => Order::Write { bar, offset, octets },
            Asked::Map { iova, octets, writable } => {
                let octets = Arc::new(Again { octets, loads: self.loads.clone() });
                Order::Map { iova, octets, writable, done: channel().0 }
            }
            Asked::Unmap { iova } => Order::Unmap { iova, done: channel().0 },
            Asked::Configure(seen) => Order::Configure(seen),
            Asked::Link(state) => Order::Link(state),
            Asked::Reset => Order::Reset { done: channel().0 },
        }
    }

    fn passes_over(&mut self) -> bool {
        let cycle = self.machine.bench.cycle();
        let order = self.recording.orders.get(self.obeyed).map_or(u64::MAX, |(at, _)| *at);
        let frame = self.recording.came.get(self.arrived).map_or(u64::MAX, |f| f.began_ps / self.clock_ps);
        let limit = order.min(frame).min(self.until).min(self.machine.wakes());
        let until = self.machine.still_until(limit);
        self.machine.skip_to(until);
        self.passed += until - cycle;
        until > cycle
    }
}
