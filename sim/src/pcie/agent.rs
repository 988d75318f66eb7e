//! The root complex on the ports of the edge: an agent of a bench.
use super::block::Block;
use super::root::RootComplex;
use super::tlp::lanes;
use super::RcConfig;
use crate::bench::agent::{Agent, Fault, Moment, Sink};
use crate::bench::Rate;
use crate::check::Beat;
use crate::model::{Model, PortError, PortId};

/// Octets of a TLP that would fill what the block in front of the link stores, 2 KB with framing. Beyond, it takes no beat.
const STORED: u64 = 1_992;
/// Non-posted requests that may be under way when `np_room` falls.
const SLACK: usize = 2;

/// Which ports a root complex stands behind. Directions are the device's.
#[derive(Debug, Clone)]
pub struct PciePorts {
    /// Prefix of the stream of TLPs out of the device.
    pub tx: String,
    /// Prefix of the TLPs into it: a stream with `bar_hit` beside, or at 128 bits the channel in which they may begin in mid-beat.
    pub rx: String,
    /// The port of the record `PcieConfig`.
    pub cfg: String,
    /// The port that says that a non-posted request is taken.
    pub np_room: String,
}

impl Default for PciePorts {
    /// `tx`, `rx`, `cfg`, `np_room`.
    fn default() -> Self {
        Self { tx: "tx".into(), rx: "rx".into(), cfg: "cfg".into(), np_room: "np_room".into() }
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
        now.model.set_u64(self.np_room, u64::from(!self.held_reads && self.root.room(SLACK)))?;
        self.tx.gate.held =
            self.held || self.root.posted_full() || self.up_free > time + self.root.config.link_ps(STORED);
        let root = &mut self.root;
        self.rx.fill(now, |now| root.poll(now.cycle, now.rng))?;
        self.tx.drive(now)?;
        self.rx.source_mut().drive(now)
    }

    fn probe(&mut self, now: &mut Moment<'_>) -> Result<(), Fault> {
        self.tx.probe(now)?;
        self.rx.source_mut().probe(now)
    }

    fn sample(&mut self, now: &mut Moment<'_>) -> Result<bool, Fault> {
        let moved = self.rx.source_mut().sample(now)? | self.tx.sample(now)?;
        for frame in std::mem::take(&mut self.tx.received) {
            let time = now.cycle * self.root.config.timing.clock_ps;
            let start = self.up_free.max(time);
            self.up_free = start + self.root.config.link_ps(frame.data.len() as u64);
            self.root.up.carry(start, self.up_free);
            self.root.accept(&lanes(&frame.data), now.cycle, now.rng)?;
        }
        self.root.settle(now.cycle, now.rng)?;
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
        own.min(self.rx.wakes(cycle)).min(self.tx.wakes(cycle))
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
