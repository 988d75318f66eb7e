// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands behind a device's ports: the host's memory, an Ethernet link.
use super::{must, Bench, MemoryId, Rate, RootId, TickPin};
use crate::link::{Link, LinkEnd, LinkPin, Side};
use crate::memory::{Held, HostMemory, MemoryAgent, MemoryPorts, MemoryTiming};
use crate::pcie::{PcieAgent, PciePorts, RcConfig, RootComplex};

/// Host memory behind DMA ports.
impl Bench {
    /// Puts an empty memory behind DMA ports.
    pub fn memory(&mut self, ports: &MemoryPorts, timing: MemoryTiming) -> MemoryId {
        self.agents.memories.push(must(MemoryAgent::new(&self.model, ports, timing)));
        MemoryId(self.agents.memories.len() - 1)
    }

    /// The memory, to map, read and write, and to take what was refused: a case that leaves refused
    /// accesses fails at its end.
    pub fn host(&mut self, id: MemoryId) -> &mut HostMemory {
        &mut self.agents.memories[id.0].host
    }

    /// While held the memory takes nothing and begins no answer; a frame under way goes on.
    pub fn hold_memory(&mut self, id: MemoryId, held: bool) {
        self.agents.memories[id.0].held = Held { requests: held, answers: held, writes: held };
    }

    /// While held the memory begins no answer; it takes requests as far as its credits go, and
    /// writes.
    pub fn hold_answers(&mut self, id: MemoryId, held: bool) {
        self.agents.memories[id.0].held.answers = held;
    }

    /// While held the memory takes no write; it goes on with reads.
    pub fn hold_writes(&mut self, id: MemoryId, held: bool) {
        self.agents.memories[id.0].held.writes = held;
    }

    /// The end of a case: nothing went wrong that the body did not look at.
    pub(crate) fn finish(&mut self) -> Result<(), String> {
        self.agents.all().find_map(|a| a.unseen()).map_or(Ok(()), Err)
    }
}

/// PCI Express.
impl Bench {
    /// Puts a root complex with an empty memory behind TLP streams.
    pub fn root_complex(&mut self, ports: &PciePorts, config: RcConfig) -> RootId {
        self.agents.roots.push(must(PcieAgent::new(&self.model, ports, config)));
        RootId(self.agents.roots.len() - 1)
    }

    /// The root complex: its memory, its configuration, accesses to BARs. A case that leaves
    /// refused accesses fails at its end.
    pub fn root(&mut self, id: RootId) -> &mut RootComplex {
        &mut self.agents.roots[id.0].root
    }

    /// Transfers of its two streams: out of the device, into it.
    pub fn link_rates(&self, id: RootId) -> (Rate, Rate) {
        self.agents.roots[id.0].rates()
    }

    /// While held the link takes no beat.
    pub fn hold_link(&mut self, id: RootId, held: bool) {
        self.agents.roots[id.0].held = held;
    }

    /// While held there is no credit for a non-posted request.
    pub fn hold_reads(&mut self, id: RootId, held: bool) {
        self.agents.roots[id.0].held_reads = held;
    }
}

/// Ethernet, and ticks beside it.
impl Bench {
    /// The input `pin`, which is high in each cycle that is a multiple of `each`.
    pub(crate) fn tick_pin(&self, pin: &str, each: u64) -> TickPin {
        TickPin { pin: must(self.model.need(pin)), each }
    }

    /// Puts one end of a link on the MAC-client streams `tx` out of the device and `rx` into it.
    pub fn ethernet(&mut self, link: &Link, side: Side, tx: &str, rx: &str) {
        let end = must(LinkEnd::new(&self.model, link, side, tx, rx));
        self.agents.others.push(Box::new(end));
    }

    /// Drives the input `pin` by which a MAC says that the link is up.
    pub fn link_pin(&mut self, link: &Link, pin: &str) {
        let pin = must(LinkPin::new(&self.model, link, pin));
        self.agents.others.push(Box::new(pin));
    }
}
