// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device on its bench: it steps the model, carries orders in and answers out.
mod board;
mod passing;
mod pins;
mod resting;

use super::desk::Desk;
use super::far::Far;
use super::idle::Word;
use super::messages::{Messages, BASE};
use super::order::{Order, RnicConfig, RnicStats};
use super::threads::locked;
use super::trace::{Trace, TraceFiles};
use crate::bench::{Bench, RootId};
use crate::carrier::CarrierStats;
use crate::eth::{Bridge, BridgeConfig, BridgeStats};
use crate::pcie::{PciePorts, RcConfig};
pub(super) use board::Board;
pub use board::BoardCable;
use pins::Pins;
use std::os::fd::OwnedFd;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Cycles between two looks at orders and answers.
pub(super) const LOOK_EVERY: u64 = 4;

/// What carries the TLPs of a device.
pub(super) enum Bus {
    /// Pins of the device.
    Pins(RootId),
    /// Frames on the cable of a board.
    Board(Box<Board>),
}

/// A device on its bench.
pub(super) struct Machine {
    pub(super) bench: Bench,
    pub(super) bridge: Bridge,
    bus: Bus,
    /// Period of the clock.
    pub(super) clock_ps: u64,
    wake: Arc<OwnedFd>,
    /// What is under way between software and the device.
    pub(super) desk: Desk,
    trace: Option<Trace>,
    forgives: bool,
    rested: u64,
    /// Cycle in which something moved last, and when that was noticed.
    moved: (u64, Instant),
}

impl Machine {
    /// A device with a wire of its own, with where its messages go and what is readable when an
    /// order has come.
    pub(super) fn new(
        config: RnicConfig,
        (messages, wake): (Arc<Messages>, Arc<OwnedFd>),
    ) -> Result<Self, String> {
        let RnicConfig { library, wire, port, flaps, tick, forgives, pcap, trace, .. } = config;
        let mut bench = Bench::live(&library, 1)?;
        let config = BridgeConfig { tick, ..BridgeConfig::device(wire) };
        let mut bridge = Bridge::attach(&mut bench, port, config);
        if let Some(flaps) = &flaps {
            bridge.link().flap(0, flaps);
        }
        if let Some(path) = &pcap {
            bridge.capture(path).map_err(|e| e.to_string())?;
        }
        let made = Self::on(bench, bridge, (messages, wake))?;
        Ok(Self { forgives, ..made }.traced(trace))
    }

    /// The same of a device whose wire is on its bench already.
    pub(super) fn on(
        mut bench: Bench,
        bridge: Bridge,
        (messages, wake): (Arc<Messages>, Arc<OwnedFd>),
    ) -> Result<Self, String> {
        let [tx, rx, cfg, np_room] = ["pcie_tx", "pcie_rx", "pcie_cfg", "pcie_np_room"].map(str::to_string);
        let ports = PciePorts { tx, rx, cfg, np_room, block: Some("pcie".into()) };
        let config = RcConfig { master: false, ..RcConfig::steady(bridge.link().config().clock_ps) };
        let bus = Bus::Pins(bench.root_complex(&ports, config));
        Self::of(bench, bridge, bus, (messages, wake))
    }

    /// A board whose cable is on its bench already: `board` stands at the other end.
    pub(super) fn of_board(
        bench: Bench,
        bridge: Bridge,
        board: Board,
        handle: (Arc<Messages>, Arc<OwnedFd>),
    ) -> Result<Self, String> {
        Self::of(bench, bridge, Bus::Board(Box::new(board)), handle)
    }

    fn of(
        mut bench: Bench,
        bridge: Bridge,
        bus: Bus,
        (messages, wake): (Arc<Messages>, Arc<OwnedFd>),
    ) -> Result<Self, String> {
        bench.link_pin(bridge.link(), "eth_link_up");
        let clock_ps = bridge.link().config().clock_ps;
        let (desk, moved) = (Desk::default(), (0, Instant::now()));
        let (trace, forgives, rested) = Default::default();
        let mut made = Self { bench, bridge, bus, clock_ps, wake, desk, trace, forgives, rested, moved };
        let mapped = made.with_far(|_, far| far.root().host.map_outside(BASE, messages, true));
        mapped.map_err(|e| e.to_string())?;
        Ok(made)
    }

