//! What stands behind a device's ports: the host's memory, an Ethernet link.
use super::{must, Bench, MemoryId};
use crate::link::{Link, LinkEnd, Side};
use crate::memory::{Held, HostMemory, MemoryAgent, MemoryPorts, MemoryTiming};

/// Host memory behind DMA ports.
impl Bench {
    /// Puts an empty memory behind DMA ports.
    pub fn memory(&mut self, ports: &MemoryPorts, timing: MemoryTiming) -> MemoryId {
        self.agents.memories.push(must(MemoryAgent::new(&self.model, ports, timing)));
        MemoryId(self.agents.memories.len() - 1)
    }

    /// The memory, to map, read and write, and to take what was refused: a case that leaves refused accesses
    /// fails at its end.
    pub fn host(&mut self, id: MemoryId) -> &mut HostMemory {
        &mut self.agents.memories[id.0].host
    }

    /// While held the memory takes nothing and begins no answer; a frame under way goes on.
    pub fn hold_memory(&mut self, id: MemoryId, held: bool) {
        self.agents.memories[id.0].held = Held { requests: held, answers: held, writes: held };
    }

    /// While held the memory begins no answer; it takes requests as far as its credits go, and writes.
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

/// Ethernet.
impl Bench {
    /// Puts one end of a link on the MAC-client streams `tx` out of the device and `rx` into it.
    pub fn ethernet(&mut self, link: &Link, side: Side, tx: &str, rx: &str) {
        let end = must(LinkEnd::new(&self.model, link, side, tx, rx));
        self.agents.others.push(Box::new(end));
    }
}
