// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sources, sinks and monitors: what stands on a boundary and acts once a cycle.
use super::pattern::{Gate, Pattern};
use super::wire::Wire;
use super::Rate;
use crate::check::{Checker, Sample, Violation};
use crate::link::LinkFault;
use crate::memory::Misuse;
use crate::model::{Model, PortError, PortId};
use crate::pcie::Violation as PcieViolation;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// No cycle.
pub(crate) const NEVER: u64 = u64::MAX;

/// One cycle in this many, an agent looks for a combinational path through its port.
const PROBE_ODDS: u32 = 64;

/// What went wrong at a boundary.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// The contract was broken.
    #[error(transparent)]
    Broken(#[from] Violation),
    /// A port does not have the shape of a stream or channel.
    #[error(transparent)]
    Port(#[from] PortError),
    /// The device broke the rules of its DMA ports.
    #[error(transparent)]
    Memory(#[from] Misuse),
    /// The device broke the rules of PCI Express.
    #[error(transparent)]
    Pcie(#[from] PcieViolation),
    /// The device broke the rules of its Ethernet port.
    #[error(transparent)]
    Link(#[from] LinkFault),
    /// A unit does not fit the ports.
    #[error("{0}")]
    Unit(String),
}

/// What the bench knows while it steps.
pub(crate) struct Moment<'a> {
    pub(crate) model: &'a mut Model,
    pub(crate) rng: &'a mut ChaCha8Rng,
    pub(crate) cycle: u64,
    /// Payload that is not offered is random; else zeros.
    pub(crate) noise: bool,
    /// Lines of the artefact `frames.txt`, if wanted.
    pub(crate) log: Option<&'a mut Vec<String>>,
}

/// Something on a boundary.
pub(crate) trait Agent {
    /// Sets this cycle's inputs.
    fn drive(&mut self, now: &mut Moment<'_>) -> Result<(), Fault>;
    /// Looks for a combinational path through the port, now and then.
    fn probe(&mut self, now: &mut Moment<'_>) -> Result<(), Fault>;
    /// Judges the settled cycle; true if a beat was transferred.
    fn sample(&mut self, now: &mut Moment<'_>) -> Result<bool, Fault>;
    /// Work is outstanding here.
    fn pending(&self) -> bool;
    /// First cycle, from `cycle` on, in which this may change an input of the device or its own
    /// state although the device shows the same as in the cycle before; [`NEVER`] if there is none.
    fn wakes(&self, cycle: u64) -> u64 {
        cycle
    }
    /// Prefix of the ports.
    fn prefix(&self) -> &str;
    /// One line for a dump.
    fn state(&self, model: &Model) -> String;
    /// Forgets what is half done, as the hardware does at reset.
    fn reset(&mut self);
    /// What went wrong, does not end the case at once, and the body did not look at.
    fn unseen(&mut self) -> Option<String> {
        None
    }
}

/// The part that all agents share: handshake, checker, counts, assembly.
pub(crate) struct Boundary<P: Wire> {
    prefix: String,
    valid: PortId,
    ready: PortId,
    ports: P::Ports,
    width: usize,
    checker: Checker<P>,
    now: Sample<P>,
    partial: Vec<u8>,
    pub(crate) rate: Rate,
}

impl<P: Wire> Boundary<P> {
    pub(crate) fn new(model: &Model, prefix: &str) -> Result<Self, PortError> {
        let (ports, width, payload) = P::find(model, prefix)?;
        Ok(Self {
            prefix: prefix.into(),
            valid: model.need(&format!("{prefix}_valid"))?,
            ready: model.need(&format!("{prefix}_ready"))?,
            ports,
            width,
            checker: Checker::new(width),
            now: Sample { valid: false, ready: false, payload },
            partial: vec![],
            rate: Rate::default(),
        })
    }

    /// Reads and judges this cycle. `Some` if a beat was transferred; in it the unit that the beat
    /// completed.
    pub(crate) fn sample(&mut self, cycle: u64, model: &Model) -> Result<Option<Option<P::Unit>>, Fault> {
        self.now.valid = model.get_u64(self.valid)? == 1;
        self.now.ready = model.get_u64(self.ready)? == 1;
        if self.now.valid {
            self.now.payload.read(&self.ports, model)?;
        }
        if !self.checker.sample(&self.now)? {
            return Ok(None);
        }
        self.rate.beat(cycle);
        Ok(Some(self.now.payload.gather(&mut self.partial)))
    }

    /// The beat that was last offered.
    pub(crate) fn beat(&self) -> &P {
        &self.now.payload
    }

    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Sets the `ready` of a boundary whose beats an agent takes itself.
    pub(crate) fn set_ready(&self, now: &mut Moment<'_>, ready: bool) -> Result<(), PortError> {
        now.model.set_u64(self.ready, u64::from(ready))
    }

    /// Looks for a path from `ready` to `valid`.
    pub(crate) fn probe_sink(&self, now: &mut Moment<'_>) -> Result<(), Fault> {
        self.probe(self.ready, self.valid, now)
    }

    pub(crate) fn reset(&mut self) {
        self.checker = Checker::new(self.width);
        self.partial.clear();
    }

    pub(crate) fn state(&self, model: &Model) -> String {
        let bit = |port| model.get_u64(port).map_or_else(|e| e.to_string(), |v| v.to_string());
        let partial = self.partial.len();
        let (beats, last) = (self.rate.beats, self.rate.last_cycle);
        let at = if beats == 0 { "never".into() } else { format!("at cycle {last}") };
        let (valid, ready) = (bit(self.valid), bit(self.ready));
        format!(
            "{}: valid {valid} ready {ready}, {beats} beats, last transfer {at}, {partial} octets of an unfinished frame",
            self.prefix
        )
    }

    /// Fails if `to` follows `from` without a clock edge; looks only now and then.
    fn probe(&self, from: PortId, to: PortId, now: &mut Moment<'_>) -> Result<(), Fault> {
        if now.rng.random_ratio(1, PROBE_ODDS) && now.model.follows(from, to)? {
            let name = |port| now.model.name(port).to_string();
            return Err(Violation::CombPath { from: name(from), to: name(to) }.into());
        }
        Ok(())
    }

    pub(crate) fn note(&self, now: &mut Moment<'_>, what: &str, unit: &P::Unit) {
        if let Some(log) = &mut now.log {
            log.push(format!("{} {} {what} {unit}", now.cycle, self.prefix));
        }
    }
}

/// Drives a boundary with queued units.
pub(crate) struct Source<P: Wire> {
    pub(crate) boundary: Boundary<P>,
    pub(crate) gate: Gate,
    queue: VecDeque<P>,
    offering: bool,
    /// What stands on the ports while nothing is offered; zeros at first.
    idle: P,
    /// `idle` stands there, and does not change.
    rests: bool,
}

impl<P: Wire> Source<P> {
    pub(crate) fn new(model: &Model, prefix: &str, idle: Pattern) -> Result<Self, PortError> {
        let boundary = Boundary::<P>::new(model, prefix)?;
        let gate = Gate::new(idle);
        let idle = boundary.now.payload.clone();
        Ok(Self { boundary, gate, queue: VecDeque::new(), offering: false, idle, rests: false })
    }

    /// Queues a unit.
    pub(crate) fn send(&mut self, unit: &P::Unit, rng: &mut ChaCha8Rng) -> Result<(), String> {
        let beats = self.idle.cut(unit, rng).map_err(|why| format!("{}: {why}", self.boundary.prefix))?;
        self.queue.extend(beats);
        Ok(())
    }

    /// Queues one beat.
    pub(crate) fn push(&mut self, beat: P) {
        self.queue.push_back(beat);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Beats not transferred yet.
    pub(crate) fn queued(&self) -> usize {
        self.queue.len()
    }
}

impl<P: Wire> Agent for Source<P> {
    fn drive(&mut self, now: &mut Moment<'_>) -> Result<(), Fault> {
        if self.offering {
            return Ok(());
        }
        let open = self.gate.open(now.rng);
        match self.queue.front() {
            Some(beat) if open => {
                beat.write(&self.boundary.ports, now.model)?;
                (self.offering, self.rests) = (true, false);
            }
            _ if self.rests => {}
            _ => {
                if now.noise {
                    self.idle.scramble(&self.boundary.ports, now.model, now.rng);
                }
                self.idle.write(&self.boundary.ports, now.model)?;
                self.rests = !now.noise;
            }
        }
        now.model.set_u64(self.boundary.valid, u64::from(self.offering))?;
        Ok(())
    }

    fn probe(&mut self, now: &mut Moment<'_>) -> Result<(), Fault> {
        self.boundary.probe(self.boundary.valid, self.boundary.ready, now)
    }

    fn sample(&mut self, now: &mut Moment<'_>) -> Result<bool, Fault> {
        let Some(done) = self.boundary.sample(now.cycle, now.model)? else { return Ok(false) };
        self.queue.pop_front();
        self.offering = false;
        if let Some(unit) = done {
            self.boundary.note(now, "sent", &unit);
        }
        Ok(true)
    }

    fn pending(&self) -> bool {
        !self.queue.is_empty()
    }

    /// A beat that is offered waits for the device.
    fn wakes(&self, cycle: u64) -> u64 {
        let waits = self.offering || (self.rests && self.queue.is_empty());
        if waits {
            NEVER
        } else {
            cycle
        }
    }

    fn prefix(&self) -> &str {
        &self.boundary.prefix
    }

    fn state(&self, model: &Model) -> String {
        format!("source {}, {} beats queued", self.boundary.state(model), self.queue.len())
    }

    fn reset(&mut self) {
        self.boundary.reset();
        self.queue.clear();
        self.offering = false;
    }
}

/// Takes units from a boundary.
pub(crate) struct Sink<P: Wire> {
    pub(crate) boundary: Boundary<P>,
    pub(crate) gate: Gate,
    pub(crate) received: Vec<P::Unit>,
    /// Units that must still come.
    pub(crate) expected: u64,
}

impl<P: Wire> Sink<P> {
    pub(crate) fn new(model: &Model, prefix: &str, stall: Pattern) -> Result<Self, PortError> {
        let boundary = Boundary::new(model, prefix)?;
        Ok(Self { boundary, gate: Gate::new(stall), received: vec![], expected: 0 })
    }
}

impl<P: Wire> Agent for Sink<P> {
    fn drive(&mut self, now: &mut Moment<'_>) -> Result<(), Fault> {
        let open = self.gate.open(now.rng);
        now.model.set_u64(self.boundary.ready, u64::from(open))?;
        Ok(())
    }

    fn probe(&mut self, now: &mut Moment<'_>) -> Result<(), Fault> {
        self.boundary.probe_sink(now)
    }

    fn sample(&mut self, now: &mut Moment<'_>) -> Result<bool, Fault> {
        let Some(done) = self.boundary.sample(now.cycle, now.model)? else { return Ok(false) };
        if let Some(unit) = done {
            self.boundary.note(now, "received", &unit);
            self.received.push(unit);
            self.expected = self.expected.saturating_sub(1);
        }
        Ok(true)
    }

    fn pending(&self) -> bool {
        self.expected > 0 || !self.boundary.partial.is_empty()
    }

    fn wakes(&self, cycle: u64) -> u64 {
        if self.gate.is_constant() {
            NEVER
        } else {
            cycle
        }
    }

    fn prefix(&self) -> &str {
        &self.boundary.prefix
    }

    fn state(&self, model: &Model) -> String {
        let (waiting, expected) = (self.received.len(), self.expected);
        format!(
            "sink {}, {waiting} received and not drained, {expected} expected",
            self.boundary.state(model)
        )
    }

    fn reset(&mut self) {
        self.boundary.reset();
        self.received.clear();
        self.expected = 0;
    }
}

/// Watches a boundary that others drive.
pub(crate) struct Watch<P: Wire>(Boundary<P>);

impl<P: Wire> Watch<P> {
    pub(crate) fn new(model: &Model, prefix: &str) -> Result<Self, PortError> {
        Ok(Self(Boundary::new(model, prefix)?))
    }
}

impl<P: Wire> Agent for Watch<P> {
    fn drive(&mut self, _now: &mut Moment<'_>) -> Result<(), Fault> {
        Ok(())
    }

    fn probe(&mut self, _now: &mut Moment<'_>) -> Result<(), Fault> {
        Ok(())
    }

    fn sample(&mut self, now: &mut Moment<'_>) -> Result<bool, Fault> {
        let Some(done) = self.0.sample(now.cycle, now.model)? else { return Ok(false) };
        if let Some(unit) = done {
            self.0.note(now, "passed", &unit);
        }
        Ok(true)
    }

    fn pending(&self) -> bool {
        false
    }

    fn wakes(&self, _cycle: u64) -> u64 {
        NEVER
    }

    fn prefix(&self) -> &str {
        &self.0.prefix
    }

    fn state(&self, model: &Model) -> String {
        format!("monitor {}", self.0.state(model))
    }

    fn reset(&mut self) {
        self.0.reset();
    }
}
