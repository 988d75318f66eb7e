// SPDX-License-Identifier: MIT OR Apache-2.0
//! What runs are counted by.
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Counts of a run, or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Figures {
    /// Cycles of the clock.
    pub cycles: u64,
    /// The same times the devices that step in each.
    pub device_cycles: u64,
    /// Frames that the devices have sent.
    pub frames: u64,
    /// Completions that came, each as it had to.
    pub completions: u64,
    /// Connections that were opened.
    pub connections: u64,
    /// Resets of a whole device.
    pub resets: u64,
    /// Reads of host memory that the bus spoilt.
    pub pcie_faults: u64,
    /// Frames that a third station sent, or that were made hostile on the wire.
    pub hostile_frames: u64,
    /// Accesses of a host that no driver makes.
    pub hostile_accesses: u64,
    /// Frames that the wire lost, doubled, held back or spoilt.
    pub impaired_frames: u64,
}

impl Figures {
    /// Names and values, in the order of the fields.
    pub fn named(&self) -> [(&'static str, u64); 10] {
        let Self {
            cycles,
            device_cycles,
            frames,
            completions,
            connections,
            resets,
            pcie_faults,
            hostile_frames,
            hostile_accesses,
            impaired_frames,
        } = *self;
        [
            ("cycles", cycles),
            ("device cycles", device_cycles),
            ("frames", frames),
            ("completions", completions),
            ("connections", connections),
            ("resets", resets),
            ("PCIe faults", pcie_faults),
            ("hostile frames", hostile_frames),
            ("hostile accesses", hostile_accesses),
            ("impaired frames", impaired_frames),
        ]
    }
}

impl AddAssign for Figures {
    fn add_assign(&mut self, other: Self) {
        self.cycles += other.cycles;
        self.device_cycles += other.device_cycles;
        self.frames += other.frames;
        self.completions += other.completions;
        self.connections += other.connections;
        self.resets += other.resets;
        self.pcie_faults += other.pcie_faults;
        self.hostile_frames += other.hostile_frames;
        self.hostile_accesses += other.hostile_accesses;
        self.impaired_frames += other.impaired_frames;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_add_up() {
        let mut all = Figures { cycles: 1, resets: 2, ..Default::default() };
        all += Figures { cycles: 10, hostile_frames: 3, ..Default::default() };
        let named: Vec<_> = all.named().into_iter().filter(|(_, n)| *n > 0).collect();
        assert_eq!(named, [("cycles", 11), ("resets", 2), ("hostile frames", 3)]);
    }
}
