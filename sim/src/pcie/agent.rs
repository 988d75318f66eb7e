// SPDX-License-Identifier: MIT OR Apache-2.0
//! The root complex on the ports of the edge: an agent of a bench.
use super::block::Block;
use super::bus_state::BusState;
use super::link_pins::LinkPins;
use super::root::RootComplex;
use super::tlp::lanes;
use super::RcConfig;
use crate::bench::agent::{Agent, Fault, Moment, Sink, NEVER};
use crate::bench::Rate;
use crate::check::Beat;
use crate::model::{Model, PortError, PortId};

/// Octets of a TLP that would fill what the block in front of the link stores, 2 KB with framing.
/// Beyond, it takes no beat.
const STORED: u64 = 1_992;
/// Non-posted requests that may be under way when `np_room` falls.
const SLACK: usize = 2;

/// Which ports a root complex stands behind. Directions are the device's.
#[derive(Debug, Clone)]
pub struct PciePorts {
    /// Prefix of the stream of TLPs out of the device.
    pub tx: String,
    /// Prefix of the TLPs into it: a stream with `bar_hit` beside, or at 128 bits the channel in
    /// which they may begin in mid-beat.
    pub rx: String,
    /// The port of the record `PcieConfig`.
    pub cfg: String,
    /// The port that says that a non-posted request is taken.
    pub np_room: String,
    /// Prefix of the ports `link_up`, `hot_reset` and `error` of the block in front, if there are
    /// any.
    pub block: Option<String>,
}

impl Default for PciePorts {
    /// `tx`, `rx`, `cfg`, `np_room`, and no more.
    fn default() -> Self {
        let [tx, rx, cfg, np_room] = ["tx", "rx", "cfg", "np_room"].map(str::to_string);
        Self { tx, rx, cfg, np_room, block: None }
    }
}

/// A root complex behind its ports.
pub(crate) struct PcieAgent {
    pub(crate) root: RootComplex,
    /// Takes no TLP: the link is down, or has no credits.
    pub(crate) held: bool,
    /// Takes no non-posted request.
    pub(crate) held_reads: bool,
    tx: Sink<Beat>,
    rx: Block,
    cfg: PortId,
    np_room: PortId,
    link: Option<LinkPins>,
    /// When the link has sent what it took.
    up_free: u64,
}

impl PcieAgent {
    pub(crate) fn new(model: &Model, ports: &PciePorts, config: RcConfig) -> Result<Self, PortError> {
        let stalls = config.timing.stalls;
        Ok(Self {
            held: false,
            held_reads: false,
            tx: Sink::new(model, &ports.tx, stalls)?,
            rx: Block::new(model, &ports.rx, stalls)?,
            cfg: model.need(&ports.cfg)?,
            np_room: model.need(&ports.np_room)?,
            link: ports.block.as_ref().map(|block| LinkPins::new(model, block)).transpose()?,
            up_free: 0,
            root: RootComplex::new(config),
        })
    }
}

impl PcieAgent {
    /// Transfers out of the device and into it.
    pub(crate) fn rates(&self) -> (Rate, Rate) {
        (self.tx.boundary.rate, self.rx.rate())
    }
}

impl Agent for PcieAgent {
    fn drive(&mut self, now: &mut Moment<'_>) -> Result<(), Fault> {
        let time = now.cycle * self.root.config.timing.clock_ps;
        now.model.set_u64(self.cfg, self.root.config.port())?;
        if let Some(link) = &mut self.link {
            link.drive(&mut self.root, now)?;
        }
        let is_up = self.root.link == BusState::Up;
        now.model.set_u64(self.np_room, u64::from(!self.held_reads && is_up && self.root.room(SLACK)))?;
        // a block without a link takes what it drops
        self.tx.gate.held = is_up
            && (self.held
                || self.root.posted_full()
                || self.up_free > time + self.root.config.link_ps(STORED));
        if is_up {
            let root = &mut self.root;
            self.rx.fill(now, |now| root.poll(now.cycle, now.rng))?;
        }
        self.tx.drive(now)?;
        self.rx.source_mut().drive(now)
    }

    fn probe(&mut self, now: &mut Moment<'_>) -> Result<(), Fault> {
        self.tx.probe(now)?;
        self.rx.source_mut().probe(now)
    }

    fn sample(&mut self, now: &mut Moment<'_>) -> Result<bool, Fault> {
        let moved = self.rx.source_mut().sample(now)? | self.tx.sample(now)?;
        let is_dropped = self.link.as_ref().is_some_and(|link| link.drops(&self.root, now.cycle));
        for frame in std::mem::take(&mut self.tx.received) {
            if is_dropped {
                continue;
            }
            let time = now.cycle * self.root.config.timing.clock_ps;
            let start = self.up_free.max(time);
            self.up_free = start + self.root.config.link_ps(frame.data.len() as u64);
            self.root.up.carry(start, self.up_free);
            self.root.accept(&lanes(&frame.data), now.cycle, now.rng)?;
        }
        self.root.settle(now.cycle, now.rng)?;
        if let Some(link) = &mut self.link {
            link.note(&self.root, now.cycle);
        }
        Ok(moved)
    }

    fn pending(&self) -> bool {
        self.root.pending() || self.rx.source().pending() || self.tx.pending()
    }

    fn wakes(&self, cycle: u64) -> u64 {
        let clock_ps = self.root.config.timing.clock_ps;
        // a link that has too much to send lets the device go on in one of the next cycles
        let is_full = self.up_free > cycle * clock_ps + self.root.config.link_ps(STORED);
        let own = if is_full { cycle } else { self.root.wakes(cycle) };
        let pins = self.link.as_ref().map_or(NEVER, |link| link.wakes(&self.root, cycle));
        own.min(self.rx.wakes(cycle)).min(self.tx.wakes(cycle)).min(pins)
    }

    fn prefix(&self) -> &str {
        self.tx.prefix()
    }

    fn state(&self, model: &Model) -> String {
        format!("{}\n  {}\n  {}", self.root.state(), self.tx.state(model), self.rx.source().state(model))
    }

    fn unseen(&mut self) -> Option<String> {
        let left = self.root.host.take_refused();
        let first = left.first()?;
        Some(format!("{} accesses to host memory were refused, the first: {first}", left.len()))
    }

    /// What is under way is forgotten; the memory keeps its octets.
    fn reset(&mut self) {
        self.tx.reset();
        self.rx.reset();
        self.root.reset();
        self.up_free = 0;
    }
}
