// SPDX-License-Identifier: MIT OR Apache-2.0
//! What firmware holds, so that tests and tools see that nothing stays behind.
pub use super::counters::Counters;
use super::flow::Phase;
use super::Manager;
use crate::net::NetCounters;

/// Everything held at a moment.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// Connections of all kinds.
    pub connections: usize,
    /// Those whose row is, or may be, in the hardware.
    pub rows: usize,
    /// Queue pairs that are bound.
    pub queue_pairs: usize,
    /// Local ends in use: one for each connection.
    pub tuples: usize,
    /// Listeners.
    pub listeners: usize,
    /// Connections remembered in TIME-WAIT.
    pub time_waits: usize,
    /// Commands that were not answered.
    pub commands: usize,
    /// Next hops being asked for.
    pub resolving: usize,
}

impl Manager {
    /// What is held now.
    pub fn audit(&self) -> Audit {
        let handed = |phase: &Phase| match phase {
            Phase::HandOver(handover) => !handover.is_draining(),
            Phase::Running(_) => true,
            _ => false,
        };
        Audit {
            connections: self.flows.len(),
            rows: self.flows.values().filter(|flow| handed(&flow.phase)).count(),
            queue_pairs: self.flows.values().filter(|flow| flow.phase.qp().is_some()).count(),
            tuples: self.tuples.len(),
            listeners: self.listeners.len(),
            time_waits: self.time_wait.len(),
            commands: self.pending.len() + self.commands.len(),
            resolving: self.net.pending(),
        }
    }

    /// Counters since the start.
    pub fn counters(&self) -> (Counters, NetCounters) {
        (self.counters, self.net.counters())
    }
}
