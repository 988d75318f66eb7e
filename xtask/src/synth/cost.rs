// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a block costs, in the words of `budget.toml`.
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What a block costs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// LUT4 of an ECP5, those used as carry chain or memory included.
    pub lut4: u64,
    /// LUT6 of a Xilinx 7 series.
    pub lut6: u64,
    /// Flip-flops of an ECP5.
    pub ff: u64,
    /// 18 kbit block RAMs of an ECP5.
    pub bram: u64,
    /// LUT6 on the path with most of them.
    pub levels: u64,
    /// Where that path begins and ends.
    pub path: String,
}

impl Cost {
    pub(super) fn figures(&self) -> [(&'static str, u64); 5] {
        [
            ("lut4", self.lut4),
            ("lut6", self.lut6),
            ("ff", self.ff),
            ("bram", self.bram),
            ("levels", self.levels),
        ]
    }

    /// Both together: areas add up, the longer path counts.
    pub(super) fn and(self, other: &Cost) -> Cost {
        let longer = if other.levels > self.levels { &other.path } else { &self.path };
        Cost {
            lut4: self.lut4 + other.lut4,
            lut6: self.lut6 + other.lut6,
            ff: self.ff + other.ff,
            bram: self.bram + other.bram,
            levels: self.levels.max(other.levels),
            path: longer.clone(),
        }
    }
}

/// Names what decides a result.
pub(super) fn hashed(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    texts.iter().for_each(|text| hash.update(text));
    hash.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect()
}
