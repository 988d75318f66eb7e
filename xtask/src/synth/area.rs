// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a device and its parts take of an FPGA.
use super::cost::Cost;
use super::yosys::Family;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What a part takes of a family's device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    /// LUT4 or LUT6, those used as carry chain (ECP5) or memory included.
    pub luts: u64,
    /// Flip-flops.
    pub ffs: u64,
    /// 18 kbit block RAMs.
    pub brams: u64,
    /// Multipliers.
    pub dsps: u64,
    /// LUTs on the path with most of them.
    pub levels: u64,
    /// Where that path begins and ends.
    pub path: String,
    /// ABC's script, and whether ABC gave up behind its mapping.
    pub abc: String,
}

impl Area {
    /// Both together: areas add up, the longer path counts.
    pub(super) fn and(self, name: &str, other: &Area) -> Area {
        let path = if other.levels > self.levels { format!("{name}: {}", other.path) } else { self.path };
        Area {
            luts: self.luts + other.luts,
            ffs: self.ffs + other.ffs,
            brams: self.brams + other.brams,
            dsps: self.dsps + other.dsps,
            levels: self.levels.max(other.levels),
            path,
            abc: "-".into(),
        }
    }

    /// In the words of `budget.toml`, which limits an ECP5's.
    pub(super) fn cost(&self) -> Cost {
        Cost { lut4: self.luts, ff: self.ffs, bram: self.brams, ..Cost::default() }
    }

    pub(super) fn figures(&self, family: Family) -> Vec<(&'static str, u64)> {
        let all = [("ff", self.ffs), ("dsp", self.dsps)].into_iter();
        match family {
            Family::Ecp5 => all.chain([("lut4", self.luts), ("ebr", self.brams)]).collect(),
            Family::Xc7 | Family::Xcup => {
                all.chain([("lut6", self.luts), ("bram18", self.brams), ("levels", self.levels)]).collect()
            }
        }
    }
}

/// A mapped part.
pub struct Mapped {
    /// As in the top.
    pub name: String,
    /// Names its Verilog and the recipe.
    pub hash: String,
    /// Its netlist, kept for the placement; not there if the area is a recorded one.
    pub netlist: PathBuf,
    /// What it takes.
    pub area: Area,
}

/// A device mapped for one family.
pub struct Device {
    /// The family.
    pub family: Family,
    /// Its parts.
    pub parts: Vec<Mapped>,
    /// The sum.
    pub sum: Area,
}
