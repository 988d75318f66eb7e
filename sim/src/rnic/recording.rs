// SPDX-License-Identifier: MIT OR Apache-2.0
//! What came to a device from outside, cycle by cycle: enough to run it again without its software
//! and its peer.
use super::order::{Order, Seen};
use super::threads::locked;
use crate::link::{Captured, Side};
use crate::memory::{Octets, Unreached};
use crate::pcie::BusState;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};

/// An order without those who wait for its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Asked {
    Read { bar: usize, offset: u64, octets: usize },
    Write { bar: usize, offset: u64, octets: Vec<u8> },
    Map { iova: u64, octets: u64, writable: bool },
    Unmap { iova: u64 },
    Configure(Seen),
    Link(BusState),
    Reset,
}

impl Asked {
    /// None of the order to finish.
    fn of(order: &Order) -> Option<Self> {
        Some(match order {
            &Order::Read { bar, offset, octets, .. } => Self::Read { bar, offset, octets },
            Order::Write { bar, offset, octets } => {
                Self::Write { bar: *bar, offset: *offset, octets: octets.clone() }
            }
            Order::Map { iova, octets, writable, .. } => {
                Self::Map { iova: *iova, octets: octets.len(), writable: *writable }
            }
            &Order::Unmap { iova, .. } => Self::Unmap { iova },
            &Order::Configure(seen) => Self::Configure(seen),
            &Order::Link(state) => Self::Link(state),
            Order::Reset { .. } => Self::Reset,
            Order::Finish => return None,
        })
    }
}

/// A frame on the wire: when its preamble began, in picoseconds, and its octets without FCS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passed {
    /// Simulated time.
    pub began_ps: u64,
    /// Octets.
    pub data: Vec<u8>,
}

/// What came to a device, and what it sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recording {
    /// With the cycles before which they were obeyed.
    pub(super) orders: Vec<(u64, Asked)>,
    /// What the device read of host memory, in order; none where it was not reached.
    pub(super) loads: Vec<Option<Vec<u8>>>,
    /// Frames to the device.
    pub(super) came: Vec<Passed>,
    /// Frames of the device.
    pub(super) sent: Vec<Passed>,
    /// Cycles of a tick.
    pub(super) tick: u64,
    /// Last cycle of which anything is known.
    pub(super) end: u64,
}

impl Recording {
    /// Cycles of the device's clock that it spans.
    pub fn cycles(&self) -> u64 {
        self.end
    }

    /// Up to so many cycles of `clock_ps` in which nothing came or was sent: the end of a
    /// connection may wait for long.
    #[must_use]
    pub fn until_rest(self, cycles: u64, clock_ps: u64) -> Self {
        let frames = self.came.iter().chain(&self.sent).map(|frame| frame.began_ps / clock_ps);
        let mut all: Vec<u64> = self.orders.iter().map(|(cycle, _)| *cycle).chain(frames).collect();
        all.sort_unstable();
        let rest =
            all.windows(2).find(|pair| pair[1] > pair[0] + cycles).map_or(self.end, |pair| pair[0] + cycles);
        let began = |frame: &Passed| frame.began_ps / clock_ps < rest;
        let sent = self.sent.into_iter().filter(began).collect();
        Self { end: self.end.min(rest), sent, ..self }
    }

    /// Frames of the device.
    pub fn sent(&self) -> &[Passed] {
        &self.sent
    }

    /// Takes the frames of a link whose end `side` is the device's.
    pub(super) fn add_frames(&mut self, captured: Vec<Captured>, side: Side) {
        for Captured { from, began_ps, data, .. } in captured {
            let frames = if from == side { &mut self.sent } else { &mut self.came };
            frames.push(Passed { began_ps, data });
        }
    }
}

/// Writes down what comes to a device.
#[derive(Debug, Clone, Default)]
pub(super) struct Recorder(pub(super) Arc<Mutex<Recording>>);

impl Recorder {
    /// Of a device with a tick of so many cycles.
    pub(super) fn of(tick: u64) -> Self {
        Self(Arc::new(Mutex::new(Recording { tick, ..Recording::default() })))
    }

    /// Notes an order that is obeyed before `cycle`. Memory that is mapped notes what is read of
    /// it.
    pub(super) fn note(&self, cycle: u64, order: Order) -> Order {
        locked(&self.0).orders.extend(Asked::of(&order).map(|asked| (cycle, asked)));
        match order {
            Order::Map { iova, octets, writable, done } => {
                let octets = Arc::new(Noted { octets, recording: self.0.clone() });
                Order::Map { iova, octets, writable, done }
            }
            other => other,
        }
    }

    /// The device has come to this cycle.
    pub(super) fn reached(&self, cycle: u64) {
        locked(&self.0).end = cycle;
    }
}

/// Memory whose loads are noted.
#[derive(Debug)]
struct Noted {
    octets: Arc<dyn Octets>,
    recording: Arc<Mutex<Recording>>,
}

impl Octets for Noted {
    fn len(&self) -> u64 {
        self.octets.len()
    }

    fn load(&self, at: u64, into: &mut [u8]) -> Result<(), Unreached> {
        let loaded = self.octets.load(at, into);
        locked(&self.recording).loads.push(loaded.is_ok().then(|| into.to_vec()));
        loaded
    }

    fn store(&self, at: u64, octets: &[u8]) -> Result<(), Unreached> {
        self.octets.store(at, octets)
    }
}
