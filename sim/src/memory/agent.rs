// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory on its ports: an agent of a bench.
use super::host::HostMemory;
use super::reads::{Answer, Reads};
use super::timing::MemoryTiming;
use super::writes::Writes;
use crate::bench::agent::{Agent, Fault, Moment, Sink, Source};
use crate::bench::{Frame, Item, Pattern, SideBeat, SideFrame};
use crate::check::{Beat, Fields};
use crate::model::{Model, PortError};

/// Which ports a memory stands behind, as prefixes of port names. Directions are the device's.
#[derive(Debug, Clone, Default)]
pub struct MemoryPorts {
    /// `<read>_req_{addr,length,tag,valid,ready}` out of the device and
    /// `<read>_ans_{data,bytes,last,err,tag,final,valid,ready}` into it.
    pub read: Option<String>,
    /// `<write>_cmd_{addr,length,valid,ready}` and `<write>_{data,bytes,last,err,valid,ready}`,
    /// both out of it.
    pub write: Option<String>,
}

impl MemoryPorts {
    /// A read port and a write port.
    pub fn both(read: &str, write: &str) -> Self {
        Self { read: Some(read.into()), write: Some(write.into()) }
    }

    /// A read port only.
    pub fn read(prefix: &str) -> Self {
        Self { read: Some(prefix.into()), write: None }
    }

    /// A write port only.
    pub fn write(prefix: &str) -> Self {
        Self { read: None, write: Some(prefix.into()) }
    }
}

/// The read port.
struct ReadPort {
    requests: Sink<Fields>,
    answers: Source<SideBeat>,
    reads: Reads,
}

/// The write port.
struct WritePort {
    commands: Sink<Fields>,
    frames: Sink<Beat>,
    writes: Writes,
}

/// What a memory does not do until it may again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Held {
    /// Take read requests.
    pub(crate) requests: bool,
    /// Begin answers.
    pub(crate) answers: bool,
    /// Take commands and frames of writes.
    pub(crate) writes: bool,
}

/// A memory behind its ports.
pub(crate) struct MemoryAgent {
    pub(crate) host: HostMemory,
    pub(crate) held: Held,
    read: Option<ReadPort>,
    write: Option<WritePort>,
    timing: MemoryTiming,
}

impl MemoryAgent {
    pub(crate) fn new(model: &Model, ports: &MemoryPorts, timing: MemoryTiming) -> Result<Self, PortError> {
        let stalls = timing.stalls;
        let read = ports.read.as_deref().map(|p| ReadPort::new(model, p, timing, stalls)).transpose()?;
        let write = ports.write.as_deref().map(|p| WritePort::new(model, p, timing, stalls)).transpose()?;
        Ok(Self { host: HostMemory::new(), held: Held::default(), read, write, timing })
    }
}

impl ReadPort {
    fn new(model: &Model, prefix: &str, timing: MemoryTiming, stalls: Pattern) -> Result<Self, PortError> {
        for field in ["addr", "length", "tag"] {
            model.need(&format!("{prefix}_req_{field}"))?;
        }
        for field in ["tag", "final"] {
            model.need(&format!("{prefix}_ans_{field}"))?;
        }
        Ok(Self {
            requests: Sink::new(model, &format!("{prefix}_req"), stalls)?,
            answers: Source::new(model, &format!("{prefix}_ans"), stalls)?,
            reads: Reads::new(timing),
        })
    }

    fn take_requests(&mut self, after: u64, host: &HostMemory, now: &mut Moment<'_>) -> Result<(), Fault> {
        for request in std::mem::take(&mut self.requests.received) {
            let request = (number(&request, "addr"), number(&request, "length"), number(&request, "tag"));
            self.reads.request(now.cycle, request, (after, host.lateness(request.0)), now.rng)?;
        }
        Ok(())
    }
}

impl WritePort {
    fn new(model: &Model, prefix: &str, timing: MemoryTiming, stalls: Pattern) -> Result<Self, PortError> {
        for field in ["addr", "length"] {
            model.need(&format!("{prefix}_cmd_{field}"))?;
        }
        Ok(Self {
            commands: Sink::new(model, &format!("{prefix}_cmd"), stalls)?,
            frames: Sink::new(model, prefix, stalls)?,
            writes: Writes::new(timing),
        })
    }