    /// The same with waveforms, if they are wanted.
    pub(super) fn traced(self, files: Option<TraceFiles>) -> Self {
        Self { trace: files.map(Trace::new), ..self }
    }

    /// One cycle. What went wrong names the waveforms, if there are any.
    pub(super) fn step(&mut self) -> Result<(), String> {
        let cycle = self.bench.cycle();
        match &mut self.bus {
            Bus::Board(board) if cycle.is_multiple_of(LOOK_EVERY) => board.step(cycle)?,
            _ => {}
        }
        let traced = self.trace.as_mut().map_or(Ok(()), |trace| trace.step(&mut self.bench));
        let stepped = traced.and_then(|()| self.bridge.step(&mut self.bench).map_err(|e| e.to_string()));
        stepped.map_err(|why| match &self.trace {
            Some(trace) => format!("{why}\n{}", trace.told()),
            None => why,
        })?;
        self.with_far(|desk, far| desk.watch(far))
    }

    /// Does something with what obeys orders and with what carries the TLPs.
    fn with_far<T>(&mut self, body: impl FnOnce(&mut Desk, &mut dyn Far) -> T) -> T {
        match &mut self.bus {
            Bus::Pins(root) => body(&mut self.desk, &mut Pins { bench: &mut self.bench, root: *root }),
            Bus::Board(board) => body(&mut self.desk, &mut board.frames),
        }
    }

    /// The device is on a board: no cycle is passed over, as timers run at both ends of the cable.
    pub(super) fn is_board(&self) -> bool {
        matches!(self.bus, Bus::Board(_))
    }

    /// Looks at orders and answers; false if it is to finish.
    pub(super) fn look(&mut self, inbox: &Receiver<Order>, stats: &Mutex<RnicStats>) -> Result<bool, String> {
        let goes_on = self.with_far(|desk, far| {
            let goes_on = desk.obey(far, inbox)?;
            desk.answer(far).map(|()| goes_on)
        })?;
        *locked(stats) = self.stats();
        Ok(goes_on)
    }

    /// Ends captures.
    pub(super) fn finish(self, stats: &Mutex<RnicStats>) -> Result<(), String> {
        *locked(stats) = self.stats();
        if let Some(trace) = &self.trace {
            trace.finish();
        }
        self.bridge.finish().map(drop).map_err(|e| e.to_string())
    }

    /// First cycle in which anything but software, a frame or a timer moves something; [`u64::MAX`]
    /// if there is none.
    pub(super) fn wakes(&mut self) -> u64 {
        let cycle = self.bench.cycle();
        if self.is_board() || self.desk.is_busy(cycle) {
            return cycle;
        }
        self.bench.wakes().min(self.desk.next_late())
    }

    /// As [`Desk::take_word`].
    pub(super) fn take_word(&mut self) -> Option<Word> {
        self.with_far(|desk, far| desk.take_word(far))
    }

    /// Software waits for an answer, which may come in the next cycles: the answer of a board takes
    /// longer than a block.
    pub(super) fn is_asked(&mut self) -> bool {
        !self.is_board() && self.with_far(|desk, far| desk.is_asked(far.now()))
    }

    fn stats(&self) -> RnicStats {
        let BridgeStats { sent, received, unplugged, dropped, bad, wire_lost } = self.bridge.stats();
        let lost = unplugged + dropped + bad;
        let (cycles, passed_over) = (self.bench.cycle(), self.bench.passed_over());
        let carrier = match &self.bus {
            Bus::Pins(_) => CarrierStats::default(),
            Bus::Board(board) => board.stats(),
        };
        let violations = carrier.violations;
        let link_downs = self.bridge.link().downs(self.shown_ps()) + carrier.gone + violations;
        let kept = self.desk.stats();
        RnicStats { cycles, passed_over, sent, received, lost, wire_lost, link_downs, violations, ..kept }
    }
}
