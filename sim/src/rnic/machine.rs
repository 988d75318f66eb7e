// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device on its bench: it steps the model, carries orders in and answers out.
mod passing;
mod resting;

use super::idle::{self, Word};
use super::messages::{Messages, BASE};
use super::order::{Order, RnicConfig, RnicStats, Seen, MOST_ORDERS};
use super::recording::Recorder;
use super::threads::locked;
use super::timers::Timers;
use super::trace::{Trace, TraceFiles};
use crate::bench::{Bench, RootId};
use crate::eth::{Bridge, BridgeConfig, BridgeStats};
use crate::pcie::{BusState, PciePorts, RcConfig, Status, GRACE};
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Cycles between two looks at orders and answers.
pub(super) const LOOK_EVERY: u64 = 4;
/// Cycles that a reset may take: reads that are under way have a timeout of their own.
const RESET_TIMEOUT: u64 = 20_000_000;
/// Cycles after which a read of a BAR counts as not answered.
const READ_TIMEOUT: u64 = 1_000_000;

/// A read of a BAR that is under way.
struct Read {
    octets: usize,
    until: u64,
    answer: Sender<Vec<u8>>,
}

/// A device on its bench.
pub(super) struct Machine {
    pub(super) bench: Bench,
    pub(super) bridge: Bridge,
    root: RootId,
    /// Period of the clock.
    pub(super) clock_ps: u64,
    wake: Arc<OwnedFd>,
    reads: BTreeMap<u8, Read>,
    /// First cycle in which orders are taken: what leaves the device until then began on a link
    /// that was lost, and is dropped. Behind a reset it is the one in which the device has seen the
    /// reset's end.
    settled: u64,
    /// A reset that is under way: until when, and who waits for its end.
    resetting: Option<(u64, Sender<()>)>,
    trace: Option<Trace>,
    timers: Timers,
    forgives: bool,
    rested: u64,
    /// Cycle in which something moved last, and when that was noticed.
    moved: (u64, Instant),
    pub(super) seen: idle::Seen,
    /// Where what comes from outside is written down.
    pub(super) recorder: Option<Recorder>,
    refused: u64,
    mapped: u64,
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
        let made = Self::on(bench, bridge, wire.clock_ps, (messages, wake))?;
        Ok(Self { forgives, ..made }.traced(trace))
    }

    /// The same of a device whose wire is on its bench already.
    pub(super) fn on(
        mut bench: Bench,
        bridge: Bridge,
        clock_ps: u64,
        (messages, wake): (Arc<Messages>, Arc<OwnedFd>),
    ) -> Result<Self, String> {
        let [tx, rx, cfg, np_room] = ["pcie_tx", "pcie_rx", "pcie_cfg", "pcie_np_room"].map(str::to_string);
        let ports = PciePorts { tx, rx, cfg, np_room, block: Some("pcie".into()) };
        bench.link_pin(bridge.link(), "eth_link_up");
        let config = RcConfig { master: false, ..RcConfig::steady(clock_ps) };
        let root = bench.root_complex(&ports, config);
        let mapped = bench.root(root).host.map_outside(BASE, messages, true);
        mapped.map_err(|e| e.to_string())?;
        let ((reads, timers, rested, refused, mapped), moved) = (Default::default(), (0, Instant::now()));
        let (resetting, trace, forgives) = (None, None, false);
        Ok(Self {
            bench,
            bridge,
            root,
            clock_ps,
            wake,
            reads,
            settled: 0,
            resetting,
            trace,
            timers,
            forgives,
            rested,
            moved,
            seen: idle::Seen::default(),
            recorder: None,
            refused,
            mapped,
        })
    }

    /// The same with waveforms, if they are wanted.
    pub(super) fn traced(self, files: Option<TraceFiles>) -> Self {
        Self { trace: files.map(Trace::new), ..self }
    }

    /// One cycle. What went wrong names the waveforms, if there are any.
    pub(super) fn step(&mut self) -> Result<(), String> {
        let traced = self.trace.as_mut().map_or(Ok(()), |trace| trace.step(&mut self.bench));
        let stepped = traced.and_then(|()| self.bridge.step(&mut self.bench).map_err(|e| e.to_string()));
        stepped.map_err(|why| match &self.trace {
            Some(trace) => format!("{why}\n{}", trace.told()),
            None => why,
        })?;
        self.watch_reset()
    }

    /// Looks at orders and answers; false if it is to finish.
    pub(super) fn look(&mut self, inbox: &Receiver<Order>, stats: &Mutex<RnicStats>) -> Result<bool, String> {
        let goes_on = self.obey(inbox)?;
        self.answer();
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

    /// Does what was ordered; false if that is to finish.
    fn obey(&mut self, inbox: &Receiver<Order>) -> Result<bool, String> {
        // what is ordered behind a reset is done behind it, and no more is taken than the link
        // carries
        while self.resetting.is_none() && self.bench.root(self.root).own_waiting() < MOST_ORDERS {
            let cycle = self.bench.cycle();
            if cycle < self.settled {
                break;
            }
            // who ordered may have given up waiting for an answer
            let order = match inbox.try_recv() {
                Err(TryRecvError::Empty) => break,
                Ok(order) => order,
                Err(TryRecvError::Disconnected) => return Ok(false),
            };
            self.seen.touched = true;
            let is_question = matches!(order, Order::Read { .. } | Order::Reset { .. });
            self.seen.word = Some(if is_question { Word::Question } else { Word::Other });
            let order = match &self.recorder {
                Some(recorder) => recorder.note(cycle, order),
                None => order,
            };
            tracing::trace!(cycle, ?order, "an order");
            let root = self.bench.root(self.root);
            let is_up = root.link == BusState::Up;
            match order {
                // nothing answers
                Order::Read { octets, answer, .. } if !is_up => drop(answer.send(vec![0xff; octets])),
                Order::Write { .. } if !is_up => {}
                Order::Reset { done } if !is_up => drop(done.send(())),
                Order::Read { bar, offset, octets, answer } => {
                    let tag = root.bar_read(place(bar), offset, octets as u64);
                    self.reads.insert(tag, Read { octets, until: cycle + READ_TIMEOUT, answer });
                }
                Order::Write { bar, offset, octets } => {
                    if bar == 0 {
                        self.timers.hear(offset, &octets);
                    }
                    root.bar_write(place(bar), offset, &octets);
                }
                Order::Map { iova, octets, writable, done } => {
                    let mapped = root.host.map_outside(iova, octets, writable);
                    self.mapped += u64::from(mapped.is_ok());
                    drop(done.send(mapped));
                }
                Order::Unmap { iova, done } => {
                    let unmapped = root.host.unmap(iova);
                    self.mapped = self.mapped.saturating_sub(unmapped.is_ok().into());
                    drop(done.send(unmapped));
                }
                Order::Configure(seen) => {
                    let Seen { mps, mrrs, master, msix: [msix, masked], endless } = seen;
                    let kept = root.config.clone();
                    root.config = RcConfig { mps, mrrs, master, msix, masked, endless, ..kept };
                }
                Order::Link(state) => {
                    root.link = state;
                    // the root complex sees the change with the next cycle
                    self.settled = cycle + 2 + if state == BusState::Up { GRACE } else { 0 };
                    if state != BusState::Up {
                        self.lose_link();
                    }
                }
                Order::Reset { done } => self.reset(done),
                Order::Finish => return Ok(false),
            }
        }
        Ok(true)
    }

    /// The input by which the PCI Express block asks for a Function Level Reset is high until the
    /// device says that it is done.
    fn reset(&mut self, done: Sender<()>) {
        self.timers.reset();
        self.bench.set("pcie_flr", 1);
        self.resetting = Some((self.bench.cycle() + RESET_TIMEOUT, done));
    }

    /// The PCI Express link is lost: reads under way have no answer, and the device begins anew.
    fn lose_link(&mut self) {
        self.timers.reset();
        for read in std::mem::take(&mut self.reads).into_values() {
            // who asked may have given up
            drop(read.answer.send(vec![0xff; read.octets]));
        }
    }

    fn watch_reset(&mut self) -> Result<(), String> {
        let Some((until, done)) = &self.resetting else { return Ok(()) };
        if self.bench.get("pcie_flr_done") == 1 {
            // who ordered it may have given up waiting
            let _ = done.send(());
            self.seen.word = Some(Word::Other);
            self.bench.set("pcie_flr", 0);
            self.resetting = None;
            // a next reset is a rising edge: the device is to see the input low before
            self.settled = self.settled.max(self.bench.cycle() + 1);
        } else if self.bench.cycle() > *until {
            return Err(format!("the device is not reset after {RESET_TIMEOUT} cycles"));
        }
        Ok(())
    }

    /// Gives answers on, and tells of accesses that were refused: the memory went away, or the
    /// device is wrong.
    fn answer(&mut self) {
        let cycle = self.bench.cycle();
        let root = self.bench.root(self.root);
        for came in root.take_answers() {
            let Some(read) = self.reads.remove(&came.tag) else { continue };
            self.seen.word = Some(Word::Other);
            let good = came.status == Status::Successful && came.data.len() == read.octets;
            drop(read.answer.send(if good { came.data } else { vec![0xff; read.octets] }));
        }
        for refused in root.host.take_refused() {
            self.refused += 1;
            tracing::warn!(%refused, "an access of the device is refused");
        }
        let late: Vec<_> = self.reads.iter().filter(|(_, r)| r.until <= cycle).map(|(&tag, _)| tag).collect();
        for read in late.into_iter().filter_map(|tag| self.reads.remove(&tag)) {
            tracing::warn!("a read of a BAR is not answered");
            drop(read.answer.send(vec![0xff; read.octets]));
        }
    }

    /// First cycle in which anything but software, a frame or a timer moves something; [`u64::MAX`]
    /// if there is none.
    pub(super) fn wakes(&mut self) -> u64 {
        if self.resetting.is_some() || self.bench.cycle() < self.settled {
            return self.bench.cycle();
        }
        let late = self.reads.values().map(|read| read.until).min().unwrap_or(u64::MAX);
        self.bench.wakes().min(late)
    }

    /// What passed between software and device last, since this was last asked. What the device
    /// tells by a write counts behind an order.
    pub(super) fn take_word(&mut self) -> Option<Word> {
        let told = self.bench.root(self.root).has_told();
        let word = self.seen.word.take();
        if told {
            Some(Word::Other)
        } else {
            word
        }
    }

    /// Software waits for an answer.
    pub(super) fn is_asked(&self) -> bool {
        !self.reads.is_empty() || self.resetting.is_some() || self.bench.cycle() < self.settled
    }

    fn stats(&self) -> RnicStats {
        let BridgeStats { sent, received, unplugged, dropped, bad, wire_lost } = self.bridge.stats();
        let lost = unplugged + dropped + bad;
        let (refused, mapped) = (self.refused, self.mapped);
        let (cycles, passed_over) = (self.bench.cycle(), self.bench.passed_over());
        let link_downs = self.bridge.link().downs(self.shown_ps());
        RnicStats { cycles, passed_over, sent, received, lost, wire_lost, link_downs, refused, mapped }
    }
}

/// The root complex numbers BAR 0, 2 and 4 from 0 on.
fn place(bar: usize) -> u8 {
    (bar / 2) as u8
}