    fn take_writes(&mut self) -> Result<(), Fault> {
        for command in std::mem::take(&mut self.commands.received) {
            self.writes.command(number(&command, "addr"), number(&command, "length"))?;
        }
        self.frames.received.drain(..).for_each(|frame| self.writes.frame(frame));
        Ok(())
    }
}

/// A field that `new` has found; a port of more than 64 bits is not one of these.
fn number(item: &Item, field: &str) -> u64 {
    item.u64(field).unwrap_or_default()
}

impl Agent for MemoryAgent {
    fn drive(&mut self, now: &mut Moment<'_>) -> Result<(), Fault> {
        let visible = self.write.as_ref().map_or(0, |w| w.writes.visible());
        if let Some(port) = &mut self.read {
            port.requests.gate.held = self.held.requests || port.reads.full();
            // the next frame is drawn while the last beat of the one before it waits, so that none
            // is lost
            if !self.held.answers && port.answers.queued() < 2 {
                if let Some(answer) = port.reads.answer(now.cycle, visible, &mut self.host, now.rng) {
                    port.answers.send(&frame(answer), now.rng).map_err(Fault::Unit)?;
                }
            }
            port.requests.drive(now)?;
            port.answers.drive(now)?;
        }
        if let Some(port) = &mut self.write {
            port.commands.gate.held = self.held.writes || port.writes.commands_full();
            port.frames.gate.held = self.held.writes || port.writes.frames_full();
            port.commands.drive(now)?;
            port.frames.drive(now)?;
        }
        Ok(())
    }

    fn probe(&mut self, now: &mut Moment<'_>) -> Result<(), Fault> {
        if let Some(port) = &mut self.read {
            port.requests.probe(now)?;
            port.answers.probe(now)?;
        }
        if let Some(port) = &mut self.write {
            port.commands.probe(now)?;
            port.frames.probe(now)?;
        }
        Ok(())
    }

    fn sample(&mut self, now: &mut Moment<'_>) -> Result<bool, Fault> {
        let mut moved = false;
        let before = self.write.as_ref().map_or(0, |w| w.writes.accepted());
        if let Some(port) = &mut self.read {
            moved |= port.requests.sample(now)?;
            moved |= port.answers.sample(now)?;
            port.take_requests(before, &self.host, now)?;
        }
        if let Some(port) = &mut self.write {
            moved |= port.commands.sample(now)?;
            moved |= port.frames.sample(now)?;
            port.take_writes()?;
            port.writes.settle(now.cycle, &mut self.host, now.rng)?;
        }
        Ok(moved)
    }

    fn pending(&self) -> bool {
        self.read.as_ref().is_some_and(|p| p.reads.outstanding() > 0 || p.answers.pending())
            || self.write.as_ref().is_some_and(|p| p.writes.pending() || p.frames.pending())
    }

    fn prefix(&self) -> &str {
        let read = self.read.as_ref().map(|p| p.requests.prefix());
        read.or_else(|| self.write.as_ref().map(|p| p.frames.prefix())).unwrap_or("memory")
    }

    fn state(&self, model: &Model) -> String {
        let mut lines = vec![];
        if let Some(port) = &self.read {
            lines.push(format!("memory: {} reads outstanding", port.reads.outstanding()));
            lines.extend([port.requests.state(model), port.answers.state(model)]);
        }
        if let Some(port) = &self.write {
            let (came, seen) = (port.writes.accepted(), port.writes.visible());
            lines.push(format!("memory: {came} writes accepted, {seen} visible"));
            lines.extend([port.commands.state(model), port.frames.state(model)]);
        }
        lines.join("\n  ")
    }

    fn unseen(&mut self) -> Option<String> {
        let left = self.host.take_refused();
        let first = left.first()?;
        Some(format!("{} accesses to host memory were refused, the first: {first}", left.len()))
    }

    /// What the device asked for and did not get is forgotten; the memory keeps its octets.
    fn reset(&mut self) {
        if let Some(port) = &mut self.read {
            port.requests.reset();
            port.answers.reset();
            port.reads = Reads::new(self.timing);
        }
        if let Some(port) = &mut self.write {
            port.commands.reset();
            port.frames.reset();
            port.writes = Writes::new(self.timing);
        }
    }
}

/// An answer as a frame with its side signals.
fn frame(answer: Answer) -> SideFrame {
    let side = Item::new().with("tag", answer.tag).with("final", u64::from(answer.last));
    SideFrame { frame: Frame { data: answer.data, err: answer.err }, side }
}
